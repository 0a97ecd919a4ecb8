#include "tools/vta/progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "isa/support/error.h"
#include "tools/report/table.h"

namespace vta::tools {
namespace {

constexpr std::chrono::milliseconds kRedraw{250};

size_t TerminalColumns() {
  winsize size{};
  constexpr size_t kUsual = 80;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
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
  Erase();
}

void Progress::At(std::string place) {
  const std::lock_guard lock(mutex_);
  place_ = std::move(place);
  hidden_ = false;
  cycles_ = 0;
}

void Progress::Count(int64_t number, int64_t total) {
  const std::lock_guard lock(mutex_);
  number_ = number;
  total_ = total;
}

void Progress::Hide() {
  const std::lock_guard lock(mutex_);
  Erase();
  hidden_ = true;
}

void Progress::Watch() {
  std::unique_lock lock(mutex_);
  for (auto next = start_ + every_; !ended_.wait_until(lock, next, [&] { return ends_; });
       next += every_)
    if (!hidden_) Show();
}

void Progress::Erase() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::Show() {
  std::string line = Visible(Line());
  if (!is_terminal_) {
    std::fprintf(stderr, "vta: %s\n", line.c_str());
    return;
  }
  line.resize(std::min(line.size(), TerminalColumns() - 1));
  Erase();
  std::fputs(line.c_str(), stderr);
  drawn_ = true;
}

std::string Progress::Line() const {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
  std::string line = fmt::format("{}: {:.0f} s", what_, took.count());
  if (total_ > 1) line += fmt::format(", {} of {}", number_, total_);
  if (!place_.empty()) line += ", " + place_;
  if (const int64_t cycles = cycles_) line += fmt::format(", cycle {}", WithCommas(cycles));
  return line;
}

}  // namespace vta::tools
