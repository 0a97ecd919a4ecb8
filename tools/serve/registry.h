// Which servers a tracker knows, and to which of them who asks is sent. It knows nothing of the
// network, and nothing of who has a device: that is for the servers.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "driver/remote/tracking.h"

namespace vta::serve {

class Registry {
 public:
  using Clock = std::chrono::steady_clock;

  /// A server that was silent for so long is offered to nobody. `now` for tests.
  explicit Registry(double beat_s, std::function<Clock::time_point()> now = Clock::now);

  /// A server is there, its host known; it takes the place of an older one of that address. Returns
  /// its number. `cut` ends one that is silent for too long; it must not call back.
  /// Errors: throws Error where there are too many.
  int64_t Join(driver::remote::AnnouncedServer server, std::function<void()> cut);
  /// It is still there, and so are its devices.
  void Update(int64_t number, driver::remote::ServerState state);
  void Leave(int64_t number);

  /// Servers that have devices of the key, the best first. That one is taken to be gone to: others
  /// who ask at once are sent elsewhere.
  driver::remote::Found Find(const driver::remote::FindOptions& options);
  /// All devices of all servers.
  driver::remote::ServerState List();

 private:
  struct Server {
    driver::remote::AnnouncedServer is;
    std::function<void()> cut;
    Clock::time_point heard;
    int64_t leases = 0;                  // that its devices had
    std::deque<Clock::time_point> sent;  // those who were sent there, and are not seen there yet
    int64_t last_sent = 0;
  };
  struct Choice;

  bool IsSilent(const Server& server) const { return now_() - server.heard >= beat_; }
  /// With the lock: cuts those that have been silent for long.
  void Forget();
  Choice Rate(const std::string& address, Server& server, const std::string& key);

  const std::chrono::nanoseconds beat_;
  const std::function<Clock::time_point()> now_;
  const Clock::time_point start_;
  std::mutex mutex_;
  std::map<std::string, int64_t> numbers_;  // by HOST:PORT
  std::map<int64_t, Server> servers_;
  std::set<std::string> keys_;  // that there were
  int64_t last_number_ = 0, last_sent_ = 0;
};

}  // namespace vta::serve
