// Windows folded into channels: the pass as text, and random folds against the whole convolution.
#include <gmock/gmock.h>

#include "compiler/graph/ops.h"
#include "compiler/graph/window_fold.h"
#include "compiler/targets/vta/target.h"
#include "tests/support/files.h"
#include "tests/unit/compiler/graph/pass_testing.h"
#include "tests/unit/compiler/stem.h"

namespace vta::compiler {
namespace {

/// Wants a fold; takes convolutions of up to `most` channels.
class FoldingTarget : public Target {
 public:
  FoldingTarget(WindowFold fold, int64_t most) : fold_(fold), most_(most) {}
  std::string Name() const override { return "folding"; }
  bool CanTake(const Graph& graph, std::span<const NodeId> group, std::string*) const override {
    return graph.shape(graph.nodes()[group[0]].inputs[0])[1] <= most_;
  }
  FoldChoice ChooseFold(const Graph&, const Node&) const override { return {fold_, "it must"}; }
  std::optional<ActivationBlocks> Layout() const override { return ActivationBlocks{1, 4}; }

 private:
  WindowFold fold_;
  int64_t most_;
};

constexpr char kBefore[] = R"(%x : int8[1,1,4,5] = input
%w : int8[1,1,3,2] = const [1,2,3,4,5,6]
%b : int32[1] = const [7]
%m : int32[1] = const [1073741824]
%c : int8[1,1,2,5] = conv2d_i8(%x, %w, %b, %m, %b) {dilations=[1,1], groups=1, high=127, low=-128, pad_value=-7, pads=[1,0,1,1], strides=[2,1], zero_point=0} "c"
%d : int8[1,1,1,4] = conv2d_i8(%c, %w, %b, %m, %b) {dilations=[1,1], groups=1, high=127, low=-128, pad_value=0, pads=[1,0,0,0], strides=[1,1], zero_point=0} "d"
output "y" = %d
)";

TEST(FoldWindows, OfLayersWhoseInputTheHostPacks) {
  const FoldingTarget target({2, 2}, 4);
  const Target* const targets[] = {&target};
  ExpectPass(FoldWindows, kBefore, R"(%x : int8[1,1,4,5] = input
%c.im2col : int8[1,4,3,5] = im2col(%x) {dilations=[1,1], kernel=[2,2], pad_value=-7, pads=[1,0,1,1], strides=[2,1]} "c.im2col"
%w.1 : int8[1,4,2,1] = const [1,5,2,6,3,0,4,0]
%b : int32[1] = const [7]
%m : int32[1] = const [1073741824]
%c : int8[1,1,2,5] = conv2d_i8(%c.im2col, %w.1, %b, %m, %b) {dilations=[1,1], groups=1, high=127, low=-128, pad_value=-7, pads=[0,0,0,0], strides=[1,1], zero_point=0} "c"
%w : int8[1,1,3,2] = const [1,2,3,4,5,6]
%d : int8[1,1,1,4] = conv2d_i8(%c, %w, %b, %m, %b) {dilations=[1,1], groups=1, high=127, low=-128, pad_value=0, pads=[1,0,0,0], strides=[1,1], zero_point=0} "d"
output "y" = %d
)",
             0, {targets});
}

TEST(FoldWindows, OnlyWhereTheTargetThenTakesTheLayer) {
  const FoldingTarget target({2, 2}, 3);
  const Target* const targets[] = {&target};
  ExpectPass(FoldWindows, kBefore, kBefore, 0, {targets});
  ExpectPass(FoldWindows, kBefore, kBefore);
}

TEST(Im2Col, RefusesAWindowThatNoTensorHolds) {
  EXPECT_THAT(
      [] {
        Parse(R"(%x : int8[1,4096,1,1] = input
%y : int8[1,1,1,1] = im2col(%x) {dilations=[1,1], kernel=[2147483647,2147483647], pad_value=0, pads=[2147483647,2147483647,2147483647,2147483647], strides=[1,1]} "y"
output "y" = %y
)");
      },
      testing::ThrowsMessage<Error>(testing::HasSubstr("times the channels must be at most 2^40")));
}

TEST(Im2Col, OfThreeByThreeIsNineTimesAsLarge) {
  Graph g("g");
  const ValueId x = g.AddInput("x", {DType::kInt8, {1, 4, 14, 10}});
  const ValueId y = g.Emit(Op::kIm2Col, "y", {x},
                           {{"dilations", Shape{1, 1}},
                            {"kernel", Shape{3, 3}},
                            {"pad_value", int64_t{0}},
                            {"pads", Shape{1, 1, 1, 1}},
                            {"strides", Shape{1, 1}}});
  EXPECT_EQ(Elements(g.shape(y)), 9 * Elements(g.shape(x)));
}

/// Draws of a graph with one convolution.
class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}
  int64_t operator()(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint32_t>(high - low + 1));
  }
  template <typename T>
  Tensor Values(const Shape& shape, int64_t low, int64_t high) {
    std::vector<T> values(Elements(shape));
    for (T& value : values) value = static_cast<T>((*this)(low, high));
    return Tensor::Of<T>(shape, values);
  }

 private:
  std::mt19937 random_;
};

struct ConvSize {
  Shape x;
  int64_t out, kh, kw, stride, dilation, pad;
};

Graph OneConvolution(Draw& draw, const ConvSize& s) {
  Graph g("g");
  const ValueId x = g.AddInput("x", {DType::kInt8, s.x});
  const Shape w{s.out, s.x[1], s.kh, s.kw};
  std::vector<ValueId> inputs = {
      x,
      g.AddConstant(
          "w", draw(0, 1) ? draw.Values<int8_t>(w, -128, 127) : draw.Values<int16_t>(w, -255, 255)),
      g.AddConstant("b", draw.Values<int32_t>({s.out}, -999, 999)),
      g.AddConstant("m", draw.Values<int32_t>({s.out}, 1 << 30, INT32_MAX)),
      g.AddConstant("e", draw.Values<int32_t>({s.out}, -9, -6))};
  Attributes attributes{{"groups", int64_t{1}},     {"pad_value", draw(-128, 127)},
                        {"zero_point", int64_t{3}}, {"low", int64_t{-128}},
                        {"high", int64_t{127}},     {"strides", Shape{s.stride, s.stride}}};
  attributes.Set("dilations", Shape{s.dilation, s.dilation});
  attributes.Set("pads", Shape{draw(0, s.pad), draw(0, s.pad), draw(0, s.pad), draw(0, s.pad)});
  g.AddOutput("y", g.Emit(Op::kConv2dI8, "c", inputs, attributes));
  return g;
}

TEST(EmitFolded, ComputesTheSame) {
  Draw draw(5);
  for (int round = 0; round < 200; ++round) {
    const int64_t kh = draw(1, 7), kw = draw(1, 4);
    const ConvSize size{{draw(1, 2), draw(1, 3), draw(13, 16), draw(7, 12)},
                        draw(1, 3),
                        kh,
                        kw,
                        draw(1, 4),
                        draw(1, 2),
                        draw(0, 3)};
    const Graph graph = OneConvolution(draw, size);
    const WindowFold fold{draw(1, kh), draw(1, kw)};
    SCOPED_TRACE(StrCat("round ", round, ": ", Print(graph), fold.rows, " x ", fold.columns));
    Graph folded = FoldedAlone(graph, graph.nodes()[0], fold);
    folded.AddOutput("y", folded.nodes().back().output);
    Verify(folded);
    const auto inputs = RandomInputs(graph, round);
    ASSERT_EQ(Evaluate(graph, inputs), Evaluate(folded, inputs));
  }
}

FoldChoice ChoiceOf(const std::string& config, const Graph& graph) {
  const targets::VtaTarget target(
      isa::LoadConfig(SourcePath(StrCat("isa/configs/", config, ".json"))));
  return target.ChooseFold(graph, graph.nodes()[0]);
}

TEST(VtaTarget, FoldsWhatLeavesItsBlocksIdle) {
  EXPECT_EQ(ChoiceOf("default", Stem(1, 8, 3, 1, 64)).fold, (WindowFold{3, 3}));
  EXPECT_EQ(ChoiceOf("default", Stem(16, 56, 3, 1, 64)).fold, WindowFold{});
  EXPECT_EQ(ChoiceOf("default", Stem(64, 56, 3, 2, 64)).fold, WindowFold{});
}

TEST(VtaTarget, FoldsByCyclesAndWhatTheHostWrites) {
  // The window of a ResNet. 2x7 taps: 11 products of 16 channels, and 3 blocks of 115x112 places;
  // 7x7: 10 products, and 10 blocks of 112x112.
  const Graph stem = Stem(3, 224, 7, 2, 64);
  for (const char* config : {"default", "vta_0.0.2"}) {
    const FoldChoice choice = ChoiceOf(config, stem);
    EXPECT_EQ(choice.fold, (WindowFold{2, 7})) << config;
    EXPECT_THAT(choice.why,
                testing::MatchesRegex("puts 2x7 of the next layer's 7x7 taps side by side as "
                                      "channels: .* cycles and 618,240 bytes to pack, .* us; all "
                                      "7x7: .* cycles and 2,007,040 bytes to pack, .* us"));
  }
  // 4x7 taps: 3 products of 32 channels and then 2, or 2 of 64 and then 1. 7x7 has as many, and
  // more blocks to write.
  EXPECT_EQ(ChoiceOf("zcu104", stem).fold, (WindowFold{4, 7}));
  EXPECT_EQ(ChoiceOf("large_64x64", stem).fold, (WindowFold{4, 7}));
  // The whole window where that takes the fewest of both.
  const FoldChoice whole = ChoiceOf("default", Stem(3, 224, 3, 2, 64));
  EXPECT_EQ(whole.fold, (WindowFold{3, 3}));
  EXPECT_THAT(whole.why, testing::MatchesRegex("puts the next layer's 3x3 taps side by side as "
                                               "channels: .* cycles and 401,408 bytes to pack, "
                                               ".* us"));
}

TEST(VtaTarget, SumsUpWhatAFoldCosts) {
  // At 100 MHz, and 1000 bytes a microsecond.
  const std::string why = ChoiceOf("default", Stem(3, 224, 3, 2, 64)).why;
  std::string digits;
  for (const char c : why.substr(why.find(": ") + 2))
    if (c != ',' || digits.empty()) digits += c;
  int64_t cycles = 0, bytes = 0, us = 0;
  ASSERT_EQ(
      std::sscanf(digits.c_str(), "%ld cycles and %ld bytes to pack %ld us", &cycles, &bytes, &us),
      3)
      << digits;
  EXPECT_EQ(us, (cycles * 10 + bytes) / 1000);
}

}  // namespace
}  // namespace vta::compiler
