#include "sim/cycle/core/compute.h"

#include <cstring>

#include "isa/register_launch.h"

namespace vta::sim::cycle {

namespace timing = isa::timing;
using isa::Fault;
using isa::Opcode;

Compute::Compute(const isa::Layout& layout, const isa::LaunchRequest& launch,
                 std::span<const uint8_t> dram, Commands& queue, const Queues& tokens, Reads& reads,
                 Uops& uops, isa::Counters& counters, Schedule& schedule, Parts& parts,
                 const Book& book, Record* record)
    : layout_(layout),
      launch_(launch),
      dram_(dram),
      queue_(queue),
      tokens_(tokens),
      reads_(reads),
      uops_(uops),
      counters_(counters),
      schedule_(schedule),
      parts_(parts),
      record_(record),
      frontend_(layout, launch, queue, tokens.pop_prev, tokens.pop_next, reads, Reads::kCompute,
                schedule),
      two_(layout.config().uarch.acc_banks == 2),
      transfer_(layout, reads.beats(Reads::kCompute)),
      book_(book) {
  if (record_) record_->Turn(0, {isa::Cause::kInstruction});
}

Compute::View Compute::Look(int64_t cycle, bool barrier) const {
  View view;
  view.next = frontend_.Pending(cycle);
  view.waits = frontend_.State(cycle, run_, halted_);
  view.barrier = barrier;
  for (int u = 0; u < 2; ++u) view.done[u] = runs_now_[u].done == cycle || done_before_[u] == cycle;
  if (!older_.empty()) {
    const Older& oldest = older_.front();
    view.retires = oldest.ended || (runs_[oldest.unit] && view.done[oldest.unit]);
  }
  if (!run_) return view;
  const bool loop_done = insn_->loops && view.done[unit_] && !runs_[unit_];
  view.worked = wait_ || (insn_->moves && transfer_.done() == cycle) || loop_done;
  view.complete = (view.worked && older_.empty()) || (at_barrier() && barrier);
  const isa::Instruction& f = insn_->fields;
  view.prev_ok = !f.push_prev || prev_done_ || tokens_.push_prev->Space(cycle);
  view.has_space = view.prev_ok && (!f.push_next || tokens_.push_next->Space(cycle));
  view.pushes_prev = view.complete && f.push_prev && !prev_done_ && tokens_.push_prev->Space(cycle);
  return view;
}

// It is certain to end, and its tokens to find space.
bool Compute::Overtakable(const View& view, int64_t cycle) const {
  const isa::Instruction& f = insn_->fields;
  bool older_prev = false, older_next = false;
  for (size_t i = 0; i < older_.size(); ++i) {
    const Older& older = older_[i];
    older_prev |= older.insn->fields.push_prev != 0;
    older_next |= older.insn->fields.push_next != 0;
  }
  const bool full = two_ ? static_cast<int64_t>(older_.size()) == timing::kOlderInstructions
                         : !older_.empty() && !view.retires;
  return (!f.push_prev || (tokens_.push_prev->Space(cycle) && !older_prev)) &&
         (!f.push_next || (tokens_.push_next->Space(cycle) && !older_next)) && !full;
}

bool Compute::MayStart(const View& view, int64_t cycle) const {
  if (halted_ || !view.next) return false;
  if (!run_ || view.ends()) return true;
  const Insn& next = *view.next;
  const int unit = UnitOf(next);
  const bool free = !runs_[unit] || view.done[unit];
  const bool plain = next.fault == Fault::kNone && next.opcode() != Opcode::kFinish;
  const bool certain = certain_ || (insn_->loops && runs_now_[unit_].ending == cycle);
  const bool overlap = certain && next.loops && free && (!runs_[unit_] || view.done[unit_]);
  const bool beside =
      unit_ == 1 && runs_now_[1].known <= cycle && older_.empty() && unit == 0 && plain;
  const bool held = two_ && view.worked && !older_.empty() && plain && (!next.loops || free);
  return (overlap || beside || held) && Overtakable(view, cycle);
}

bool Compute::WaitsForTokens(const View& view) const {
  if (!run_) return view.waits.waits && !view.waits.early;
  if (at_barrier()) return !view.barrier;
  return wait_ && older_.empty() && !view.finish() && !view.pushes_prev;
}

Reason Compute::ReasonOf(const View& view, int64_t cycle) const {
  using isa::Cause;
  using isa::Queue;
  const bool waits = WaitsForTokens(view);
  if (run_) {
    if (waits && at_barrier()) return {Cause::kBarrier, insn_->index};
    if (waits)
      return {Cause::kSpace, insn_->index,
              view.prev_ok ? Queue::kComputeToStore : Queue::kComputeToLoad};
    return {Cause::kPipeline, insn_->index};
  }
  const Insn* next = frontend_.Next(cycle);
  if (!next) return {Cause::kInstruction};
  if (waits)
    return {Cause::kToken, next->index,
            view.waits.next ? Queue::kStoreToCompute : Queue::kLoadToCompute};
  return {Cause::kPipeline, next->index};
}

void Compute::Retire(const Insn& insn, int64_t start, int64_t cycle) {
  ++counters_.instructions[static_cast<size_t>(insn.fields.opcode)];
  if (insn.opcode() == Opcode::kFinish) finished_ = cycle;
  parts_.Retire(insn.index, cycle);
  book_.Ended({&insn, start, cycle});
}

void Compute::PushTokens(const View& view, int64_t cycle) {
  const auto push = [&](Tokens* queue, Agent reader) {
    queue->Push(cycle);
    schedule_.Wake(reader, cycle + 1);
  };
  if (view.retires) {
    const isa::Instruction& f = older_.front().insn->fields;
    if (f.push_prev) push(tokens_.push_prev, Agent::kLoad);
    if (f.push_next) push(tokens_.push_next, Agent::kStore);
  }
  if (view.pushes_prev) push(tokens_.push_prev, Agent::kLoad);
  if (view.complete && insn_->fields.push_next && view.prev_ok && tokens_.push_next->Space(cycle))
    push(tokens_.push_next, Agent::kStore);
}

// Of a LOAD that has ended, or failed: what it wrote.
void Compute::EndTransfer(int64_t cycle) {
  const isa::Instruction& f = insn_->fields;
  // Its waits do not count while older ones run.
  transfer_.Account(alone_from_, cycle, book_);
  const isa::MemorySpec& memory = isa::kMemories[f.memory_type];
  counters_.bytes[static_cast<size_t>(isa::CountedAs(memory.code))] +=
      transfer_.elements() * memory.dram_element_bytes(layout_.config());
  if (record_ && insn_->loads_uops)
    record_->Wait(start_ + 1, cycle, {isa::Cause::kUops, insn_->index});
  else if (record_)
    transfer_.RecordAll(*record_, reads_, start_ + 1, std::min(cycle, transfer_.done()),
                        insn_->index);
  if (insn_->loads_uops) WriteUops(transfer_.elements());
}

// The first ones that the LOAD brings.
void Compute::WriteUops(int64_t count) {
  const isa::Instruction& f = insn_->fields;
  const uint64_t base = launch_.base[isa::BaseRegister(isa::MemoryType::kUop)];
  for (int64_t i = 0; i < count; ++i) {
    const int64_t element = f.dram_base + i / f.x_size * f.x_stride + i % f.x_size;
    uint32_t uop = 0;
    const uint64_t at = (base + static_cast<uint64_t>(element) * sizeof uop) & isa::kAddressMask;
    if (IsRefused(dram_.size(), at, sizeof uop)) return;  // where it costs nothing
    std::memcpy(&uop, dram_.data() + at, sizeof uop);
    uops_.Write(f.sram_base + i, uop);
  }
}

void Compute::Start(const Insn& insn, int64_t cycle) {
  insn_ = &insn;
  start_ = cycle;
  unit_ = UnitOf(insn);
  prev_done_ = false;
  run_ = insn.fault == Fault::kNone;
  wait_ = run_ && !insn.moves && !insn.loops && insn.opcode() != Opcode::kFinish;
  if (!run_) {
    halted_ = true;
    fault_ = insn.fault;
    return;
  }
  if (insn.moves) {
    if (insn.loads_uops) {
      transfer_.StartUops(insn, launch_.base[0], cycle);
    } else {
      Lock lock;
      if (runs_[1]) {
        const UnitRun& alu = runs_now_[1];
        lock = {{!alu.high, alu.high}, alu.done + 1};
      }
      transfer_.StartTile(insn, cycle, lock);
    }
    transfer_.Take();
    schedule_.Wake(Agent::kReads, cycle + 1);
  }
  if (insn.loads_uops && !insn.moves)
    WriteUops(std::min(insn.fields.x_size * insn.fields.y_size,
                       layout_.config().arch.uop_depth - insn.fields.sram_base));
  if (insn.loops) {
    done_before_[unit_] = runs_now_[unit_].done;
    UnitRun& run = runs_now_[unit_] = uops_.Run(insn, cycle, two_ ? lock_ : Lock{});
    if (record_)
      record_->Work(cycle + timing::kFirstUopCycles, cycle + timing::kFirstUopCycles + run.uops,
                    insn.index);
    const bool gemm = insn.opcode() == Opcode::kGemm;
    (gemm ? counters_.gemm_uops : counters_.alu_uops) += run.uops;
    if (gemm && !insn.fields.reset) counters_.macs += run.uops * layout_.config().macs_per_cycle();
  }
}

int64_t Compute::NextTime(int64_t cycle) const {
  int64_t next = kNever;
  const auto at = [&](int64_t time) {
    if (time > cycle) next = std::min(next, time);
  };
  for (int u = 0; u < 2; ++u) {
    const UnitRun& run = runs_now_[u];
    for (int64_t time : {run.ending, run.done, run.failed, run.known, done_before_[u]}) at(time);
  }
  if (run_ && insn_->moves) at(transfer_.done()), at(transfer_.failed());
  return next;
}

int64_t Compute::Evaluate(int64_t cycle, bool barrier) {
  if (halted_) {
    book_.Halt(cycle);
    if (record_) record_->Turn(cycle, {});
    return frontend_.EvaluateHalted(cycle, halted_from_);
  }
  const View view = Look(cycle, barrier);
  const bool start = MayStart(view, cycle);
  const bool overtakes = start && run_ && !view.ends();
  const bool takes_prev = start && frontend_.takes_prev(),
             takes_next = start && frontend_.takes_next();
  const bool failed = run_ && ((insn_->moves && transfer_.failed() == cycle) ||
                               (insn_->loops && runs_now_[unit_].failed == cycle));
  const bool certain = certain_ || (run_ && insn_->loops && runs_now_[unit_].ending == cycle);
  const bool was_alone = older_.empty();
  book_.Turn(cycle, run_, WaitsForTokens(view), [&] { return State(cycle); });
  if (record_) record_->Turn(cycle, ReasonOf(view, cycle));
  PushTokens(view, cycle);
  if (run_ && insn_->moves && !wait_ && view.worked) EndTransfer(cycle);
  const int64_t near = frontend_.Evaluate(cycle, run_, false);
  bool changed = start || view.retires || failed || view.finish();

  if (view.retires) {
    Retire(*older_.front().insn, older_.front().start, cycle);
    older_.pop_front();
    if (older_.empty() && !overtakes) alone_from_ = cycle + 1;
  }
  if (view.finish()) Retire(*insn_, start_, cycle);
  for (size_t i = 0; i < older_.size(); ++i)
    older_[i].ended |= runs_[older_[i].unit] && view.done[older_[i].unit];
  if (overtakes) older_.push_back({insn_, start_, unit_, view.worked}), alone_from_ = kNever;
  for (int u = 0; u < 2; ++u)
    runs_[u] =
        (overtakes && insn_->loops && !view.worked && unit_ == u) || (runs_[u] && !view.done[u]);
  if (overtakes && unit_ == 1 && !view.worked) {
    const bool known = runs_now_[1].known <= cycle;
    lock_ = {{!known || !runs_now_[1].high, !known || runs_now_[1].high},
             runs_now_[1].done - timing::kReleaseCycles};
  }
  certain_ = certain && !start && !view.worked;
  if (failed)
    fault_ =
        transfer_.failed() == cycle && insn_->moves ? transfer_.fault() : Fault::kIndexOutOfRange;

  if (start) {
    if (takes_prev) tokens_.pop_prev->Take(cycle), schedule_.Wake(Agent::kLoad, cycle + 1);
    if (takes_next) tokens_.pop_next->Take(cycle), schedule_.Wake(Agent::kStore, cycle + 1);
    frontend_.PopPending(cycle);
    if (queue_.Started(cycle)) schedule_.Wake(Agent::kFetch, cycle + 1);
    Start(*view.next, cycle);
  } else if ((failed || fail_) && was_alone) {
    if (insn_->moves) EndTransfer(cycle + 1);
    book_.Ended({insn_, start_, cycle, Ran::kHalts});
    run_ = false;
    halted_ = changed = true;
  } else if (view.finish()) {
    run_ = wait_ = prev_done_ = false;
  } else if (view.worked || view.complete) {
    changed |= !wait_ || view.pushes_prev;
    wait_ = true;
    prev_done_ |= view.pushes_prev;
  }
  fail_ = (failed || fail_) && !was_alone;
  if (halted_) {
    halted_from_ = cycle + 1;
    return cycle + 1;
  }
  if (changed || certain_ != certain) return cycle + 1;
  return std::min(near, NextTime(cycle));
}

bool Compute::Still(int64_t cycle, bool barrier) const {
  if (halted_) return frontend_.Empty(cycle);
  const View view = Look(cycle, barrier);
  if (run_) return WaitsForTokens(view);
  return frontend_.Empty(cycle) || (view.waits.waits && !view.waits.early);
}

void Compute::End(int64_t cycle) {
  for (size_t i = 0; i < older_.size(); ++i)
    book_.Ended({older_[i].insn, older_[i].start, cycle, Ran::kCut});
  if (run_) book_.Ended({insn_, start_, cycle, Ran::kCut});
}

Status Compute::State(int64_t cycle) const {
  using Kind = isa::ModuleState::Kind;
  using isa::Queue;
  if (halted_) return {Kind::kHalted, isa::Wait::kNone, Queue::kLoadToCompute, fault_, insn_};
  if (run_) {
    if (at_barrier())
      return {Kind::kWaiting, isa::Wait::kBarrier, Queue::kLoadToCompute, Fault::kNone, insn_};
    const bool prev = insn_->fields.push_prev && !prev_done_;
    return {Kind::kWaiting, isa::Wait::kSpace,
            prev ? Queue::kComputeToLoad : Queue::kComputeToStore, Fault::kNone, insn_};
  }
  const Frontend::Waits waits = frontend_.State(cycle, false, false);
  if (!waits.waits) return {};
  return {Kind::kWaiting, isa::Wait::kToken,
          waits.next ? Queue::kStoreToCompute : Queue::kLoadToCompute, Fault::kNone,
          frontend_.Head(cycle)};
}

}  // namespace vta::sim::cycle
