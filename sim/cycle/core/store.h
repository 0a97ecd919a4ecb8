// The store module: vta_store.
#pragma once

#include "isa/layout.h"
#include "sim/cycle/core/module.h"
#include "sim/cycle/core/writes.h"

namespace vta::sim::cycle {

class Store {
 public:
  Store(const isa::Layout& layout, const isa::LaunchRequest& launch, Commands& queue, Tokens& in,
        Tokens& out, Writes& writes, isa::Counters& counters, Schedule& schedule, const Book& book,
        Record* record);

  int64_t Evaluate(int64_t cycle);
  bool Still(int64_t cycle) const;
  bool Drained(int64_t cycle) const {
    return !halted_ && !run_ && !Visible(cycle) && queue_.Ready() > cycle;
  }
  Status State(int64_t cycle) const;
  /// The launch ends in this cycle.
  void End(int64_t cycle);
  Book& book() { return book_; }
  /// As Load::SaidTo.
  int64_t SaidTo(int64_t cycle) const { return run_ && !wait_ ? start_ : cycle; }
  bool halted() const { return halted_; }

 private:
  bool Visible(int64_t cycle) const { return head_ && head_from_ <= cycle; }
  bool Lacks(int64_t cycle) const;
  void StartBursts(int64_t cycle);
  bool Complete(int64_t cycle) const;
  Reason ReasonOf(int64_t cycle, bool complete, bool finish, bool lacks) const;

  const isa::Layout& layout_;
  const isa::LaunchRequest& launch_;
  Commands& queue_;
  Tokens &in_, &out_;
  Writes& writes_;
  isa::Counters& counters_;
  Schedule& schedule_;
  Record* record_;  // or null
  const Insn *head_ = nullptr, *insn_ = nullptr;
  int64_t head_from_ = 0;
  bool run_ = false, wait_ = false, halted_ = false, cut_ = false;
  int64_t halted_from_ = kNever, start_ = 0, complete_at_ = kNever;
  int64_t tail_ = kLongAgo;  // the walk is busy up to this cycle, beside its bursts
  isa::Fault fault_ = isa::Fault::kNone;
  Book book_;
};

}  // namespace vta::sim::cycle
