// A serial port of this machine, for one process alone.
#pragma once

#include <termios.h>

#include <array>
#include <vector>

#include "driver/serial/line.h"

namespace vta::driver {

/// Those that ports have, in bits a second, the slowest first.
std::vector<int64_t> TtySpeeds();

class Tty : public ByteLine {
 public:
  /// Opens a device node with 8N1, raw, no flow control, and what came before forgotten. Its
  /// settings are as they were when it goes. Errors: throws Error naming the node where it is none,
  /// is no serial port, may not be opened, is held by another process, or does not have that speed.
  Tty(std::string path, int64_t bits_per_second);
  ~Tty() override;
  Tty(const Tty&) = delete;
  Tty& operator=(const Tty&) = delete;

  const std::string& name() const override { return path_; }
  int64_t bits_per_second() const override { return bits_per_second_; }
  void Write(std::span<const uint8_t> bytes) override;
  std::span<const uint8_t> Read(std::chrono::nanoseconds limit) override;

 private:
  void Lock();
  void Configure(speed_t speed);
  bool WaitFor(short events, std::chrono::nanoseconds limit);

  std::string path_;
  int64_t bits_per_second_;
  int file_ = -1;
  termios before_{};
  std::array<uint8_t, 4096> buffer_;
};

}  // namespace vta::driver
