// A line to a board inside this process: no time passes on it, and it may be noisy.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "driver/serial/line.h"
#include "tests/serial/far_end.h"

namespace vta::test {

class MemoryLine : public driver::ByteLine {
 public:
  /// `end` is borrowed. `noise`: of the bytes in each direction.
  explicit MemoryLine(FarEnd& end, double noise = 0, uint64_t seed = 1)
      : end_(end), to_(noise, 2 * seed), from_(noise, 2 * seed + 1) {}

  const std::string& name() const override { return name_; }
  int64_t bits_per_second() const override { return 1'000'000; }
  void Write(std::span<const uint8_t> bytes) override {
    const auto sent = from_.Pass(end_.Exchange(to_.Pass(bytes)));
    waiting_.insert(waiting_.end(), sent.begin(), sent.end());
  }
  std::span<const uint8_t> Read(std::chrono::nanoseconds) override {
    read_ = std::exchange(waiting_, {});
    return read_;
  }

 private:
  std::string name_ = "line";
  FarEnd& end_;
  Noise to_, from_;
  std::vector<uint8_t> waiting_, read_;
};

}  // namespace vta::test
