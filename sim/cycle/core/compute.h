// The compute module: vta_compute.
#pragma once

#include "sim/cycle/core/frontend.h"
#include "sim/cycle/core/module.h"
#include "sim/cycle/core/transfer.h"

namespace vta::sim::cycle {

/// The queues at a module.
struct Queues {
  Tokens *pop_prev, *pop_next, *push_prev, *push_next;
};

class Compute {
 public:
  Compute(const isa::Layout& layout, const isa::LaunchRequest& launch,
          std::span<const uint8_t> dram, Commands& queue, const Queues& tokens, Reads& reads,
          Uops& uops, isa::Counters& counters, Schedule& schedule, Parts& parts, const Book& book,
          Record* record);

  /// `barrier`: load and store have nothing left.
  int64_t Evaluate(int64_t cycle, bool barrier);
  bool at_barrier() const { return run_ && !wait_ && insn_->opcode() == isa::Opcode::kFinish; }
  bool Still(int64_t cycle, bool barrier) const;
  Status State(int64_t cycle) const;
  /// The launch ends in this cycle.
  void End(int64_t cycle);
  Book& book() { return book_; }
  /// As Load::SaidTo.
  int64_t SaidTo(int64_t cycle) const { return run_ && insn_->moves && !wait_ ? start_ : cycle; }
  bool halted() const { return halted_; }
  /// The cycle in which FINISH ended; kNever.
  int64_t finished() const { return finished_; }

 private:
  // One that started before the one that started last and has not retired.
  struct Older {
    const Insn* insn;
    int64_t start;
    int unit;
    bool ended;
  };
  // What a cycle looks like before its edge.
  struct View {
    const Insn* next = nullptr;  // that may start
    Frontend::Waits waits = {};
    bool done[2] = {false, false};  // by unit
    bool worked = false, complete = false, prev_ok = false, has_space = false, retires = false,
         pushes_prev = false, barrier = false;
    bool ends() const { return worked && complete && has_space; }
    bool finish() const { return complete && has_space; }
  };
  View Look(int64_t cycle, bool barrier) const;
  bool MayStart(const View& view, int64_t cycle) const;
  bool Overtakable(const View& view, int64_t cycle) const;
  int UnitOf(const Insn& insn) const {
    return two_ && insn.loops && insn.opcode() == isa::Opcode::kAlu ? 1 : 0;
  }
  bool WaitsForTokens(const View& view) const;
  Reason ReasonOf(const View& view, int64_t cycle) const;
  void Retire(const Insn& insn, int64_t start, int64_t cycle);
  void PushTokens(const View& view, int64_t cycle);
  void Start(const Insn& insn, int64_t cycle);
  void EndTransfer(int64_t cycle);
  void WriteUops(int64_t count);
  int64_t NextTime(int64_t cycle) const;

  const isa::Layout& layout_;
  const isa::LaunchRequest& launch_;
  std::span<const uint8_t> dram_;
  Commands& queue_;
  Queues tokens_;
  Reads& reads_;
  Uops& uops_;
  isa::Counters& counters_;
  Schedule& schedule_;
  Parts& parts_;
  Record* record_;  // or null
  Frontend frontend_;
  bool two_;  // units
  Transfer transfer_;

  // The registers.
  const Insn* insn_ = nullptr;  // that started last
  int64_t start_ = 0;
  int unit_ = 0;
  bool run_ = false, wait_ = false, halted_ = false, prev_done_ = false, fail_ = false,
       certain_ = false;
  isa::Fault fault_ = isa::Fault::kNone;
  Ring<Older> older_;
  bool runs_[2] = {false, false};  // by unit: one of those
  int64_t halted_from_ = kNever;

  // By unit: what it runs, and the end of the one before that.
  UnitRun runs_now_[2];
  int64_t done_before_[2] = {kNever, kNever};
  Lock lock_;
  int64_t alone_from_ = 0;  // none older from this cycle on; kNever
  int64_t finished_ = kNever;
  Book book_;
};

}  // namespace vta::sim::cycle
