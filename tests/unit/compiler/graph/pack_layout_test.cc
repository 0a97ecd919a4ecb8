// Text tests of what joins and cuts packed activations, and of what is computed of each element.
#include "compiler/graph/ops.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

/// Has a layout; PackLayout asks it nothing else.
class BlockTarget : public Target {
 public:
  BlockTarget(std::string name, ActivationBlocks blocks)
      : name_(std::move(name)), blocks_(blocks) {}
  std::string Name() const override { return name_; }
  bool CanTake(const Graph&, std::span<const NodeId>, std::string*) const override { return true; }
  std::optional<ActivationBlocks> Layout() const override { return blocks_; }

 private:
  std::string name_;
  ActivationBlocks blocks_;
};

/// "%out : type = a pool of one element", on an accelerator.
std::string On(const std::string& target, const std::string& out, const std::string& in,
               const std::string& type) {
  return "%" + out + " : int8" + type + " = max_pool_i8(%" + in +
         ") {kernel=[1,1], pads=[0,0,0,0], strides=[1,1]} \"" + out + "\" @" + target + "\n";
}

std::string Joined(const std::string& type, const std::string& parts, int axis = 1) {
  return "%c : int8" + type + " = concat(" + parts + ") {axis=" + std::to_string(axis) +
         "} \"c\" @cpu:-1\n";
}

std::string Slice(const std::string& type, const std::string& shape, const std::string& starts,
                  const std::string& steps, const std::string& from = "a") {
  return "%s : int8" + type + " = slice(%" + from + ") {shape=" + shape + ", starts=" + starts +
         ", steps=" + steps + "} \"s\" @cpu:-1\n";
}

std::string Input(const std::string& name, const std::string& type) {
  return "%" + name + " : int8" + type + " = input\n";
}

/// The ops in order after the pass, the unpacked and packed values with their types; the outputs
/// are the same.
std::string Moves(const std::string& before, ActivationBlocks blocks = {1, 4}) {
  const BlockTarget vta("vta", blocks), other("other", {1, 2});
  const Target* const targets[] = {&vta, &other};
  const PassContext context{targets, &kRest};
  const Graph graph = Parse(before);
  ExpectPass(PackLayout, before, Body(PackLayout(graph, context)), 0, context);
  std::string text;
  const Graph packed = PackLayout(graph, context);
  for (const Node& node : packed.nodes()) {
    text += StrCat(text.empty() ? "" : " ", Spec(node.op).name);
    if (node.target == "cpu") text += ToText(packed.shape(node.output));
  }
  return text;
}

TEST(PackLayout, PartsThatFillTheirBlocksAreJoinedInBlocks) {
  const std::string parts = Input("x", "[1,8,2,3]") + Input("y", "[1,5,2,3]") +
                            On("vta:0", "a", "x", "[1,8,2,3]") + On("vta:1", "b", "y", "[1,5,2,3]");
  EXPECT_EQ(Moves(parts + Joined("[1,13,2,3]", "%a, %b") + On("vta:2", "z", "c", "[1,13,2,3]") +
                  "output \"z\" = %z\n"),
            "pack[1,2,2,3,1,4] max_pool_i8 pack[1,2,2,3,1,4] max_pool_i8 concat[1,4,2,3,1,4] "
            "max_pool_i8 unpack[1,13,2,3]");
  // The part in front does not fill its blocks.
  EXPECT_EQ(Moves(parts + Joined("[1,13,2,3]", "%b, %a") + On("vta:2", "z", "c", "[1,13,2,3]") +
                  "output \"z\" = %z\n"),
            "pack[1,2,2,3,1,4] max_pool_i8 pack[1,2,2,3,1,4] max_pool_i8 unpack[1,5,2,3] "
            "unpack[1,8,2,3] concat[1,13,2,3] pack[1,4,2,3,1,4] max_pool_i8 unpack[1,13,2,3]");
}

TEST(PackLayout, PartsOfSeveralBatchesAreJoinedInBlocks) {
  EXPECT_EQ(Moves(Input("x", "[3,4,1,2]") + On("vta:0", "a", "x", "[3,4,1,2]") +
                      On("vta:1", "b", "a", "[3,4,1,2]") + Joined("[3,12,1,2]", "%a, %b, %a") +
                      On("vta:2", "z", "c", "[3,12,1,2]") + "output \"z\" = %z\n",
                  {2, 4}),
            "pack[2,1,1,2,2,4] max_pool_i8 max_pool_i8 concat[2,3,1,2,2,4] max_pool_i8 "
            "unpack[3,12,1,2]");
}

TEST(PackLayout, JoinedAlongOtherAxesTheyArePlain) {
  EXPECT_EQ(Moves(Input("x", "[1,4,2,2]") + On("vta:0", "a", "x", "[1,4,2,2]") +
                  Joined("[1,4,4,2]", "%a, %a", 2) + On("vta:1", "z", "c", "[1,4,4,2]") +
                  "output \"z\" = %z\n"),
            "pack[1,1,2,2,1,4] max_pool_i8 unpack[1,4,2,2] concat[1,4,4,2] pack[1,1,4,2,1,4] "
            "max_pool_i8 unpack[1,4,4,2]");
}

TEST(PackLayout, PartsOfTwoLayoutsAreJoinedPlain) {
  EXPECT_EQ(
      Moves(Input("x", "[1,4,1,1]") + On("vta:0", "a", "x", "[1,4,1,1]") + Input("y", "[1,4,1,1]") +
            On("other:1", "b", "y", "[1,4,1,1]") + Joined("[1,8,1,1]", "%a, %b") +
            On("vta:2", "z", "c", "[1,8,1,1]") + "output \"z\" = %z\n"),
      "pack[1,1,1,1,1,4] max_pool_i8 pack[1,2,1,1,1,2] max_pool_i8 unpack[1,4,1,1] "
      "unpack[1,4,1,1] concat[1,8,1,1] pack[1,2,1,1,1,4] max_pool_i8 unpack[1,8,1,1]");
}

// Both parts are read plain as well, so that nothing but an unpack would come of it.
TEST(PackLayout, NothingIsMovedInBlocksThatSavesNoChange) {
  const std::string head = Input("x", "[1,4,1,1]") + On("vta:0", "a", "x", "[1,4,1,1]");
  EXPECT_EQ(Moves(head + Joined("[1,8,1,1]", "%x, %x") + "output \"a\" = %a\noutput \"c\" = %c\n"),
            "pack[1,1,1,1,1,4] max_pool_i8 concat[1,8,1,1] unpack[1,4,1,1]");
  EXPECT_EQ(Moves(head + Slice("[1,4,1,1]", "[1,4,1,1]", "[0,0,0,0]", "[1,1,1,1]", "x") +
                  "output \"a\" = %a\noutput \"s\" = %s\n"),
            "pack[1,1,1,1,1,4] max_pool_i8 slice[1,4,1,1] unpack[1,4,1,1]");
}

TEST(PackLayout, JoinedPartsThatNobodyReadsInBlocksAreUnpackedOnce) {
  EXPECT_EQ(Moves(Input("x", "[1,4,1,1]") + On("vta:0", "a", "x", "[1,4,1,1]") +
                  On("vta:1", "b", "a", "[1,4,1,1]") + Joined("[1,8,1,1]", "%a, %b") +
                  "output \"c\" = %c\n"),
            "pack[1,1,1,1,1,4] max_pool_i8 max_pool_i8 concat[1,2,1,1,1,4] unpack[1,8,1,1]");
}

std::string SliceMoves(const std::string& shape, const std::string& starts,
                       const std::string& steps, ActivationBlocks blocks = {1, 4}) {
  return Moves(Input("x", "[2,12,4,5]") + On("vta:0", "a", "x", "[2,12,4,5]") +
                   Slice(shape, shape, starts, steps) + On("vta:1", "z", "s", shape) +
                   "output \"z\" = %z\n",
               blocks);
}

TEST(PackLayout, SlicesFromTheBeginningOfABlockAreCutInBlocks) {
  const auto in_blocks = [](const std::string& packed, const std::string& plain) {
    return "pack[2,3,4,5,1,4] max_pool_i8 slice" + packed + " max_pool_i8 unpack" + plain;
  };
  EXPECT_EQ(SliceMoves("[2,6,4,5]", "[0,4,0,0]", "[1,1,1,1]"),
            in_blocks("[2,2,4,5,1,4]", "[2,6,4,5]"));
  EXPECT_EQ(SliceMoves("[2,8,2,3]", "[0,0,3,0]", "[1,1,-2,2]"),
            in_blocks("[2,2,2,3,1,4]", "[2,8,2,3]"));
  EXPECT_EQ(SliceMoves("[2,1,4,5]", "[0,8,0,0]", "[1,-3,1,1]"),
            in_blocks("[2,1,4,5,1,4]", "[2,1,4,5]"));
}

TEST(PackLayout, OtherSlicesArePlain) {
  const auto plain = [](const std::string& shape, const std::string& packed) {
    return "pack[2,3,4,5,1,4] max_pool_i8 unpack[2,12,4,5] slice" + shape + " pack" + packed +
           " max_pool_i8 unpack" + shape;
  };
  EXPECT_EQ(SliceMoves("[2,4,4,5]", "[0,2,0,0]", "[1,1,1,1]"), plain("[2,4,4,5]", "[2,1,4,5,1,4]"));
  EXPECT_EQ(SliceMoves("[2,4,4,5]", "[0,4,0,0]", "[1,2,1,1]"), plain("[2,4,4,5]", "[2,1,4,5,1,4]"));
  EXPECT_EQ(SliceMoves("[1,12,4,5]", "[1,0,0,0]", "[1,1,1,1]"),
            plain("[1,12,4,5]", "[1,3,4,5,1,4]"));
  EXPECT_EQ(SliceMoves("[2,12,4,5]", "[1,0,0,0]", "[-1,1,1,1]"),
            plain("[2,12,4,5]", "[2,3,4,5,1,4]"));
}

/// x on the accelerator, "e" of it on the CPU, and that on the accelerator again.
std::string EachMoves(const std::string& more, const std::string& e) {
  return Moves(Input("x", "[1,6,2,2]") + more + On("vta:0", "a", "x", "[1,6,2,2]") + e +
               On("vta:2", "z", "e", "[1,6,2,2]") + "output \"z\" = %z\n");
}

std::string Product(const std::string& operand) {
  return "%e : int8[1,6,2,2] = mul_i8(%a, %" + operand +
         ") {exponent=-4, high=127, low=-128, multiplier=1073741824, zero_a=3, zero_b=-2, "
         "zero_point=1} \"e\" @cpu:-1\n";
}

TEST(PackLayout, CodesAreMadeOfEachInBlocks) {
  std::string table = "%t : int8[256] = const [5";
  for (int i = 1; i < 256; ++i) table += "," + std::to_string((i * 77) % 256 - 128);
  EXPECT_EQ(EachMoves(table + "]\n", "%e : int8[1,6,2,2] = lookup_i8(%a, %t) \"e\" @cpu:-1\n"),
            "pack[1,2,2,2,1,4] max_pool_i8 lookup_i8[1,2,2,2,1,4] max_pool_i8 unpack[1,6,2,2]");
  EXPECT_EQ(EachMoves("", Product("a")),
            "pack[1,2,2,2,1,4] max_pool_i8 mul_i8[1,2,2,2,1,4] max_pool_i8 unpack[1,6,2,2]");
}

TEST(PackLayout, AnOperandForEachChannelIsInBlocks) {
  EXPECT_EQ(EachMoves(Input("g", "[1,6,1,1]") + On("vta:1", "h", "g", "[1,6,1,1]"), Product("h")),
            "pack[1,2,1,1,1,4] max_pool_i8 pack[1,2,2,2,1,4] max_pool_i8 mul_i8[1,2,2,2,1,4] "
            "max_pool_i8 unpack[1,6,2,2]");
  // One for all channels is not.
  EXPECT_EQ(EachMoves(Input("g", "[1,1,2,2]") + On("vta:1", "h", "g", "[1,1,2,2]"), Product("h")),
            "pack[1,1,2,2,1,4] max_pool_i8 pack[1,2,2,2,1,4] max_pool_i8 unpack[1,6,2,2] "
            "unpack[1,1,2,2] mul_i8[1,6,2,2] pack[1,2,2,2,1,4] max_pool_i8 unpack[1,6,2,2]");
  // Nor is one that is not there in blocks.
  EXPECT_EQ(EachMoves(Input("g", "[1,6,1,1]"), Product("g")),
            "pack[1,2,2,2,1,4] max_pool_i8 unpack[1,6,2,2] mul_i8[1,6,2,2] pack[1,2,2,2,1,4] "
            "max_pool_i8 unpack[1,6,2,2]");
}

TEST(PackLayout, ChannelsThatFillTheLastBlockAreCutOffByNothing) {
  const auto cut = [](const std::string& type, const std::string& shape, const std::string& starts,
                      const std::string& steps = "[1,1,1,1]") {
    return Moves(Input("x", "[1,8,2,2]") + On("vta:0", "a", "x", "[1,8,2,2]") +
                 Slice(type, shape, starts, steps) + On("vta:1", "y", "s", type) +
                 "output \"y\" = %y\n");
  };
  const std::string unpack = " max_pool_i8 unpack[1,6,2,2]";
  EXPECT_EQ(cut("[1,6,2,2]", "[1,6,2,2]", "[0,0,0,0]"), "pack[1,2,2,2,1,4] max_pool_i8" + unpack);
  for (const char* starts : {"[0,2,0,0]", "[0,1,0,0]"})
    EXPECT_EQ(
        cut("[1,6,2,2]", "[1,6,2,2]", starts),
        "pack[1,2,2,2,1,4] max_pool_i8 unpack[1,8,2,2] slice[1,6,2,2] pack[1,2,2,2,1,4]" + unpack);
  EXPECT_NE(cut("[1,6,2,2]", "[1,6,2,2]", "[0,0,1,0]", "[1,1,-1,1]"),
            "pack[1,2,2,2,1,4] max_pool_i8" + unpack);
}

}  // namespace
}  // namespace vta::compiler
