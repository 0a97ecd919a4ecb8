// Averages of codes: in mode single against exact quotients, in mode double against the division
// that TFLite's kernels do.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

/// Windows of kh x kw, one below the other, whose codes' sums are `sums`.
Tensor Windows(int64_t kh, int64_t kw, const std::vector<int64_t>& sums) {
  const int64_t taps = kh * kw;
  std::vector<int8_t> codes;
  for (const int64_t sum : sums)
    for (int64_t i = 0, left = sum; i < taps; ++i) {
      const int64_t code = std::clamp<int64_t>(left, -128, 127);
      codes.push_back(static_cast<int8_t>(code));
      left -= code;
    }
  return Tensor::Of<int8_t>({1, 1, static_cast<int64_t>(sums.size()) * kh, kw}, codes);
}

/// The whole number nearest to a quotient; of two the even one, or the one further from zero.
int64_t Nearest(int64_t dividend, int64_t divisor, bool even) {
  const int64_t size = std::abs(dividend), below = size / divisor, twice = 2 * (size % divisor);
  const bool up = twice > divisor || (twice == divisor && (!even || below % 2 != 0));
  return (dividend < 0 ? -1 : 1) * (below + (up ? 1 : 0));
}

TEST(Integerize, AveragesOfOneScaleDivideExactly) {
  for (const auto& [kh, kw] : {std::pair<int64_t, int64_t>{1, 1},
                               {2, 1},
                               {2, 2},
                               {2, 3},
                               {3, 3},
                               {4, 3},
                               {4, 4},
                               {7, 7},
                               {10, 10},
                               {25, 5},
                               {32, 64}})
    for (const isa::Rounding rounding : {isa::Rounding::kSingle, isa::Rounding::kDouble}) {
      SCOPED_TRACE(StrCat(kh, "x", kw, " rounding ", static_cast<int>(rounding)));
      const int64_t taps = kh * kw;
      std::vector<int64_t> sums;
      for (int64_t low = -128; low < 127; ++low)
        for (const int64_t step : {taps / 2 - 1, taps / 2, taps / 2 + 1, taps - taps / 2 - 1})
          sums.push_back(std::min(low * taps + std::max<int64_t>(step, 0), 127 * taps));
      const Tensor x = Windows(kh, kw, sums);
      Graph graph =
          Parse(StrCat("%x : ", ToText(x.type()), R"( = input
%s : float32[] = const [0.05]
%z : int8[] = const [-9]
%r : float32)",
                       ToText(x.shape()), R"( = dequantize(%x, %s, %z) {axis=0} "r"
%a : float32)",
                       ToText(Shape{1, 1, static_cast<int64_t>(sums.size()), 1}),
                       " = avg_pool(%r) {count_include_pad=0, kernel=", ToText(Shape{kh, kw}),
                       ", pads=[0,0,0,0], strides=", ToText(Shape{kh, kw}), R"(} "a"
%y : int8)",
                       ToText(Shape{1, 1, static_cast<int64_t>(sums.size()), 1}),
                       R"( = quantize(%a, %s, %z) {axis=0} "y"
output "y" = %y
)"));
      graph.set_rounding(rounding);
      const Tensor y = Evaluate(Integerize(graph, {}), {x})[0];
      for (size_t i = 0; i < sums.size(); ++i) {
        constexpr int64_t kZero = -9;
        const int64_t wanted = rounding == isa::Rounding::kSingle
                                   ? Nearest(sums[i] - kZero * taps, taps, true) + kZero
                                   : Nearest(sums[i], taps, false);
        ASSERT_EQ(y.At(static_cast<int64_t>(i)), wanted) << "sum " << sums[i];
      }
    }
}

/// Windows of 3x3 over 4x5 codes with pads around them that are not counted.
Tensor BorderAverages(const std::string& scales, isa::Rounding rounding, const Tensor& x) {
  Graph graph = Parse(R"(%x : int8[1,1,4,5] = input
%s : float32[] = const [0.05]
%z : int8[] = const [-9]
)" + scales + R"(%r : float32[1,1,4,5] = dequantize(%x, %s, %z) {axis=0} "r"
%a : float32[1,1,4,5] = avg_pool(%r) {count_include_pad=0, kernel=[3,3], pads=[1,1,1,1], strides=[1,1]} "a"
%y : int8[1,1,4,5] = quantize(%a, %t, %u) {axis=0} "y"
output "y" = %y
)");
  graph.set_rounding(rounding);
  const Graph integers = Integerize(graph, {});
  EXPECT_EQ(integers.nodes().back().op, Op::kAvgPoolI8);
  return Evaluate(integers, {x})[0];
}

TEST(Integerize, AveragesAtBordersAreOfWhatLiesInside) {
  constexpr int64_t kHeight = 4, kWidth = 5;
  constexpr double kFrom = 0.05f, kTo = 0.0375f;
  std::mt19937 random(4);
  for (const isa::Rounding rounding : {isa::Rounding::kSingle, isa::Rounding::kDouble})
    for (const bool same : {true, false})
      for (int trial = 0; trial < 300; ++trial) {
        std::vector<int8_t> codes(kHeight * kWidth);
        for (int8_t& code : codes) code = static_cast<int8_t>(random());
        const Tensor y =
            BorderAverages(same ? "%t : float32[] = const [0.05]\n%u : int8[] = const [-9]\n"
                                : "%t : float32[] = const [0.0375]\n%u : int8[] = const [4]\n",
                           rounding, Tensor::Of<int8_t>({1, 1, kHeight, kWidth}, codes));
        for (int64_t at = 0; at < std::ssize(codes); ++at) {
          int64_t sum = 0, taps = 0;
          for (int64_t i = 0; i < std::ssize(codes); ++i)
            if (std::abs(i / kWidth - at / kWidth) <= 1 && std::abs(i % kWidth - at % kWidth) <= 1)
              sum += codes[i], ++taps;
          constexpr int64_t kZero = -9;
          const int64_t nearest = rounding == isa::Rounding::kSingle
                                      ? Nearest(sum - kZero * taps, taps, true) + kZero
                                      : Nearest(sum, taps, false);
          const double real =
              static_cast<double>(sum + 9 * taps) * kFrom / kTo / static_cast<double>(taps) + 4;
          if (same)
            ASSERT_EQ(y.At(at), nearest) << "sum " << sum << " of " << taps;
          else
            ASSERT_NEAR(y.At(at), std::clamp(real, -128.0, 127.0), 0.5 + 1e-6) << at;
        }
      }
}

/// gemmlowp's and TFLite's functions, named and written as theirs are.
int32_t SaturatingRoundingDoublingHighMul(int32_t a, int32_t b) {
  const int64_t ab = int64_t{a} * b, nudge = ab >= 0 ? 1 << 30 : 1 - (1 << 30);
  return static_cast<int32_t>((ab + nudge) / (int64_t{1} << 31));
}
int32_t RoundingDivideByPOT(int32_t x, int exponent) {
  const int32_t mask = static_cast<int32_t>((int64_t{1} << exponent) - 1);
  const int32_t remainder = x & mask, threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}
int32_t QuantizedMean(int32_t sum, int64_t count, double scale) {
  int shift = 0;
  int32_t multiplier = static_cast<int32_t>(std::llround(std::frexp(scale, &shift) * 0x1p31));
  int fold = 0;
  while ((int64_t{2} << fold) <= count) ++fold;
  multiplier = static_cast<int32_t>((int64_t{multiplier} << fold) / count);
  shift -= fold;
  const int32_t left = sum * (1 << std::max(shift, 0));
  return RoundingDivideByPOT(SaturatingRoundingDoublingHighMul(left, multiplier),
                             std::max(-shift, 0));
}

TEST(Integerize, MeansInModeDoubleAreThoseOfTflitesKernels) {
  for (const auto& [kh, kw] : {std::pair<int64_t, int64_t>{1, 1}, {2, 2}, {3, 3}, {7, 7}, {25, 5}})
    for (const double from : {0.0635, 0.05, 0.9}) {
      SCOPED_TRACE(StrCat(kh, "x", kw, " from ", from));
      constexpr int64_t kZeroX = -9, kZeroY = 4;
      std::vector<int8_t> codes;
      uint32_t seed = 1;
      for (int64_t i = 0; i < 200 * kh * kw; ++i) {
        seed = seed * 1664525 + 1013904223;
        codes.push_back(static_cast<int8_t>(seed >> 24));
      }
      const Tensor x = Tensor::Of<int8_t>({200, 1, kh, kw}, codes);
      Graph graph = Parse(StrCat("%x : ", ToText(x.type()), R"( = input
%s : float32[] = const [)",
                                 from, R"(]
%z : int8[] = const [-9]
%t : float32[] = const [0.0375]
%u : int8[] = const [4]
%r : float32)",
                                 ToText(x.shape()), R"( = dequantize(%x, %s, %z) {axis=0} "r"
%a : float32[200,1] = reduce_mean(%r) {axes=[2,3], keepdims=0} "a"
%y : int8[200,1] = quantize(%a, %t, %u) {axis=0} "y"
output "y" = %y
)"));
      graph.set_rounding(isa::Rounding::kDouble);
      const Tensor y = Evaluate(Integerize(graph, {}), {x})[0];
      const double scale = double{static_cast<float>(from)} / double{0.0375f};
      for (int64_t i = 0; i < 200; ++i) {
        int32_t sum = 0;
        for (int64_t k = 0; k < kh * kw; ++k)
          sum += codes[i * kh * kw + k] - static_cast<int32_t>(kZeroX);
        const int64_t mean = QuantizedMean(sum, kh * kw, scale) + kZeroY;
        ASSERT_EQ(y.At(i), std::clamp<int64_t>(mean, -128, 127)) << i;
      }
    }
}

}  // namespace
}  // namespace vta::compiler
