// What a worker does: takes batches of jobs from a farm's server, has each done by a process that
// knows the search, and sends the answers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "isa/support/json.h"
#include "tools/farm/study.h"

namespace vta::tools {

struct WorkerSlotsOptions {
  std::string name, build;
  std::vector<std::string> words;  // that begin a process in which a search is known
  int64_t slots = 1;               // batches at once
  int64_t memory_bytes = 0;        // of a job's process
  std::chrono::seconds patience{};
  std::optional<farm::Machine> machine;  // whose trials it makes, and nothing else
};

class WorkerSlots {
 public:
  /// Errors: as farm::Connect; throws Error where there is work, but of other builds alone.
  WorkerSlots(const farm::Access& access, WorkerSlotsOptions options);
  ~WorkerSlots();
  WorkerSlots(const WorkerSlots&) = delete;
  WorkerSlots& operator=(const WorkerSlots&) = delete;

  const std::string& name() const { return options_.name; }
  int64_t jobs() const { return jobs_; }
  int64_t batches() const { return batches_; }

  /// Works until `ends`, which is asked several times a second, says so and what was begun is done.
  /// Errors: as farm::Link.
  void RunUntil(const std::function<bool()>& ends);

 private:
  class Slot;
  void Beat() const;
  void DoBatch(Slot& slot, const farm::Message& message);
  /// What is in somebody's hands here.
  struct InHand {
    WorkerSlots& all;
    std::list<farm::Message*>::iterator place;
    InHand(WorkerSlots& slots, farm::Message* message);
    ~InHand();
  };

  const WorkerSlotsOptions options_;
  const std::unique_ptr<farm::Link> link_;
  std::atomic<bool> stops_ = false;
  std::atomic<int64_t> jobs_ = 0, batches_ = 0;
  mutable std::mutex mutex_;
  std::list<farm::Message*> in_hand_;
};

}  // namespace vta::tools
