#include "sim/cycle/core/store.h"

#include "isa/register_launch.h"

namespace vta::sim::cycle {

namespace timing = isa::timing;
using isa::Fault;

Store::Store(const isa::Layout& layout, const isa::LaunchRequest& launch, Commands& queue,
             Tokens& in, Tokens& out, Writes& writes, isa::Counters& counters, Schedule& schedule,
             const Book& book, Record* record)
    : layout_(layout),
      launch_(launch),
      queue_(queue),
      in_(in),
      out_(out),
      writes_(writes),
      counters_(counters),
      schedule_(schedule),
      record_(record),
      book_(book) {
  if (record_) record_->Turn(0, {isa::Cause::kInstruction});
}

bool Store::Lacks(int64_t cycle) const {
  return head_->fields.pop_prev && head_->fault == Fault::kNone && !in_.Held(cycle);
}

void Store::StartBursts(int64_t cycle) {
  const isa::Instruction& f = insn_->fields;
  const isa::Config& config = layout_.config();
  const int64_t bytes = config.out_bytes();
  const int64_t room = std::max<int64_t>(0, config.arch.acc_depth - f.sram_base);
  const int64_t rows = std::min(f.y_size, (room + f.x_size - 1) / f.x_size);
  cut_ = room < f.x_size * f.y_size;
  // It sees that when it looks for the first row.
  tail_ = rows == 0 ? cycle + timing::kFirstRowCycles : kLongAgo;
  if (rows == 0) return;
  const uint64_t first = launch_.base[isa::BaseRegister(isa::MemoryType::kOut)] +
                         static_cast<uint64_t>(f.dram_base * bytes);
  const int64_t last = std::min(f.x_size, room - (rows - 1) * f.x_size);
  writes_.walker().Start({first & isa::kAddressMask, static_cast<uint64_t>(f.x_stride * bytes),
                          f.x_size * bytes, rows, last * bytes},
                         cycle + timing::kFirstRowCycles, timing::kStoreRowCycles,
                         f.x_stride < f.x_size);
  schedule_.Wake(Agent::kWrites, writes_.walker().next().ready);
}

// The instruction that runs has sent all, and all is answered.
bool Store::Complete(int64_t cycle) const {
  if (!run_ || writes_.IdleFrom() > cycle) return false;
  if (wait_) return true;
  // Seen a cycle late.
  const bool busy = writes_.walker().Busy(cycle - 1) || start_ == cycle - 1 || tail_ >= cycle - 1;
  return !busy;
}

Reason Store::ReasonOf(int64_t cycle, bool complete, bool finish, bool lacks) const {
  using isa::Cause;
  if (run_) {
    if (complete && !finish && wait_)
      return {Cause::kSpace, insn_->index, isa::Queue::kStoreToCompute};
    return {Cause::kPipeline, insn_->index};
  }
  if (lacks) return {Cause::kToken, head_->index, isa::Queue::kComputeToStore};
  if (head_) return {Cause::kPipeline, head_->index};
  if (queue_.empty(cycle)) return {Cause::kInstruction};
  return {Cause::kPipeline, queue_.front()->index};
}

int64_t Store::Evaluate(int64_t cycle) {
  if (halted_) {
    if (cycle == halted_from_) {
      book_.Halt(cycle);
      if (record_) record_->Turn(cycle, {});
      queue_.Halt();
      head_ = nullptr;
      schedule_.Wake(Agent::kFetch, cycle + 1);
    }
    if (queue_.Ready() <= cycle) queue_.Pop(cycle);
    return queue_.Ready();
  }
  Walker& walker = writes_.walker();
  const bool error = writes_.error_from() <= cycle;
  if (error && writes_.error_from() == cycle) walker.Cancel(cycle), tail_ = std::min(tail_, cycle);
  if (!error && walker.WaitsForRow(cycle) && run_ && !wait_ && writes_.IdleFrom() <= cycle) {
    walker.AllowRow(cycle);
    schedule_.Wake(Agent::kWrites, walker.next().ready);
  }
  const bool complete = Complete(cycle);
  const bool bad = complete && !wait_ && (error || cut_);
  const bool finish = complete && !bad && (!insn_->fields.push_prev || out_.Space(cycle));
  const bool visible = Visible(cycle), lacks = visible && Lacks(cycle);
  const bool start = (!run_ || finish) && visible && !lacks;
  book_.Turn(cycle, run_, run_ ? wait_ && !finish : lacks, [&] { return State(cycle); });
  if (record_) record_->Turn(cycle, ReasonOf(cycle, complete, finish, lacks));
  if (finish) {
    if (insn_->fields.push_prev) out_.Push(cycle);
    schedule_.Wake(Agent::kCompute, cycle + 1);
    ++counters_.instructions[static_cast<size_t>(insn_->fields.opcode)];
    book_.Ended({insn_, start_, cycle, Ran::kEnds, std::min(complete_at_, cycle)});
  }
  // Until then it waited where it sent nothing.
  bool changed = start || finish || bad || (complete && !wait_);
  if (complete && !wait_) {
    complete_at_ = cycle;
    book_.WaitForMemory(start_ + 1, cycle + 1, [&](int64_t from, int64_t to) {
      return to - from - writes_.Loaded(from, to);
    });
    // For the last answer.
    if (record_ && writes_.HasSent())
      record_->Wait(writes_.last_taken() + 1, writes_.IdleFrom(),
                    {isa::Cause::kLatency, insn_->index});
  }
  wait_ |= complete;
  if (bad) {
    writes_.ClearError();
    book_.Ended({insn_, start_, cycle, Ran::kHalts});
    run_ = false;
    halted_ = true;
    fault_ = error ? Fault::kBusError : Fault::kIndexOutOfRange;
    halted_from_ = cycle + 1;
  } else if (start) {
    if (head_->fields.pop_prev && head_->fault == Fault::kNone) {
      in_.Take(cycle);
      schedule_.Wake(Agent::kCompute, cycle + 1);
    }
    if (queue_.Started(cycle)) schedule_.Wake(Agent::kFetch, cycle + 1);
    insn_ = head_;
    head_ = nullptr;
    start_ = cycle, complete_at_ = kNever;
    run_ = insn_->fault == Fault::kNone;
    wait_ = !insn_->moves;
    cut_ = false;
    tail_ = kLongAgo;
    if (!run_) fault_ = insn_->fault, halted_ = true, halted_from_ = cycle + 1;
    writes_.BeginStore(insn_->index);
    if (run_ && insn_->moves) StartBursts(cycle);
  } else if (finish) {
    run_ = false;
  }
  if (queue_.Ready() <= cycle && (!visible || start) && !head_) {
    head_ = queue_.front();
    head_from_ = cycle + 1;
    queue_.Pop(cycle);
    changed = true;
  }
  if (changed) return cycle + 1;
  int64_t next = head_ ? kNever : queue_.Ready();
  if (run_ && !wait_) {
    const auto at = [&](int64_t time) {
      if (time > cycle && time < kNever) next = std::min(next, time);
    };
    at(writes_.IdleFrom());
    at(writes_.error_from());
    // Complete() sees a cycle late what is over.
    at(start_ + 2);
    at(tail_ + 2);
    at(walker.busy_until() == kNever ? kNever : walker.busy_until() + 2);
  }
  return next;
}

bool Store::Still(int64_t cycle) const {
  if (halted_) return queue_.Ready() > cycle;
  if (run_) return wait_ && insn_->fields.push_prev && !out_.Space(cycle);
  return Visible(cycle) ? Lacks(cycle) : queue_.Ready() > cycle;
}

void Store::End(int64_t cycle) {
  if (run_) book_.Ended({insn_, start_, cycle, Ran::kCut, complete_at_});
}

Status Store::State(int64_t cycle) const {
  using Kind = isa::ModuleState::Kind;
  using isa::Queue;
  if (halted_) return {Kind::kHalted, isa::Wait::kNone, Queue::kLoadToCompute, fault_, insn_};
  if (run_) return {Kind::kWaiting, isa::Wait::kSpace, Queue::kStoreToCompute, Fault::kNone, insn_};
  if (Visible(cycle) && Lacks(cycle))
    return {Kind::kWaiting, isa::Wait::kToken, Queue::kComputeToStore, Fault::kNone, head_};
  return {};
}

}  // namespace vta::sim::cycle
