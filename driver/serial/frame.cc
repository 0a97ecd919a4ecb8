#include "driver/serial/frame.h"

#include "isa/spec/serial.h"
#include "isa/support/error.h"

namespace vta::driver {
namespace {

namespace serial = isa::serial;

constexpr size_t kAround = serial::kHeaderBytes + serial::kCrcBytes;
// More than any frame of the protocol has; a line that never delimits must not fill memory.
constexpr size_t kMostBytes = kAround + 1024;

}  // namespace

uint32_t Crc32(std::span<const uint8_t> bytes) {
  uint32_t crc = serial::kCrcStart;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? serial::kCrcPolynomial : 0);
  }
  return ~crc;
}

std::vector<uint8_t> EncodeFrame(const Frame& frame) {
  const size_t length = frame.payload.size();
  VTA_CHECK(length <= 0xffff, length);
  std::vector<uint8_t> plain = {frame.operation, frame.sequence, static_cast<uint8_t>(length),
                                static_cast<uint8_t>(length >> 8)};
  plain.insert(plain.end(), frame.payload.begin(), frame.payload.end());
  const uint32_t crc = Crc32(plain);
  for (int i = 0; i < serial::kCrcBytes; ++i) plain.push_back(static_cast<uint8_t>(crc >> (8 * i)));
  std::vector<uint8_t> bytes = {serial::kDelimiter};
  for (const uint8_t byte : plain) {
    if (byte != serial::kDelimiter && byte != serial::kEscape) {
      bytes.push_back(byte);
      continue;
    }
    bytes.push_back(serial::kEscape);
    bytes.push_back(byte == serial::kDelimiter ? serial::kEscapedDelimiter
                                               : serial::kEscapedEscape);
  }
  bytes.push_back(serial::kDelimiter);
  return bytes;
}

std::optional<Frame> FrameReader::Take(uint8_t byte) {
  if (byte == serial::kDelimiter) {
    std::optional<Frame> frame = Parse();
    dropped_ += !frame && (bad_ || escape_ || !bytes_.empty());
    bytes_.clear();
    escape_ = bad_ = false;
    return frame;
  }
  if (escape_) {
    escape_ = false;
    if (byte == serial::kEscapedDelimiter)
      byte = serial::kDelimiter;
    else if (byte == serial::kEscapedEscape)
      byte = serial::kEscape;
    else
      bad_ = true;
  } else if (byte == serial::kEscape) {
    escape_ = true;
    return std::nullopt;
  }
  if (bytes_.size() < kMostBytes)
    bytes_.push_back(byte);
  else
    bad_ = true;
  return std::nullopt;
}

std::optional<Frame> FrameReader::Parse() const {
  if (bad_ || escape_ || bytes_.size() < kAround) return std::nullopt;
  const size_t length = bytes_[2] | bytes_[3] << 8, end = bytes_.size() - serial::kCrcBytes;
  if (bytes_.size() != kAround + length) return std::nullopt;
  uint32_t crc = 0;
  for (int i = 0; i < serial::kCrcBytes; ++i) crc |= uint32_t{bytes_[end + i]} << (8 * i);
  if (crc != Crc32(std::span(bytes_).first(end))) return std::nullopt;
  return Frame{bytes_[0], bytes_[1], {bytes_.begin() + serial::kHeaderBytes, bytes_.begin() + end}};
}

}  // namespace vta::driver
