// The load module: vta_load.
#pragma once

#include "sim/cycle/core/frontend.h"
#include "sim/cycle/core/module.h"
#include "sim/cycle/core/transfer.h"

namespace vta::sim::cycle {

class Load {
 public:
  Load(const isa::Layout& layout, const isa::LaunchRequest& launch, Commands& queue, Tokens& next,
       Tokens& out, Reads& reads, isa::Counters& counters, Schedule& schedule, const Book& book,
       Record* record);

  int64_t Evaluate(int64_t cycle);
  bool Still(int64_t cycle) const;
  bool Drained(int64_t cycle) const { return !halted_ && !run_ && frontend_.Empty(cycle); }
  Status State(int64_t cycle) const;
  /// The launch ends in this cycle.
  void End(int64_t cycle);
  Book& book() { return book_; }
  /// What it says from this cycle on of cycles before the one that it returns is all said.
  int64_t SaidTo(int64_t cycle) const { return run_ && !wait_ ? start_ : cycle; }
  bool halted() const { return halted_; }

 private:
  void Account(int64_t end);
  Reason ReasonOf(int64_t cycle, bool complete, bool finish, bool waits) const;
  Transfer& tile() { return tiles_[active_]; }
  Transfer& ahead() { return tiles_[active_ ^ 1]; }

  const isa::Layout& layout_;
  Commands& queue_;
  Tokens& out_;  // to compute
  Tokens& in_;   // from compute
  Reads& reads_;
  isa::Counters& counters_;
  Schedule& schedule_;
  Record* record_;  // or null
  Frontend frontend_;
  std::array<Transfer, 2> tiles_;
  int active_ = 0;  // that of the instruction that runs; the other one is of the next one
  const Insn* insn_ = nullptr;
  bool run_ = false, wait_ = false, halted_ = false, is_ahead_ = false;
  int64_t halted_from_ = kNever, start_ = 0;
  isa::Fault fault_ = isa::Fault::kNone;
  Book book_;
};

}  // namespace vta::sim::cycle
