#include "sim/cycle/core/core.h"

#include <memory>
#include <optional>

#include "isa/support/error.h"
#include "isa/support/stop.h"
#include "sim/cycle/core/compute.h"
#include "sim/cycle/core/fetch.h"
#include "sim/cycle/core/load.h"
#include "sim/cycle/core/modelled.h"
#include "sim/cycle/core/store.h"
#include "sim/cycle/core/trace.h"
#include "sim/cycle/core/why.h"

namespace vta::sim::cycle {
namespace {

using isa::Queue;

// So often somebody looks at the wall clock.
constexpr int64_t kLookSteps = 4096;

// What has happened is in all registers by then.
constexpr int64_t kSettleCycles = 4;

void CheckDeadline(Deadline deadline) {
  if (IsOver(deadline)) throw Stopped();
}

}  // namespace

class Core::Launch {
 public:
  Launch(const isa::Layout& layout, const isa::LaunchRequest& request,
         std::span<const uint8_t> dram, Uops& uops, Insns& insns, Behind behind,
         const CoreOptions& options)
      : layout_(layout),
        request_(request),
        dram_bytes_(dram.size()),
        parts_(layout, request_, dram),
        book_(parts_, insns),
        why_(options.causes ? std::make_unique<Why>() : nullptr),
        foreign_(behind == Behind::kForeignMemory ? std::make_unique<Foreign>() : nullptr),
        dram_timing_(layout.config().memory, layout.config().uarch.bus_bits / 8),
        outstanding_(layout.config().memory.outstanding),
        tokens_(MakeTokens(layout.config(), options.freed)),
        queues_{Commands(Depth()), Commands(Depth()), Commands(Depth())},
        reads_(layout.config(), dram.size(), dram_timing_, outstanding_, foreign_.get(), schedule_,
               why_.get()),
        writes_(layout.config(), dram.size(), dram_timing_, outstanding_, foreign_.get(), reads_,
                schedule_, RecordOf(isa::UnitOf(isa::Module::kStore))),
        fetch_(layout, request_, dram, insns, reads_, queues_, schedule_, options.freed.uops,
               RecordOf(isa::kFetchUnit)),
        load_(layout, request_, queues_[0], Of(Queue::kComputeToLoad), Of(Queue::kLoadToCompute),
              reads_, counters_, schedule_, book_, RecordOf(isa::UnitOf(isa::Module::kLoad))),
        compute_(layout, request_, dram, queues_[1],
                 {&Of(Queue::kLoadToCompute), &Of(Queue::kStoreToCompute),
                  &Of(Queue::kComputeToLoad), &Of(Queue::kComputeToStore)},
                 reads_, uops, counters_, schedule_, parts_, book_,
                 RecordOf(isa::UnitOf(isa::Module::kCompute))),
        store_(layout, request_, queues_[2], Of(Queue::kComputeToStore), Of(Queue::kStoreToCompute),
               writes_, counters_, schedule_, book_, RecordOf(isa::UnitOf(isa::Module::kStore))) {
    if (options.timeline) KeepTrace();
  }

  /// Evaluates what happens before `limit`. Returns the cycle in which the launch ends, if that is
  /// known. Errors: throws Stopped at the deadline.
  int64_t RunTo(int64_t limit, Deadline deadline);
  /// Nothing can move any more, though something may look at the clock again. Cycles before this
  /// one are evaluated.
  bool Stands(int64_t cycle) const {
    const int64_t idle = std::max(reads_.IdleFrom(), writes_.IdleFrom()), next = schedule_.Next();
    if (next == kNever || idle == kNever) return next == kNever && idle < kNever;
    const int64_t settled = std::max(cycle, idle) + kSettleCycles;
    return settled < next && Still(settled);
  }
  int64_t Next() const { return Halted() ? still_from_ : schedule_.Next(); }
  void Step(int64_t cycle);
  bool Still(int64_t cycle) const {
    for (const Commands& queue : queues_)
      if (queue.Moves(cycle)) return false;
    return fetch_.Still(cycle) && load_.Still(cycle) && compute_.Still(cycle, Barrier(cycle)) &&
           store_.Still(cycle) && BusIdle(cycle);
  }
  Foreign& foreign() { return *foreign_; }
  int64_t Give(const Answer& answer);
  isa::LaunchResult Report(int64_t end);
  int64_t evaluations() const { return schedule_.evaluations() + bursts_; }
  void AddTo(Timeline& timeline, int64_t end, const BusSample& origin);
  /// Of the result and its parts; to the timeline, if there is one.
  void AddCauses(isa::LaunchResult& result, int64_t end, Timeline* timeline, int64_t origin);

 private:
  Record* RecordOf(int unit) { return why_ ? &why_->units[static_cast<size_t>(unit)] : nullptr; }
  static std::array<Tokens, isa::kQueues> MakeTokens(const isa::Config& config,
                                                     const Freed& freed) {
    std::array<Tokens, isa::kQueues> tokens;
    for (Tokens& queue : tokens) {
      queue.capacity = config.arch.token_capacity;
      queue.is_free = freed.tokens;
    }
    return tokens;
  }
  void Settle(int64_t cycle);
  std::vector<int64_t> EndsTo(int64_t end) const {
    std::vector<int64_t> ends(parts_.ends().begin(), parts_.ends().end());
    ends.push_back(end + 1);
    return ends;
  }
  bool Halted() const { return load_.halted() || compute_.halted() || store_.halted(); }
  int64_t RunHalted(int64_t limit);
  int64_t Depth() const { return layout_.config().uarch.command_queue_depth; }
  Tokens& Of(Queue queue) { return tokens_[static_cast<size_t>(queue)]; }
  bool Barrier(int64_t cycle) const { return load_.Drained(cycle) && store_.Drained(cycle); }
  void KeepTrace();
  bool BusIdle(int64_t cycle) const {
    return reads_.IdleFrom() <= cycle && writes_.IdleFrom() <= cycle;
  }

  const isa::Layout& layout_;
  isa::LaunchRequest request_;
  uint64_t dram_bytes_;
  Parts parts_;
  Book book_;  // an empty one
  std::unique_ptr<Why> why_;
  std::unique_ptr<Foreign> foreign_;
  Schedule schedule_;
  int64_t bursts_ = 0;  // that were looked at one behind the other
  DramTiming dram_timing_;
  Outstanding outstanding_;
  std::array<Tokens, isa::kQueues> tokens_;
  std::array<Commands, isa::kModules> queues_;
  isa::Counters counters_;
  Reads reads_;
  Writes writes_;
  Fetch fetch_;
  Load load_;
  Compute compute_;
  Store store_;
  std::optional<Trace> trace_;
  // Where a module has halted: the next cycle, and those before it in which nothing moved.
  int64_t still_from_ = 0, still_cycles_ = 0;
};

void Core::Launch::KeepTrace() {
  trace_.emplace(layout_.config().uarch.bus_bits / 8);
  reads_.set_trace(&*trace_);
  writes_.set_trace(&*trace_);
  load_.book().set_trace(&trace_->past(isa::Module::kLoad));
  compute_.book().set_trace(&trace_->past(isa::Module::kCompute));
  store_.book().set_trace(&trace_->past(isa::Module::kStore));
}

// Of parts that have ended, where all is said of their cycles; a timeline has to keep it.
void Core::Launch::Settle(int64_t cycle) {
  const auto ends = parts_.ends().subspan(static_cast<size_t>(why_->settled()));
  if (ends.empty() || trace_) return;
  int64_t said = std::min(
      {fetch_.SaidTo(cycle), load_.SaidTo(cycle), compute_.SaidTo(cycle), store_.SaidTo(cycle)});
  for (const Record& unit : why_->units) said = std::min(said, unit.SaidTo(cycle));
  const auto first_left = std::ranges::upper_bound(ends, said);
  if (first_left != ends.begin()) why_->Settle({ends.begin(), first_left});
}

void Core::Launch::Step(int64_t cycle) {
  std::array<bool, kAgents> due;
  for (int a = 0; a < kAgents; ++a) due[a] = schedule_.Take(static_cast<Agent>(a), cycle);
  const auto turn = [&](Agent agent) { return due[static_cast<size_t>(agent)]; };
  if (turn(Agent::kFetch)) schedule_.Wake(Agent::kFetch, fetch_.Evaluate(cycle));
  const bool barrier = compute_.at_barrier() && Barrier(cycle);
  if (turn(Agent::kCompute)) schedule_.Wake(Agent::kCompute, compute_.Evaluate(cycle, barrier));
  if (turn(Agent::kLoad)) schedule_.Wake(Agent::kLoad, load_.Evaluate(cycle));
  if (turn(Agent::kStore)) schedule_.Wake(Agent::kStore, store_.Evaluate(cycle));
  // FINISH may wait for them.
  if (compute_.at_barrier() && (turn(Agent::kLoad) || turn(Agent::kStore)))
    schedule_.Wake(Agent::kCompute, cycle + 1);
  if (turn(Agent::kReads)) {
    int64_t next = reads_.Evaluate(cycle);
    // Burst by burst, as long as nobody else has anything to do.
    for (; !foreign_ && !turn(Agent::kWrites) && next < schedule_.Next(); ++bursts_)
      next = reads_.Evaluate(next);
    schedule_.Wake(Agent::kReads, next);
  }
  if (turn(Agent::kWrites)) schedule_.Wake(Agent::kWrites, writes_.Evaluate(cycle));
}

int64_t Core::Launch::RunTo(int64_t limit, Deadline deadline) {
  if (limit < kNever && Halted()) return RunHalted(limit);
  for (int64_t steps = 0;;) {
    const int64_t cycle = schedule_.Next();
    if (compute_.finished() < kNever) {
      const int64_t idle = std::max(reads_.IdleFrom(), writes_.IdleFrom());
      if (idle < kNever) return std::max(compute_.finished() + 1, idle);
    }
    if (cycle >= limit) return kNever;
    if (++steps % kLookSteps == 0) CheckDeadline(deadline);
    Step(cycle);
    if (why_) Settle(cycle);
    if (limit < kNever && Halted()) {
      still_from_ = std::max(still_from_, cycle + 1);
      return RunHalted(limit);
    }
  }
}

// What is thrown away moves on when nothing else can any more: this goes cycle by cycle.
int64_t Core::Launch::RunHalted(int64_t limit) {
  for (; still_from_ < limit; ++still_from_) {
    still_cycles_ = Still(still_from_) ? still_cycles_ + 1 : 0;
    if (still_cycles_ == isa::timing::kQuietCycles) return still_from_ + 1;
    if (schedule_.Next() <= still_from_) Step(still_from_);
  }
  return kNever;
}

int64_t Core::Launch::Give(const Answer& answer) {
  const Offer& burst = answer.burst;
  const int64_t cycle = answer.cycle, bytes = burst.beats * layout_.config().uarch.bus_bits / 8;
  const bool refused = answer.refused || IsRefused(dram_bytes_, burst.address, bytes);
  switch (answer.kind) {
    case Answer::Kind::kTaken:
      (burst.write ? foreign_->write_taken : foreign_->read_taken) = cycle;
      schedule_.Wake(burst.write ? Agent::kWrites : Agent::kReads, cycle);
      return cycle;
    case Answer::Kind::kBegins:
      if (burst.write) return writes_.Send(cycle, cycle);
      if (trace_) trace_->Read(cycle, burst.beats, dram_timing_.interval());
      // Nobody can do anything with a beat before that.
      reads_.Arrive(burst.client, cycle, burst.beats, refused, 0, cycle + 1);
      schedule_.Wake(Agent::kReads, cycle + 1);
      return cycle + (burst.beats - 1) * dram_timing_.interval();
    case Answer::Kind::kAnswered: {
      const int64_t answered = writes_.Answer(cycle, refused);
      schedule_.Wake(Agent::kStore, answered + 1);
      schedule_.Wake(Agent::kWrites, answered + 1);
      return answered;
    }
  }
  return cycle;
}

isa::LaunchResult Core::Launch::Report(int64_t end) {
  using isa::Outcome;
  using Kind = isa::ModuleState::Kind;
  isa::LaunchResult result;
  const auto address = [&](int64_t index) {
    return request_.instruction_address + static_cast<uint64_t>(index) * isa::kInstructionBytes;
  };
  result.fetch = fetch_.State(end);
  bool halted = result.fetch.fault != isa::Fault::kNone, waiting = false;
  const Status states[] = {load_.State(end), compute_.State(end), store_.State(end)};
  for (int m = 0; m < isa::kModules; ++m) {
    const Status& status = states[m];
    halted |= status.kind == Kind::kHalted, waiting |= status.kind == Kind::kWaiting;
    if (status.kind == Kind::kDone) continue;
    result.modules[m] = {status.kind,       status.insn->index, address(status.insn->index),
                         status.insn->word, status.wait,        status.queue,
                         status.fault};
  }
  result.outcome = compute_.finished() < kNever ? Outcome::kFinished
                   : halted                     ? Outcome::kFault
                   : waiting                    ? Outcome::kDeadlock
                                                : Outcome::kNoFinish;
  counters_.bytes[static_cast<size_t>(isa::MemoryType::kOut)] = writes_.written_bytes();
  for (int q = 0; q < isa::kQueues; ++q)
    counters_.tokens[q] = tokens_[static_cast<size_t>(q)].pushed;
  isa::Time& time = counters_.time.emplace();
  time.cycles = end;
  time.fetch = fetch_.Cycles(end + 1);
  // Where FINISH was in the last of several parts.
  if (result.outcome == Outcome::kFinished && parts_.count() > 1 &&
      std::ssize(parts_.ends()) + 1 == parts_.count())
    result.parts.resize(static_cast<size_t>(parts_.count()));
  int64_t before = 1;
  const std::vector<int64_t> ends = EndsTo(end);
  for (size_t part = 0; part < result.parts.size(); ++part) {
    result.parts[part].time.cycles = ends[part] - before;
    before = ends[part];
  }
  const std::vector<isa::ModuleCycles>* const spent[] = {
      &load_.book().Cycles(end + 1),
      &compute_.book().Cycles(std::min(end, compute_.finished()) + 1),
      &store_.book().Cycles(end + 1)};
  for (int m = 0; m < isa::kModules; ++m) {
    for (const isa::ModuleCycles& cycles : *spent[m]) time.modules[m] += cycles;
    for (size_t part = 0; part < result.parts.size(); ++part)
      result.parts[part].time.modules[m] = (*spent[m])[part];
  }
  result.counters = counters_;
  return result;
}

void Core::Launch::AddTo(Timeline& timeline, int64_t end, const BusSample& origin) {
  load_.End(end), compute_.End(end), store_.End(end);
  trace_->AddTo(timeline, request_.instruction_address, end, origin);
}

void Core::Launch::AddCauses(isa::LaunchResult& result, int64_t end, Timeline* timeline,
                             int64_t origin) {
  const size_t before = timeline ? timeline->causes.size() : 0;
  const auto ends = EndsTo(end);
  const std::vector<isa::Causes> causes =
      why_->Take(std::span(ends).subspan(static_cast<size_t>(why_->settled())),
                 timeline ? fetch_.handed_on() : std::vector<const Insn*>(),
                 layout_.config().arch.token_capacity, timeline);
  result.counters.causes.emplace();
  for (size_t part = 0; part < causes.size(); ++part) {
    *result.counters.causes += causes[part];
    if (!result.parts.empty()) result.parts[part].causes = causes[part];
  }
  if (!timeline) return;
  for (CauseSlice& slice : std::span(timeline->causes).subspan(before))
    slice.begin += origin, slice.end += origin;
}

Core::Core(const isa::Config& config) : layout_(config), uops_(layout_) { RequireModelled(config); }
Core::~Core() = default;

isa::LaunchResult Core::Run(const isa::LaunchRequest& request, std::span<const uint8_t> dram,
                            const CoreOptions& options) {
  Begin(request, dram, Behind::kOwnMemory, options);
  try {
    RunTo(kNever);
    return End();
  } catch (const Stopped&) {
    launch_.reset();
    isa::LaunchResult stopped;
    stopped.outcome = isa::Outcome::kStopped;
    return stopped;
  }
}

void Core::Begin(const isa::LaunchRequest& request, std::span<const uint8_t> dram, Behind behind,
                 const CoreOptions& options) {
  deadline_ = DeadlineOf(std::chrono::steady_clock::now(), options.time_limit);
  uops_.set_deadline(deadline_);
  uops_.Mark();
  request_ = request, dram_ = dram, behind_ = behind, options_ = options;
  options_.causes &= behind == Behind::kOwnMemory;
  given_.clear();
  evaluated_ = 0, end_ = kNever;
  launch_ = MakeLaunch();
}

std::unique_ptr<Core::Launch> Core::MakeLaunch() {
  return std::make_unique<Launch>(layout_, request_, dram_, uops_, insns_, behind_, options_);
}

int64_t Core::RunTo(int64_t cycle) {
  if (end_ == kNever) end_ = launch_->RunTo(cycle, deadline_);
  evaluated_ = std::max(evaluated_, cycle);
  if (end_ == kNever && launch_->Stands(cycle)) end_ = RunSlowly();
  return end_;
}

// A machine that stands still is looked at cycle by cycle, from the beginning.
int64_t Core::RunSlowly() {
  uops_.Restore();
  launch_ = MakeLaunch();
  auto given = given_.begin();
  int64_t still = 0, idle = 0;
  for (int64_t cycle = isa::timing::kLaunchCycles;; ++cycle) {
    for (; given != given_.end() && given->at <= cycle; ++given) launch_->Give(given->answer);
    still = launch_->Still(cycle) ? still + 1 : 0;
    if (still == isa::timing::kQuietCycles) return cycle + 1;
    // Where something could move it does within a few cycles: a mistake does not become a hang.
    idle = still == 0 && given == given_.end() && launch_->Stands(cycle) ? idle + 1 : 0;
    VTA_CHECK(idle < kLookSteps, cycle);
    if (cycle % kLookSteps == 0) CheckDeadline(deadline_);
    launch_->Step(cycle);
  }
}

int64_t Core::Next() const { return launch_->Next(); }

isa::LaunchResult Core::End() {
  isa::LaunchResult result = launch_->Report(end_);
  evaluations_ = launch_->evaluations();
  if (options_.timeline) launch_->AddTo(*options_.timeline, end_, options_.origin);
  if (options_.causes) launch_->AddCauses(result, end_, options_.timeline, options_.origin.cycle);
  launch_.reset();
  return result;
}

std::optional<Offer> Core::TakeOffer() {
  std::deque<Offer>& offers = launch_->foreign().offers;
  if (offers.empty()) return {};
  const Offer offer = offers.front();
  offers.pop_front();
  return offer;
}

int64_t Core::Give(const Answer& answer) {
  // When beats of a write were taken changes nothing before it is answered.
  const bool past = answer.burst.write && answer.kind == Answer::Kind::kBegins;
  VTA_CHECK(answer.cycle >= evaluated_ || past, answer.cycle, evaluated_);
  given_.push_back({evaluated_, answer});
  return launch_->Give(answer);
}

}  // namespace vta::sim::cycle
