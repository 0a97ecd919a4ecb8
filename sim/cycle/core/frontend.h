// The near end of the load and compute modules: vta_frontend.
#pragma once

#include "isa/launch.h"
#include "isa/spec/timing.h"
#include "sim/cycle/core/reads.h"
#include "sim/cycle/core/stream.h"

namespace vta::sim::cycle {

class Frontend {
 public:
  /// `prev` and `next` bring tokens; a module without a previous one has no `prev`.
  Frontend(const isa::Layout& layout, const isa::LaunchRequest& launch, Commands& queue,
           Tokens* prev, Tokens* next, Reads& reads, int client, Schedule& schedule);

  /// The near end's part of a cycle. `busy`: the far end runs an instruction; `halted`: it has
  /// stopped. Returns the next cycle in which it can change something by itself.
  int64_t Evaluate(int64_t cycle, bool busy, bool halted);

  /// The same of a module that halted in `from`: what it asked for and gets is thrown away.
  int64_t EvaluateHalted(int64_t cycle, int64_t from);

  /// The instruction that the far end may start in this cycle, or null.
  const Insn* Pending(int64_t cycle) const {
    return count_.At(cycle) > 0 && pending_[0].pushed < cycle ? pending_[0].insn : nullptr;
  }
  bool takes_prev() const { return pending_[0].prev; }
  bool takes_next() const { return pending_[0].next; }
  void PopPending(int64_t cycle);

  struct Waits {
    bool waits, next, early;  // for a token, as the oldest; of the next module; it takes its first
  };
  Waits State(int64_t cycle, bool busy, bool halted) const;
  bool Empty(int64_t cycle) const;
  /// The instruction whose tokens are not promised to it yet, or null.
  const Insn* Head(int64_t cycle) const;
  /// The first that the far end has not started, or null.
  const Insn* Next(int64_t cycle) const {
    return count_.At(cycle) > 0  ? pending_[0].insn
           : head_               ? head_
           : queue_.empty(cycle) ? nullptr
                                 : queue_.front();
  }

 private:
  struct Entry {
    const Insn* insn;
    int64_t pushed;
    bool prev, next;
  };
  bool Visible(int64_t cycle) const { return head_ && head_from_ <= cycle; }
  void StartReads(int64_t cycle, const Insn& insn);

  const isa::Layout& layout_;
  const isa::LaunchRequest& launch_;
  Commands& queue_;
  Tokens *prev_, *next_;
  Reads& reads_;
  int client_;
  Schedule& schedule_;
  const Insn* head_ = nullptr;
  int64_t head_from_ = 0;
  bool need_prev_ = false, need_next_ = false, stop_ = false;
  int64_t early_at_ = kLongAgo;
  Ring<Entry> pending_;
  Counter count_;
};

}  // namespace vta::sim::cycle
