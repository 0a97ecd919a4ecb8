// Text tests of split_pads, and of pads in the packed layout.
#include <algorithm>

#include "compiler/graph/ops.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

/// Takes single nodes whose pads are all 0, but no op `refused`.
class BareTarget : public Target {
 public:
  explicit BareTarget(Op refused = Op::kUnpack) : refused_(refused) {}
  std::string Name() const override { return "bare"; }
  bool CanTake(const Graph& graph, std::span<const NodeId> group, std::string* why) const override {
    if (why) *why = "no pads";
    const Node& node = graph.nodes()[group[0]];
    if (group.size() != 1 || node.op == refused_) return false;
    if (!node.attributes.Has("pads")) return true;
    const std::vector<int64_t>& pads = node.Ints("pads");
    return std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad == 0; });
  }
  std::optional<ActivationBlocks> Layout() const override { return ActivationBlocks{1, 4}; }

 private:
  Op refused_;
};

constexpr char kConstants[] =
    "%w : int8[1,1,1,2] = const [3,4]\n%b : int32[1] = const [0]\n"
    "%m : int32[1] = const [1073741824]\n";

std::string Conv(const std::string& out, const std::string& in, const std::string& type,
                 const std::string& pads) {
  return "%" + out + " : " + type + " = conv2d_i8(%" + in +
         ", %w, %b, %m, %b) {dilations=[1,1], groups=1, high=127, low=-128, pad_value=-7, pads=" +
         pads + ", strides=[1,1], zero_point=0} \"" + out + "\"\n";
}

std::string MaxPool(const std::string& out, const std::string& in, const std::string& type,
                    const std::string& pads) {
  return "%" + out + " : " + type + " = max_pool_i8(%" + in + ") {kernel=[2,2], pads=" + pads +
         ", strides=[1,1]} \"" + out + "\"\n";
}

TEST(SplitPads, LayersThatATargetTakesWithoutPads) {
  const BareTarget target;
  const Target* const targets[] = {&target};
  ExpectPass(SplitPads,
             std::string("%x : int8[1,1,3,3] = input\n") + kConstants +
                 Conv("c", "x", "int8[1,1,4,4]", "[1,0,0,2]") +
                 MaxPool("p", "c", "int8[1,1,4,5]", "[0,1,1,1]") + "output \"y\" = %p\n",
             std::string("%x : int8[1,1,3,3] = input\n") +
                 "%c.pad : int8[1,1,4,5] = pad(%x) {mode=\"constant\", "
                 "pads=[0,0,1,0,0,0,0,2], value=-7.0} \"c.pad\"\n" +
                 kConstants + Conv("c", "c.pad", "int8[1,1,4,4]", "[0,0,0,0]") +
                 "%p.pad : int8[1,1,5,6] = pad(%c) {mode=\"constant\", "
                 "pads=[0,0,0,1,0,0,1,1], value=-128.0} \"p.pad\"\n" +
                 MaxPool("p", "p.pad", "int8[1,1,4,5]", "[0,0,0,0]") + "output \"y\" = %p\n",
             0, {targets});
}

TEST(SplitPads, ThePadSaysWhyTheTargetRefusedIt) {
  const BareTarget target;
  const Target* const targets[] = {&target};
  const Graph graph =
      Parse("%x : int8[1,1,3,3] = input\n" + MaxPool("p", "x", "int8[1,1,3,3]", "[0,0,1,1]") +
            "output \"y\" = %p\n");
  const Graph packed = RunPasses(graph, PlacementPipeline(), {targets, &kRest});
  for (const Node& node : packed.nodes())
    EXPECT_EQ(node.why == "bare: no pads", node.op == Op::kPad) << node.name;
  EXPECT_EQ(std::ranges::count(packed.nodes(), Op::kPad, &Node::op), 1);
}

TEST(SplitPads, WhatNoTargetTakesEitherWayStaysWhole) {
  const std::string text = std::string("%x : int8[1,1,3,3] = input\n") + kConstants +
                           Conv("c", "x", "int8[1,1,4,4]", "[1,0,0,2]") +
                           MaxPool("p", "c", "int8[1,1,3,3]", "[0,0,0,0]") + "output \"y\" = %p\n";
  const BareTarget no_convolution(Op::kConv2dI8);
  const Target* const targets[] = {&no_convolution};
  ExpectPass(SplitPads, text, text, 0, {targets});
  ExpectPass(SplitPads, text, text);
}

/// The ops after placement, with their targets, and the text of the pads.
std::string Placed(const std::string& text) {
  const BareTarget target;
  const Target* const targets[] = {&target};
  const Graph graph = Parse(text);
  const Graph placed = RunPasses(graph, PlacementPipeline(), {targets, &kRest});
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const auto inputs = RandomInputs(graph, seed);
    EXPECT_EQ(Evaluate(graph, inputs), Evaluate(placed, inputs)) << "seed " << seed;
  }
  std::string out;
  for (const Node& node : placed.nodes()) {
    out += StrCat(Spec(node.op).name, "@", node.target, " ");
    if (node.op == Op::kPad) out += ToText(node.Ints("pads")) + " ";
  }
  return out;
}

TEST(PackLayout, SpatialPadsOfPackedValuesStayPacked) {
  EXPECT_EQ(Placed(std::string("%x : int8[1,1,3,3] = input\n") + kConstants +
                   Conv("c", "x", "int8[1,1,3,2]", "[0,0,0,0]") +
                   Conv("d", "c", "int8[1,1,4,4]", "[1,1,0,2]") + "output \"y\" = %d\n"),
            "pack@cpu conv2d_i8@bare pad@cpu [0,0,1,1,0,0,0,0,0,2,0,0] conv2d_i8@bare "
            "unpack@cpu ");
}

TEST(PackLayout, OtherPadsAreDoneOnPlainTensors) {
  EXPECT_EQ(Placed(std::string("%x : int8[1,1,3,3] = input\n") +
                   MaxPool("p", "x", "int8[1,1,2,2]", "[0,0,0,0]") +
                   "%q : int8[1,2,2,2] = pad(%p) {mode=\"constant\", pads=[0,1,0,0,0,0,0,0], "
                   "value=5.0} \"q\"\n" +
                   MaxPool("r", "q", "int8[1,2,1,1]", "[0,0,0,0]") + "output \"y\" = %r\n"),
            "pack@cpu max_pool_i8@bare unpack@cpu pad@cpu [0,1,0,0,0,0,0,0] pack@cpu "
            "max_pool_i8@bare unpack@cpu ");
}

}  // namespace
}  // namespace vta::compiler
