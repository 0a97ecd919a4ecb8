// Who has which device, and who waits for one. It knows nothing of the network.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "driver/remote/client.h"
#include "isa/support/error.h"
#include "tools/serve/serve.h"
#include "tools/serve/spawner.h"

namespace vta::serve {

using Clock = std::chrono::steady_clock;
using OnRevoke = std::function<void(const std::string& why, bool at_limit)>;

/// A device in somebody's hands, and the process that does what they ask.
class Held {
 public:
  int64_t fence = 0;
  std::string secret;  // who has it may call
  size_t device = 0;
  Spawner::Process process;
  /// Told why, once, where it ends before its holder ends it; and whether that is because of its
  /// limit. Must not call back.
  OnRevoke on_revoke;

 private:
  friend class Leases;
  std::mutex call;    // of the one that is made
  std::mutex revoke;  // on_revoke is called, or taken away
  Clock::time_point last_beat, end;
  std::string ended;  // why
  bool in_call = false, faulted = false;
};

struct Ask {
  std::string key;  // empty for any
  int64_t priority = 0;
  std::chrono::nanoseconds wait{};
  std::string holder;
};

class Leases {
 public:
  Leases(const ServeOptions& options, Spawner& spawner);
  ~Leases();

  /// Waits in the queue: by priority, then as they came. `is_gone`: nobody waits any more.
  /// Errors: throws Error where no device has the key, none is free in time, or nobody waits.
  std::shared_ptr<Held> Acquire(const Ask& ask, const std::function<bool()>& is_gone,
                                OnRevoke on_revoke);
  void Beat(Held& held);
  /// Ends it, unless it has ended; returns when its process is no more. After a fault the device is
  /// tested first, then others may have it.
  void Release(Held& held);

  /// A request of the holder, done by the process.
  /// Errors: throws Error where that lease has ended, or ends meanwhile.
  std::string Call(int64_t fence, const std::string& secret, const std::string& request);

  std::vector<driver::remote::ServedDevice> List() const;
  /// Waits until List() may be another than when this was the number of changes, but not for
  /// longer. Returns the number.
  int64_t WaitForChange(int64_t changes, std::chrono::nanoseconds limit);

 private:
  enum class State { kFree, kLeased, kTesting, kWithdrawn };
  struct Device {
    DeviceSpec spec;
    State state = State::kFree;
    std::string reason, holder;
    int64_t fence = 0, leases = 0;
    Clock::time_point since;
    std::optional<double> self_test_s, revoked_after_s;
  };
  struct Waiting {
    const Ask* ask;
  };

  bool Fits(const Device& device, const Ask& ask) const {
    return ask.key.empty() || ask.key == device.spec.key;
  }
  void RequireKey(const Ask& ask) const;
  std::optional<size_t> FreeFor(const Waiting& waiting) const;
  Error NoneFree(const Ask& ask) const;
  std::shared_ptr<Held> Give(size_t device, const Ask& ask, OnRevoke on_revoke);
  void EndLocked(Held& held, const std::string& why);
  void Revoke(const std::shared_ptr<Held>& held, const std::string& why, bool at_limit);
  void Changed();
  void Free(size_t device, bool faulted, const std::string& why);
  void Test(size_t device);
  void Watch();
  Error Ended(int64_t fence) const;

  const ServeOptions& options_;
  Spawner& spawner_;
  const std::chrono::nanoseconds beat_, limit_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<int64_t> changes_ = 0;
  std::vector<Device> devices_;
  std::list<Waiting> queue_;
  std::map<int64_t, std::shared_ptr<Held>> held_;      // by fence
  std::deque<std::pair<int64_t, std::string>> ended_;  // the last ones, and why
  int64_t last_fence_ = 0;
  bool stops_ = false;
  std::thread watcher_;
};

}  // namespace vta::serve
