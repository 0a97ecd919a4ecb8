#include "sim/cycle/core/frontend.h"

#include "isa/register_launch.h"

namespace vta::sim::cycle {

Frontend::Frontend(const isa::Layout& layout, const isa::LaunchRequest& launch, Commands& queue,
                   Tokens* prev, Tokens* next, Reads& reads, int client, Schedule& schedule)
    : layout_(layout),
      launch_(launch),
      queue_(queue),
      prev_(prev),
      next_(next),
      reads_(reads),
      client_(client),
      schedule_(schedule) {}

void Frontend::StartReads(int64_t cycle, const Insn& insn) {
  const isa::Instruction& f = insn.fields;
  const auto type = static_cast<isa::MemoryType>(f.memory_type);
  const isa::MemorySpec* memory = isa::FindMemory(layout_.config().arch, f.memory_type);
  const int64_t bytes = memory->dram_element_bytes(layout_.config());
  const uint64_t base = launch_.base[isa::BaseRegister(type)];
  const Rows rows = {(base + static_cast<uint64_t>(f.dram_base * bytes)) & isa::kAddressMask,
                     static_cast<uint64_t>(f.x_stride * bytes), f.x_size * bytes, f.y_size,
                     f.x_size * bytes};
  Walker& walker = reads_.walker(client_);
  walker.Start(rows, cycle + isa::timing::kFirstRowCycles, isa::timing::kLoadRowCycles, false);
  schedule_.Wake(Agent::kReads, walker.next().ready);
}

Frontend::Waits Frontend::State(int64_t cycle, bool busy, bool halted) const {
  if (!Visible(cycle) || halted || stop_ || Pending(cycle) || busy ||
      reads_.walker(client_).Busy(cycle) || head_->fault != isa::Fault::kNone)
    return {false, false, false};
  const bool prev = !need_prev_ || prev_->Some(cycle), next = !need_next_ || next_->Some(cycle);
  const bool waits = !(prev && next);
  return {waits, prev, waits && need_prev_ && prev};
}

bool Frontend::Empty(int64_t cycle) const {
  return queue_.Ready() > cycle && !Visible(cycle) && !Pending(cycle) &&
         !reads_.walker(client_).Busy(cycle);
}

const Insn* Frontend::Head(int64_t cycle) const {
  if (Visible(cycle)) return head_;
  return queue_.Ready() <= cycle ? queue_.front() : nullptr;
}

void Frontend::PopPending(int64_t cycle) {
  pending_.pop_front();
  count_.Add(cycle, -1);
}

int64_t Frontend::Evaluate(int64_t cycle, bool busy, bool halted) {
  const bool visible = Visible(cycle);
  bool pop = false, drops = false;
  // What has halted throws away what it gets.
  if (halted && Pending(cycle)) {
    PopPending(cycle);
    drops = true;
  }
  if (visible) {
    const bool faulty = head_->fault != isa::Fault::kNone;
    const bool prev = !need_prev_ || prev_->Some(cycle), next = !need_next_ || next_->Some(cycle);
    const bool early = need_prev_ && prev && !next && State(cycle, busy, halted).early;
    const bool full = count_.At(cycle) == isa::timing::kPendingInstructions;
    pop = halted || (!stop_ && cycle > reads_.walker(client_).last_take() && !full &&
                     (faulty || (prev && next)));
    if (pop && !halted) {
      pending_.push_back({head_, cycle, need_prev_, need_next_});
      count_.Add(cycle, 1);
      if (need_prev_) prev_->free.Add(cycle, -1);
      if (need_next_) next_->free.Add(cycle, -1);
      if (faulty) stop_ = true;
      if (head_->moves) StartReads(cycle, *head_);
    } else if (early) {
      prev_->free.Add(cycle, -1);
      prev_->Take(cycle);
      schedule_.Wake(Agent::kLoad, cycle + 1);
      need_prev_ = false;
      early_at_ = cycle;
    }
    if (pop) head_ = nullptr;
  }
  if (queue_.Ready() <= cycle && (!visible || pop) && (!head_ || pop)) {
    head_ = queue_.front();
    queue_.Pop(cycle);
    head_from_ = cycle + 1;
    const bool legal = head_->fault == isa::Fault::kNone;
    need_prev_ = prev_ && head_->fields.pop_prev && legal;
    need_next_ = next_ && head_->fields.pop_next && legal;
    return cycle + 1;
  }
  if (pop || drops || early_at_ == cycle) return cycle + 1;
  if (!head_) return queue_.Ready();
  const int64_t walked = reads_.walker(client_).last_take();
  return walked < kNever && walked >= cycle ? walked + 1 : kNever;
}

int64_t Frontend::EvaluateHalted(int64_t cycle, int64_t from) {
  if (cycle == from) {
    reads_.walker(client_).Cancel(cycle);
    queue_.Halt();
    schedule_.Wake(Agent::kFetch, cycle + 1);
  }
  Beats& beats = reads_.beats(client_);
  for (; beats.known() && beats.Ready() <= cycle; schedule_.Wake(Agent::kReads, cycle + 1))
    beats.Pop(cycle);
  const int64_t next = Evaluate(cycle, false, true);
  return beats.known() ? std::min(next, beats.Ready()) : next;
}

}  // namespace vta::sim::cycle
