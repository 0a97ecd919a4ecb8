#include "compiler/tune/tuner.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/tune/bound.h"
#include "isa/support/error.h"
#include "isa/support/hash.h"

namespace vta::compiler::tune {
namespace {

/// The best so far, and the first estimate: by itself it may be worse, but beside others it is what
/// a compile would take.
std::vector<size_t> BestOf(const Task& task) {
  std::vector<size_t> best;
  for (size_t i = 0; i < task.candidates.size(); ++i)
    if (task.candidates[i].cost) best.push_back(i);
  std::ranges::stable_sort(best, {}, [&](size_t i) { return *task.candidates[i].cost; });
  best.resize(std::min(best.size(), Tuner::kBest));
  if (best.empty())
    best.push_back(task.chosen);
  else if (task.candidates[0].cost && std::ranges::find(best, size_t{0}) == best.end())
    best.push_back(0);
  return best;
}

/// The one that is taken first, where costs are noisy of those that were confirmed: then what the
/// estimate alone takes stays unless another one is quicker by more than chance.
size_t ChosenOf(const Task& task) {
  constexpr int64_t kChance = 200;  // a half of a hundredth
  int64_t times = 1;
  for (const Candidate& candidate : task.candidates)
    if (candidate.cost) times = std::max(times, candidate.times);
  std::optional<size_t> best;
  for (size_t i = 0; i < task.candidates.size(); ++i) {
    const Candidate& candidate = task.candidates[i];
    if (candidate.cost && candidate.times == times &&
        (!best || *candidate.cost < *task.candidates[*best].cost))
      best = i;
  }
  if (!best) return 0;
  const Candidate& first = task.candidates[0];
  const bool stays = times > 1 && first.cost && first.times == times &&
                     *first.cost <= *task.candidates[*best].cost + *first.cost / kChance;
  return stays ? 0 : *best;
}

std::vector<Offer> OffersOf(const Task& task) {
  const auto offer = [&](size_t i) {
    return Offer{task.candidates[i].point, task.candidates[i].program};
  };
  std::vector<Offer> offers = {offer(task.chosen)};
  for (const size_t i : BestOf(task))
    if (i != task.chosen) offers.push_back(offer(i));
  return offers;
}

/// Whether there is anything to learn from.
bool HasFeatures(const Space& space) {
  return !space.FeaturesOf(space.Cheapest(1).at(0)).values.empty();
}

uint64_t SeedOf(const LogKey& key) {
  return Hasher().Text(key.target).Text(key.workload).Number(key.arch).Number(key.space).value();
}

/// Programs of others will not be asked for.
void ForgetPrograms(Task* task) {
  const std::vector<size_t> best = BestOf(*task);
  for (size_t i = 0; i < task->candidates.size(); ++i)
    if (std::ranges::find(best, i) == best.end()) task->candidates[i].program.reset();
}

/// What a log has beside the first candidates says as much as the last of these that are untried,
/// which are left out for it.
void LeaveOut(int64_t first, Task* task) {
  const auto is_tried = [](const Candidate& one) { return one.cost || !one.failure.empty(); };
  first = std::min(first, std::ssize(task->candidates));
  int64_t spare =
      TriedOf(*task) - std::ranges::count_if(std::span(task->candidates).first(first), is_tried);
  for (int64_t i = first - 1; i > 0 && spare > 0; --i)
    if (!is_tried(task->candidates[i])) {
      task->candidates.erase(task->candidates.begin() + i);
      --spare;
    }
}

}  // namespace

int64_t TriedOf(const Task& task) {
  return std::ranges::count_if(task.candidates, [](const Candidate& candidate) {
    return candidate.cost || !candidate.failure.empty();
  });
}

std::vector<Candidate> Confirm(Task* task, const std::function<void(std::span<Candidate>)>& again) {
  constexpr int64_t kRounds = 5;
  std::vector<size_t> finalists = BestOf(*task);
  std::erase_if(finalists, [&](size_t i) { return !task->candidates[i].cost; });
  const auto is_known = [&](size_t i) { return task->candidates[i].times >= kRounds; };
  if (std::ranges::all_of(finalists, is_known)) return {};
  std::vector<std::vector<int64_t>> costs(finalists.size());
  for (int64_t round = 0; round < kRounds; ++round) {
    std::vector<Candidate> tried;
    std::vector<size_t> places;
    for (size_t i = 0; i < finalists.size(); ++i) {
      if (!task->candidates[finalists[i]].cost) continue;
      tried.push_back(task->candidates[finalists[i]]);
      tried.back().cost.reset();
      places.push_back(i);
    }
    again(tried);
    for (size_t i = 0; i < tried.size(); ++i) {
      Candidate& candidate = task->candidates[finalists[places[i]]];
      if (tried[i].cost)
        costs[places[i]].push_back(*tried[i].cost);
      else
        candidate.cost.reset(), candidate.failure = tried[i].failure;
    }
  }
  std::vector<Candidate> confirmed;
  for (size_t i = 0; i < finalists.size(); ++i) {
    Candidate& candidate = task->candidates[finalists[i]];
    if (candidate.cost) {
      std::ranges::nth_element(costs[i], costs[i].begin() + kRounds / 2);
      candidate.cost = costs[i][kRounds / 2];
    }
    candidate.times = kRounds;
    confirmed.push_back(candidate);
  }
  return confirmed;
}

std::optional<int64_t> CostOfFirst(const Task& task, int64_t count) {
  const std::span<const Candidate> all = task.candidates;
  const Candidate* best = Best(all.first(std::min(all.size(), static_cast<size_t>(count))));
  if (!best) best = Best(all);
  return best ? best->cost : std::nullopt;
}

Tuner::Tuner(TunerOptions options) : options_(std::move(options)) {
  for (const LogEntry& entry : options_.log)
    if (!options_.measurer || IsOf(*options_.measurer, entry)) {
      logged_[entry.key].push_back(&entry);
      if (entry.key.target == options_.target && entry.key.arch == options_.arch)
        examples_[{entry.features.kind, entry.key}].push_back({entry.features, entry.cost});
    }
}

std::vector<Offer> Tuner::Choose(const std::string& step, int64_t macs, const Space& space) {
  const LogKey key{options_.target, space.Workload(), options_.arch, SpaceHash(space)};
  const auto [known, fresh] = task_of_.try_emplace(key, tasks_.size());
  if (!fresh) {
    ++tasks_[known->second].steps;
    return OffersOf(tasks_[known->second]);
  }
  Task task;
  task.step = step, task.key = key, task.macs = macs;
  task.choices = space.Choices(), task.size = SizeOf(space);
  task.bound = space.Bound();
  const int64_t wanted = std::max<int64_t>(options_.trials, 1);
  const bool learns = Learns() && HasFeatures(space);
  const int64_t first = learns ? std::min(wanted, kBatch) : wanted;
  task.candidates =
      CandidatesOf(space, learns && !options_.exports ? FirstPoints(space, first, SeedOf(key))
                                                      : space.Cheapest(first));
  VTA_CHECK(!task.candidates.empty(), step);
  if (std::ssize(task.candidates) < first) task.end = Task::End::kExhausted;
  AddLogged(space, &task);
  if (learns && !options_.exports) LeaveOut(first, &task);
  if (options_.exports) {
    Export(space, &task);
  } else if (options_.measurer && options_.trials > 0) {
    Measure(space, &task);
    if (options_.measurer->is_noisy())
      Write(space, task, Confirm(&task, [&](std::span<Candidate> again) { Try(space, 1, again); }));
  }
  if (learns) examples_[{task.candidates[0].features.kind, key}] = ExamplesOf(task.candidates);
  task.chosen = ChosenOf(task);
  tasks_.push_back(std::move(task));
  return OffersOf(tasks_.back());
}

/// Costs that this compiler's code had are taken as they are; the best of other ones' decisions are
/// tried again.
void Tuner::AddLogged(const Space& space, Task* task) const {
  constexpr int64_t kMostForeign = 4;
  const auto found = logged_.find(task->key);
  if (found == logged_.end()) return;
  task->logged = std::ssize(found->second);
  const auto candidate_of = [&](const LogEntry& entry) -> Candidate* {
    try {
      const Point point = ParsePoint(space.Choices(), entry.point);
      const auto at = std::ranges::find(task->candidates, point, &Candidate::point);
      if (at != task->candidates.end()) return &*at;
      if (!space.Has(point)) return nullptr;
      task->candidates.push_back({point, space.Estimate(point)});
      return &task->candidates.back();
    } catch (const Error&) {
      return nullptr;  // of a log that was written by hand
    }
  };
  std::vector<const LogEntry*> foreign;
  for (const LogEntry* entry : found->second) {
    if (options_.measurer && (entry->compiler.empty() || entry->compiler != options_.compiler)) {
      if (entry->cost) foreign.push_back(entry);
    } else if (Candidate* const candidate = candidate_of(*entry)) {
      if (entry->times < candidate->times) continue;
      candidate->cost = entry->cost, candidate->failure = entry->failure;
      candidate->times = entry->times;
    }
  }
  std::ranges::stable_sort(foreign, {}, [](const LogEntry* entry) { return *entry->cost; });
  const auto most = std::ssize(task->candidates) + kMostForeign;
  for (const LogEntry* entry : foreign) {
    if (std::ssize(task->candidates) == most) break;
    candidate_of(*entry);
  }
}

/// Adds so many that are to be tried, if there is anything.
bool Tuner::Propose(Proposer* proposer, int64_t count, Task* task) const {
  if (count <= 0) return false;
  int64_t room = 2048;  // more would take longer to learn than what is learned is worth
  std::vector<const Examples*> others;
  for (const auto& [of, examples] : examples_) {
    if (of.first != task->candidates[0].features.kind || of.second == task->key ||
        std::ssize(examples) > room)
      continue;
    others.push_back(&examples);
    room -= std::ssize(examples);
  }
  std::vector<Candidate> proposed = proposer->Propose(count, task->candidates, others);
  if (proposed.empty()) task->end = Task::End::kExhausted;
  std::ranges::move(proposed, std::back_inserter(task->candidates));
  return !proposed.empty();
}

/// Until something is known of the task its estimates alone say what is to be tried.
void Tuner::Export(const Space& space, Task* task) const {
  Proposer proposer(space, options_.model, SeedOf(task->key), options_.jobs);
  const int64_t tried = TriedOf(*task);
  if (tried == 0)
    for (Candidate& one : CandidatesOf(space, space.Cheapest(options_.trials)))
      if (std::ranges::find(task->candidates, one.point, &Candidate::point) ==
          task->candidates.end())
        task->candidates.push_back(std::move(one));
  proposer.Describe(task->candidates);
  if (tried > 0) Propose(&proposer, options_.trials - (std::ssize(task->candidates) - tried), task);
  std::vector<Candidate> untried;
  for (const Candidate& candidate : task->candidates)
    if (!candidate.cost && candidate.failure.empty() && std::ssize(untried) < options_.trials)
      untried.push_back(candidate);
  options_.exports(space, *task, untried);
}

void Tuner::Measure(const Space& space, Task* task) {
  std::optional<Proposer> proposer;
  if (Learns() && HasFeatures(space)) {
    proposer.emplace(space, options_.model, SeedOf(task->key), options_.jobs);
    proposer->Describe(task->candidates);
  }
  size_t count = 0;
  const auto proposes = [&] {
    const int64_t left = std::min(options_.trials - TriedOf(*task), kBatch);
    return proposer && Propose(&*proposer, left, task);
  };
  for (size_t begin = 0; begin < task->candidates.size() || proposes(); begin += count) {
    if (begin > 0 && options_.stops && options_.stops()) {
      task->end = Task::End::kStopped;
      return;
    }
    count = std::min<size_t>(kBatch, task->candidates.size() - begin);
    const std::span<Candidate> batch = std::span(task->candidates).subspan(begin, count);
    std::vector<bool> known;
    for (const Candidate& candidate : batch)
      known.push_back(candidate.cost || !candidate.failure.empty());
    Try(space, options_.jobs, batch);
    std::vector<Candidate> tried;
    for (size_t i = 0; i < batch.size(); ++i)
      if (!known[i]) tried.push_back(batch[i]);
    task->tried += std::ssize(tried);
    ForgetPrograms(task);
    Write(space, *task, tried);
    if (options_.on_batch) options_.on_batch(*task);
    if (IsAtBound(task->candidates, task->bound)) {
      task->end = Task::End::kBound;
      return;
    }
  }
}

void Tuner::Try(const Space& space, int64_t jobs, std::span<Candidate> candidates) const {
  if (options_.tries)
    options_.tries(space, candidates);
  else
    MeasureAll(space, *options_.measurer, jobs, candidates);
}

void Tuner::Write(const Space& space, const Task& task, std::span<const Candidate> batch) {
  if (!options_.writer || batch.empty()) return;
  std::vector<LogEntry> entries;
  for (const Candidate& candidate : batch)
    entries.push_back({task.key, options_.measurer->Name(), options_.measurer->Hash(),
                       options_.compiler, task.step, Print(space.Choices(), candidate.point),
                       candidate.estimate, candidate.cost, candidate.failure, candidate.times,
                       candidate.features, options_.measurer->Machine()});
  options_.writer->Append(entries);
}

}  // namespace vta::compiler::tune
