// int8 codes as kernels multiply them by signed weights: uint8, 128 higher; four of them a word.
#pragma once

#include <functional>
#include <span>

#include "compiler/graph/graph.h"
#include "compiler/te/te.h"

namespace vta::compiler::targets {

/// int8 codes that lie as uint8 ones, 128 higher, and back.
te::Expr Unbiased(const te::Expr& code);
te::Expr Biased(const te::Expr& code);

inline constexpr int64_t kCodesOfWord = 4;
/// Bytes as one number, an int32: the first one lowest. Fewer than four leave the rest 0.
te::Expr WordOf(std::span<const te::Expr> bytes);
/// The `block`-th four of so many channels as a word; what is beyond them is 0.
te::Expr WordAt(const te::Expr& block, int64_t channels,
                const std::function<te::Expr(const te::Expr& channel)>& byte);
/// The i-th byte of an int32, an int32 from 0 to 255.
te::Expr ByteOf(const te::Expr& word, const te::Expr& i);

/// Whether a convolution or dense layer is of int8 by constants, so that sums of biased codes do.
bool TakesBiased(const Graph& graph, const Node& node);
/// The bias of a convolution or dense layer of int8 whose input lies 128 higher, which it makes up
/// for, in 32 bits that wrap as the sums do.
Tensor BiasOfBiased(const Graph& graph, const Node& node);
/// Whether scaled sums of biased codes fit into 32 bits, and the zero point beside them. `bias`: as
/// above.
bool ScalesFit(const Graph& graph, const Node& node, const Tensor& bias);

}  // namespace vta::compiler::targets
