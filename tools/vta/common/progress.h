// Where long work is, on stderr: on a terminal a line that is drawn over and over, elsewhere a
// message every ten seconds. Short work says nothing; --verbose has a message of every step. And
// how work that somebody waits for is asked to end.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace vta::tools {

/// Thrown by work that was asked to end, so that everything half made goes. It is no Error: nothing
/// is wrong.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "was asked to end"; }
};

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

  /// Is told of each At, by the thread that works; what it throws ends the work.
  using Listener = std::function<void(const std::string& place, int64_t number, int64_t total)>;
  void Tell(Listener listener) { listener_ = std::move(listener); }
  /// Asks the work to end, from any thread.
  void Stop() { stops_ = true; }
  /// For long work without an At. Errors: throws Stopped where it was asked to end, as At does.
  void RequireGoingOn() const {
    if (stops_) throw Stopped();
  }

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
  Listener listener_;  // of the thread that works alone
  std::atomic<bool> stops_ = false;
};

}  // namespace vta::tools
