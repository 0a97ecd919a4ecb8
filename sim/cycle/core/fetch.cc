#include "sim/cycle/core/fetch.h"

#include "isa/register_launch.h"

namespace vta::sim::cycle {

Fetch::Fetch(const isa::Layout& layout, const isa::LaunchRequest& launch,
             std::span<const uint8_t> dram, Insns& insns, Reads& reads,
             std::array<Commands, isa::kModules>& queues, Schedule& schedule, bool uops_are_free,
             Record* record)
    : layout_(layout),
      launch_(launch),
      dram_(dram),
      insns_(insns),
      reads_(reads),
      queues_(queues),
      schedule_(schedule),
      uops_are_free_(uops_are_free),
      record_(record) {
  const int64_t beat = layout.config().uarch.bus_bits / 8;
  per_beat_ = std::max<int64_t>(1, beat / isa::kInstructionBytes);
  beats_each_ = std::max<int64_t>(1, isa::kInstructionBytes / beat);
  insns_.Clear();
  if (record_) record_->Turn(0, {isa::Cause::kPipeline});
  if (launch.instruction_count == 0) return;
  run_from_ = free_from_ = isa::timing::kLaunchCycles;
  lane_ = static_cast<int64_t>(launch.instruction_address / isa::kInstructionBytes) % per_beat_;
  const int64_t bytes = launch.instruction_count * isa::kInstructionBytes;
  reads_.walker(Reads::kFetch)
      .Start({launch.instruction_address, 0, bytes, 1, bytes}, run_from_,
             isa::timing::kLoadRowCycles, false);
  schedule_.Wake(Agent::kReads, reads_.walker(Reads::kFetch).next().ready);
  schedule_.Wake(Agent::kFetch, run_from_);
}

void Fetch::ReadInstruction(int64_t index) {
  const isa::Config& config = layout_.config();
  Insn& insn = insns_.Add();
  insn.index = index;
  const uint64_t at =
      (launch_.instruction_address + static_cast<uint64_t>(index) * isa::kInstructionBytes) &
      isa::kAddressMask;
  insn.word = isa::LoadWord(dram_.data() + at);
  insn.fields = isa::Decode(layout_, insn.word);
  insn.module = isa::Route(config, insn.fields);
  insn.fault = isa::DecodeFault(config, insn.fields);
  const isa::Instruction& f = insn.fields;
  const bool legal = insn.fault == isa::Fault::kNone;
  insn.moves = legal &&
               (insn.opcode() == isa::Opcode::kLoad || insn.opcode() == isa::Opcode::kStore) &&
               f.x_size > 0 && f.y_size > 0;
  insn.loads_uops = insn.moves && insn.opcode() == isa::Opcode::kLoad &&
                    static_cast<isa::MemoryType>(f.memory_type) == isa::MemoryType::kUop;
  if (insn.loads_uops && uops_are_free_) insn.moves = false;
  insn.loops = legal &&
               (insn.opcode() == isa::Opcode::kGemm || insn.opcode() == isa::Opcode::kAlu) &&
               f.iter_out > 0 && f.iter_in > 0 && f.uop_begin < f.uop_end;
}

bool Fetch::Blocked(int64_t cycle) const {
  return queues_[static_cast<int>(insns_.back().module)].Full(cycle);
}

int64_t Fetch::Evaluate(int64_t cycle) {
  if (cycle >= run_until_ || cycle < run_from_) return kNever;
  Beats& beats = reads_.beats(Reads::kFetch);
  const bool head = head_ && head_from_ <= cycle;
  if (head && head_error_) {
    run_until_ = halted_from_ = cycle + 1;
    if (record_) record_->Turn(cycle + 1, {});
    reads_.walker(Reads::kFetch).Cancel(cycle);
    return kNever;
  }
  const bool push = head && !Blocked(cycle);
  if (head && !push) blocked_from_ = std::min(blocked_from_, cycle);
  if (record_ && head) {
    const Insn& insn = insns_.back();
    if (push) record_->Work(cycle, cycle + 1, insn.index);
    record_->Turn(cycle,
                  push ? Reason{isa::Cause::kPipeline}
                       : Reason{isa::Cause::kSpace, insn.index, {}, isa::UnitOf(insn.module)});
    free_from_ = cycle + (push ? 0 : 1);
  }
  if (push) {
    if (blocked_from_ < kNever) waited_ += cycle - blocked_from_;
    blocked_from_ = kNever;
    const Insn& insn = insns_.back();
    queues_[static_cast<int>(insn.module)].Push(cycle, &insn);
    constexpr Agent kAgentOf[] = {Agent::kLoad, Agent::kCompute, Agent::kStore};
    schedule_.Wake(kAgentOf[static_cast<int>(insn.module)], cycle + 1);
    ++handed_on_;
    head_ = false;
    if (head_last_) {
      run_until_ = cycle + 1;
      if (record_) record_->Turn(cycle + 1, {});
      reads_.walker(Reads::kFetch).Cancel(cycle);
      return kNever;
    }
  }
  const bool take = !head_;
  // What is blocked, or has no beat, is woken.
  if (!beats.known()) return kNever;
  if (beats.Ready() > cycle) return beats.Ready();
  const bool error = beats.error();
  if (record_ && (take || !low_)) {
    if (cycle > free_from_)
      record_->WaitForBurst(free_from_, cycle, reads_.way(beats.way()), read_);
    free_from_ = cycle + 1;
  }
  if (beats_each_ == 2 && !low_) {
    low_ = true;
    low_error_ = error;
    beats.Pop(cycle);
    schedule_.Wake(Agent::kReads, cycle + isa::timing::kRoomCycles);
  } else if (take) {
    const bool refused = error || (beats_each_ == 2 && low_error_);
    low_ = false;
    if (++lane_ == per_beat_) {
      lane_ = 0;
      beats.Pop(cycle);
      schedule_.Wake(Agent::kReads, cycle + isa::timing::kRoomCycles);
    }
    head_ = true;
    head_from_ = cycle + 1;
    head_error_ = refused;
    head_last_ = ++read_ == launch_.instruction_count;
    if (!refused) {
      ReadInstruction(read_ - 1);
      head_last_ |= insns_.back().opcode() == isa::Opcode::kFinish;
    }
  } else {
    return kNever;
  }
  return cycle + 1;
}

std::vector<const Insn*> Fetch::handed_on() const {
  std::vector<const Insn*> insns;
  for (int64_t i = 0; i < handed_on_; ++i) insns.push_back(&insns_[i]);
  return insns;
}

bool Fetch::Still(int64_t cycle) const {
  if (cycle < run_from_) return true;
  if (cycle >= run_until_) return true;
  return head_ && head_from_ <= cycle && !head_error_ && Blocked(cycle);
}

isa::FetchState Fetch::State(int64_t cycle) const {
  isa::FetchState state;
  state.fetched = handed_on_;
  const uint64_t at =
      launch_.instruction_address + static_cast<uint64_t>(handed_on_) * isa::kInstructionBytes;
  if (halted(cycle)) {
    state.fault = isa::Fault::kBusError;
    state.address = at;
  } else if (cycle < run_until_ && head_ && !head_error_ && Blocked(cycle)) {
    state.full = insns_.back().module;
    state.address = at;
  }
  return state;
}

// Up to and without this cycle.
isa::ModuleCycles Fetch::Cycles(int64_t end) const {
  isa::ModuleCycles cycles;
  if (run_from_ == kNever) return cycles;
  cycles.busy = handed_on_;
  cycles.wait_token = waited_;
  if (blocked_from_ < kNever) cycles.wait_token += end - blocked_from_;
  cycles.wait_memory = std::min(end, run_until_) - run_from_ - handed_on_ - cycles.wait_token;
  return cycles;
}

}  // namespace vta::sim::cycle
