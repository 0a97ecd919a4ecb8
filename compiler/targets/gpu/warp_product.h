// Products that the threads of a warp make together, of small matrices: m16n8 of NVIDIA's.
//
// A warp has 8 x 4 threads. Of 16 outputs by 8 places thread (r, t) has the outputs r and r + 8 of
// the places 2t and 2t + 1. What it adds to them is declared as an intrinsic of its own, of which
// the factors are in shared memory; the warp brings and multiplies what all of its threads need.
#pragma once

#include <functional>

#include "compiler/graph/tensor.h"
#include "compiler/targets/gpu/tile.h"
#include "compiler/te/te.h"
#include "compiler/tensorize/intrinsic.h"

namespace vta::compiler::targets {

/// acc[i, j] += sum over k of weights[k, i] * columns[k, j], of a thread; columns are words, of
/// codes 128 higher, where a product has several channels in one.
tensorize::IntrinsicRef WarpProduct(const GpuProduct& product);

/// [channels / step, taps, outputs / 16, rows, threads, pairs, 2, beside], as TensorStep has it:
/// what a thread multiplies lies in a row. Where results are words a thread has all that one
/// holds: of the outputs (r, j) is the one of row r in matrix j / 2, half j % 2.
std::vector<int64_t> WarpWeightsShape(const GpuProduct& product, const GpuTile& tile);
/// In that order, filled up with 0, rounded to what is multiplied, or codes. `weight`: of (output,
/// channel, tap).
Tensor WarpWeights(const GpuProduct& product, const GpuTile& tile,
                   const std::function<float(int64_t, int64_t, int64_t)>& weight);

/// The sum of (member, n, output, place), or of a product in lines (member, n, output, y, x).
using ProductElement = std::function<te::Expr(const std::vector<te::Expr>&)>;
/// Of sums [team, N, O / 16, 2, rows, P] of those weights and columns [N, KH, KW, C, P], or of sums
/// [team, N, O / 16, 2, rows, Y, X] of lines [N, C, Y + KH - 1, X + KW - 1]; C may be words.
ProductElement WarpSums(const GpuProduct& product, const GpuTile& tile, const te::Tensor& weights,
                        const te::Tensor& columns);

}  // namespace vta::compiler::targets
