// What a module says of itself while a launch runs and when it has ended.
#pragma once

#include <vector>

#include "isa/launch.h"
#include "sim/cycle/core/parts.h"
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

/// An instruction from start to end, as the RTL's trace says it.
struct Ran {
  enum How : uint8_t { kEnds, kHalts, kCut };  // kCut: by the end of the launch
  const Insn* insn;
  int64_t start, end;
  How how = kEnds;
  int64_t complete = kNever;  // a STORE: when it had sent all and was answered
};

/// What a module did and when it waited, for a timeline.
struct Past {
  struct Token {
    Span span;
    isa::Wait wait;  // for a token, for space, for the barrier
    isa::Queue queue;
  };
  std::vector<Ran> ran;
  std::vector<Span> memory;
  std::vector<Token> tokens;
};

/// What a module's cycles are spent on, by parts of the launch.
class Book {
 public:
  Book(const Parts& parts, Insns& insns)
      : parts_(parts), insns_(insns), cycles_(static_cast<size_t>(parts.count())) {}

  /// From this cycle on an instruction runs, or not, and the module waits for tokens, space or a
  /// barrier, or not: for what its `state()` says.
  void Turn(int64_t cycle, bool runs, bool waits, const auto& state) {
    if (waits_)
      Add(&isa::ModuleCycles::wait_token, since_, cycle);
    else if (runs_)
      Add(&isa::ModuleCycles::busy, since_, cycle);
    if (trace_) Note(cycle, waits, waits ? state() : Status());
    runs_ = runs, waits_ = waits, since_ = cycle;
  }
  /// It has halted.
  void Halt(int64_t cycle) {
    Turn(cycle, false, false, [] { return Status(); });
  }
  /// In [begin, end) an instruction ran, and waited for memory in so many cycles of each stretch of
  /// it as `waited` says.
  void WaitForMemory(int64_t begin, int64_t end, const auto& waited) {
    parts_.Cut(begin, end, [&](size_t part, int64_t from, int64_t to) {
      const int64_t cycles = waited(from, to);
      cycles_[part].wait_memory += cycles, cycles_[part].busy -= cycles;
    });
  }
  /// It waited all of the time, which a timeline shows.
  void WaitForMemory(const Span& span) {
    WaitForMemory(span.begin, span.end, [](int64_t from, int64_t to) { return to - from; });
    if (trace_) trace_->memory.push_back(span);
  }
  /// An instruction is through. Without a timeline nobody looks at it again, unless it halted.
  void Ended(const Ran& ran) {
    if (trace_)
      trace_->ran.push_back(ran);
    else if (ran.how == Ran::kEnds)
      insns_.Release(*ran.insn);
  }
  /// Of each part. The launch ends before this cycle.
  const std::vector<isa::ModuleCycles>& Cycles(int64_t end) {
    Halt(end);
    return cycles_;
  }
  /// From now on says what the module does. Borrowed.
  void set_trace(Past* trace) { trace_ = trace; }

 private:
  void Add(int64_t isa::ModuleCycles::*kind, int64_t begin, int64_t end) {
    parts_.Cut(begin, end,
               [&](size_t part, int64_t from, int64_t to) { cycles_[part].*kind += to - from; });
  }
  void Note(int64_t cycle, bool waits, const Status& status) {
    std::vector<Past::Token>& tokens = trace_->tokens;
    if (waits_) tokens.back().span.end = cycle;
    if (!waits) return;
    if (waits_ && tokens.back().wait == status.wait && tokens.back().queue == status.queue) return;
    tokens.push_back({{cycle, cycle}, status.wait, status.queue});
  }

  const Parts& parts_;
  Insns& insns_;
  bool runs_ = false, waits_ = false;
  int64_t since_ = 0;
  std::vector<isa::ModuleCycles> cycles_;
  Past* trace_ = nullptr;
};

}  // namespace vta::sim::cycle
