// What TFLite's integer kernels compute, in ops on int64, to the bit.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/frontend/tflite/node.h"
#include "compiler/quantize/multiplier.h"

namespace vta::compiler {

/// As int64, less a zero point. Any integers.
ValueId Centred(TfliteNode& node, ValueId codes, int64_t zero_point, DType wide = DType::kInt64);

/// Times a factor for each element of the last axis, or one for all: the product is rounded to 32
/// bits, ties up, and then to the factor's exponent, ties away from 0.
class RescaleTwice {
 public:
  RescaleTwice(TfliteNode& node, const std::vector<FixedPoint>& factors);
  /// Shape: x in int64, of which 32 bits count.
  ValueId operator()(ValueId x) const;

 private:
  TfliteNode& node_;
  ValueId left_ = kNone, multiplier_, half_ = kNone, right_ = kNone;  // kNone where all are 1
  ValueId above_, one_;                                               // so that products round up
};

/// x in the range of a type, as it.
ValueId Saturated(TfliteNode& node, ValueId x, DType dtype);

/// The functions that kernels of 16 bits compute by a table of 256 values and interpolation.
enum class CodeFunction : uint8_t { kLogistic, kTanh };
/// What one makes of each code from -2^15 on: it is first taken times `multiplier` and right by
/// `shift`, or, where the multiplier is 0, times 3 and left. Shape: int16 [2^16].
Tensor TableOf(CodeFunction function, int64_t multiplier, int64_t shift);
/// Shape: x in int64, within the range of int16, as is what the table has there.
ValueId InTable(TfliteNode& node, ValueId table, ValueId x);

}  // namespace vta::compiler
