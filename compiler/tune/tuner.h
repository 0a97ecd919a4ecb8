// Chooses for each workload of a network the cheapest point of its space: among the candidates with
// the lowest estimates, those that a cost model proposes, and those of a log.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/tune/candidates.h"
#include "compiler/tune/chooser.h"
#include "compiler/tune/cost_model.h"
#include "compiler/tune/log.h"
#include "compiler/tune/measurer.h"
#include "compiler/tune/proposer.h"

namespace vta::compiler::tune {

/// Steps that compile alike, and what was found for them.
struct Task {
  std::string step;  // the first of them
  LogKey key;
  int64_t macs = 0;             // of each of them
  int64_t steps = 1;            // how many there are
  std::vector<Choice> choices;  // of the space
  double size = 0;              // of that
  int64_t bound = 0;
  std::vector<Candidate> candidates;  // the first is what the estimate alone takes
  int64_t tried = 0;                  // now; others' costs are of a log
  size_t chosen = 0;                  // of candidates
  int64_t logged = 0;                 // entries of it that the log has
  enum class End : uint8_t { kTrials, kExhausted, kBound, kStopped } end = End::kTrials;
};

/// How many of its candidates have a cost or a failure.
int64_t TriedOf(const Task& task);
/// Tries those that may be taken again, in turn, so that none of them has a better time of it;
/// costs are then medians. Those that were tried so; none where all were, before. `again`: sets
/// what candidates cost, or why they have no cost, one after the other.
std::vector<Candidate> Confirm(Task* task, const std::function<void(std::span<Candidate>)>& again);

/// The lowest cost among the first `count` candidates, which is what a search of so many finds; of
/// all where none of these ran, and nothing where none did.
std::optional<int64_t> CostOfFirst(const Task& task, int64_t count);

struct TunerOptions {
  const Measurer* measurer = nullptr;  // nullptr: by estimates and the log alone
  int64_t trials = 0;                  // candidates of a task that have a cost when it is done
  int64_t jobs = 1;                    // trials at once
  std::string target = "";             // for keys
  uint64_t arch = 0;
  std::string compiler = "";       // of this process; "" where nothing tells it from others
  std::vector<LogEntry> log = {};  // of any keys
  LogWriter* writer = nullptr;     // takes what is tried
  /// Where costs are noisy, proposes what is tried after the first batch: of spaces with features.
  CostModel* model = nullptr;
  std::function<void(const Task&)> on_batch = {};  // after each
  std::function<bool()> stops = {};                // asked before each but a task's first
  /// Sets what these cost, or why they have no cost, where they have neither: tried one after the
  /// other, elsewhere, as the measurer does, which then only says what it is.
  std::function<void(const Space&, std::span<Candidate>)> tries = {};
  /// Takes of each task so many candidates that were not tried, for they are measured elsewhere:
  /// the measurer then only says what it is. Needs a cost model.
  std::function<void(const Space&, const Task&, std::span<const Candidate> untried)> exports = {};
};

class Tuner : public Chooser {
 public:
  /// Trials go in batches: what is tried is written when a batch is done.
  static constexpr int64_t kBatch = 16;

  explicit Tuner(TunerOptions options);
  Tuner(const Tuner&) = delete;  // it refers to its own log
  Tuner& operator=(const Tuner&) = delete;

  /// The best of a task's candidates, at most kBest of them, and the one with the lowest estimate.
  static constexpr size_t kBest = 4;
  std::vector<Offer> Choose(const std::string& step, int64_t macs, const Space& space) override;
  const Measurer* measurer() const override {
    return options_.trials > 0 && !options_.tries ? options_.measurer : nullptr;
  }
  int64_t jobs() const override { return options_.jobs; }
  /// Those that were met, in order.
  const std::vector<Task>& tasks() const { return tasks_; }

 private:
  void AddLogged(const Space& space, Task* task) const;
  bool Learns() const {
    return options_.model && options_.trials > 0 && options_.measurer &&
           options_.measurer->is_noisy();
  }
  bool Propose(Proposer* proposer, int64_t count, Task* task) const;
  void Export(const Space& space, Task* task) const;
  void Measure(const Space& space, Task* task);
  void Try(const Space& space, int64_t jobs, std::span<Candidate> candidates) const;
  void Write(const Space& space, const Task& task, std::span<const Candidate> batch);

  const TunerOptions options_;
  std::map<LogKey, std::vector<const LogEntry*>> logged_;
  /// Of the log and of tasks that are done, by the kinds of their features.
  std::map<std::pair<uint64_t, LogKey>, Examples> examples_;
  std::map<LogKey, size_t> task_of_;
  std::vector<Task> tasks_;
};

}  // namespace vta::compiler::tune
