// Tells a tracker that a server is there, and what its devices do: again and again, and from the
// beginning where the tracker was away.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "driver/remote/client.h"
#include "tools/serve/cache.h"
#include "tools/serve/leases.h"
#include "tools/serve/serve.h"

namespace vta::remote {
class Announcement;
}

namespace vta::serve {

/// What a server has now.
driver::remote::ServerState StateNow(const ServeOptions& options, const Leases& leases,
                                     const PackageCache& cache);

class Announcer {
 public:
  /// Of a server that listens at `port`. What goes wrong is logged, once each.
  Announcer(const ServeOptions& options, Leases& leases, PackageCache& cache, int64_t port);
  ~Announcer();
  Announcer(const Announcer&) = delete;
  Announcer& operator=(const Announcer&) = delete;

 private:
  void Work();
  /// Until it breaks off. Errors: throws Error that says why.
  void Announce();
  /// What is said to the tracker, all of it at first.
  ::vta::remote::Announcement Message(bool is_first) const;
  /// Waits for the answer to the announcement of that number. False where the stream ends.
  bool WaitForAnswer(int64_t number);
  /// Until the next announcement, where nothing changes.
  std::chrono::nanoseconds Pause();
  void Log(const std::string& text);

  const ServeOptions& options_;
  Leases& leases_;
  PackageCache& cache_;
  const int64_t port_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t answers_ = 0;  // of this stream
  bool has_ended_ = false, stops_ = false, joined_ = false;
  double beat_s_ = 1;
  std::string said_;  // last
  std::thread thread_;
};

}  // namespace vta::serve
