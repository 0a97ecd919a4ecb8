#include "sim/cycle/core/reads.h"

#include "isa/gen/systemverilog.h"
#include "sim/cycle/core/trace.h"

namespace vta::sim::cycle {

namespace timing = isa::timing;

int64_t Outstanding::Free(int64_t cycle) {
  for (Ring<int64_t>* ends : {&reads_, &writes_})
    while (!ends->empty() && ends->front() < cycle) ends->pop_front(), held_.Add(cycle - 1, -1);
  return limit_ - held_.At(cycle);
}

int64_t Outstanding::NextFree() const {
  int64_t next = kNever;
  for (const Ring<int64_t>* ends : {&reads_, &writes_})
    if (!ends->empty()) next = std::min(next, ends->front() + 1);
  return next;
}

void Beats::Grant(int64_t cycle, int64_t beats) {
  reserved_ += beats;
  ++granted_;
  last_grant_ = cycle;
  last_beats_ = beats;
}

void Beats::Arrive(int64_t first, int64_t beats, bool error, size_t way) {
  runs_.push_back({first, beats, error, way});
  ends_.push_back(first + (beats - 1) * interval_);
}

int64_t Beats::IdleFrom() const {
  if (static_cast<int64_t>(ends_.size()) < granted_) return kNever;
  return ends_.empty() ? kLongAgo : ends_.back() + 1;
}

// The cycle in which this word, counted from 1, is popped.
int64_t Beats::PopTime(int64_t word) const {
  int64_t before = pops_before_;
  for (size_t i = 0; i < pops_.size(); ++i) {
    const Pops& pops = pops_[i];
    if (before + pops.count >= word) return pops.first + (word - before - 1) * pops.step;
    before += pops.count;
  }
  return kNever;
}

int64_t Beats::Room(int64_t cycle) {
  int64_t room = cycle;
  if (granted_ >= bursts_) {
    const auto before = static_cast<size_t>(granted_ - bursts_);
    if (before >= ends_.size()) return kNever;
    room = std::max(room, ends_[before] + 1);
  }
  // The register is set a cycle behind the counter, and that a cycle behind the pop. In the cycle
  // behind a grant it has the length of the longest burst for that.
  if (room == last_grant_ + 1) {
    const int64_t word = reserved_ - last_beats_ + 2 * longest_ - words_;
    if (word <= 0 || PopTime(word) + timing::kRoomCycles <= room) return room;
    ++room;
  }
  const int64_t word = reserved_ + longest_ - words_;
  if (word <= 0) return room;
  // Nobody asks for an earlier one again.
  for (; !pops_.empty() && pops_before_ + pops_.front().count < word; pops_.pop_front())
    pops_before_ += pops_.front().count;
  const int64_t popped = PopTime(word);
  return popped == kNever ? kNever : std::max(room, popped + timing::kRoomCycles);
}

// So many words of the first run are popped.
Beats::Pops Beats::Popped(int64_t first, int64_t count, int64_t step) {
  popped_ = first + (count - 1) * step;
  Run& run = runs_.front();
  run.first += count * interval_;
  if ((run.count -= count) == 0) runs_.pop_front();
  if (!pops_.empty() && pops_.back().step == step &&
      pops_.back().first + pops_.back().count * step == first)
    pops_.back().count += count;
  else
    pops_.push_back({first, count, step});
  return {first, count, step};
}

void Beats::Pop(int64_t cycle) { Popped(cycle, 1, 1); }

Beats::Pops Beats::PopSome(int64_t from, int64_t most) {
  const Run& run = runs_.front();
  const int64_t first = std::max(from, Ready()), words = std::min(most, run.count);
  // Each in the cycle behind its beat; or so far behind that none has to wait for its own.
  if (first == run.first + 1) return Popped(first, words, interval_);
  if (interval_ == 1 && first >= run.first + timing::kFifoCycles) return Popped(first, words, 1);
  return Popped(first, 1, 1);
}

Reads::Reads(const isa::Config& config, uint64_t memory_bytes, DramTiming& dram,
             Outstanding& outstanding, Foreign* foreign, Schedule& schedule, Why* why)
    : beat_bytes_(config.uarch.bus_bits / 8),
      memory_bytes_(memory_bytes),
      dram_(dram),
      outstanding_(outstanding),
      foreign_(foreign),
      schedule_(schedule),
      why_(why) {
  const int64_t bursts = config.uarch.outstanding_reads, longest = isa::BurstBeats(config);
  const int64_t words = std::max<int64_t>(4, bursts * longest),
                fetch = isa::FetchBurstBeats(config);
  beats_.emplace_back(dram.interval(), isa::FetchBeats(config), bursts, fetch);
  walkers_.emplace_back(beat_bytes_, fetch);
  for (int client = 1; client < kClients; ++client) {
    beats_.emplace_back(dram.interval(), words, bursts, longest);
    walkers_.emplace_back(beat_bytes_, longest);
  }
}

namespace {
// By client.
constexpr Agent kAgentOf[] = {Agent::kFetch, Agent::kCompute, Agent::kLoad};
constexpr int kUnitOf[] = {isa::kFetchUnit, isa::UnitOf(isa::Module::kCompute),
                           isa::UnitOf(isa::Module::kLoad)};
}  // namespace

void Reads::Arrive(int client, int64_t first, int64_t beats, bool refused, size_t way,
                   int64_t known) {
  Beats& words = beats_[static_cast<size_t>(client)];
  words.Arrive(first, beats, refused, way);
  if (client == kFetch)
    schedule_.Wake(Agent::kFetch, std::max(known, words.Ready()));
  else
    schedule_.Wake(kAgentOf[client], std::max(known, words.taker() ? words.taker()->Take() : 0));
}

void Reads::Accept(int64_t cycle) {
  valid_ = false;
  accepted_ = cycle;
  if (foreign_) {
    foreign_->read_taken = kNever;
    return;
  }
  const bool refused = IsRefused(memory_bytes_, burst_.address, burst_.beats * beat_bytes_);
  const BurstTiming timing = dram_.Read(cycle, burst_.address, burst_.beats);
  size_t way = 0;
  if (why_) {
    way = why_->ways.last();
    BurstWay& last = why_->ways[way];
    last.accepted = cycle;
    last.latency = dram_.read_latency();
    last.opening = dram_.last_opening();
    last.first = timing.first;
    last.beats_by = outstanding_.last_unit();
  }
  outstanding_.Accept(cycle, kUnitOf[client_]);
  outstanding_.EndRead(timing.last);
  if (trace_) trace_->Read(timing.first, burst_.beats, dram_.interval());
  Arrive(client_, timing.first, burst_.beats, refused, way, cycle + 1);
}

// Before the grant.
void Reads::RecordGrant(int client, int64_t asked, int64_t cycle) {
  BurstWay& way = why_->ways.Add();
  way.unit = kUnitOf[client];
  way.asked = asked;
  way.room = beats(client).Room(asked);
  way.granted = cycle;
  way.grant_by = kUnitOf[client_];
}

int64_t Reads::Evaluate(int64_t cycle) {
  if (valid_ && valid_from_ <= cycle) {
    if (foreign_) {
      if (foreign_->read_taken > cycle) return foreign_->read_taken;
    } else if (outstanding_.Free(cycle) <= 0) {
      return std::max(cycle + 1, outstanding_.NextFree());
    }
    Accept(cycle);
  }
  int64_t next = valid_ ? valid_from_ : kNever;
  if (valid_) return next;
  for (int c = 0; c < kClients; ++c) {
    Walker& walker = walkers_[static_cast<size_t>(c)];
    if (walker.next().ready == kNever) continue;
    const int64_t at = beats(c).Room(std::max(cycle, walker.next().ready));
    if (at > walker.until()) continue;
    if (at > cycle) {
      next = std::min(next, at);
      continue;
    }
    if (why_) RecordGrant(c, walker.next().ready, cycle);
    burst_ = walker.next();
    client_ = c;
    valid_ = true;
    valid_from_ = cycle + 1;
    if (foreign_) foreign_->offers.push_back({false, c, burst_.address, burst_.beats, valid_from_});
    beats(c).Grant(cycle, burst_.beats);
    if (walker.Grant(cycle) && c != kFetch) schedule_.Wake(kAgentOf[c], cycle + 1);
    return cycle + 1;
  }
  return next;
}

int64_t Reads::IdleFrom() const {
  if (valid_) return kNever;
  int64_t idle = kLongAgo;
  for (const Beats& client : beats_) idle = std::max(idle, client.IdleFrom());
  return idle;
}

}  // namespace vta::sim::cycle
