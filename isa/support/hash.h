// Content hash: 64-bit FNV-1a, stable across machines and releases.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace vta {

class Hasher {
 public:
  Hasher& Bytes(std::span<const uint8_t> bytes) {
    for (uint8_t b : bytes) state_ = (state_ ^ b) * 0x100000001b3ull;
    return *this;
  }
  /// Hashes the length first, so that ("ab","c") and ("a","bc") differ.
  Hasher& Text(std::string_view text) {
    Number(text.size());
    for (char c : text) state_ = (state_ ^ static_cast<uint8_t>(c)) * 0x100000001b3ull;
    return *this;
  }
  Hasher& Number(uint64_t value) {
    for (int i = 0; i < 8; ++i) state_ = (state_ ^ ((value >> (8 * i)) & 0xff)) * 0x100000001b3ull;
    return *this;
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0xcbf29ce484222325ull;
};

}  // namespace vta
