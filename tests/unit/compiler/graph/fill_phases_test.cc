// Phases whose channels do not fill a target's blocks.
#include "compiler/graph/ops.h"
#include "compiler/targets/vta/target.h"
#include "tests/support/files.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

/// A convolution of one tap to `channels` of each of four phases, which are interleaved.
Graph Interleaved(int64_t channels) {
  Graph graph("phases");
  const int64_t all = 4 * channels;
  std::vector<int8_t> weights(all * 3);
  std::vector<int32_t> bias(all), multiplier(all), exponent(all);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<int8_t>(i * 37 % 255 - 127);
  for (int64_t c = 0; c < all; ++c) {
    bias[c] = static_cast<int32_t>(c * 91 % 400 - 200);
    multiplier[c] = static_cast<int32_t>((1 << 30) + c * 1'000'003);
    exponent[c] = static_cast<int32_t>(-6 - c % 3);
  }
  const ValueId x = graph.AddInput("x", {DType::kInt8, {1, 3, 2, 3}});
  const ValueId phases =
      graph.Emit(Op::kConv2dI8, "conv",
                 {x, graph.AddConstant("w", Tensor::Of<int8_t>({all, 3, 1, 1}, weights)),
                  graph.AddConstant("b", Tensor::Of<int32_t>({all}, bias)),
                  graph.AddConstant("m", Tensor::Of<int32_t>({all}, multiplier)),
                  graph.AddConstant("e", Tensor::Of<int32_t>({all}, exponent))},
                 {{"strides", Shape{1, 1}},
                  {"pads", Shape{0, 0, 0, 0}},
                  {"dilations", Shape{1, 1}},
                  {"groups", int64_t{1}},
                  {"pad_value", int64_t{0}},
                  {"zero_point", int64_t{5}},
                  {"low", int64_t{-128}},
                  {"high", int64_t{127}}});
  graph.AddOutput(
      "y",
      graph.Emit(Op::kDepthToSpace, "y", {phases},
                 {{"blocks", Shape{2, 2}}, {"crops", Shape{0, 1, 0, 0}}, {"groups", int64_t{1}}}));
  return graph;
}

TEST(FillPhases, AsFarAsBlocksGoAndZerosAreFewerThanChannels) {
  const isa::Config config = isa::LoadConfig(SourcePath("isa/configs/default.json"));
  const targets::VtaTarget vta(config);
  const Target* const targets[] = {&vta};
  const PassContext context{targets, &kRest};
  for (const int64_t channels : {1, 8, 9, 16, 24, 33}) {
    const Graph before = Interleaved(channels), after = FillPhases(before, context);
    const int64_t wide = (channels + 15) / 16 * 16;
    const bool fills = wide != channels && wide < 2 * channels;
    EXPECT_EQ(std::ranges::count(after.nodes(), Op::kSlice, &Node::op), fills ? 1 : 0) << channels;
    EXPECT_EQ(after.shape(after.nodes()[0].output)[1], 4 * (fills ? wide : channels)) << channels;
    Tensor x(before.type(before.inputs()[0]));
    for (int64_t i = 0; i < x.elements(); ++i)
      x.mutable_data<int8_t>()[i] = static_cast<int8_t>(i * 53 % 256 - 128);
    EXPECT_EQ(Evaluate(after, {x}), Evaluate(before, {x})) << channels;
  }
  EXPECT_EQ(FillPhases(Interleaved(24), {{}, &kRest}).nodes().size(), 2);
}

}  // namespace
}  // namespace vta::compiler
