#include "sim/cycle/core/writes.h"

#include "isa/gen/systemverilog.h"
#include "isa/spec/timing.h"
#include "sim/cycle/core/trace.h"

namespace vta::sim::cycle {

Writes::Writes(const isa::Config& config, uint64_t memory_bytes, DramTiming& dram,
               Outstanding& outstanding, Foreign* foreign, const Reads& reads, Schedule& schedule,
               Record* record)
    : beat_bytes_(config.uarch.bus_bits / 8),
      memory_bytes_(memory_bytes),
      dram_(dram),
      outstanding_(outstanding),
      foreign_(foreign),
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
  const DramTiming::Opening& opening = dram_.last_opening();
  if (first > loaded + 1) {
    if (opening.begin < opening.end) {
      wait(accepted + 1, opening.begin, busy);
      wait(opening.begin, opening.end, isa::Cause::kRowMiss);
    }
    wait(accepted + 1, first, busy);
  }
  const int64_t beats = (last - first) / dram_.interval() + 1;
  record_->Work(first, first + beats, index_);
  wait(first + beats, last + 1, isa::Cause::kBandwidth);
}

int64_t Writes::Send(int64_t accepted, int64_t first) {
  const Burst& burst = bursts_[sent_bursts_++];
  const int64_t beats = burst.request.beats;
  // A beat is loaded into the register in front of W when the one before it is taken.
  const int64_t loaded = std::max(burst.granted + 1, taken_last_);
  const int64_t taken = std::max({loaded + 1, first, taken_last_ + 1});
  if (trace_) trace_->Write(loaded, taken, beats, dram_.interval());
  loads_.push_back({loaded, taken, beats - 1});
  taken_last_ = taken + (beats - 1) * dram_.interval();
  if (record_) RecordBurst(accepted, loaded, taken, taken_last_);
  return taken_last_;
}

int64_t Writes::Loaded(int64_t begin, int64_t end) const {
  const int64_t interval = dram_.interval();
  int64_t beats = 0;
  for (const Loads& loads : loads_) {
    const auto others_before = [&](int64_t cycle) {
      return std::clamp<int64_t>((cycle - loads.others + interval - 1) / interval, 0, loads.count);
    };
    beats += (begin <= loads.first && loads.first < end ? 1 : 0) + others_before(end) -
             others_before(begin);
  }
  return beats;
}

int64_t Writes::Answer(int64_t cycle, bool refused) {
  Burst& burst = bursts_[answered_bursts_++];
  burst.answered = answered_last_ = std::max(cycle, answered_last_ + 1);
  if (refused) {
    if (error_from_ == kNever) error_from_ = burst.answered + 1;
  } else {
    written_beats_ += burst.request.beats;
  }
  return answered_last_;
}

void Writes::Accept(int64_t cycle) {
  valid_ = false;
  if (foreign_) {
    foreign_->write_taken = kNever;
    return;
  }
  const Request& burst = bursts_.back().request;
  const BurstTiming timing = dram_.Write(cycle, burst.address, burst.beats);
  Answer(dram_.Response(Send(cycle, timing.first)),
         IsRefused(memory_bytes_, burst.address, burst.beats * beat_bytes_));
  outstanding_.Accept(cycle, kUnit);
  outstanding_.EndWrite(answered_last_);
  // It looks for the answer to the last burst, of a row where rows wait for that, or an error.
  if (walker_.all_granted() || walker_.waits()) schedule_.Wake(Agent::kStore, IdleFrom());
  if (error_from_ < kNever) schedule_.Wake(Agent::kStore, std::max(cycle + 1, error_from_));
}

int64_t Writes::Evaluate(int64_t cycle) {
  for (; answered_bursts_ > 0 && bursts_.front().answered < cycle; bursts_.pop_front())
    --sent_bursts_, --answered_bursts_;
  if (valid_ && valid_from_ <= cycle) {
    if (foreign_) {
      if (foreign_->write_taken > cycle) return foreign_->write_taken;
    } else {
      const int64_t free = outstanding_.Free(cycle);
      // The last place goes to a read.
      if (free <= 0) return std::max(cycle + 1, outstanding_.NextFree());
      if (free == 1 && reads_.address_valid(cycle)) return cycle + 1;
    }
    Accept(cycle);
  }
  if (valid_) return valid_from_;
  const Request& next = walker_.next();
  if (std::max(cycle, next.ready) > walker_.until()) return kNever;
  if (next.ready > cycle) return next.ready;
  // Both queues hold as many: of bursts to send, and of answers to come.
  constexpr auto kDepth = static_cast<size_t>(isa::timing::kOutstandingWrites);
  if (bursts_.size() >= kDepth)
    return bursts_.front().answered == kNever ? kNever : bursts_.front().answered + 1;
  bursts_.push_back({next, cycle});
  valid_ = true;
  valid_from_ = cycle + 1;
  if (foreign_) foreign_->offers.push_back({true, 0, next.address, next.beats, valid_from_});
  walker_.Grant(cycle);
  return cycle + 1;
}

int64_t Writes::IdleFrom() const {
  return answered_bursts_ < bursts_.size() ? kNever : answered_last_ + 1;
}

}  // namespace vta::sim::cycle
