// Where the time of launches went, cycle by cycle: what an engine that has time records, and a
// viewer shows.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/launch.h"

namespace vta::sim {

/// Clock cycles [begin, end) since power-on.
struct Slice {
  int64_t begin = 0, end = 0;
  int64_t cycles() const { return end - begin; }
};

/// A module runs an instruction: from the cycle after its tokens are popped up to that in which it
/// pushes its own, or halts. In compute they may overlap; there they end in the order in which they
/// begin, and at most 1 + isa::timing::kOlderInstructions run at once.
struct InstructionSlice : Slice {
  isa::Module module = isa::Module::kLoad;
  int64_t index = 0;  // in the stream
  uint64_t address = 0;
  isa::Word word;
};

enum class Stall : uint8_t {
  kMemory,   // the bus
  kToken,    // a pop from an empty queue, before the instruction starts
  kSpace,    // a push to a full queue, once the instruction is complete
  kBarrier,  // FINISH, for the other modules
};

struct StallSlice : Slice {
  isa::Module module = isa::Module::kLoad;
  Stall reason = Stall::kMemory;
  isa::Queue queue = isa::Queue::kLoadToCompute;  // of kToken and kSpace
};

/// Why a unit of isa::kUnits did what it did; the slices of a unit follow each other without a gap.
struct CauseSlice : Slice {
  int unit = isa::kFetchUnit;
  isa::Cause cause = isa::Cause::kNothing;
  isa::Queue queue = isa::Queue::kLoadToCompute;  // of kToken and kSpace, but fetch's
  int64_t index = -1;                             // the instruction that it is about, or none
  int64_t other = -1;                             // that at the other end: of kToken and kSpace
  int by = -1;  // the unit whose burst was before: of kContention; of fetch's kSpace: whose queue
                // is full
};

/// What the bus moved up to a cycle. Units: bytes since power-on.
struct BusSample {
  int64_t cycle = 0, read_bytes = 0, written_bytes = 0;
};

/// In the order in which the slices of a module end. The cycles in which a module runs anything,
/// less its stalls, are what isa::ModuleCycles counts as busy.
struct Timeline {
  std::vector<Slice> launches;
  std::vector<InstructionSlice> instructions;
  std::vector<StallSlice> stalls;
  std::vector<CauseSlice> causes;  // of an engine that knows them, by unit
  std::vector<BusSample> bus;      // every kBusSampleCycles of a launch, and at its ends
};
inline constexpr int64_t kBusSampleCycles = 256;

/// Adds the slices of further launches behind those that are there.
void Append(Timeline& all, const Timeline& launches);

}  // namespace vta::sim
