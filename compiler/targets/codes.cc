#include "compiler/targets/codes.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

#include "compiler/graph/ops.h"
#include "isa/spec/requant.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

constexpr loop::DType kWord = loop::DType::kInt32;
constexpr int64_t kBitsOfByte = 8;

Expr Moved(const Expr& code, int64_t by, loop::DType to) {
  return Cast(to, Cast(kWord, code) + loop::IntConst(kWord, by));
}

}  // namespace

Expr Unbiased(const Expr& code) { return Moved(code, -128, loop::DType::kInt8); }
Expr Biased(const Expr& code) { return Moved(code, 128, loop::DType::kUint8); }

Expr WordOf(std::span<const Expr> bytes) {
  Expr word = loop::IntConst(kWord, 0);
  for (size_t i = 0; i < bytes.size(); ++i)
    word = word + Cast(kWord, bytes[i]) * loop::IntConst(kWord, int64_t{1} << (kBitsOfByte * i));
  return word;
}

Expr WordAt(const Expr& block, int64_t channels,
            const std::function<Expr(const Expr& channel)>& byte) {
  std::vector<Expr> bytes;
  for (int64_t i = 0; i < std::min(channels, kCodesOfWord); ++i) {
    const Expr channel = block * kCodesOfWord + i;
    const Expr code = byte(channel);
    const bool whole = channels % kCodesOfWord == 0 || channels < kCodesOfWord;
    bytes.push_back(whole ? code
                          : Select(channel < Expr(channels), code, loop::ConstOf(code.dtype(), 0)));
  }
  return WordOf(bytes);
}

Expr ByteOf(const Expr& word, const Expr& i) {
  const Expr shift = Cast(kWord, i) * loop::IntConst(kWord, kBitsOfByte);
  return FloorMod(loop::Apply(loop::Op::kShr, {word, shift}),
                  loop::IntConst(kWord, int64_t{1} << kBitsOfByte));
}

bool TakesBiased(const Graph& graph, const Node& node) {
  return (node.op == Op::kConv2dI8 || node.op == Op::kDenseI8) &&
         std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                     [&](ValueId input) { return graph.constant(input); });
}

Tensor BiasOfBiased(const Graph& graph, const Node& node) {
  const std::span<const int8_t> codes = graph.constant(node.inputs[1])->data<int8_t>();
  Tensor bias = *graph.constant(node.inputs[2]);
  const int64_t channels = bias.elements(), taps = std::ssize(codes) / channels;
  for (int64_t o = 0; o < channels; ++o) {
    const std::span<const int8_t> own = codes.subspan(o * taps, taps);
    const int64_t sum = std::accumulate(own.begin(), own.end(), int64_t{0});
    bias.mutable_data<int32_t>()[o] = static_cast<int32_t>(bias.data<int32_t>()[o] - 128 * sum);
  }
  return bias;
}

bool ScalesFit(const Graph& graph, const Node& node, const Tensor& bias) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max() - 255;
  const std::span<const int8_t> codes = graph.constant(node.inputs[1])->data<int8_t>();
  const int64_t channels = bias.elements(), taps = std::ssize(codes) / channels;
  for (int64_t o = 0; o < channels; ++o) {
    const int32_t multiplier = graph.constant(node.inputs[3])->data<int32_t>()[o];
    const int32_t exponent = graph.constant(node.inputs[4])->data<int32_t>()[o];
    int64_t low = bias.data<int32_t>()[o], high = low;
    for (const int8_t code : codes.subspan(o * taps, taps)) (code < 0 ? low : high) += 255 * code;
    // What is scaled grows or falls with the sum, unless it wraps before.
    for (const int64_t sum : {low, high})
      if (std::abs(exponent) > 31 || std::abs(sum) > kMost >> std::max(exponent, 0) ||
          std::abs(isa::FixedPointMultiply(static_cast<int32_t>(sum), multiplier, exponent,
                                           graph.rounding())) > kMost)
        return false;
  }
  return true;
}

}  // namespace vta::compiler::targets
