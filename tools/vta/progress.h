// A progress bar on stderr, where stderr is a terminal.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace vta::tools {

class Progress {
 public:
  Progress(std::string what, int64_t total)
      : what_(std::move(what)), total_(total), shown_(isatty(STDERR_FILENO) && total > 1) {}
  ~Progress() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Step() {
    ++done_;
    constexpr int kWidth = 40;
    const int filled = static_cast<int>(done_ * kWidth / total_);
    if (!shown_ || filled == drawn_) return;
    drawn_ = filled;
    const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
    std::fprintf(stderr, "\r%s [%s] %lld/%lld", what_.c_str(), bar.c_str(),
                 static_cast<long long>(done_), static_cast<long long>(total_));
  }

 private:
  std::string what_;
  int64_t total_, done_ = 0;
  bool shown_;
  int drawn_ = -1;
};

}  // namespace vta::tools
