// What the integer ops share: the two layouts of an activation, and requantisation parameters.
#pragma once

#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {

/// An int8 activation seen as [N,C,H,W]. It is stored plain (rank 4; rank 2 with H = W = 1) or
/// packed as [N/batch_block, C/channel_block, H, W, batch_block, channel_block], where the
/// channels are rounded up and what lies in the lanes beyond is unspecified (we write 0).
struct Activation {
  int64_t n, c, h, w;
  size_t rank;
  int64_t batch_block = 1, channel_block = 1;

  Shape nchw() const { return {n, c, h, w}; }
  /// The stored shape.
  Shape stored() const;
};

/// Errors: throws Error naming the node unless the input is an int8 activation.
Activation ReadActivation(const OpView& view, int64_t input);
/// The layout of `like` with other sizes; channels are rounded up where it is packed.
Activation WithSizes(const Activation& like, int64_t c, int64_t h, int64_t w);

/// What the planes of the first input become by the attribute scales. Errors: throws Error naming
/// the node unless the input has planes, and the scales are two from 1 to kMostUpsampling.
Activation ReadEnlarged(const OpView& view);

/// The elements in NCHW order.
std::vector<int8_t> Unpack(const Tensor& tensor, const Activation& activation);
/// The reverse.
Tensor Pack(const std::vector<int8_t>& nchw, const Activation& activation);

/// A layer's weights: int8, or int16 where some need more bits.
bool IsWeightType(DType dtype);
std::vector<int16_t> WeightCodes(const Tensor& weights);

int64_t RoundUp(int64_t value, int64_t multiple);

/// Checks the attributes zero_point, low, high and, where the op has them, bias, multiplier and
/// exponent.
void CheckRequant(const OpView& view);
/// The lane those attributes describe; those that the op has not keep their defaults.
isa::RequantLane ReadRequant(const OpView& view);

/// Of avg_pool_i8, where divisor is not 0: the code is sum * factor / divisor, rounded once, ties
/// to even. Within these a float32 holds the product, and the quotient is on the right side of a
/// tie.
inline constexpr int64_t kMostDivisor = 1 << 16, kMostFactor = 1 << 24;

/// Throws unless attribute `name` is in [low, high].
int64_t CheckRange(const OpView& view, std::string_view name, int64_t low, int64_t high);

}  // namespace vta::compiler::ops
