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

/// When a module waited, for a timeline.
struct Waits {
  struct Token {
    Span span;
    isa::Wait wait;  // for a token, for space, for the barrier
    isa::Queue queue;
  };
  std::vector<Span> memory;
  std::vector<Token> tokens;
};

/// What a module's cycles are spent on.
class Book {
 public:
  /// From this cycle on an instruction runs, or not, and the module waits for tokens, space or a
  /// barrier, or not: for what its `state()` says.
  void Turn(int64_t cycle, bool runs, bool waits, const auto& state) {
    const int64_t cycles = cycle - since_;
    if (waits_) cycles_.wait_token += cycles;
    if (runs_ && !waits_) cycles_.busy += cycles;
    if (trace_) Note(cycle, waits, waits ? state() : Status());
    runs_ = runs, waits_ = waits, since_ = cycle;
  }
  /// It has halted.
  void Halt(int64_t cycle) {
    Turn(cycle, false, false, [] { return Status(); });
  }
  /// So many of the cycles in which an instruction ran were spent on waiting for memory.
  void WaitForMemory(int64_t cycles) { cycles_.wait_memory += cycles, cycles_.busy -= cycles; }
  /// The launch ends before this cycle.
  isa::ModuleCycles Cycles(int64_t end) {
    Halt(end);
    return cycles_;
  }
  /// From now on says when the module waits. Borrowed.
  void set_trace(Waits* trace) { trace_ = trace; }
  Waits* trace() const { return trace_; }

 private:
  void Note(int64_t cycle, bool waits, const Status& status) {
    std::vector<Waits::Token>& tokens = trace_->tokens;
    if (waits_) tokens.back().span.end = cycle;
    if (!waits) return;
    if (waits_ && tokens.back().wait == status.wait && tokens.back().queue == status.queue) return;
    tokens.push_back({{cycle, cycle}, status.wait, status.queue});
  }

  bool runs_ = false, waits_ = false;
  int64_t since_ = 0;
  isa::ModuleCycles cycles_;
  Waits* trace_ = nullptr;
};

/// An instruction from start to end, as the RTL's trace says it.
struct Ran {
  enum How : uint8_t { kEnds, kHalts, kCut };  // kCut: by the end of the launch
  const Insn* insn;
  int64_t start, end;
  How how = kEnds;
  int64_t complete = kNever;  // a STORE: when it had sent all and was answered
};

}  // namespace vta::sim::cycle
