#include "isa/register_launch.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::isa {
namespace {

void WritePair(RegisterPort& port, Register first, uint64_t value, int64_t word = 0) {
  port.Write(first, static_cast<uint32_t>(value), word);
  port.Write(first, static_cast<uint32_t>(value >> 32), word + 1);
}

ModuleState ReadState(RegisterPort& port, int unit) {
  const int64_t word = unit * kModuleRegisters;
  const uint32_t bits = port.Read(Register::kModule, word);
  ModuleState state;
  state.kind = static_cast<ModuleState::Kind>(bits >> kStateKindLsb & 0xf);
  state.wait = static_cast<Wait>(bits >> kStateWaitLsb & 0xf);
  state.queue = static_cast<Queue>(bits >> kStateQueueLsb & 0xf);
  state.fault = static_cast<Fault>(bits >> kStateFaultLsb & 0xf);
  state.index = port.Read(Register::kModule, word + 1);
  state.address = port.Read(Register::kModule, word + 2);
  state.address |= uint64_t{port.Read(Register::kModule, word + 3)} << 32;
  return state;
}

int64_t ReadCounter(RegisterPort& port, HardwareCounter first, int64_t offset = 0) {
  const int64_t index = static_cast<int64_t>(first) + offset;
  const uint64_t low = port.Read(Register::kCounter, 2 * index);
  const uint64_t high = port.Read(Register::kCounter, 2 * index + 1);
  return static_cast<int64_t>(high << 32 | low);
}

void ReadTime(RegisterPort& port, Time& time) {
  time.cycles = ReadCounter(port, HardwareCounter::kCycles);
  time.fetch.busy = ReadCounter(port, HardwareCounter::kFetchBusy);
  time.fetch.wait_token = ReadCounter(port, HardwareCounter::kFetchWaitToken);
  time.fetch.wait_memory = ReadCounter(port, HardwareCounter::kFetchWaitMemory);
  for (int m = 0; m < kModules; ++m) {
    time.modules[m].busy = ReadCounter(port, HardwareCounter::kBusy, m);
    time.modules[m].wait_token = ReadCounter(port, HardwareCounter::kWaitToken, m);
    time.modules[m].wait_memory = ReadCounter(port, HardwareCounter::kWaitMemory, m);
  }
}

void ReadCounters(RegisterPort& port, const Config& config, Counters& counters) {
  ReadTime(port, counters.time.emplace());
  for (const InstructionSpec& row : kInstructions)
    counters.instructions[static_cast<int>(row.code)] =
        ReadCounter(port, HardwareCounter::kInstructions, static_cast<int64_t>(row.code));
  counters.gemm_uops = ReadCounter(port, HardwareCounter::kGemmUops);
  counters.alu_uops = ReadCounter(port, HardwareCounter::kAluUops);
  counters.macs = ReadCounter(port, HardwareCounter::kMacUops) * config.macs_per_cycle();
  for (const MemorySpec& row : kCountedTypes)
    counters.bytes[static_cast<int>(row.code)] =
        ReadCounter(port, HardwareCounter::kElements, static_cast<int64_t>(row.code)) *
        row.dram_element_bytes(config);
  for (int q = 0; q < kQueues; ++q)
    counters.tokens[q] = ReadCounter(port, HardwareCounter::kTokens, q);
}

void MoveAddress(uint64_t& address, uint64_t by) { address = (address + by) & kAddressMask; }

}  // namespace

int64_t BaseAlignmentBytes(const Config& config, MemoryType type) {
  const MemorySpec* memory = FindMemory(config.arch, static_cast<int64_t>(type));
  VTA_CHECK(memory, static_cast<int>(type));
  int64_t bytes = config.uarch.bus_bits / 8;
  for (const MemorySpec& row : kMemories)
    if (BaseRegister(row.code) == BaseRegister(type) &&
        FindMemory(config.arch, static_cast<int64_t>(row.code)))
      bytes = std::max(bytes, row.dram_element_bytes(config));
  return bytes;
}

void CheckAlignment(const Config& config, const LaunchRequest& launch) {
  const auto aligned = [](const std::string& what, uint64_t value, int64_t alignment) {
    if (value % static_cast<uint64_t>(alignment) != 0)
      throw Error("launch", what, Hex(value), StrCat("must be a multiple of ", alignment));
  };
  aligned("instruction address", launch.instruction_address, kInstructionBytes);
  for (int i = 0; i < kBaseRegisters; ++i)
    aligned(StrCat("base of ", kMemories[i].name), launch.base[i],
            BaseAlignmentBytes(config, kMemories[i].code));
}

void Move(LaunchRequest& request, uint64_t by) {
  MoveAddress(request.instruction_address, by);
  for (uint64_t& base : request.base) MoveAddress(base, by);
}

void Move(LaunchResult& result, uint64_t by) {
  if (result.fetch.fault != Fault::kNone || result.fetch.full)
    MoveAddress(result.fetch.address, by);
  for (ModuleState& state : result.modules)
    if (state.kind != ModuleState::Kind::kDone) MoveAddress(state.address, by);
}

void WriteLaunch(RegisterPort& port, const LaunchRequest& request) {
  WritePair(port, Register::kInstructionAddressLow, request.instruction_address);
  port.Write(Register::kInstructionCount, static_cast<uint32_t>(request.instruction_count));
  for (int i = 0; i < kBaseRegisters; ++i) WritePair(port, Register::kBase, request.base[i], 2 * i);
  port.Write(Register::kInterruptStatus, 1);
  port.Write(Register::kInterruptEnable, 1);
  port.Write(Register::kControl, kControlStart);
}

LaunchResult ReadResult(RegisterPort& port, const Config& config) {
  LaunchResult result;
  const uint32_t status = port.Read(Register::kStatus);
  result.outcome = static_cast<Outcome>(status >> kStatusOutcomeLsb & 7);
  const ModuleState fetch = ReadState(port, 0);
  result.fetch.fetched = fetch.index;
  result.fetch.fault = fetch.fault;
  if (fetch.kind == ModuleState::Kind::kWaiting)
    result.fetch.full = static_cast<Module>(fetch.queue);
  if (fetch.kind != ModuleState::Kind::kDone) result.fetch.address = fetch.address;
  for (int m = 0; m < kModules; ++m) {
    const ModuleState state = ReadState(port, m + 1);
    if (state.kind != ModuleState::Kind::kDone) result.modules[m] = state;
  }
  ReadCounters(port, config, result.counters);
  return result;
}

}  // namespace vta::isa
