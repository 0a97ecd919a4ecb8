// Sums of gathered pixels times weights as linear resizing of codes, where a target takes that.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/ops/linear_taps.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/targets/vta/target.h"
#include "tests/unit/compiler/graph/pass_testing.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler {
namespace {

/// Codes that are pooled, dequantised, resized along height and width, and quantised.
class ResizeCase {
 public:
  explicit ResizeCase(isa::Rounding rounding = isa::Rounding::kSingle) : graph_("g", rounding) {}

  Graph& graph() { return graph_; }
  ValueId Number(float value) {
    return graph_.AddConstant("scale", Tensor::Of<float>({}, {value}));
  }
  ValueId Zero(int8_t value) { return graph_.AddConstant("zero", Tensor::Of<int8_t>({}, {value})); }
  ValueId Pooled() {
    const ValueId x = graph_.AddInput("x", {DType::kInt8, {1, 16, 3, 5}});
    return graph_.Emit(
        Op::kMaxPoolI8, "p", {x},
        {{"kernel", Shape{1, 1}}, {"pads", Shape{0, 0, 0, 0}}, {"strides", Shape{1, 1}}});
  }
  ValueId Dequantized(float scale, int8_t zero) {
    return graph_.Emit(Op::kDequantize, "d", {Pooled(), Number(scale), Zero(zero)},
                       {{"axis", int64_t{0}}});
  }
  /// As importers write it, by the place of an element among those of the shorter axis.
  template <typename F>
  ValueId Along(int64_t axis, ValueId x, int64_t out, const F& position) {
    const int64_t size = graph_.shape(x)[static_cast<size_t>(axis)];
    ValueId sum = kNone;
    for (int64_t tap = 0; tap < 2; ++tap) {
      std::vector<int64_t> places;
      std::vector<float> weights;
      for (int64_t i = 0; i < out; ++i) {
        const double at = position(static_cast<double>(i)), whole = std::floor(at);
        places.push_back(std::clamp<int64_t>(static_cast<int64_t>(whole) + tap, 0, size - 1));
        weights.push_back(static_cast<float>(tap == 0 ? 1 - (at - whole) : at - whole));
      }
      Shape line(4, 1);
      line[static_cast<size_t>(axis)] = out;
      const ValueId at = graph_.AddConstant("places", Tensor::Of<int64_t>({out}, places));
      const ValueId by = graph_.AddConstant("weights", Tensor::Of<float>(line, weights));
      const ValueId part = graph_.Emit(
          Op::kMul, "m", {graph_.Emit(Op::kGather, "g", {x, at}, {{"axis", axis}}), by}, {});
      sum = sum == kNone ? part : graph_.Emit(Op::kAdd, "a", {sum, part}, {});
    }
    return sum;
  }
  ValueId Scaled(int64_t axis, ValueId x, int64_t times, bool half) {
    const double by = static_cast<double>(times);
    return Along(axis, x, graph_.shape(x)[static_cast<size_t>(axis)] * times,
                 [&](double i) { return half ? (i + 0.5) / by - 0.5 : i / by; });
  }
  void Quantized(ValueId real, float scale, int8_t zero) {
    graph_.AddOutput("y", graph_.Emit(Op::kQuantize, "y", {real, Number(scale), Zero(zero)},
                                      {{"axis", int64_t{0}}}));
  }
  /// The node that it becomes, or nothing.
  std::optional<Node> Taken(const char* config = "default") {
    const targets::VtaTarget target(targets::ConfigNamed(config));
    const Target* const targets[] = {&target};
    taken_ = TakeResizing(graph_, {targets, &kRest});
    Verify(taken_);
    for (const Node& node : taken_.nodes())
      if (node.op == Op::kResizeI8) return node;
    return std::nullopt;
  }
  /// The most by which codes differ from those of the reals.
  double MostOff() const {
    Tensor x(TensorType{DType::kInt8, {1, 16, 3, 5}});
    for (int64_t i = 0; i < x.elements(); ++i)
      x.mutable_data<int8_t>()[i] = static_cast<int8_t>(i * 37 + i * i % 11);
    const Tensor real = Evaluate(graph_, {x})[0], codes = Evaluate(taken_, {x})[0];
    double most = 0;
    for (int64_t i = 0; i < real.elements(); ++i)
      most = std::max(most, std::abs(real.At(i) - codes.At(i)));
    return most;
  }
  const Graph& taken() const { return taken_; }

 private:
  Graph graph_, taken_{"none"};
};

TEST(TakeResizing, OfHeightAndWidthIsOne) {
  for (const bool half : {true, false})
    for (const auto& [down, across] : {std::pair<int64_t, int64_t>{2, 2}, {3, 2}, {1, 4}, {5, 1}}) {
      SCOPED_TRACE(StrCat(down, "x", across, half ? " half" : ""));
      ResizeCase c;
      ValueId real = c.Dequantized(0.5f, 7);
      if (down > 1) real = c.Scaled(2, real, down, half);
      if (across > 1) real = c.Scaled(3, real, across, half);
      c.Quantized(real, 0.4375f, -20);
      const auto node = c.Taken();
      ASSERT_TRUE(node);
      EXPECT_EQ(node->Ints("scales"), (Shape{down, across}));
      EXPECT_EQ(node->Int("half_pixel"), half);
      EXPECT_EQ(node->Int("bias"), -7 * ops::LinearResize(*node).sum());
      EXPECT_EQ(node->Int("zero_point"), -20);
      EXPECT_LE(c.MostOff(), 1);
      EXPECT_EQ(c.taken().nodes().size(), 2u);
    }
}

/// What no codes are made of by a positive scale, or by sums of 32 bits.
TEST(TakeResizing, LeavesFactorsThatHaveNoScale) {
  for (const float factor : {-0.5f, 0.0f, std::numeric_limits<float>::infinity()}) {
    ResizeCase c;
    const ValueId real = c.Scaled(3, c.Dequantized(0.5f, 7), 2, true);
    c.Quantized(c.graph().Emit(Op::kMul, "factor", {real, c.Number(factor)}, {}), 0.4375f, -20);
    EXPECT_FALSE(c.Taken()) << factor;
  }
  ResizeCase large;
  const ValueId real =
      large.Scaled(3, large.Scaled(2, large.Dequantized(0.5f, 7), 1024, true), 4096, true);
  large.Quantized(real, 0.4375f, -20);
  EXPECT_FALSE(large.Taken());
}

/// Whole shares of codes, which integerize leaves.
TEST(TakeResizing, TakesWholeShares) {
  ResizeCase c;
  const ValueId real = c.Scaled(3, c.Scaled(2, c.Dequantized(1.5f, 3), 2, true), 2, true);
  c.Quantized(real, 1.5f, 3);
  const Graph before = c.graph();
  c.graph() = Integerize(before, {{}, &kRest});
  const auto node = c.Taken();
  ASSERT_TRUE(node);
  // Of one scale and zero point codes are mixed as they are.
  EXPECT_EQ(node->Int("bias"), 0);
  EXPECT_EQ(node->Int("zero_point"), 0);
  EXPECT_EQ(node->Int("multiplier"), 1 << 30);
  EXPECT_EQ(node->Int("exponent"), -3);
  EXPECT_LE(c.MostOff(), 1);
}

/// As TensorFlow Lite has it in that mode: weights are doubled, so that the sum is rounded once.
TEST(TakeResizing, RoundsOnceInModeDouble) {
  ResizeCase c(isa::Rounding::kDouble);
  c.Quantized(c.Scaled(3, c.Scaled(2, c.Dequantized(1.5f, 3), 2, true), 2, true), 1.5f, 3);
  const auto node = c.Taken();
  ASSERT_TRUE(node);
  EXPECT_EQ(node->Int("factor"), 2);
  EXPECT_EQ(node->Int("multiplier"), 1 << 30);
  EXPECT_EQ(node->Int("exponent"), -4);
}

/// A function of codes is quantised so finely that codes are one off at most; slopes that leave no
/// room for that are numbers by which sums are multiplied.
TEST(TakeResizing, OfAFunctionOfCodes) {
  for (const float steps : {0.037f, -0.3f, 0.41f}) {
    SCOPED_TRACE(steps);
    ResizeCase c;
    const ValueId x = c.Dequantized(0.5f, 7), none = c.Number(0);
    std::vector<float> slopes;
    for (int i = 1; i <= 16; ++i) slopes.push_back(steps * static_cast<float>(i));
    const ValueId slope = c.graph().AddConstant("slope", Tensor::Of<float>({1, 16, 1, 1}, slopes));
    const ValueId negative = c.graph().Emit(Op::kMin, "n", {x, none}, {});
    const ValueId bent = c.graph().Emit(Op::kAdd, "b",
                                        {c.graph().Emit(Op::kRelu, "r", {x}, {}),
                                         c.graph().Emit(Op::kMul, "s", {negative, slope}, {})},
                                        {});
    c.Quantized(c.Scaled(3, c.Scaled(2, bent, 2, true), 2, true), 0.3f, -20);
    const auto node = c.Taken();
    ASSERT_TRUE(node);
    EXPECT_EQ(node->inputs.size(), steps == 0.037f ? 1u : 4u);
    EXPECT_EQ(c.MostOff(), 1);
  }
}

/// Other factors and corners, reals that somebody reads, codes of nobody on a target, configs
/// without requant, and where no target is.
TEST(TakeResizing, LeavesOthers) {
  const auto is_taken = [](const auto& make, const char* config = "default") {
    ResizeCase c;
    make(c);
    return c.Taken(config).has_value();
  };
  const auto twice = [](ResizeCase& c) {
    c.Quantized(c.Scaled(3, c.Scaled(2, c.Dequantized(1, 0), 2, true), 2, true), 1, 0);
  };
  EXPECT_TRUE(is_taken(twice));
  EXPECT_FALSE(is_taken(twice, "vta_0.0.2"));
  EXPECT_FALSE(is_taken([](ResizeCase& c) {  // half as large again
    c.Quantized(c.Along(3, c.Dequantized(1, 0), 10, [](double i) { return i * 4 / 9; }), 1, 0);
  }));
  EXPECT_FALSE(is_taken([](ResizeCase& c) {
    c.Quantized(c.Along(3, c.Dequantized(1, 0), 7, [](double i) { return i * 5 / 7; }), 1, 0);
  }));
  EXPECT_FALSE(is_taken([](ResizeCase& c) {  // one axis each way
    c.Quantized(c.Scaled(3, c.Scaled(2, c.Dequantized(1, 0), 2, true), 2, false), 1, 0);
  }));
  EXPECT_FALSE(is_taken([](ResizeCase& c) {
    const ValueId real = c.Scaled(2, c.Dequantized(1, 0), 2, true);
    c.Quantized(real, 1, 0);
    c.graph().AddOutput("real", real);
  }));
  EXPECT_FALSE(is_taken([](ResizeCase& c) {
    c.graph().AddOutput("real", c.Scaled(2, c.Dequantized(1, 0), 2, true));
  }));
  EXPECT_FALSE(is_taken([](ResizeCase& c) {
    const ValueId x = c.graph().AddInput("x", {DType::kInt8, {1, 16, 3, 5}});
    const ValueId real =
        c.graph().Emit(Op::kDequantize, "d", {x, c.Number(1), c.Zero(0)}, {{"axis", int64_t{0}}});
    c.Quantized(c.Scaled(2, real, 2, true), 1, 0);
  }));
  ResizeCase c;
  twice(c);
  const Graph nowhere = TakeResizing(c.graph(), {{}, &kRest});
  EXPECT_EQ(nowhere.nodes().size(), c.graph().nodes().size());
}

}  // namespace
}  // namespace vta::compiler
