// The process that leases' processes come from. It is made before the server has threads, which a
// fork would leave behind.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

namespace vta::serve {

class Spawner {
 public:
  struct Process {
    pid_t pid = -1;
    int socket = -1;  // to it; whoever started it closes it
  };

  /// `child(device, socket)` is all that a process does: it ends with that, with this process, or
  /// when it is ended. Its folder is `folder`. It may begin before its lease does, while that
  /// before it ends: until something comes by the socket, the device is not its own.
  /// Errors: throws Error where the system gives none.
  Spawner(const std::string& folder, std::function<void(size_t device, int socket)> child);
  ~Spawner();
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  /// Errors: throws Error where the system gives no process.
  Process Start(size_t device);
  /// Ends a process, and what it has started, and waits for its end. The signal that had ended it
  /// before; 0.
  int Kill(pid_t pid);

 private:
  int64_t Order(int64_t what, int64_t value, int& socket);

  std::mutex mutex_;
  int control_ = -1;
  pid_t pid_ = -1;
};

}  // namespace vta::serve
