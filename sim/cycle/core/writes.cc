#include "sim/cycle/core/writes.h"

#include "isa/gen/systemverilog.h"
#include "isa/spec/timing.h"

namespace vta::sim::cycle {

Writes::Writes(const isa::Config& config, uint64_t memory_bytes, DramTiming& dram,
               Outstanding& outstanding, const Reads& reads, Schedule& schedule, Record* record)
    : beat_bytes_(config.uarch.bus_bits / 8),
      memory_bytes_(memory_bytes),
      dram_(dram),
      outstanding_(outstanding),
      reads_(reads),
      schedule_(schedule),
      record_(record),
      walker_(beat_bytes_, isa::BurstBeats(config)) {}

namespace {
constexpr int kUnit = isa::UnitOf(isa::Module::kStore);
}  // namespace

// Beats of a burst that come slowly are shown without gaps, and the gaps behind them.
void Writes::RecordBurst(int64_t accepted, int64_t loaded, int64_t first, int64_t last) const {
  const int by = outstanding_.last_unit();
  const auto wait = [&](int64_t begin, int64_t end, isa::Cause cause) {
    record_->Wait(begin, end, {cause, index_, {}, cause == isa::Cause::kContention ? by : -1});
  };
  const auto busy = by == kUnit ? isa::Cause::kBandwidth : isa::Cause::kContention;
  wait(bursts_.back().granted + 2, accepted + 1, busy);
  const int64_t opened = accepted + 1 + dram_.last_opening();
  wait(accepted + 1, std::min(first, opened), isa::Cause::kRowMiss);
  if (first > loaded + 1) wait(opened, first, busy);
  const int64_t beats = (last - first) / dram_.interval() + 1;
  record_->Work(first, first + beats, index_);
  wait(first + beats, last + 1, isa::Cause::kBandwidth);
}

// When its beats leave the register in front of W, and when it is answered: AW was taken in this
// cycle.
void Writes::Send(Burst& burst, int64_t cycle) {
  const int64_t beats = burst.request.beats, interval = dram_.interval();
  burst.refused = IsRefused(memory_bytes_, burst.request.address, beats * beat_bytes_);
  const BurstTiming timing = dram_.Write(cycle, burst.request.address, beats);
  // A beat is loaded when the one before it is taken.
  const int64_t loaded = std::max(burst.granted + 1, taken_last_);
  const int64_t taken = std::max({loaded + 1, timing.first, taken_last_ + 1});
  sent_ += beats;
  if (record_) RecordBurst(cycle, loaded, taken, taken + (beats - 1) * interval);
  outstanding_.Accept(cycle, kUnit);
  taken_last_ = taken + (beats - 1) * interval;
  burst.answered = answered_last_ = std::max(dram_.Response(taken_last_), answered_last_ + 1);
  outstanding_.EndWrite(burst.answered);
  if (burst.refused) {
    if (error_from_ == kNever) error_from_ = burst.answered + 1;
  } else {
    written_beats_ += beats;
  }
  schedule_.Wake(Agent::kStore, cycle + 1);
  schedule_.Wake(Agent::kReads, cycle + 1);
}

int64_t Writes::Evaluate(int64_t cycle) {
  while (!bursts_.empty() && bursts_.front().answered < cycle) bursts_.pop_front();
  if (valid_ && valid_from_ <= cycle) {
    const int64_t free = outstanding_.Free(cycle);
    // The last place goes to a read.
    if (free <= 0) return std::max(cycle + 1, outstanding_.NextFree());
    if (free == 1 && reads_.address_valid(cycle)) return cycle + 1;
    valid_ = false;
    Send(bursts_.back(), cycle);
  }
  if (valid_) return valid_from_;
  const Request& next = walker_.next();
  if (std::max(cycle, next.ready) > walker_.until()) return kNever;
  if (next.ready > cycle) return next.ready;
  // Both queues hold as many: of bursts to send, and of answers to come.
  constexpr auto kDepth = static_cast<size_t>(isa::timing::kOutstandingWrites);
  if (bursts_.size() >= kDepth)
    return bursts_.front().answered == kNever ? cycle + 1 : bursts_.front().answered + 1;
  bursts_.push_back({next, cycle});
  valid_ = true;
  valid_from_ = cycle + 1;
  walker_.Grant(cycle);
  schedule_.Wake(Agent::kStore, cycle + 1);
  return cycle + 1;
}

int64_t Writes::IdleFrom() const {
  if (valid_) return kNever;
  return answered_last_ + 1;
}

}  // namespace vta::sim::cycle
