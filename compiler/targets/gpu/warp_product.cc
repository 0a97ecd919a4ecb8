#include "compiler/targets/gpu/warp_product.h"

#include <bit>
#include <cmath>
#include <vector>

#include "compiler/memory_planner.h"
#include "compiler/targets/codes.h"
#include "compiler/targets/gpu/words.h"
#include "compiler/tensorize/declare.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

bool IsOfCodes(const GpuProduct& product) { return product.element_bytes == 1; }

loop::DType ColumnTypeOf(const GpuProduct& product) {
  return product.in_word > 1 ? loop::DType::kInt32 : loop::DType::kFloat32;
}
loop::DType WeightTypeOf(const GpuProduct& product) {
  if (IsOfCodes(product)) return loop::DType::kInt8;
  return product.precision == isa::Precision::kFp16 ? loop::DType::kInt16 : loop::DType::kFloat32;
}

/// A factor as it is summed up; of 16 bits it is a float's.
Expr FactorOf(const Expr& element) {
  if (element.dtype() == loop::DType::kInt16) return loop::Apply(loop::Op::kHalfToFloat, {element});
  return element.dtype() == loop::DType::kInt8 ? Cast(loop::DType::kInt32, element) : element;
}

/// The nearest number of as many bits as are multiplied.
float RoundToTf32(float value) {
  constexpr uint32_t kHalf = 1u << 12, kRest = (1u << 13) - 1, kExponent = 0x7F800000u;
  const auto bits = std::bit_cast<uint32_t>(value), near = (bits + kHalf) & ~kRest;
  if ((bits & kExponent) == kExponent) return value;
  return std::bit_cast<float>((near & kExponent) == kExponent ? bits & ~kRest : near);
}

/// The bits of the nearest number of 16 bits; of one that is too large the largest.
int16_t RoundToHalf(float value) {
  constexpr uint32_t kLargest = 0x477FE000u, kLeast = 0x38800000u;  // 65504, 2^-14
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7FFFFFFFu;
  uint32_t half;
  if (size > 0x7F800000u) {
    half = 0x7E00u;
  } else if (size >= kLargest) {
    half = 0x7BFFu;
  } else if (size >= kLeast) {
    const uint32_t odd = size >> 13 & 1;
    half = (size - (112u << 23) + 0xFFFu + odd) >> 13;
  } else {
    half = static_cast<uint32_t>(std::nearbyint(std::ldexp(std::bit_cast<float>(size), 24)));
  }
  return static_cast<int16_t>(sign | half);
}

/// Where the sum of an output is: which matrix, half and row.
struct SumPlace {
  Expr matrix, half, row;
};
SumPlace PlaceOf(const GpuProduct& product, const Expr& output) {
  const Expr halves(kTensorHalves), rows(kTensorRows);
  if (product.out_word == 1)
    return {FloorDiv(output, Expr(kTensorOutputs)), FloorMod(FloorDiv(output, rows), halves),
            FloorMod(output, rows)};
  const Expr all(product.out_word), word = FloorDiv(output, all), own = FloorMod(output, all);
  return {FloorDiv(word, rows) * (product.out_word / kTensorHalves) + FloorDiv(own, halves),
          FloorMod(own, halves), FloorMod(word, rows)};
}

/// The axes of a thread's channels, and the channel of a step that they are.
struct ThreadChannels {
  explicit ThreadChannels(const TensorStep& step)
      : pair("kp", step.pairs), beside("kb", step.beside), thread("kt", kTensorThreads) {
    for (const te::ReduceAxis* axis : {&pair, &beside})
      if (axis->extent() > 1) axes.push_back(*axis);
    axes.push_back(thread);
  }
  Expr Pair() const { return pair.extent() > 1 ? pair.expr() : Expr(0); }
  Expr Beside() const { return beside.extent() > 1 ? beside.expr() : Expr(0); }
  /// Of so many in a word: the word that it is of.
  Expr Channel(int64_t in_word) const {
    const Expr pair_of = in_word > 1 ? Pair() : Pair() * beside.extent() + Beside();
    return pair_of * kTensorThreads + thread.expr();
  }

  /// A factor of the columns; of a word the one of the channel.
  Expr FactorOf(const Expr& element, int64_t in_word) const {
    return in_word == kCodesOfWord    ? ByteOf(element, Beside())
           : in_word == kHalvesOfWord ? HalfOf(element, Beside())
                                      : element;
  }

  te::ReduceAxis pair, beside, thread;
  std::vector<te::ReduceAxis> axes;  // of more than one
};

}  // namespace

tensorize::IntrinsicRef WarpProduct(const GpuProduct& product) {
  using loop::DType;
  const TensorStep step = TensorStepOf(product);
  const te::Tensor weights =
      te::Placeholder("weights", {kTensorThreads, step.pairs, kTensorHalves, step.beside},
                      WeightTypeOf(product), "shared");
  const te::Tensor columns =
      te::Placeholder("columns", {step.channels() / product.in_word, kTensorBeside},
                      ColumnTypeOf(product), "shared");
  const ThreadChannels k(step);
  const te::Tensor sums = te::Compute(
      "sums", {{"i", kTensorHalves}, {"j", kTensorBeside}},
      [&](Expr i, Expr j) {
        return te::ReduceSum(
            FactorOf(weights(k.thread, k.Pair(), i, k.Beside())) *
                k.FactorOf(columns(k.Channel(product.in_word), j), product.in_word),
            k.axes);
      },
      "local");
  const std::string name =
      StrCat("warp_", IsOfCodes(product) ? "int8" : isa::NameOf(product.precision));
  return tensorize::Declare(name, sums, {weights, columns}, {"", "", name});
}

std::vector<int64_t> WarpWeightsShape(const GpuProduct& product, const GpuTile& tile) {
  const TensorStep step = TensorStepOf(product);
  return {product.channels / step.channels(),
          product.taps,
          AlignUp(product.outputs, tile.outputs) / kTensorOutputs,
          kTensorRows,
          kTensorThreads,
          step.pairs,
          kTensorHalves,
          step.beside};
}

Tensor WarpWeights(const GpuProduct& product, const GpuTile& tile,
                   const std::function<float(int64_t, int64_t, int64_t)>& weight) {
  const TensorStep step = TensorStepOf(product);
  const bool half = product.precision == isa::Precision::kFp16, codes = IsOfCodes(product);
  Tensor packed({codes  ? DType::kInt8
                 : half ? DType::kInt16
                        : DType::kFloat32,
                 WarpWeightsShape(product, tile)});
  int64_t at[8] = {};
  for (int64_t i = 0; i < packed.elements(); ++i) {
    const auto& [c, tap, block, row, thread, pair, which, beside] = at;
    const int64_t of_words = product.out_word / kTensorHalves;  // matrices
    const int64_t output = of_words > 0
                               ? (block / of_words * kTensorRows + row) * product.out_word +
                                     block % of_words * kTensorHalves + which
                               : block * kTensorOutputs + which * kTensorRows + row;
    const int64_t of_step = product.in_word > 1
                                ? (pair * kTensorThreads + thread) * step.beside + beside
                                : (pair * step.beside + beside) * kTensorThreads + thread;
    const int64_t channel = c * step.channels() + of_step;
    if (output < product.outputs) {
      const float value = weight(output, channel, tap);
      if (codes)
        packed.mutable_data<int8_t>()[i] = static_cast<int8_t>(value);
      else if (half)
        packed.mutable_data<int16_t>()[i] = RoundToHalf(value);
      else
        packed.mutable_data<float>()[i] = RoundToTf32(value);
    }
    for (size_t d = std::size(at); d-- > 0 && ++at[d] == packed.shape()[d];) at[d] = 0;
  }
  return packed;
}

ProductElement WarpSums(const GpuProduct& product, const GpuTile& tile, const te::Tensor& weights,
                        const te::Tensor& columns) {
  const TensorStep step = TensorStepOf(product);
  const int64_t share = product.channels / step.channels() / tile.team;
  const std::vector<int64_t>& shape = columns.shape();
  const bool in_lines = product.lines.has_value();
  const int64_t height = in_lines ? product.lines->window_height : shape[1],
                width = in_lines ? product.lines->window_width : shape[2];
  const te::ReduceAxis c("c", share), ky("ky", height), kx("kx", width);
  const ThreadChannels k(step);
  std::vector<te::ReduceAxis> axes = {c, ky, kx};
  axes.insert(axes.end(), k.axes.begin(), k.axes.end());
  std::vector<te::Axis> all = {{"s", tile.team},
                               {"n", shape[0]},
                               {"o", weights.shape()[2]},
                               {"i", kTensorHalves},
                               {"r", kTensorRows}};
  const int64_t stride = in_lines ? product.lines->stride : 1;
  if (in_lines) {
    all.emplace_back("y", (shape[2] - height) / stride + 1);
    all.emplace_back("x", shape[4] - (width - 1) / stride);
  } else {
    all.emplace_back("p", shape[4]);
  }
  const te::Tensor sums = te::Compute(
      "sums", all,
      [&](const std::vector<Expr>& at) {
        const Expr &s = at[0], &n = at[1], &o = at[2], &i = at[3], &r = at[4];
        const int64_t in_word = product.in_word;
        const Expr group = s * share + c,
                   channel = group * (step.channels() / in_word) + k.Channel(in_word);
        const Expr weight =
            weights.At({group, ky.expr() * width + kx, o, r, k.thread, k.Pair(), i, k.Beside()});
        return te::ReduceSum(
            FactorOf(weight) * k.FactorOf(in_lines ? columns(n, channel, at[5] * stride + ky,
                                                             FloorMod(kx, Expr(stride)),
                                                             at[6] + FloorDiv(kx, Expr(stride)))
                                                   : columns(n, ky, kx, channel, at[5]),
                                          in_word),
            axes);
      },
      "local");
  return [sums, product](const std::vector<Expr>& at) {
    const SumPlace place = PlaceOf(product, at[2]);
    std::vector<Expr> own = {at[0], at[1], place.matrix, place.half, place.row};
    own.insert(own.end(), at.begin() + 3, at.end());
    return sums.At(own);
  };
}

}  // namespace vta::compiler::targets
