// The host's view of the hardware: 32-bit registers on AXI4-Lite, a row each, and the 64-bit
// performance counters behind them.
#pragma once

#include <cstdint>
#include <string_view>

namespace vta::isa {

enum class Register : uint16_t {
  kControl = 0x000,
  kStatus = 0x004,
  kInterruptEnable = 0x008,
  kInterruptStatus = 0x00c,
  kId = 0x010,
  kArchHashLow = 0x018,
  kArchHashHigh = 0x01c,
  kTimingHashLow = 0x020,
  kTimingHashHigh = 0x024,
  kInstructionAddressLow = 0x028,
  kInstructionAddressHigh = 0x02c,
  kInstructionCount = 0x030,
  kWatchdogCycles = 0x034,
  kBase = 0x040,     // 5 pairs (low, high), by BaseRegister()
  kModule = 0x080,   // fetch, load, compute, store: kModuleRegisters registers each
  kCounter = 0x100,  // pairs (low, high), by HardwareCounter
};

enum class Access : uint8_t { kRead, kWrite, kReadWrite, kWriteOneToClear };

/// What the port answers, and what a write of a part of a word does.
inline constexpr std::string_view kRegisterAnswers =
    "What the column *access* does not allow, and any offset that is not in the table, is answered "
    "with SLVERR, reads 0 and changes nothing; all else with OKAY. A write changes the bytes that "
    "its strobes name; one that does not name byte 0 of `control` starts nothing.";

/// Addresses of the port: a page, so that it can be mapped by itself.
inline constexpr int kRegisterAddressBits = 12;

struct RegisterSpec {
  Register offset;
  std::string_view name;
  Access access;
  int64_t count;  // of 32-bit words
  std::string_view meaning;
};

/// What ID reads: "VTA1".
inline constexpr uint32_t kHardwareId = 0x31415456;

// Bits of CONTROL.
inline constexpr uint32_t kControlStart = 1u << 0;
inline constexpr uint32_t kControlReset = 1u << 1;
// Bits of STATUS; bits 6..4 hold the Outcome once done is set.
inline constexpr uint32_t kStatusBusy = 1u << 0;
inline constexpr uint32_t kStatusDone = 1u << 1;
inline constexpr uint32_t kStatusWatchdog = 1u << 2;
inline constexpr int kStatusOutcomeLsb = 4;

// The words of a module at kModule: state, index in the stream, byte address (low, high).
inline constexpr int kModuleRegisters = 4;
inline constexpr int kHardwareUnits = 4;  // fetch, then Module order
// Fields of the state word: ModuleState::Kind, Wait, Queue, Fault. Fetch that waits for space has
// in place of the Queue the Module whose command queue is full.
inline constexpr int kStateKindLsb = 0, kStateWaitLsb = 4, kStateQueueLsb = 8, kStateFaultLsb = 12;

inline constexpr RegisterSpec kRegisters[] = {
    {Register::kControl, "control", Access::kWrite, 1,
     "bit 0 starts a launch, once the bus is idle, and is ignored while busy; bit 1 resets all but "
     "the registers, and drains the bus"},
    {Register::kStatus, "status", Access::kRead, 1,
     "bit 0 busy, bit 1 done, bit 2 the watchdog expired, bits 6..4 the outcome"},
    {Register::kInterruptEnable, "interrupt_enable", Access::kReadWrite, 1,
     "bit 0: interrupt when done"},
    {Register::kInterruptStatus, "interrupt_status", Access::kWriteOneToClear, 1,
     "bit 0: a launch ended"},
    {Register::kId, "id", Access::kRead, 1, "the letters VTA1"},
    {Register::kArchHashLow, "arch_hash_low", Access::kRead, 1, "what programs depend on"},
    {Register::kArchHashHigh, "arch_hash_high", Access::kRead, 1, "its upper half"},
    {Register::kTimingHashLow, "timing_hash_low", Access::kRead, 1, "what cycle counts depend on"},
    {Register::kTimingHashHigh, "timing_hash_high", Access::kRead, 1, "its upper half"},
    {Register::kInstructionAddressLow, "instruction_address_low", Access::kReadWrite, 1,
     "byte address of the first instruction, a multiple of 16"},
    {Register::kInstructionAddressHigh, "instruction_address_high", Access::kReadWrite, 1,
     "its upper half"},
    {Register::kInstructionCount, "instruction_count", Access::kReadWrite, 1,
     "instructions to fetch at most"},
    {Register::kWatchdogCycles, "watchdog_cycles", Access::kReadWrite, 1,
     "a bus that answers nothing for so many cycles ends the launch; 0: never"},
    {Register::kBase, "base", Access::kReadWrite, 10,
     "byte addresses of the memory types in code order, low and high words; see "
     "BaseAlignmentBytes"},
    {Register::kModule, "module", Access::kRead, kHardwareUnits* kModuleRegisters,
     "state, instruction index, instruction address of fetch (that of the next), load, compute, "
     "store"},
    {Register::kCounter, "counter", Access::kRead, 64,
     "performance counters, low and high words; cleared by a start"},
};

/// The row that holds a byte offset, or null.
constexpr const RegisterSpec* FindRegister(uint64_t offset) {
  for (const RegisterSpec& row : kRegisters) {
    const auto first = static_cast<uint64_t>(row.offset);
    if (offset >= first && offset < first + 4 * static_cast<uint64_t>(row.count)) return &row;
  }
  return nullptr;
}

/// A performance counter counts cycles, instructions, micro-ops, elements or tokens of one launch.
enum class HardwareCounter : uint8_t {
  kCycles = 0,
  kBusy = 1,           // + Module: cycles in which an instruction runs and waits for nothing
  kWaitToken = 4,      // + Module: cycles in which it waits for a token, space or FINISH's barrier
  kWaitMemory = 7,     // + Module: cycles in which it waits for the bus
  kInstructions = 10,  // + opcode 0..5: completed
  kGemmUops = 16,
  kMacUops = 17,  // those without reset
  kAluUops = 18,
  kElements = 19,  // + memory type 0..5: moved from or to DRAM; see CountedAs
  kTokens = 25,    // + Queue: pushed
  // Cycles in which fetch hands an instruction on, waits for space in a module's queue, for the
  // bus.
  kFetchBusy = 29,
  kFetchWaitToken = 30,
  kFetchWaitMemory = 31,
};
inline constexpr int kHardwareCounters = 32;

}  // namespace vta::isa
