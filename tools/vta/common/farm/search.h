// A search whose jobs are done by the workers of a farm.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "isa/support/error.h"
#include "tools/farm/study.h"
#include "tools/vta/common/processes.h"

namespace CLI {
class App;
}

namespace vta::tools {

/// Which farm.
struct FarmOptions {
  std::string url, credentials;
  double wait_s = 60;  // without a worker, and without the server

  /// Declares --farm and --farm-wait; --credentials is the command's.
  void AddTo(CLI::App& app);
  /// Errors: as farm::ParseAccess, of the option.
  farm::Access access() const;
  std::chrono::seconds patience() const;
};

/// What is known of a farm's part in a search.
struct FarmTally {
  int64_t jobs = 0, batches = 0;
  int64_t again = 0;      // jobs that were sent once more
  int64_t set_aside = 0;  // since they ended whoever did them
  int64_t workers = 0;    // that have answered
};

/// The jobs of a search, and what becomes of them.
struct FarmJobs {
  NextJob next;
  std::function<std::string(int64_t job)> text;  // as workers get it
  /// As of RunInProcesses. Called once for each.
  std::function<bool(int64_t job, const JobEnd& end)> done;
  /// Keeps what `done` was told: then it is not lost, however this process or others end.
  std::function<void()> keep = {};
  std::function<void()> on_wait = {};  // called many times a second; what it throws ends the search
};

class FarmSearch {
 public:
  /// A job that ended its process, or its worker, so often is set aside.
  static constexpr int64_t kMostEnds = 3;

  /// `owner`: what takes the answers, of which there is one at a time. What an earlier search of
  /// the same did not take is taken now. Errors: as farm::Link; and where workers are there, but
  /// none is of this build.
  FarmSearch(const FarmOptions& options, farm::Study study, const std::string& owner);
  /// Where it ends well, nothing of it is left.
  ~FarmSearch();
  FarmSearch(const FarmSearch&) = delete;
  FarmSearch& operator=(const FarmSearch&) = delete;

  /// As RunInProcesses; may be called again, with other jobs. Errors: as farm::Link; throws Error
  /// where a worker refuses the study, no worker is there for the time that options say, or two
  /// answers of one job differ, naming both workers: not where a machine measures, whose answers
  /// always do.
  void Run(const FarmJobs& jobs);

  const FarmTally& tally() const { return tally_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    int64_t number = 0;
    std::string text;
    int64_t ends = 0;
  };
  /// A batch that was sent.
  struct Sent {
    std::vector<std::string> keys;  // of jobs
    Clock::time_point when;
  };
  /// What a job came to, and who said so.
  struct Known {
    std::string said, worker;
  };
  struct Feed;  // of a Run

  bool IsOurs(const farm::WorkerFacts& worker) const;
  void Look();
  void Fill(Feed& feed);
  void Send(std::vector<std::string> keys);
  void SendLate();
  bool Hear(Feed& feed, const std::string& text);
  bool HearOne(Feed& feed, const farm::Answer& answer, const std::string& worker);
  void Finish(Feed& feed, const std::string& key, const JobEnd& end);
  Error NoWorker(const std::map<std::string, farm::WorkerFacts>& others) const;

  const FarmOptions options_;
  const farm::Study study_;
  const std::string name_, id_, queue_, run_;  // the run: tells its batches from others'
  std::unique_ptr<farm::Link> link_;
  std::unique_ptr<farm::Inbox> answers_;
  FarmTally tally_;
  std::map<std::string, Job> jobs_;           // that are not done, by their keys
  std::map<std::string, Sent> sent_;          // by their ids
  std::map<std::string, Known> known_;        // by keys
  std::map<std::string, std::string> early_;  // what is said of jobs that were not met yet
  std::set<std::string> workers_;             // that answered
  double job_s_ = 0;                          // that one takes, about
  int64_t slots_ = 0;                         // of workers of this build
  Clock::time_point look_{}, worker_seen_ = Clock::now();
};

}  // namespace vta::tools
