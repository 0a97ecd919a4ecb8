#include "tools/vta/common/progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/shared/log.h"
#include "tools/shared/terminal.h"

namespace vta::tools {
namespace {

constexpr std::chrono::milliseconds kRedraw{250};

// "[####      ] " of what is done before number `number` of `total`.
std::string Bar(int64_t number, int64_t total) {
  constexpr int64_t kCells = 20;
  const int64_t full = std::clamp<int64_t>((number - 1) * kCells / total, 0, kCells);
  return fmt::format("[{:<{}}] ", std::string(full, '#'), kCells);
}

}  // namespace

bool Progress::OnTerminal() { return isatty(STDERR_FILENO); }

// Signals are for the thread that works.
Progress::Progress(std::string what, bool is_terminal, std::chrono::milliseconds every)
    : what_(std::move(what)), is_terminal_(is_terminal), every_(is_terminal ? kRedraw : every) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watch_ = std::thread(&Progress::Watch, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_one();
  watch_.join();
  if (is_terminal_) ShowStatus("");
}

void Progress::At(std::string place) {
  RequireGoingOn();
  int64_t number = 0, total = 0;
  {
    const std::lock_guard lock(mutex_);
    place_ = place;
    hidden_ = false;
    cycles_ = 0;
    number = number_, total = total_;
    if (!place_.empty() && Logs(LogLevel::kDebug)) Log(LogLevel::kDebug, Visible(Line(2)));
  }
  if (listener_) listener_(place, number, total);
}

void Progress::Count(int64_t number, int64_t total) {
  const std::lock_guard lock(mutex_);
  number_ = number;
  total_ = total;
}

void Progress::Hide() {
  const std::lock_guard lock(mutex_);
  if (is_terminal_) ShowStatus("");
  hidden_ = true;
}

void Progress::Watch() {
  std::unique_lock lock(mutex_);
  for (auto next = start_ + every_; !ended_.wait_until(lock, next, [&] { return ends_; });
       next += every_)
    if (!hidden_) Show();
}

void Progress::Show() {
  std::string line = Visible(Line(0));
  if (!is_terminal_) return Log(LogLevel::kInfo, line);
  if (!Logs(LogLevel::kInfo)) return;
  if (total_ > 1) line.insert(0, Bar(number_, total_));
  line.resize(std::min(line.size(), TerminalColumns(STDERR_FILENO).value_or(80) - 1));
  ShowStatus(line);
}

std::string Progress::Line(int decimals) const {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
  std::string line = fmt::format("{}: {:.{}f} s", what_, took.count(), decimals);
  if (total_ > 1) line += fmt::format(", {} of {}", number_, total_);
  if (!place_.empty()) line += ", " + place_;
  if (const int64_t cycles = cycles_) line += fmt::format(", cycle {}", WithCommas(cycles));
  return line;
}

}  // namespace vta::tools
