// What is at the other end of a serial line: bytes come, time goes on, bytes go back.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace vta::test {

class FarEnd {
 public:
  virtual ~FarEnd() = default;
  /// Takes bytes off the line, lets some time pass, and gives what was sent until then.
  virtual std::vector<uint8_t> Pass(std::span<const uint8_t> bytes) = 0;
  /// Nothing more is sent until bytes come.
  virtual bool is_quiet() const = 0;

  /// All that comes back until it is quiet.
  std::vector<uint8_t> Exchange(std::span<const uint8_t> bytes) {
    std::vector<uint8_t> all = Pass(bytes);
    while (!is_quiet()) {
      const std::vector<uint8_t> more = Pass({});
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
};

/// Damages, loses and doubles bytes, each as often.
class Noise {
 public:
  /// `rate`: of the bytes that it touches.
  Noise(double rate, uint64_t seed) : rate_(rate), random_(seed) {}

  std::vector<uint8_t> Pass(std::span<const uint8_t> bytes) {
    std::vector<uint8_t> passed;
    for (const uint8_t byte : bytes) {
      const bool hit = std::uniform_real_distribution<>(0, 1)(random_) < rate_;
      const uint64_t kind = hit ? random_() % 3 : 3;
      hits_ += hit;
      if (kind == 0) continue;
      if (kind == 1) passed.push_back(byte);
      passed.push_back(kind == 2 ? static_cast<uint8_t>(byte ^ (1 + random_() % 255)) : byte);
    }
    return passed;
  }
  int64_t hits() const { return hits_; }

 private:
  double rate_;
  std::mt19937_64 random_;
  int64_t hits_ = 0;
};

}  // namespace vta::test
