#include "sim/cycle/core/load.h"

namespace vta::sim::cycle {

using isa::Fault;

Load::Load(const isa::Layout& layout, const isa::LaunchRequest& launch, Commands& queue,
           Tokens& next, Tokens& out, Reads& reads, isa::Counters& counters, Schedule& schedule,
           const Book& book, Record* record)
    : layout_(layout),
      queue_(queue),
      out_(out),
      in_(next),
      reads_(reads),
      counters_(counters),
      schedule_(schedule),
      record_(record),
      frontend_(layout, launch, queue, nullptr, &next, reads, Reads::kLoad, schedule),
      tiles_{Transfer(layout, reads.beats(Reads::kLoad)),
             Transfer(layout, reads.beats(Reads::kLoad))},
      book_(book) {
  if (record_) record_->Turn(0, {isa::Cause::kInstruction});
}

// Of the tile that has ended, or failed.
void Load::Account(int64_t end) {
  tile().Account(0, end, book_);
  if (record_) tile().RecordWaits(*record_, reads_, end, insn_->index);
  const auto type = static_cast<size_t>(insn_->fields.memory_type);
  counters_.bytes[type] +=
      tile().elements() * isa::kMemories[type].dram_element_bytes(layout_.config());
}

Reason Load::ReasonOf(int64_t cycle, bool complete, bool finish, bool waits) const {
  using isa::Cause;
  if (run_) {
    if (wait_ && !finish) return {Cause::kSpace, insn_->index, isa::Queue::kLoadToCompute};
    return {complete && !is_ahead_ ? Cause::kPipeline : Cause::kBusy, insn_->index};
  }
  const Insn* next = frontend_.Next(cycle);
  if (!next) return {Cause::kInstruction};
  if (waits) return {Cause::kToken, next->index, isa::Queue::kComputeToLoad};
  return {Cause::kPipeline, next->index};
}

int64_t Load::Evaluate(int64_t cycle) {
  if (halted_) {
    book_.Halt(cycle);
    if (record_) record_->Turn(cycle, {});
    return frontend_.EvaluateHalted(cycle, halted_from_);
  }
  const Frontend::Waits waits = frontend_.State(cycle, run_, false);
  const Insn* pending = frontend_.Pending(cycle);
  const bool complete = run_ && (wait_ || tile().done() == cycle);
  const bool space = !run_ || !insn_->fields.push_next || out_.Space(cycle);
  const bool finish = complete && space;
  const bool start = pending && (!run_ || finish);
  book_.Turn(cycle, run_, run_ ? wait_ && !finish : waits.waits, [&] { return State(cycle); });
  if (record_) record_->Turn(cycle, ReasonOf(cycle, complete, finish, waits.waits));
  if (complete && !wait_) Account(cycle);
  if (finish) {
    if (insn_->fields.push_next) {
      out_.Push(cycle);
      schedule_.Wake(Agent::kCompute, cycle + 1);
    }
    ++counters_.instructions[static_cast<size_t>(insn_->fields.opcode)];
    book_.Ended({insn_, start_, cycle});
    schedule_.Wake(Agent::kCompute, cycle + 1);
  }
  const bool ends = tile().ending() == cycle && run_ && !wait_;
  if (pending && pending->moves && !is_ahead_ && (start || (ends && space))) {
    (start ? tile() : ahead()).StartTile(*pending, cycle, {});
    is_ahead_ = !start;
    // What is asked for ahead may be here.
    (start ? tile() : ahead()).Take();
    schedule_.Wake(Agent::kReads, cycle + 1);
  } else if (is_ahead_ && start) {
    active_ ^= 1;
    is_ahead_ = false;
  }
  const int64_t near = frontend_.Evaluate(cycle, run_, false);
  bool changed = start;
  if (start) {
    if (frontend_.takes_next()) in_.Take(cycle), schedule_.Wake(Agent::kCompute, cycle + 1);
    frontend_.PopPending(cycle);
    if (queue_.Started(cycle)) schedule_.Wake(Agent::kFetch, cycle + 1);
    insn_ = pending;
    start_ = cycle;
    wait_ = !pending->moves;
    run_ = pending->fault == Fault::kNone;
    if (!run_) fault_ = pending->fault, halted_ = true;
  } else if (run_ && tile().failed() == cycle) {
    Account(cycle + 1);
    book_.Ended({insn_, start_, cycle, Ran::kHalts});
    fault_ = tile().fault();
    run_ = false;
    halted_ = changed = true;
  } else if (finish) {
    run_ = wait_ = false;
    changed = true;
  } else if (complete && !wait_) {
    wait_ = changed = true;
  }
  if (halted_) {
    halted_from_ = cycle + 1;
    return cycle + 1;
  }
  if (changed) return cycle + 1;
  int64_t next = near;
  if (run_ && !wait_)
    for (int64_t at : {tile().ending(), tile().done(), tile().failed()})
      if (at > cycle) next = std::min(next, at);
  return next;
}

bool Load::Still(int64_t cycle) const {
  if (halted_) return frontend_.Empty(cycle);
  if (run_) return wait_ && insn_->fields.push_next && !out_.Space(cycle);
  return frontend_.Empty(cycle) || frontend_.State(cycle, false, false).waits;
}

void Load::End(int64_t cycle) {
  if (run_) book_.Ended({insn_, start_, cycle, Ran::kCut});
}

Status Load::State(int64_t cycle) const {
  using Kind = isa::ModuleState::Kind;
  if (halted_) return {Kind::kHalted, isa::Wait::kNone, isa::Queue::kLoadToCompute, fault_, insn_};
  if (run_)
    return {Kind::kWaiting, isa::Wait::kSpace, isa::Queue::kLoadToCompute, Fault::kNone, insn_};
  if (frontend_.State(cycle, false, false).waits)
    return {Kind::kWaiting, isa::Wait::kToken, isa::Queue::kComputeToLoad, Fault::kNone,
            frontend_.Head(cycle)};
  return {};
}

}  // namespace vta::sim::cycle
