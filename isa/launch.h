// One launch of an accelerator and how it ends: what every engine and every device takes and gives
// back.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/layout.h"
#include "isa/spec/faults.h"

namespace vta::isa {

/// Base registers: one for each memory type up to out; acc8 uses that of acc, lut that of uop.
inline constexpr int kBaseRegisters = 5;
constexpr int BaseRegister(MemoryType type) {
  return static_cast<int>(type == MemoryType::kAcc8  ? MemoryType::kAcc
                          : type == MemoryType::kLut ? MemoryType::kUop
                                                     : type);
}

/// What the host writes into the registers before it starts the accelerator.
/// Units: byte addresses; a count of 16-byte instructions.
struct LaunchRequest {
  uint64_t instruction_address = 0;
  int64_t instruction_count = 0;
  std::array<uint64_t, kBaseRegisters> base = {};  // by BaseRegister()
  /// Not for the registers: the instructions at which parts of the stream begin whose times are
  /// asked for, the first of them 0.
  std::vector<int64_t> parts = {};
};

enum class Outcome : uint8_t {
  kFinished,  // FINISH is done
  kFault,     // a module, or fetch, halted
  kDeadlock,  // nothing can move: some module waits
  kNoFinish,  // everything ran, but there was no FINISH
  kStopped,   // the caller's limit of work or time was reached
};
std::string_view OutcomeName(Outcome outcome);

enum class Wait : uint8_t {
  kNone,
  kToken,    // a pop from an empty queue
  kSpace,    // a push to a full queue
  kBarrier,  // FINISH, for the earlier instructions of the other modules
};

/// Where a module stands when nothing moves any more.
struct ModuleState {
  enum class Kind : uint8_t { kDone, kWaiting, kHalted };
  Kind kind = Kind::kDone;
  // The instruction that waits or faulted:
  int64_t index = 0;  // in the stream
  uint64_t address = 0;
  Word word;
  Wait wait = Wait::kNone;
  Queue queue = Queue::kLoadToCompute;  // of kToken and kSpace
  Fault fault = Fault::kNone;
  bool operator==(const ModuleState&) const = default;
};

/// Fetch halts with a bus error where the memory refuses an instruction's address, and waits where
/// an instruction's module holds as many as its command queue does.
struct FetchState {
  int64_t fetched = 0;  // instructions handed on
  Fault fault = Fault::kNone;
  std::optional<Module> full = std::nullopt;  // that it waits for
  uint64_t address = 0;                       // of the next instruction: refused, or waiting
  bool operator==(const FetchState&) const = default;
};

/// What a module spends the cycles of a launch on; in those left it has nothing to do.
struct ModuleCycles {
  int64_t busy = 0;         // an instruction runs and waits for nothing
  int64_t wait_token = 0;   // for a token, for space in a queue, or for FINISH's barrier
  int64_t wait_memory = 0;  // for the bus
  ModuleCycles& operator+=(const ModuleCycles& other);
  bool operator==(const ModuleCycles&) const = default;
};

/// Where the time of a launch went.
struct Time {
  int64_t cycles = 0;
  ModuleCycles fetch;  // busy: it hands an instruction on; wait_token: for space in a queue
  std::array<ModuleCycles, kModules> modules = {};
  Time& operator+=(const Time& other);
  bool operator==(const Time&) const = default;
};

/// Fetch and the modules: each has its own clock cycles to account for.
inline constexpr int kUnits = 1 + kModules;
inline constexpr int kFetchUnit = 0;
constexpr int UnitOf(Module module) { return 1 + static_cast<int>(module); }
/// "fetch", "load", "compute", "store".
std::string_view UnitName(int unit);

/// Why a cycle of a unit went by: each has one cause.
enum class Cause : uint8_t {
  kBusy,         // it works: a micro-op, a beat, a row of padding, an instruction that is handed on
  kPipeline,     // fixed cycles of isa/spec/timing.h: stages fill, or empty
  kUops,         // the compute module loads micro-ops
  kToken,        // for a token
  kSpace,        // for space in a dependency queue; fetch: in a command queue
  kBarrier,      // FINISH, for the other modules
  kLatency,      // for memory: nobody is in the way of its burst
  kRowMiss,      // for memory, which opens the row of its burst
  kContention,   // for the bus, where bursts of others are before its own
  kBandwidth,    // for the bus, where bursts of its own are before this one, or beats come slowly
  kInstruction,  // for an instruction, which fetch has not handed on yet
  kNothing,      // nothing is left for it to do
};
inline constexpr int kCauses = static_cast<int>(Cause::kNothing) + 1;
std::string_view CauseName(Cause cause);

/// Cycles by cause.
using CauseCycles = std::array<int64_t, kCauses>;

/// Of an engine that knows why its cycles went by.
struct Causes {
  std::array<CauseCycles, kUnits> spent = {};  // of each unit: they sum to the launch's cycles
  /// The chain of instructions and bursts that made the launch as long as it is: cycles by the
  /// unit in which they were spent. All of them sum to the launch's cycles.
  std::array<CauseCycles, kUnits> path = {};
  Causes& operator+=(const Causes& other);
  bool operator==(const Causes&) const = default;
};

/// Work done, faulting instructions counted by what they completed.
struct Counters {
  std::array<int64_t, 8> instructions = {};          // completed, by opcode
  int64_t gemm_uops = 0, alu_uops = 0;               // micro-ops executed
  int64_t macs = 0;                                  // multiplications of GEMM without reset
  std::array<int64_t, kCountedMemories> bytes = {};  // moved from or to DRAM, by CountedAs()
  std::array<int64_t, kQueues> tokens = {};          // pushed, by queue
  std::optional<Time> time;                          // of an engine that has time
  std::optional<Causes> causes;                      // of one that was asked for them
  std::optional<int64_t> estimated_cycles;           // of one that has no clock, but an idea of one
  Counters& operator+=(const Counters& other);
  bool operator==(const Counters&) const = default;
};

/// What a part of a launch took: from the cycle in which the compute module was through with the
/// parts before it to that in which it is through with this one, or the launch ends. What other
/// modules do for a part in the time of another counts there.
struct PartTime {
  Time time;  // fetch has no parts: all 0
  std::optional<Causes> causes;
  bool operator==(const PartTime&) const = default;
};

struct LaunchResult {
  Outcome outcome = Outcome::kNoFinish;
  std::array<ModuleState, kModules> modules;
  FetchState fetch;
  Counters counters;
  /// Of the parts that were asked for, where the engine can tell and the launch finished in the
  /// last of them; their cycles sum to the launch's.
  std::vector<PartTime> parts = {};
  bool operator==(const LaunchResult&) const = default;
};

/// One line for a module: "compute: waits for a token of load->compute at instruction 3 (0x1030)".
std::string Describe(Module module, const ModuleState& state);
/// The outcome and, unless it finished, a line for fetch if it halted and for each module that is
/// not done.
std::string Describe(const LaunchResult& result);

}  // namespace vta::isa
