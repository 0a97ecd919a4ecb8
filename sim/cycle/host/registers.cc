#include "sim/cycle/host/registers.h"

#include "isa/register_launch.h"

namespace vta::sim {

using isa::Access;
using isa::Register;

HostRegisters::Read HostRegisters::ReadWord(uint64_t offset) const {
  const isa::RegisterSpec* row = isa::FindRegister(offset);
  if (!row || row->access == Access::kWrite) return {};
  const auto word = static_cast<int64_t>(offset - static_cast<uint64_t>(row->offset)) / 4;
  const auto half = [](uint64_t value, bool high) {
    return Read{true, static_cast<uint32_t>(high ? value >> 32 : value)};
  };
  switch (row->offset) {
    case Register::kStatus:
      return {true, status_};
    case Register::kInterruptEnable:
      return {true, enabled_};
    case Register::kInterruptStatus:
      return {true, pending_};
    case Register::kId:
      return {true, isa::kHardwareId};
    case Register::kArchHashLow:
    case Register::kArchHashHigh:
      return half(isa::ArchHash(config_), row->offset == Register::kArchHashHigh);
    case Register::kTimingHashLow:
    case Register::kTimingHashHigh:
      return half(isa::TimingHash(config_), row->offset == Register::kTimingHashHigh);
    case Register::kModule:
      return {true, ModuleWord(word)};
    case Register::kCounter:
      return half(CounterValue(word / 2), word % 2);
    default:
      return {true, Stored(row->offset, word)};
  }
}

HostRegisters::Written HostRegisters::WriteWord(uint64_t offset, uint32_t value, uint8_t strobes) {
  const isa::RegisterSpec* row = isa::FindRegister(offset);
  if (!row || row->access == Access::kRead) return {};
  const bool low = strobes & 1;
  switch (row->offset) {
    case Register::kControl:
      return {true, low && (value & isa::kControlStart) && !busy(),
              low && (value & isa::kControlReset)};
    case Register::kInterruptEnable:
      if (low) enabled_ = value & 1;
      break;
    case Register::kInterruptStatus:
      if (low && (value & 1)) pending_ = false;
      break;
    default:
      for (int byte = 0; byte < 4; ++byte) {
        if (!(strobes >> byte & 1)) continue;
        const uint32_t mask = uint32_t{0xff} << (8 * byte);
        uint32_t& word = words_[offset / 4];
        word = (word & ~mask) | (value & mask);
      }
  }
  return {true};
}

isa::LaunchRequest HostRegisters::Launch() const {
  isa::LaunchRequest request;
  request.instruction_address = Pair(Register::kInstructionAddressLow) & isa::kAddressMask &
                                ~uint64_t{isa::kInstructionBytes - 1};
  request.instruction_count = Stored(Register::kInstructionCount);
  for (int i = 0; i < isa::kBaseRegisters; ++i)
    request.base[i] = Pair(Register::kBase, 2 * i) & isa::kAddressMask;
  return request;
}

void HostRegisters::End(const isa::LaunchResult& result, bool watchdog) {
  result_ = result;
  status_ = isa::kStatusDone | static_cast<uint32_t>(result.outcome) << isa::kStatusOutcomeLsb;
  if (watchdog) status_ |= isa::kStatusWatchdog;
  pending_ = true;
}

uint32_t HostRegisters::ModuleWord(int64_t word) const {
  using Kind = isa::ModuleState::Kind;
  isa::ModuleState state;
  uint32_t queue = 0;
  if (word < isa::kModuleRegisters) {
    const isa::FetchState& fetch = result_.fetch;
    state.kind = fetch.fault != isa::Fault::kNone ? Kind::kHalted
                 : fetch.full                     ? Kind::kWaiting
                                                  : Kind::kDone;
    if (fetch.full) state.wait = isa::Wait::kSpace, queue = static_cast<uint32_t>(*fetch.full);
    state.fault = fetch.fault;
    state.index = fetch.fetched;
    state.address = fetch.address;
  } else {
    state = result_.modules[static_cast<size_t>(word / isa::kModuleRegisters - 1)];
    queue = static_cast<uint32_t>(state.queue);
  }
  switch (word % isa::kModuleRegisters) {
    case 0:
      return static_cast<uint32_t>(state.kind) << isa::kStateKindLsb |
             static_cast<uint32_t>(state.wait) << isa::kStateWaitLsb |
             queue << isa::kStateQueueLsb |
             static_cast<uint32_t>(state.fault) << isa::kStateFaultLsb;
    case 1:
      return static_cast<uint32_t>(state.index);
    case 2:
      return static_cast<uint32_t>(state.address);
    default:
      return static_cast<uint32_t>(state.address >> 32);
  }
}

uint64_t HostRegisters::CounterValue(int64_t counter) const {
  using isa::HardwareCounter;
  const isa::Counters& counters = result_.counters;
  if (!counters.time) return 0;
  const isa::Time& time = *counters.time;
  const auto at = [&](HardwareCounter first) { return counter - static_cast<int64_t>(first); };
  const auto in = [&](HardwareCounter first, int64_t count) {
    return at(first) >= 0 && at(first) < count;
  };
  const auto value = [&]() -> int64_t {
    const auto module = [&](HardwareCounter first) {
      return time.modules[static_cast<size_t>(at(first))];
    };
    if (in(HardwareCounter::kBusy, isa::kModules)) return module(HardwareCounter::kBusy).busy;
    if (in(HardwareCounter::kWaitToken, isa::kModules))
      return module(HardwareCounter::kWaitToken).wait_token;
    if (in(HardwareCounter::kWaitMemory, isa::kModules))
      return module(HardwareCounter::kWaitMemory).wait_memory;
    if (in(HardwareCounter::kInstructions, std::ssize(isa::kInstructions)))
      return counters.instructions[static_cast<size_t>(at(HardwareCounter::kInstructions))];
    if (in(HardwareCounter::kElements, isa::kCountedMemories)) {
      const auto type = static_cast<size_t>(at(HardwareCounter::kElements));
      return counters.bytes[type] / isa::kMemories[type].dram_element_bytes(config_);
    }
    if (in(HardwareCounter::kTokens, isa::kQueues))
      return counters.tokens[static_cast<size_t>(at(HardwareCounter::kTokens))];
    switch (static_cast<HardwareCounter>(counter)) {
      case HardwareCounter::kCycles:
        return time.cycles;
      case HardwareCounter::kGemmUops:
        return counters.gemm_uops;
      case HardwareCounter::kMacUops:
        return counters.macs / config_.macs_per_cycle();
      case HardwareCounter::kAluUops:
        return counters.alu_uops;
      case HardwareCounter::kFetchBusy:
        return time.fetch.busy;
      case HardwareCounter::kFetchWaitToken:
        return time.fetch.wait_token;
      case HardwareCounter::kFetchWaitMemory:
        return time.fetch.wait_memory;
      default:
        return 0;
    }
  };
  return static_cast<uint64_t>(value());
}

}  // namespace vta::sim
