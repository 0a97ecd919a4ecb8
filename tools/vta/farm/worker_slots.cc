#include "tools/vta/farm/worker_slots.h"

#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tools/shared/log.h"
#include "tools/vta/common/json_process.h"

namespace vta::tools {
namespace {

using namespace std::chrono_literals;

constexpr double kAnswerLimitS = 3600;  // of a batch: jobs have limits of their own
constexpr char kLost[] = "its worker ended without an answer";
constexpr auto kKeep = 500ms;  // between two words about what is in hand
constexpr auto kLastPatience = 3s;
constexpr auto kHeld = 10s;  // what is measured on, by who has nothing to measure there

}  // namespace

/// One batch at a time, and the process that knows the search whose jobs were done last.
class WorkerSlots::Slot {
 public:
  Slot(farm::Link& link, const WorkerSlotsOptions& options) : link_(link), options_(options) {}

  /// Errors: throws Error where the search cannot be known here, or its process ends.
  Json Ask(const std::string& study, const std::vector<std::string>& jobs) {
    if (study != study_) Open(study);
    asked_ = std::chrono::steady_clock::now();
    try {
      return process_->Ask(
          Json().Set("do", "jobs").Set("jobs", Json::Array(jobs.begin(), jobs.end())));
    } catch (...) {
      Close();
      throw;
    }
  }

  /// There is nothing to do.
  void Rest() {
    if (options_.machine && std::chrono::steady_clock::now() - asked_ > kHeld) Close();
  }

 private:
  void Close() { process_.reset(), study_.clear(); }
  void Open(const std::string& id) {
    Close();
    const farm::Study study = farm::GetStudy(link_, id);
    const std::string folder = NewTemporaryFolder("vta-worker");
    const Temporary here(folder);  // the process reads it, and has it go where this one ends
    for (const auto& [name, bytes] : study.files)
      WriteFileAtomically(StrCat(folder, "/", name), bytes);
    auto process =
        std::make_unique<JsonProcess>(StrCat("search ", id), options_.words, kAnswerLimitS);
    process->Ask(Json()
                     .Set("do", "open")
                     .Set("kind", study.kind)
                     .Set("facts", study.facts)
                     .Set("folder", folder)
                     .Set("limit_s", study.limit_s)
                     .Set("memory_bytes", options_.memory_bytes));
    process_ = std::move(process), study_ = id;
  }

  farm::Link& link_;
  const WorkerSlotsOptions& options_;
  std::string study_;
  std::chrono::steady_clock::time_point asked_;
  std::unique_ptr<JsonProcess> process_;
};

WorkerSlots::InHand::InHand(WorkerSlots& slots, farm::Message* message) : all(slots) {
  const std::lock_guard lock(all.mutex_);
  place = all.in_hand_.insert(all.in_hand_.end(), message);
}

WorkerSlots::InHand::~InHand() {
  const std::lock_guard lock(all.mutex_);
  all.in_hand_.erase(place);
}

WorkerSlots::WorkerSlots(const farm::Access& access, WorkerSlotsOptions options)
    : options_(std::move(options)),
      link_(farm::Connect(access, StrCat("vta worker ", options_.name), options_.patience)) {
  const std::map<std::string, std::string> builds = farm::BuildsOfStudies(*link_);
  if (!builds.empty() && !builds.contains(options_.build))
    throw Error(access.Name(), StrCat("worker ", options_.name), options_.build,
                StrCat("is refused: the search there is of ", builds.begin()->first));
  Beat();
}

WorkerSlots::~WorkerSlots() {
  if (std::uncaught_exceptions() > 0) return;
  try {
    link_->Remove(farm::Bucket::kWorkers, options_.name);
  } catch (const Error&) {  // it goes by itself
  }
}

void WorkerSlots::Beat() const {
  Put(*link_, options_.name, farm::WorkerFacts{options_.build, options_.slots, options_.machine});
}

void WorkerSlots::DoBatch(Slot& slot, const farm::Message& message) {
  farm::JobBatch batch;
  try {
    batch = farm::ParseBatch(message.text(), "batch");
  } catch (const Error& error) {
    return Log(LogLevel::kWarning, StrCat("left out: ", error.what()));
  }
  if (!link_->Get(farm::Bucket::kStudies, batch.study)) return;  // nobody waits for it
  farm::BatchAnswers answers{options_.name, batch.id, "", 0, {}};
  for (const std::string& job : batch.jobs)
    answers.answers.push_back({farm::KeyOf(batch.study, job), "", kLost});
  // Who had it before ended, perhaps of it: whether it is done again says who sent it.
  if (message.deliveries() == 1) {
    try {
      const Json reply = slot.Ask(batch.study, batch.jobs);
      JsonReader json(reply, "reply");
      answers.seconds = json.Double("seconds");
      const Json::Array& said = json.Array("answers");
      for (size_t i = 0; i < said.size() && i < answers.answers.size(); ++i) {
        JsonReader one(said[i], "reply");
        farm::Answer& answer = answers.answers[i];
        answer.ended = one.Has("ended") ? one.String("ended") : "";
        if (answer.ended.empty()) answer.said = one.String("said");
      }
    } catch (const Error& error) {
      answers.answers.clear(), answers.refusal = error.what();
    }
  }
  jobs_ += std::ssize(answers.answers), ++batches_;
  link_->Send(farm::Queue::kResults, batch.study, StrCat(batch.id, ".", message.deliveries()),
              Print(answers));
}

void WorkerSlots::RunUntil(const std::function<bool()>& ends) {
  std::exception_ptr thrown;
  const auto guarded = [&](const std::function<void()>& work) {
    try {
      while (!stops_) work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      thrown = std::current_exception();
      stops_ = true;
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    auto beat = std::chrono::steady_clock::now();
    guarded([&] {
      std::this_thread::sleep_for(kKeep);
      if (const auto now = std::chrono::steady_clock::now(); now - beat > farm::kBeat) {
        beat = now;
        Beat();
      }
    });
  });
  std::thread keeper([&] {  // also while the last batches are done
    for (bool any = true; !stops_ || any;) {
      std::this_thread::sleep_for(kKeep);
      const std::lock_guard lock(mutex_);
      for (farm::Message* const message : in_hand_) message->Keep();
      any = !in_hand_.empty();
    }
  });
  const std::string queue = QueueOf(options_.build, options_.machine);
  const int64_t in_hands = options_.machine ? 1 : farm::kMostInHands;
  for (int64_t i = 0; i < options_.slots; ++i)
    threads.emplace_back([&] {
      Slot slot(*link_, options_);
      std::unique_ptr<farm::Inbox> inbox;
      guarded([&] {
        if (!inbox) inbox = link_->Open(farm::Queue::kJobs, queue, queue + ".*", in_hands);
        const auto messages = inbox->Take(1, 1s);
        if (messages.empty()) slot.Rest();
        for (const auto& message : messages) {
          const InHand in_hand(*this, message.get());
          DoBatch(slot, *message);
          message->Done();
        }
      });
    });
  bool told = false;
  while (!stops_ && !told) told = ends();
  stops_ = true;
  // What is in hand is finished, but for a server that has gone nobody waits long.
  if (told) link_->SetPatience(kLastPatience);
  for (std::thread& thread : threads) thread.join();
  keeper.join();
  if (!thrown) return;
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    if (!told) throw;
    Log(LogLevel::kWarning, error.what());
  }
}

}  // namespace vta::tools
