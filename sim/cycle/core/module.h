// What a module says of itself while a launch runs and when it has ended.
#pragma once

#include <vector>

#include "isa/launch.h"
#include "sim/cycle/core/stream.h"

namespace vta::sim::cycle {

/// The state that the registers show.
struct Status {
  isa::ModuleState::Kind kind = isa::ModuleState::Kind::kDone;
  isa::Wait wait = isa::Wait::kNone;
  isa::Queue queue = isa::Queue::kLoadToCompute;
  isa::Fault fault = isa::Fault::kNone;
  const Insn* insn = nullptr;  // where kind is not kDone
};

/// What a module's cycles are spent on.
class Book {
 public:
  /// From this cycle on an instruction runs, or not, and the module waits for tokens, space or a
  /// barrier, or not.
  void Turn(int64_t cycle, bool runs, bool waits) {
    const int64_t cycles = cycle - since_;
    if (waits_) cycles_.wait_token += cycles;
    if (runs_ && !waits_) cycles_.busy += cycles;
    runs_ = runs, waits_ = waits, since_ = cycle;
  }
  /// So many of the cycles in which an instruction ran were spent on waiting for memory.
  void WaitForMemory(int64_t cycles) { cycles_.wait_memory += cycles, cycles_.busy -= cycles; }
  isa::ModuleCycles Cycles(int64_t end) {
    Turn(end, false, false);
    return cycles_;
  }

 private:
  bool runs_ = false, waits_ = false;
  int64_t since_ = 0;
  isa::ModuleCycles cycles_;
};

/// An instruction from start to end, as the RTL's trace says it.
struct Ran {
  int64_t index, start, end;
};

}  // namespace vta::sim::cycle
