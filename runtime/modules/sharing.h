// Whether the threads of a pool share a kernel's tasks, or its caller does them alone.
#pragma once

#include <chrono>
#include <cstdint>

namespace vta::runtime {

/// Of one kernel, or several. A short one may take longer where threads hand it over than on one of
/// them, by how far their processors are from each other, which on virtual machines changes. Both
/// ways are timed as it runs, the slower one so rarely that it takes a small share of the time;
/// what takes long with all threads is not tried alone.
class Sharing {
 public:
  static constexpr std::chrono::nanoseconds kLong = std::chrono::microseconds(200);

  /// `cost`: of what it takes, for runs of the slower way.
  explicit Sharing(std::chrono::nanoseconds is_long = kLong, float cost = 0.005F)
      : long_ns_(static_cast<float>(is_long.count())), cost_(cost) {}

  /// For the next run.
  bool Shares() const { return shares_ != (trying_ > 0); }
  /// What that took.
  void Took(std::chrono::nanoseconds time);

 private:
  float long_ns_, cost_;
  float ns_[2] = {0, 0};  // of late, alone and shared; 0: not known
  bool ran_ = false, shares_ = true;
  uint32_t trying_ = 0;              // runs that are left of a try
  float until_try_ = 0, apart_ = 0;  // runs
};

}  // namespace vta::runtime
