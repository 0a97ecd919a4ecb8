// Averages of codes that keep their scale, against the division that TFLite's kernels do.
#include <algorithm>

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

TEST(Integerize, AveragesOfOneScaleDivideWithTiesAwayFromZero) {
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
        const int64_t half = sums[i] > 0 ? taps / 2 : -(taps / 2);
        ASSERT_EQ(y.At(static_cast<int64_t>(i)), (sums[i] + half) / taps) << "sum " << sums[i];
      }
    }
}

}  // namespace
}  // namespace vta::compiler
