// Where long work is, on stderr: on a terminal a line that is drawn over and over, elsewhere a
// message every ten seconds. Short work says nothing; --verbose has a message of every step.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace vta::tools {

class Progress {
 public:
  /// Says of `what` where it is, every so often from now on.
  explicit Progress(std::string what, bool is_terminal = OnTerminal(),
                    std::chrono::milliseconds every = std::chrono::seconds(10));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What is done from now on. It ends an earlier Hide, and the cycles of what was done before.
  void At(std::string place);
  /// Which one of several; shown where there are several, on a terminal with a bar.
  void Count(int64_t number, int64_t total);
  /// Shown when it is not 0; others may write it at any time.
  std::atomic<int64_t>& cycles() { return cycles_; }
  /// For what prints: the line on the terminal goes, and comes again with the next At.
  void Hide();

 private:
  static bool OnTerminal();
  void Watch();
  void Show();
  std::string Line(int decimals) const;

  const std::string what_;
  const bool is_terminal_;
  const std::chrono::milliseconds every_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<int64_t> cycles_ = 0;
  std::mutex mutex_;  // guards what follows
  std::condition_variable ended_;
  std::string place_;
  int64_t number_ = 0, total_ = 0;
  bool hidden_ = false, ends_ = false;
  std::thread watch_;
};

}  // namespace vta::tools
