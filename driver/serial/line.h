// A line that carries bytes both ways, and may damage, lose or double any of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace vta::driver {

/// Errors: Write and Read throw Error naming the line where it is gone.
class ByteLine {
 public:
  virtual ~ByteLine() = default;

  virtual const std::string& name() const = 0;
  virtual int64_t bits_per_second() const = 0;

  virtual void Write(std::span<const uint8_t> bytes) = 0;
  /// What has come, as soon as anything has; nothing after `limit`. It stays until the next call.
  virtual std::span<const uint8_t> Read(std::chrono::nanoseconds limit) = 0;
};

}  // namespace vta::driver
