// The sum of two int8 tensors of different scales, as TFLite's kernels of mode double round it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "isa/spec/requant.h"

namespace vta::compiler {

/// real = (code - zero_point) * scale.
struct CodeScale {
  double scale;
  int64_t zero_point;
};

/// Each operand is brought to 2^-20 of twice the larger scale, as a number that depends on its code
/// alone, and rounded; the sum of both is rescaled to the result's code, and rounded again.
/// Source: TFLite, reference_integer_ops/add.h and the preparation of ADD.
struct CodeSum {
  std::array<int32_t, 256> a, b;  // of each code, from -128 on
  isa::RequantLane lane;          // of the sum; no bias

  CodeSum(const CodeScale& a, const CodeScale& b, const CodeScale& result);
  /// For codes in [-128, 127].
  int32_t operator()(int64_t code_a, int64_t code_b) const {
    return isa::Requant(a[code_a + 128] + b[code_b + 128], lane, isa::Rounding::kDouble);
  }
};

/// The same as a sum of multiples of the codes: Requant(a * code_a + b * code_b, lane), whose
/// numbers fit 32 bits. a and b are integers of at most 14 bits times a common power of two.
struct MultipleSum {
  int64_t a, b;
  isa::RequantLane lane;
};
/// One that gives the code of `sum` for each of the 65,536 pairs, the fewest bits first; nothing
/// where none was found, which is the case for one pair of scales in a hundred.
std::optional<MultipleSum> AsMultiples(const CodeSum& sum, const CodeScale& a, const CodeScale& b,
                                       const CodeScale& result);

}  // namespace vta::compiler
