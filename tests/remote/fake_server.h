// A server whose device does what tests want of it, in a process of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver/remote/client.h"
#include "tools/serve/serve.h"

namespace vta::serve {

/// Memory is numbers: Allocate counts those of this process. Free(0) crashes, Free(1) never ends.
/// CopyOut is a fault of the device. Run gives its inputs back. The self-test fails where the
/// folder of the process has a file "broken".
std::unique_ptr<driver::remote::Worker> MakeFakeWorker();

/// What this program does with "--serve FOLDER WORD...": serves a fake device, or is a tracker with
/// the word "track"; others are beat=SECONDS, limit=SECONDS, cache=BYTES, token=FILE, port=PORT,
/// tracker=PORT, config=TEXT, arch=NAME, feature=NAME of the CPU, or device=NAME/KEY.
int ServeFake(const std::vector<std::string>& words);

/// This program, so started; it is ended with this.
class FakeServer {
 public:
  explicit FakeServer(const std::vector<std::string>& words = {});
  ~FakeServer();

  driver::remote::Address address(const std::string& key = "") const;
  std::unique_ptr<driver::remote::Client> Connect(
      const driver::remote::Credentials& credentials = {}) const;
  /// "tracker=PORT", for servers that are to announce themselves there.
  std::string TrackerWord() const { return "tracker=" + std::to_string(port_); }
  const std::string& folder() const { return folder_; }
  pid_t pid() const { return pid_; }
  /// Ends it with SIGKILL, and waits for its end.
  void Kill();
  driver::remote::ServedDevice Device() const;  // the first one
  /// Until `good` is true of it. Aborts after some seconds.
  driver::remote::ServedDevice WaitFor(
      const std::function<bool(const driver::remote::ServedDevice&)>& good) const;

 private:
  std::string folder_;
  pid_t pid_ = -1;
  int64_t port_ = 0;
  int output_ = -1;
};

}  // namespace vta::serve
