// Frames of the serial line (isa/spec/serial.h) as bytes, for either end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vta::driver {

struct Frame {
  uint8_t operation = 0, sequence = 0;
  std::vector<uint8_t> payload;
};

/// CRC-32 of IEEE 802.3.
uint32_t Crc32(std::span<const uint8_t> bytes);

/// With its delimiters. The payload has at most 65535 bytes.
std::vector<uint8_t> EncodeFrame(const Frame& frame);

/// Finds frames among bytes of which any may be damaged, lost or doubled.
class FrameReader {
 public:
  /// The frame that this byte ends. What is no frame, or has another CRC or length than it says, is
  /// dropped up to the next delimiter.
  std::optional<Frame> Take(uint8_t byte);
  /// Frames, or parts of them, that were dropped.
  int64_t dropped() const { return dropped_; }

 private:
  std::optional<Frame> Parse() const;

  std::vector<uint8_t> bytes_;
  bool escape_ = false, bad_ = false;
  int64_t dropped_ = 0;
};

}  // namespace vta::driver
