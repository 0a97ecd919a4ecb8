// Channels that are padded behind others, where a target has channels in blocks of 16.
#include <gtest/gtest.h>

#include "compiler/graph/ops.h"
#include "compiler/targets/vta/target.h"
#include "tests/unit/compiler/graph/pass_testing.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler {
namespace {

constexpr int64_t kZero = -7;  // the code of 0 in all tensors

/// Layers of 3x4 pixels, one behind the other.
class Network {
 public:
  explicit Network(int64_t channels) : graph_("aligned") {
    x_ = graph_.AddInput("x", {DType::kInt8, {1, channels, 3, 4}});
  }

  /// Of one tap, or depthwise of three rows.
  ValueId Conv(ValueId x, int64_t out, bool depthwise = false) {
    const int64_t in = graph_.shape(x)[1], kernel = depthwise ? 3 : 1;
    const Shape w{out, depthwise ? 1 : in, kernel, 1};
    std::vector<int8_t> weights(static_cast<size_t>(Elements(w)));
    for (int8_t& weight : weights) weight = static_cast<int8_t>(random_() % 255 - 127);
    const auto lanes = [&](int64_t low, int64_t range) {
      std::vector<int32_t> values(static_cast<size_t>(out));
      for (int32_t& v : values)
        v = static_cast<int32_t>(low + static_cast<int64_t>(random_()) % range);
      return graph_.AddConstant("lanes", Tensor::Of<int32_t>({out}, values));
    };
    const ValueId bias = lanes(-500, 1000), multiplier = lanes(1 << 30, 1 << 30),
                  exponent = lanes(-8, 2);
    return graph_.Emit(
        Op::kConv2dI8, "conv",
        {x, graph_.AddConstant("w", Tensor::Of<int8_t>(w, weights)), bias, multiplier, exponent},
        {{"strides", Shape{1, 1}},
         {"pads", Shape{kernel / 2, 0, kernel / 2, 0}},
         {"dilations", Shape{1, 1}},
         {"groups", depthwise ? in : 1},
         {"pad_value", kZero},
         {"zero_point", kZero},
         {"low", int64_t{-128}},
         {"high", int64_t{127}}});
  }
  ValueId Pad(ValueId x, int64_t channels, double code = kZero) {
    return graph_.Emit(Op::kPad, "pad", {x},
                       {{"mode", std::string("constant")},
                        {"pads", Shape{0, 0, 0, 0, 0, channels - graph_.shape(x)[1], 0, 0}},
                        {"value", code}});
  }
  ValueId Sum(ValueId a, ValueId b, int64_t bias = -8 * kZero) {
    return graph_.Emit(Op::kAddI8, "sum", {a, b},
                       {{"multiplier_a", int64_t{3}},
                        {"multiplier_b", int64_t{5}},
                        {"bias", bias},
                        {"multiplier", int64_t{1} << 30},
                        {"exponent", int64_t{-2}},
                        {"zero_point", kZero},
                        {"low", kZero},
                        {"high", int64_t{127}}});
  }
  ValueId Pool(ValueId x) {
    return graph_.Emit(
        Op::kMaxPoolI8, "pool", {x},
        {{"kernel", Shape{1, 2}}, {"strides", Shape{1, 1}}, {"pads", Shape{0, 1, 0, 0}}});
  }
  ValueId Prelu(ValueId x) {
    const int64_t channels = graph_.shape(x)[1];
    std::vector<int32_t> multipliers(static_cast<size_t>(channels)), exponents(multipliers.size());
    for (size_t c = 0; c < multipliers.size(); ++c)
      multipliers[c] = static_cast<int32_t>((1 << 30) + c * 12'345'678);
    const Shape shape{1, channels, 1, 1};
    return graph_.Emit(Op::kPreluI8, "prelu",
                       {x, graph_.AddConstant("m", Tensor::Of<int32_t>(shape, multipliers)),
                        graph_.AddConstant("e", Tensor::Of<int32_t>(shape, exponents))},
                       {{"bias", -kZero},
                        {"multiplier", int64_t{1} << 30},
                        {"exponent", int64_t{1}},
                        {"zero_point", kZero},
                        {"low", int64_t{-128}},
                        {"high", int64_t{127}}});
  }

  ValueId x() const { return x_; }
  Graph Of(ValueId y) {
    graph_.AddOutput("y", y);
    return graph_;
  }

 private:
  Graph graph_;
  ValueId x_;
  std::mt19937 random_{1};
};

const PassContext& OfVta() {
  static const targets::VtaTarget target(targets::ConfigNamed("default"));
  static const Target* const targets[] = {&target};
  static const PassContext context{targets, &kRest};
  return context;
}

Graph Aligned(const Graph& before) {
  Graph after = AlignChannels(before, OfVta());
  Verify(after);
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const auto inputs = RandomInputs(before, seed);
    EXPECT_EQ(Evaluate(before, inputs), Evaluate(after, inputs));
  }
  return after;
}

int64_t Count(const Graph& graph, Op op) {
  return std::ranges::count(graph.nodes(), op, &Node::op);
}

/// What the CPU is given, but for parts side by side, which are not moved.
int64_t Borders(const Graph& aligned) {
  const Graph packed = RunPasses(aligned, PlacementPipeline(), OfVta());
  return std::ranges::count_if(packed.nodes(), [](const Node& node) {
    return node.target == "cpu" && node.op != Op::kConcat && node.op != Op::kSlice;
  });
}

TEST(AlignChannels, LayersMakeChannelsThatFillTheLastBlock) {
  Network n(16);
  const ValueId first = n.Conv(n.x(), 20), deep = n.Conv(first, 20, true),
                sum = n.Sum(first, n.Conv(deep, 20)), pooled = n.Pool(sum),
                wider = n.Sum(n.Pad(pooled, 28), n.Conv(n.Conv(pooled, 20, true), 28)),
                widest = n.Sum(n.Pad(wider, 30), n.Conv(wider, 30));
  const Graph before = n.Of(n.Conv(widest, 16)), after = Aligned(before);
  EXPECT_EQ(Count(before, Op::kPad), 2);
  EXPECT_EQ(Count(after, Op::kPad), 0);
  EXPECT_EQ(Borders(after), 2);  // the network's
}

TEST(AlignChannels, SumsLieSideBySideWherePadsAreBlocks) {
  for (const auto& [channels, all] : std::vector<std::pair<int64_t, int64_t>>{
           {16, 28}, {16, 32}, {20, 36}, {20, 48}, {20, 64}, {45, 96}})
    for (const bool first : {true, false}) {
      Network n(16);
      const ValueId x = n.Pool(n.Conv(n.x(), channels)), conv = n.Conv(x, all);
      const ValueId sum = first ? n.Sum(n.Pad(x, all), conv) : n.Sum(conv, n.Pad(x, all));
      const Graph before = n.Of(n.Conv(n.Prelu(sum), 16)), after = Aligned(before);
      EXPECT_EQ(Count(after, Op::kPad), 0);
      EXPECT_EQ(Count(after, Op::kConcat), 1);
      EXPECT_EQ(Count(after, Op::kPreluI8), 2);
      EXPECT_EQ(Borders(after), 2) << channels << " " << all;
    }
}

/// One behind the other, the second of which fills a block that the first began.
TEST(AlignChannels, OfBothKinds) {
  Network n(16);
  const ValueId first = n.Conv(n.x(), 24), second = n.Sum(n.Pad(first, 36), n.Conv(first, 36)),
                third = n.Sum(n.Pad(second, 44), n.Conv(second, 44));
  const Graph after = Aligned(n.Of(n.Conv(third, 16)));
  EXPECT_EQ(Count(after, Op::kPad), 0);
  EXPECT_EQ(Borders(after), 2);
}

/// A convolution of one channel is no depthwise one: its input needs no channels behind it.
TEST(AlignChannels, OfOneChannel) {
  Network n(1);
  const ValueId x = n.Conv(n.x(), 1);
  const Graph after = Aligned(n.Of(n.Conv(n.Sum(n.Pad(x, 5), n.Conv(x, 5)), 16)));
  EXPECT_EQ(Count(after, Op::kPad), 0);
}

/// Codes that layers do not make of zeros; what no target makes; without a target of blocks.
TEST(AlignChannels, LeavesOthers) {
  for (const bool whole : {false, true}) {
    Network n(whole ? 16 : 20), other(16);
    const int64_t all = whole ? 32 : 28;
    const Graph of_input = n.Of(n.Conv(n.Sum(n.Pad(n.x(), all), n.Conv(n.x(), all)), 16));
    EXPECT_EQ(Count(Aligned(of_input), Op::kPad), 1);
    if (whole) continue;
    const ValueId x = other.Conv(other.x(), 20);
    const Graph code = other.Of(other.Sum(other.Pad(x, all, 5), other.Conv(x, all)));
    EXPECT_EQ(Count(Aligned(code), Op::kPad), 1);
  }
  Network n(16);
  const ValueId x = n.Conv(n.x(), 20);
  const Graph before = n.Of(n.Sum(n.Pad(x, 28), n.Conv(x, 28)));
  EXPECT_EQ(Count(AlignChannels(before, {{}, &kRest}), Op::kPad), 1);
  // Three times as many channels, for which the convolution's input would be read three times.
  Network thrice(16);
  const ValueId v = thrice.Conv(thrice.x(), 16);
  const Graph wide = thrice.Of(thrice.Sum(thrice.Pad(v, 48), thrice.Conv(v, 48)));
  EXPECT_EQ(Count(Aligned(wide), Op::kPad), 1);
  // A bias that has no room for the pad.
  Network full(16);
  const ValueId y = full.Conv(full.x(), 16);
  const Graph biased = full.Of(full.Sum(full.Pad(y, 32), full.Conv(y, 32), INT32_MIN));
  EXPECT_EQ(Count(Aligned(biased), Op::kPad), 1);
  // A pad that something else reads, too, stays where it needs blocks.
  Network twice(16);
  const ValueId z = twice.Conv(twice.x(), 16), pad = twice.Pad(z, 32);
  const Graph read = twice.Of(twice.Sum(twice.Sum(pad, twice.Conv(z, 32)), pad));
  EXPECT_EQ(Count(Aligned(read), Op::kPad), 1);
}

}  // namespace
}  // namespace vta::compiler
