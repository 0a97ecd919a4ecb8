// The ALU operations, a row each: wire code, name, the extension it needs, and its golden scalar
// function; and the flags that switch those extensions on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace vta::isa {

/// Part of a config's `arch`: which operations it has that not every one has. A flag is the
/// parameter of the operation's name.
struct AluFlags {
  int64_t mul = 0;
  int64_t requant = 0;
  int64_t lut = 0;
  bool operator==(const AluFlags&) const = default;
};

enum class AluOp : uint8_t {
  kMin = 0,
  kMax = 1,
  kAdd = 2,
  kShr = 3,
  kMul = 4,
  kRequant = 5,
  kLut = 6,
};

/// Addition and multiplication that wrap to 32 bits.
constexpr int32_t WrapAdd(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
constexpr int32_t WrapMul(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
/// n >= 0: arithmetic right by min(n, 31); n < 0: left by -n, 0 from 32 on.
constexpr int32_t ShiftRight(int32_t a, int32_t n) {
  if (n >= 0) return a >> std::min(n, 31);
  return n <= -32 ? 0 : static_cast<int32_t>(static_cast<uint32_t>(a) << -n);
}

struct AluOpSpec {
  AluOp code;
  std::string_view name;
  int64_t AluFlags::*flag;  // the extension it needs, or nullptr
  /// dst = apply(dst, operand) in each lane; nullptr for requant and lut, whose operand is a
  /// parameter block.
  int32_t (*apply)(int32_t dst, int32_t operand);
  std::string_view meaning;
};

inline constexpr AluOpSpec kAluOps[] = {
    {AluOp::kMin, "min", nullptr, [](int32_t a, int32_t b) { return std::min(a, b); },
     "dst = min(dst, operand), signed"},
    {AluOp::kMax, "max", nullptr, [](int32_t a, int32_t b) { return std::max(a, b); },
     "dst = max(dst, operand), signed"},
    {AluOp::kAdd, "add", nullptr, WrapAdd, "dst = dst + operand, wrapping to 32 bits"},
    {AluOp::kShr, "shr", nullptr, ShiftRight,
     "dst shifted right arithmetically by min(operand, 31); left by -operand when it is negative, "
     "0 from 32 on"},
    {AluOp::kMul, "mul", &AluFlags::mul, WrapMul, "dst = low 32 bits of dst * operand"},
    {AluOp::kRequant, "requant", &AluFlags::requant, nullptr,
     "dst = int8 rescaled by the parameter block at accumulator rows src, src+1, src+2"},
    {AluOp::kLut, "lut", &AluFlags::lut, nullptr,
     "dst = what the loaded table says of the int8 that requant gives"},
};

/// The row of a wire value, or nullptr where the value names nothing or its extension is off.
constexpr const AluOpSpec* FindAluOp(const AluFlags& flags, int64_t code) {
  for (const AluOpSpec& row : kAluOps)
    if (static_cast<int64_t>(row.code) == code)
      return row.flag && !(flags.*row.flag) ? nullptr : &row;
  return nullptr;
}

}  // namespace vta::isa
