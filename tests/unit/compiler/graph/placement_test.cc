// Text tests of form_groups, place_groups and pack_layout; memory plans and their checker.
#include <gmock/gmock.h>

#include <algorithm>

#include "compiler/frontend/onnx.h"
#include "compiler/graph/memory_plan.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/schedule.h"
#include "tests/unit/compiler/cases.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

/// Takes groups of at most `most` nodes, none of them a refused op.
class FakeTarget : public Target {
 public:
  FakeTarget(std::string name, ActivationBlocks blocks, size_t most = 2, Op refused = Op::kUnpack)
      : name_(std::move(name)), blocks_(blocks), most_(most), refused_(refused) {}
  std::string Name() const override { return name_; }
  bool CanTake(const Graph& graph, std::span<const NodeId> group, std::string* why) const override {
    for (NodeId id : group) {
      if (graph.nodes()[id].op != refused_) continue;
      if (why) *why = "refused";
      return false;
    }
    return group.size() <= most_;
  }
  std::optional<ActivationBlocks> Layout() const override { return blocks_; }

 private:
  std::string name_;
  ActivationBlocks blocks_;
  size_t most_;
  Op refused_;
};

// A residual block of 3 channels: two convolutions whose results are added, average, dense.
Graph Block() {
  Graph g("g");
  const ValueId x = g.AddInput("x", {DType::kInt8, {1, 3, 2, 2}});
  const ValueId w =
      g.AddConstant("w", Tensor::Of<int8_t>({3, 3, 1, 1}, {10, -20, 30, 40, 50, -60, 70, 80, 90}));
  const ValueId b = g.AddConstant("b", Tensor::Of<int32_t>({3}, {100, -200, 300}));
  const ValueId m = g.AddConstant("m", Tensor::Of<int32_t>({3}, {1 << 30, 3 << 29, 1 << 30}));
  const ValueId e = g.AddConstant("e", Tensor::Of<int32_t>({3}, {-5, -5, -6}));
  const auto text_attributes = [](std::vector<std::pair<const char*, int64_t>> list) {
    Attributes attributes;
    for (const auto& [name, value] : list) attributes.Set(name, value);
    return attributes;
  };
  Attributes conv = text_attributes(
      {{"groups", 1}, {"high", 127}, {"low", -128}, {"pad_value", 0}, {"zero_point", 0}});
  conv.Set("dilations", Shape{1, 1});
  conv.Set("strides", Shape{1, 1});
  conv.Set("pads", Shape{0, 0, 0, 0});
  const ValueId c1 = g.Emit(Op::kConv2dI8, "c1", {x, w, b, m, e}, conv);
  const ValueId c2 = g.Emit(Op::kConv2dI8, "c2", {c1, w, b, m, e}, conv);
  const ValueId add = g.Emit(Op::kAddI8, "add", {c1, c2},
                             text_attributes({{"multiplier_a", 1},
                                              {"multiplier_b", 1},
                                              {"bias", 0},
                                              {"multiplier", 1 << 30},
                                              {"exponent", 0},
                                              {"zero_point", 0},
                                              {"low", -128},
                                              {"high", 127}}));
  Attributes pool = text_attributes({{"bias", 0},
                                     {"multiplier", 1 << 30},
                                     {"exponent", -1},
                                     {"pad_value", 0},
                                     {"factor", 0},
                                     {"divisor", 0},
                                     {"zero_point", 0},
                                     {"low", -128},
                                     {"high", 127}});
  pool.Set("kernel", Shape{2, 2});
  pool.Set("strides", Shape{1, 1});
  pool.Set("pads", Shape{0, 0, 0, 0});
  const ValueId p = g.Emit(Op::kAvgPoolI8, "pool", {add}, pool);
  const ValueId flat = g.Emit(Op::kReshape, "flat", {p}, {{"shape", Shape{1, 3}}});
  const ValueId wd = g.AddConstant("wd", Tensor::Of<int8_t>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const ValueId y = g.Emit(Op::kDenseI8, "fc", {flat, wd, b, m, e},
                           text_attributes({{"zero_point", 0}, {"low", -128}, {"high", 127}}));
  g.AddOutput("y", y);
  return g;
}

/// Node names with what is after '@', in order: "c1@vta:0 c2@vta:1 ...".
std::string Placement(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes())
    text += StrCat(Spec(node.op).name, "@", node.target, ":", node.group, " ");
  return text;
}

/// Why each node is on the CPU: "flat: moves data and computes nothing\n...".
std::string Whys(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes())
    if (!node.why.empty()) text += StrCat(node.name, ": ", node.why, "\n");
  return text;
}

void ExpectSameOutputs(const Graph& a, const Graph& b) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const auto inputs = RandomInputs(a, seed);
    EXPECT_EQ(Evaluate(a, inputs), Evaluate(b, inputs)) << "seed " << seed;
  }
}

TEST(FormGroups, FusesTheAddWithItsLastConvolution) {
  EXPECT_EQ(Placement(FormGroups(Block(), {})),
            "conv2d_i8@unplaced:0 conv2d_i8@unplaced:1 add_i8@unplaced:1 avg_pool_i8@unplaced:2 "
            "reshape@unplaced:-1 "
            "dense_i8@unplaced:3 ");
}

TEST(FormGroups, FusesTheAddWithTheLargerOfTwoConvolutions) {
  const Graph graph = Parse(R"(%x : int8[1,1,2,2] = input
%w : int8[1,1,3,3] = const [3,1,2,3,4,5,6,7,8]
%v : int8[1,1,1,1] = const [9]
%b : int32[1] = const [0]
%m : int32[1] = const [1073741824]
%c : int8[1,1,2,2] = conv2d_i8(%x, %w, %b, %m, %b) {dilations=[1,1], groups=1, high=127, low=-128, pad_value=0, pads=[1,1,1,1], strides=[1,1], zero_point=0} "c"
%d : int8[1,1,2,2] = conv2d_i8(%x, %v, %b, %m, %b) {dilations=[1,1], groups=1, high=127, low=-128, pad_value=0, pads=[0,0,0,0], strides=[1,1], zero_point=0} "d"
%a : int8[1,1,2,2] = add_i8(%c, %d) {bias=0, exponent=0, high=127, low=-128, multiplier=1073741824, multiplier_a=1, multiplier_b=1, zero_point=0} "a"
output "a" = %a
)");
  const Graph grouped = FormGroups(graph, {});
  EXPECT_EQ(Placement(grouped), "conv2d_i8@unplaced:0 conv2d_i8@unplaced:1 add_i8@unplaced:0 ");
  EXPECT_EQ(Steps(grouped).back().nodes, (std::vector<NodeId>{0, 2}));
}

TEST(FormGroups, AConvolutionThatOthersReadStaysAlone) {
  const Graph graph = Parse(R"(%x : int8[1,1,1,1] = input
%w : int8[1,1,1,1] = const [3]
%b : int32[1] = const [0]
%m : int32[1] = const [1073741824]
%c : int8[1,1,1,1] = conv2d_i8(%x, %w, %b, %m, %b) {dilations=[1,1], groups=1, high=127, low=-128, pad_value=0, pads=[0,0,0,0], strides=[1,1], zero_point=0} "c"
%a : int8[1,1,1,1] = add_i8(%x, %c) {bias=0, exponent=0, high=127, low=-128, multiplier=1073741824, multiplier_a=1, multiplier_b=1, zero_point=0} "a"
output "c" = %c
output "a" = %a
)");
  EXPECT_EQ(Placement(FormGroups(graph, {})), "conv2d_i8@unplaced:0 add_i8@unplaced:1 ");
}

TEST(FormGroups, PhasesThatNobodyElseReadsAreInterleavedWithTheirConvolution) {
  const auto graph = [](const std::string& outputs) {
    return Parse(R"(%x : int8[1,1,2,2] = input
%w : int8[2,1,1,1] = const [3,4]
%b : int32[2] = const [0,1]
%m : int32[2] = const [1073741824,1073741824]
%c : int8[1,2,2,2] = conv2d_i8(%x, %w, %b, %m, %b) {dilations=[1,1], groups=1, high=127, low=-128, pad_value=0, pads=[0,0,0,0], strides=[1,1], zero_point=0} "c"
%y : int8[1,1,2,4] = depth_to_space(%c) {blocks=[1,2], crops=[0,0,0,0], groups=1} "up"
output "y" = %y
)" + outputs);
  };
  EXPECT_EQ(Placement(FormGroups(graph(""), {})),
            "conv2d_i8@unplaced:0 depth_to_space@unplaced:0 ");
  const Graph apart = FormGroups(graph("output \"c\" = %c\n"), {});
  EXPECT_EQ(Placement(apart), "conv2d_i8@unplaced:0 depth_to_space@unplaced:-1 ");
  EXPECT_EQ(Whys(apart), "up: moves data and computes nothing\n");
}

TEST(PackLayout, AReshapeThatMovesCodesIsDoneOnPlainTensors) {
  const std::string clamp =
      " {bias=0, exponent=1, high=100, low=-100, multiplier=1073741824, zero_point=0} ";
  const Graph graph = Parse("%x : int8[2,4] = input\n%a : int8[2,4] = requant_i8(%x)" + clamp +
                            "\"a\"\n%r : int8[4,2] = reshape(%a) {shape=[4,2]} \"r\"\n"
                            "%b : int8[4,2] = requant_i8(%r)" +
                            clamp + "\"b\"\noutput \"y\" = %b\n");
  const FakeTarget target("vta", {1, 4});
  const Target* const targets[] = {&target};
  const Graph packed = RunPasses(graph, PlacementPipeline(), {targets, &kRest});
  EXPECT_EQ(Placement(packed),
            "pack@cpu:-1 requant_i8@vta:0 unpack@cpu:-1 reshape@cpu:-1 pack@cpu:-1 "
            "requant_i8@vta:1 unpack@cpu:-1 ");
  ExpectSameOutputs(graph, packed);
}

TEST(PlaceGroups, TheFirstTakerWinsAndRefusedGroupsAreSplit) {
  const Graph groups = FormGroups(Block(), {});
  const FakeTarget all("all", {1, 4}), single("single", {1, 4}, 1),
      no_pool("nopool", {1, 4}, 2, Op::kAvgPoolI8);
  const Target* const both[] = {&no_pool, &all};
  EXPECT_EQ(Placement(PlaceGroups(groups, {both, &kRest})),
            "conv2d_i8@nopool:0 conv2d_i8@nopool:1 add_i8@nopool:1 avg_pool_i8@all:2 "
            "reshape@cpu:-1 dense_i8@nopool:3 ");
  const Target* const only_single[] = {&single};
  EXPECT_EQ(Placement(PlaceGroups(groups, {only_single, &kRest})),
            "conv2d_i8@single:0 conv2d_i8@single:1 add_i8@single:2 avg_pool_i8@single:3 "
            "reshape@cpu:-1 dense_i8@single:4 ");
  const Target* const only_no_pool[] = {&no_pool};
  EXPECT_EQ(Placement(PlaceGroups(groups, {only_no_pool, &kRest})),
            "conv2d_i8@nopool:0 conv2d_i8@nopool:1 add_i8@nopool:1 avg_pool_i8@cpu:-1 "
            "reshape@cpu:-1 dense_i8@nopool:2 ");
}

TEST(PlaceGroups, WhatTheCpuHasToTakeSaysWhy) {
  const FakeTarget no_conv("a", {1, 4}, 2, Op::kConv2dI8), single("b", {1, 4}, 1, Op::kConv2dI8);
  const Target* const both[] = {&no_conv, &single};
  const Graph placed = PlaceGroups(FormGroups(Block(), {both, &kRest}), {both, &kRest});
  EXPECT_EQ(Whys(placed),
            "c1: a: refused; b: refused\nc2: a: refused; b: refused\n"
            "flat: moves data and computes nothing\n");
  EXPECT_EQ(Placement(placed),
            "conv2d_i8@cpu:-1 conv2d_i8@cpu:-1 add_i8@a:0 avg_pool_i8@a:1 reshape@cpu:-1 "
            "dense_i8@a:2 ");
  // Later passes keep it, and give the nodes that they add their own.
  const Graph packed = RunPasses(Block(), PlacementPipeline(), {both, &kRest});
  for (const Node& node : packed.nodes())
    EXPECT_EQ(node.why.empty(), node.target != "cpu") << node.name;
  // Where it was the only choice there is no reason; where there is no CPU, no place.
  const Graph alone = PlaceGroups(FormGroups(Block(), {}), {{}, &kRest});
  EXPECT_EQ(Whys(alone), "");
  EXPECT_EQ(Placement(alone).substr(0, 35), "conv2d_i8@cpu:-1 conv2d_i8@cpu:-1 a");
  EXPECT_THAT(
      [&] { PlaceGroups(FormGroups(Block(), {}), {both}); },
      testing::ThrowsMessage<Error>(
          "node \"flat\": targets: none of them takes it: moves data and computes nothing"));
}

/// What the pipeline up to place_groups makes of the block, with these places.
Graph PlacedAs(std::span<const Target* const> targets, std::map<std::string, std::string> places) {
  const PassContext context{targets, &kRest, std::move(places)};
  return PlaceGroups(FormGroups(FoldWindows(Block(), context), context), context);
}

TEST(PlaceGroups, NodesGoWhereTheyAreAskedFor) {
  const FakeTarget a("a", {1, 4}), b("b", {1, 16});
  const Target* const both[] = {&a, &b};
  // To the CPU, out of a group; the rest of it is placed as ever, and fused otherwise.
  const Graph apart = PlacedAs(both, {{"c2", "cpu"}});
  EXPECT_EQ(Placement(apart),
            "conv2d_i8@a:0 conv2d_i8@cpu:-1 add_i8@a:1 avg_pool_i8@a:2 reshape@cpu:-1 "
            "dense_i8@a:3 ");
  EXPECT_EQ(Whys(apart), "c2: was placed there\nflat: moves data and computes nothing\n");
  // To a later target, which takes what is fused with it, too, unless that is asked for elsewhere.
  EXPECT_EQ(Placement(PlacedAs(both, {{"c2", "b"}})),
            "conv2d_i8@a:0 conv2d_i8@b:1 add_i8@b:1 avg_pool_i8@a:2 reshape@cpu:-1 dense_i8@a:3 ");
  EXPECT_EQ(Placement(PlacedAs(both, {{"c2", "b"}, {"add", "a"}})),
            "conv2d_i8@a:0 conv2d_i8@b:1 add_i8@a:2 avg_pool_i8@a:3 reshape@cpu:-1 dense_i8@a:4 ");
  EXPECT_EQ(Placement(PlacedAs(both, {{"c2", "a"}})), Placement(PlacedAs(both, {})));
  EXPECT_EQ(Placement(PlacedAs(both, {{"flat", "cpu"}})), Placement(PlacedAs(both, {})));
  for (const std::string node : {"c1", "c2", "add", "pool", "fc"})
    ExpectSameOutputs(Block(), RunPasses(Block(), PlacementPipeline(),
                                         {both, &kRest, {{node, "cpu"}, {"c1", "b"}}}));
}

TEST(PlaceGroups, PlacesThatCannotBeKeptAreRefused) {
  const FakeTarget no_pool("a", {1, 4}, 2, Op::kAvgPoolI8), b("b", {1, 4});
  const Target* const both[] = {&no_pool, &b};
  const auto refuses = [&](const std::string& node, const std::string& target,
                           const std::string& message) {
    EXPECT_THAT(
        [&] {
          PlacedAs(both, {{node, target}});
        },
        testing::ThrowsMessage<Error>("node \"" + node + "\": place = " + target + message));
  };
  refuses("pool", "a", ": cannot take it: a: refused");
  refuses("flat", "b", ": cannot take it: moves data and computes nothing");
  refuses("c1", "c", ": must be one of the targets: a, b, cpu");
  refuses("c9", "a",
          ": there is no such node where nodes are placed: it may be part of another one");
}

TEST(FoldWindows, LeavesTheWindowsOfNodesThatAreAskedForElsewhere) {
  class Folding : public FakeTarget {
   public:
    using FakeTarget::FakeTarget;
    FoldChoice ChooseFold(const Graph&, const Node&) const override { return {{2, 1}, ""}; }
  };
  const Graph graph = Parse(R"(%x : int8[1,1,4,4] = input
%w : int8[1,1,2,2] = const [3,1,2,3]
%b : int32[1] = const [0]
%m : int32[1] = const [1073741824]
%c : int8[1,1,3,3] = conv2d_i8(%x, %w, %b, %m, %b) {dilations=[1,1], groups=1, high=127, low=-128, pad_value=0, pads=[0,0,0,0], strides=[1,1], zero_point=0} "c"
output "c" = %c
)");
  const Folding target("a", {1, 4});
  const Target* const targets[] = {&target};
  EXPECT_EQ(FoldWindows(graph, {targets, &kRest}).nodes().size(), 2);
  EXPECT_EQ(FoldWindows(graph, {targets, &kRest, {{"c", "cpu"}}}).nodes().size(), 1);
}

TEST(FormGroups, RealOpsSayWhatKeepsThemReal) {
  const std::string scales = "%s : float32[] = const [0.5]\n%z : int8[] = const [0]\n";
  const std::string conv = " {dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]} ";
  const Graph graph =
      Parse("%x : float32[1,1,1,1] = input\n%v : float32[1,1,1,1] = input\n" + scales +
            "%w : float32[1,1,1,1] = const [1.0]\n"
            "%q : int8[1,1,1,1] = quantize(%x, %s, %z) {axis=0} \"q\"\n"
            "%d : float32[1,1,1,1] = dequantize(%q, %s, %z) {axis=0} \"d\"\n"
            "%r : float32[1,1,1,1] = relu(%d) \"r\"\n"
            "%a : float32[1,1,1,1] = conv2d(%x, %w)" +
            conv +
            "\"a\"\n"
            "%b : float32[1,1,1,1] = conv2d(%r, %w)" +
            conv +
            "\"b\"\n"
            "%c : float32[1,1,1,1] = relu(%b) \"c\"\n"
            "%e : int8[1,1,1,1] = quantize(%c, %s, %z) {axis=0} \"e\"\n"
            "%f : float32[1,1,1,1] = conv2d(%d, %v)" +
            conv +
            "\"f\"\n"
            "%h : float32[1,1,1,1] = conv2d(%d, %v)" +
            conv +
            "\"h\"\n"
            "%i : int8[1,1,1,1] = quantize(%h, %s, %z) {axis=0} \"i\"\n"
            "%j : float32[1,1,1,1] = softmax(%d) {axis=1} \"j\"\n"
            "%l : float32[1,1,1,1] = add(%w, %d) \"l\"\n"
            "%m : int8[1,1,1,1] = quantize(%l, %s, %z) {axis=0} \"m\"\n"
            "output \"a\" = %a\noutput \"e\" = %e\noutput \"f\" = %f\noutput \"i\" = %i\n"
            "output \"j\" = %j\noutput \"m\" = %m\n");
  EXPECT_EQ(Whys(FormGroups(graph, {})),
            "q: converts float32 to int8\nd: converts int8 to float32\n"
            "r: computes in float32: its result is not quantised\n"
            "a: computes in float32: its input is not quantised\n"
            "b: computes in float32: its scales, zero points, weights or window have no int8 form\n"
            "c: computes in float32: its input is not quantised\n"
            "e: converts float32 to int8\n"
            "f: computes in float32: its result is not quantised\n"
            "h: computes in float32: its weights are not constant\n"
            "i: converts float32 to int8\n"
            "j: computes in float32: softmax has no int8 form\n"
            "l: computes in float32: a constant is added in the model's own arithmetic\n"
            "m: converts float32 to int8\n");
}

TEST(FormGroups, IntegerLayersOfOtherShapesSayWhich) {
  const std::string add =
      " {bias=0, exponent=0, high=127, low=-128, multiplier=1073741824, multiplier_a=1, "
      "multiplier_b=1, zero_point=0} ";
  const Graph graph = Parse(
      "%x : int8[1,2,3] = input\n%y : int8[3] = input\n"
      "%a : int8[1,2,3] = add_i8(%x, %y)" +
      add +
      "\"a\"\n"
      "%b : int8[1,2,3] = add_i8(%x, %a)" +
      add +
      "\"b\"\n"
      "output \"b\" = %b\n");
  EXPECT_EQ(Whys(FormGroups(graph, {})),
            "a: its operands differ in shape: [1,2,3] and [3]\n"
            "b: its result is [1,2,3], which is neither [N,C] nor [N,C,H,W]\n");
}

TEST(FormGroups, AnOperandMayBeANumberAChannel) {
  const std::string lane = "exponent=0, high=127, low=-128, multiplier=1073741824, zero_point=0";
  const std::string add = " {bias=0, multiplier_a=1, multiplier_b=1, " + lane + "} ",
                    mul = " {zero_a=0, zero_b=0, " + lane + "} ";
  const Graph graph = Parse(
      "%x : int8[2,8,3,4] = input\n%c : int8[2,8,1,1] = input\n%n : int8[1,8,1,1] = input\n"
      "%r : int8[2,8,3,1] = input\n%s : int8[2,8,1,4] = input\n"
      "%f : int8[2,8] = input\n%h : int8[1,8] = input\n%t : int32[256] = input\n"
      "%a : int8[2,8,3,4] = add_i8(%x, %c)" +
      add + "\"a\"\n%b : int8[2,8,3,4] = mul_i8(%c, %a)" + mul +
      "\"b\"\n%d : int8[2,8,3,4] = mul_i8(%b, %n)" + mul +
      "\"d\"\n%e : int8[2,8,3,4] = mul_i8(%r, %s)" + mul +
      "\"e\"\n%g : int8[2,8] = mul_i8(%f, %h)" + mul +
      "\"g\"\n%l : int8[2,8,3,4] = add_lookup_i8(%x, %c, %t, %t) {" + lane +
      "} \"l\"\n"
      "output \"d\" = %d\noutput \"e\" = %e\noutput \"g\" = %g\noutput \"l\" = %l\n");
  EXPECT_EQ(Whys(FormGroups(graph, {})),
            "d: its operands differ in shape: [2,8,3,4] and [1,8,1,1]\n"
            "e: its operands differ in shape: [2,8,3,1] and [2,8,1,4]\n"
            "g: its operands differ in shape: [2,8] and [1,8]\n"
            "l: its operands differ in shape: [2,8,3,4] and [2,8,1,1]\n");
}

TEST(PackLayout, OnePackAndOneUnpackAroundAWholeNetwork) {
  for (const ActivationBlocks blocks : {ActivationBlocks{1, 4}, {1, 16}, {2, 2}}) {
    const FakeTarget target("vta", blocks);
    const Target* const targets[] = {&target};
    const Graph packed = RunPasses(Block(), PlacementPipeline(), {targets, &kRest});
    EXPECT_EQ(Placement(packed),
              "pack@cpu:-1 conv2d_i8@vta:0 conv2d_i8@vta:1 add_i8@vta:1 avg_pool_i8@vta:2 "
              "dense_i8@vta:3 unpack@cpu:-1 ");
    ExpectSameOutputs(Block(), packed);
  }
}

TEST(PackLayout, OpsOfTheCpuInBetweenSeePlainTensors) {
  const FakeTarget target("vta", {1, 16}, 2, Op::kAvgPoolI8);
  const Target* const targets[] = {&target};
  const Graph packed = RunPasses(Block(), PlacementPipeline(), {targets, &kRest});
  EXPECT_EQ(Placement(packed),
            "pack@cpu:-1 conv2d_i8@vta:0 conv2d_i8@vta:1 add_i8@vta:1 unpack@cpu:-1 "
            "avg_pool_i8@cpu:-1 reshape@cpu:-1 pack@cpu:-1 dense_i8@vta:2 unpack@cpu:-1 ");
  ExpectSameOutputs(Block(), packed);
}

TEST(PackLayout, TwoLayoutsMeetThroughPlain) {
  const FakeTarget no_pool("a", {1, 16}, 2, Op::kAvgPoolI8), all("b", {2, 4});
  const Target* const targets[] = {&no_pool, &all};
  const Graph packed = RunPasses(Block(), PlacementPipeline(), {targets, &kRest});
  ExpectSameOutputs(Block(), packed);
  EXPECT_NE(Print(packed).find("avg_pool_i8"), std::string::npos);
  EXPECT_EQ(std::ranges::count(packed.nodes(), Op::kPack, &Node::op), 3);
}

TEST(PlacementPipeline, KeepsWhatRealModelsCompute) {
  for (const std::string model :
       {"kws_dscnn_int8/model_qdq.onnx", "person_detect_int8/model_qdq.onnx",
        "resnet8_cifar_qdq/model.onnx"}) {
    VTA_SKIP_WITHOUT_CASE(model);
    const FakeTarget target("vta", {1, 16});
    const Target* const targets[] = {&target};
    const Graph plain =
        RunPasses(ImportOnnxFile(cases::CaseFolder(model)), NormalizePipeline(), {});
    const Graph packed = RunPasses(plain, PlacementPipeline(), {targets, &kRest});
    const auto inputs = RandomInputs(plain, 1);
    EXPECT_EQ(Evaluate(plain, inputs), Evaluate(packed, inputs)) << model;
    const std::vector<Step> steps = Steps(packed);
    const MemoryPlan plan = PlanMemory(packed, steps, 64);
    CheckMemoryPlan(packed, steps, 64, plan);
    std::printf("%s: %zu steps, arena %ld of %ld bytes\n", model.c_str(), steps.size(),
                plan.arena_bytes, plan.tensor_bytes);
    // Ops of the CPU at the borders only: whatever runs on the target runs without a break.
    std::string order;
    for (const Node& node : packed.nodes()) order += node.target == "cpu" ? 'h' : 'T';
    order.erase(std::unique(order.begin(), order.end()), order.end());
    EXPECT_EQ(order, "hTh") << Placement(packed);
  }
}

}  // namespace
}  // namespace vta::compiler
