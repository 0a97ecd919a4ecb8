#include "tools/vta/common/farm/search.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <random>
#include <utility>

#include "isa/support/plural.h"
#include "tools/shared/log.h"
#include "tools/shared/usage.h"
#include "tools/shared/validators.h"
#include "tools/vta/common/engines.h"

namespace vta::tools {
namespace {

using namespace std::chrono_literals;

constexpr double kBatchS = 1;               // that a batch is to take
constexpr size_t kFirst = 4, kMost = 256;   // jobs of a batch: before that is known, and ever
constexpr auto kSoonest = 1s, kLater = 5s;  // between two looks at workers: without any, and with
constexpr int64_t kAnswersAtOnce = 64;
constexpr auto kAnswerWait = 200ms;  // for an answer, before somebody else is asked

std::string RandomId() {
  std::random_device random;
  return StrCat(Hex((uint64_t{random()} << 32) | random(), 16).substr(2));
}

}  // namespace

struct FarmSearch::Feed {
  const FarmJobs& jobs;
  bool has_more = true, stopped = false;
};

void FarmOptions::AddTo(CLI::App& app) {
  app.option_defaults()->group("Other machines");
  CLI::Option* const farm =
      app.add_option(
             "--farm", url,
             StrCat("a NATS server, whose workers (vta worker) do the work: ", farm::kUrlUsage))
          ->type_name("URL");
  app.add_option("--farm-wait", wait_s,
                 "seconds that a search goes on without a worker, or without the server")
      ->needs(farm)
      ->check(NumberFrom(0.1, 1e6, "must be 0.1 to 1e6 seconds"))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.option_defaults()->group("Options");
}

farm::Access FarmOptions::access() const {
  try {
    return farm::ParseAccess(url, credentials, "--farm");
  } catch (const Error& error) {
    if (error.where() != "--farm") throw;
    throw UsageError("--farm", "", error.value(), error.rule());
  }
}

std::chrono::seconds FarmOptions::patience() const {
  return std::chrono::ceil<std::chrono::seconds>(std::chrono::duration<double>(wait_s));
}

FarmSearch::FarmSearch(const FarmOptions& options, farm::Study study, const std::string& owner)
    : options_(options),
      study_(std::move(study)),
      name_(options.access().Name()),
      id_(IdOf(study_, owner)),
      queue_(QueueOf(study_.build, study_.machine)),
      run_(RandomId()),
      link_(farm::Connect(options.access(), StrCat("vta ", study_.kind), options.patience())) {
  const std::map<std::string, farm::WorkerFacts> workers = farm::Workers(*link_);
  const auto is_of_this = [&](const auto& one) { return one.second.build == study_.build; };
  if (!workers.empty() && std::ranges::none_of(workers, is_of_this)) throw NoWorker(workers);
  Put(*link_, id_, study_);
  link_->Purge(farm::Queue::kJobs, StrCat(queue_, ".", id_));
  answers_ = link_->Open(farm::Queue::kResults, id_, id_);
}

FarmSearch::~FarmSearch() {
  if (std::uncaught_exceptions() > 0) return;  // the next search of the same goes on with it
  try {
    link_->Purge(farm::Queue::kJobs, StrCat(queue_, ".", id_));
    answers_.reset();
    link_->Forget(farm::Queue::kResults, id_);
    link_->Purge(farm::Queue::kResults, id_);
    Remove(*link_, id_);
  } catch (const Error& error) {
    Log(LogLevel::kWarning, StrCat("what the farm has of this search stays there: ", error.what()));
  }
}

Error FarmSearch::NoWorker(const std::map<std::string, farm::WorkerFacts>& others) const {
  std::string rule = StrCat("must be that of a worker: ", options_.url, " has none of it");
  for (const auto& [name, facts] : others)
    rule += StrCat("; ", name, " is of ", facts.build, ", and refused");
  return Error(name_, "build", study_.build, rule);
}

bool FarmSearch::IsOurs(const farm::WorkerFacts& worker) const {
  return worker.build == study_.build && worker.machine == study_.machine;
}

void FarmSearch::Look() {
  const Clock::time_point now = Clock::now();
  if (now < look_) return;
  std::map<std::string, farm::WorkerFacts> workers = farm::Workers(*link_);
  slots_ = 0;
  for (const auto& [name, facts] : workers)
    if (IsOurs(facts)) slots_ += facts.slots;
  const Clock::time_point after = Clock::now();
  constexpr int kShare = 20;  // of the time that looking may take
  look_ = after + std::max<Clock::duration>(slots_ > 0 ? kLater : kSoonest, kShare * (after - now));
  if (slots_ > 0) worker_seen_ = after;
  if (std::chrono::duration<double>(after - worker_seen_).count() <= options_.wait_s) return;
  if (study_.machine)
    throw Error(name_, "machine", Words(*study_.machine),
                StrCat("had no worker for ", options_.wait_s, " s; --farm-wait waits longer"));
  std::erase_if(workers, [](const auto& one) { return one.second.machine.has_value(); });
  if (!workers.empty()) throw NoWorker(workers);
  throw Error(name_, "workers", "none",
              StrCat("was there for ", options_.wait_s, " s: vta worker --nats ", name_,
                     " is one; --farm-wait waits longer"));
}

/// Sends what there is room for: so much that workers have something to do when they are done.
void FarmSearch::Fill(Feed& feed) {
  const int64_t room = 2 * std::max<int64_t>(slots_, 1) + 1;
  while (feed.has_more && !feed.stopped && std::ssize(sent_) < room) {
    const size_t count =
        job_s_ > 0 ? std::clamp<size_t>(static_cast<size_t>(kBatchS / job_s_), 1, kMost) : kFirst;
    std::vector<std::string> keys;
    size_t bytes = 0;
    while (keys.size() < count && bytes < farm::kMostBytes / 2) {
      const std::optional<int64_t> number = feed.jobs.next();
      feed.has_more = number.has_value();
      if (!number) break;
      Job job{*number, feed.jobs.text(*number), 0};
      const std::string key = farm::KeyOf(id_, job.text);
      bytes += job.text.size();
      ++tally_.jobs;
      jobs_[key] = std::move(job);
      if (const auto early = early_.find(key); early != early_.end()) {
        const JobEnd end{early->second, ""};
        early_.erase(early);
        Finish(feed, key, end);
        if (feed.stopped) return;
      } else {
        keys.push_back(key);
      }
    }
    if (!keys.empty()) Send(std::move(keys));
  }
}

void FarmSearch::Send(std::vector<std::string> keys) {
  farm::JobBatch batch{id_, StrCat(run_, ".", tally_.batches++), {}};
  for (const std::string& key : keys) batch.jobs.push_back(jobs_.at(key).text);
  sent_[batch.id] = {std::move(keys), Clock::now()};
  link_->Send(farm::Queue::kJobs, StrCat(queue_, ".", id_), batch.id, Print(batch));
}

/// What nobody answers for so long that it may be lost: a server that is killed forgets what it
/// took last. Where it is not, there will be two answers.
void FarmSearch::SendLate() {
  constexpr double kUnknownS = 60, kLeastS = 15;
  constexpr double kTimes = 30;  // as long as it should take, with those that wait before it
  const Clock::time_point now = Clock::now();
  std::vector<std::vector<std::string>> late;
  std::erase_if(sent_, [&](auto& one) {
    const auto count = static_cast<double>(one.second.keys.size());
    const double late_s = std::min(job_s_ > 0 ? kLeastS + kTimes * count * job_s_ : kUnknownS,
                                   kUnknownS + count * study_.limit_s);
    if (now - one.second.when < std::chrono::duration<double>(late_s)) return false;
    late.push_back(std::move(one.second.keys));
    return true;
  });
  for (std::vector<std::string>& keys : late) {
    std::erase_if(keys, [&](const std::string& key) { return !jobs_.contains(key); });
    tally_.again += std::ssize(keys);
    if (!keys.empty()) Send(std::move(keys));
  }
}

void FarmSearch::Finish(Feed& feed, const std::string& key, const JobEnd& end) {
  const auto job = jobs_.find(key);
  const int64_t number = job->second.number;
  jobs_.erase(job);
  feed.stopped = !feed.jobs.done(number, end);
}

/// Whether it is of a job that was met.
bool FarmSearch::HearOne(Feed& feed, const farm::Answer& answer, const std::string& worker) {
  const auto job = jobs_.find(answer.key);
  const auto known = known_.find(answer.key);
  if (answer.ended.empty()) {
    if (known != known_.end() && known->second.said != answer.said && !study_.machine)
      throw Error(name_, StrCat("what ", worker, " says of a job"), answer.said,
                  StrCat("must be ", known->second.said, ", which ", known->second.worker,
                         " said: one of them counts wrongly, do not trust either's log"));
    known_[answer.key] = {answer.said, worker};
    if (job == jobs_.end()) {
      if (known == known_.end()) early_[answer.key] = answer.said;
      return !early_.contains(answer.key);
    }
    Finish(feed, answer.key, {answer.said, ""});
    return true;
  }
  if (job == jobs_.end()) return true;
  if (++job->second.ends < kMostEnds) {
    ++tally_.again;
    Send({answer.key});
    return true;
  }
  ++tally_.set_aside;
  const std::string cause = StrCat("set aside: ", answer.ended, ", ", kMostEnds, " times");
  Log(LogLevel::kWarning, StrCat(name_, ": ", job->second.text, ": ", cause));
  Finish(feed, answer.key, {"", cause});
  return true;
}

/// Whether nobody needs the message any more.
bool FarmSearch::Hear(Feed& feed, const std::string& text) {
  const farm::BatchAnswers batch = farm::ParseAnswers(text, name_);
  if (const auto sent = sent_.find(batch.batch); sent != sent_.end()) {
    if (!batch.refusal.empty())
      throw Error(name_, StrCat("worker ", batch.worker), "",
                  StrCat("cannot do the work: ", batch.refusal));
    sent_.erase(sent);
  }
  if (!batch.answers.empty() && batch.seconds > 0) {
    const double job_s = batch.seconds / static_cast<double>(batch.answers.size());
    job_s_ = job_s_ > 0 ? (job_s_ + job_s) / 2 : job_s;
  }
  workers_.insert(batch.worker);
  tally_.workers = std::ssize(workers_);
  bool all_met = true;
  for (const farm::Answer& answer : batch.answers) {
    if (feed.stopped) return false;
    all_met = HearOne(feed, answer, batch.worker) && all_met;
  }
  return all_met;
}

void FarmSearch::Run(const FarmJobs& jobs) {
  Feed feed{jobs};
  worker_seen_ = Clock::now();
  const auto take = [&] {
    if (jobs.on_wait) jobs.on_wait();
    std::vector<std::unique_ptr<farm::Message>> messages =
        answers_->Take(kAnswersAtOnce, kAnswerWait);
    const bool any = !messages.empty();
    std::erase_if(messages, [&](const auto& message) { return !Hear(feed, message->text()); });
    if (jobs.keep) jobs.keep();
    for (const auto& message : messages) message->Done();
    return any;
  };
  while (tally_.jobs == 0 && take()) {  // of an earlier search
  }
  while (!feed.stopped) {
    Look();
    SendLate();
    Fill(feed);
    if (!feed.has_more && jobs_.empty()) break;
    take();
  }
  if (jobs.keep) jobs.keep();
  if (!feed.stopped) return;
  jobs_.clear();
  sent_.clear();
  link_->Purge(farm::Queue::kJobs, StrCat(queue_, ".", id_));
}

}  // namespace vta::tools
