// Chains of reshapes and transposes: which of them become one, or none, and what passes them by.
#include "compiler/graph/ops.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

/// One with blocks.
class BlocksTarget : public Target {
 public:
  std::string Name() const override { return "blocks"; }
  bool CanTake(const Graph&, std::span<const NodeId>, std::string*) const override { return true; }
  std::optional<ActivationBlocks> Layout() const override { return ActivationBlocks{1, 4}; }
};
const BlocksTarget kBlocks;
const Target* const kWithBlocks[] = {&kBlocks};
const PassContext kTakesBlocks{kWithBlocks, &kRest};

Graph JoinedMoves(const std::string& text) {
  const Graph joined = JoinMoves(Parse(text), kTakesBlocks);
  ExpectPass(JoinMoves, text, Body(joined), 0, kTakesBlocks);
  return joined;
}

TEST(JoinMoves, HeadsOfAttentionComeOutInTheirOrder) {
  // Rows of tokens, cut into heads, turned to pixels of channels: as they were.
  EXPECT_EQ(Body(JoinedMoves(R"(%x : int8[1,12,1,5] = input
%a : int8[12,5] = reshape(%x) {shape=[12,5]} "a"
%b : int8[5,12] = transpose(%a) {perm=[1,0]} "b"
%c : int8[1,5,3,4] = reshape(%b) {shape=[1,5,3,4]} "c"
%d : int8[1,3,5,4] = transpose(%c) {perm=[0,2,1,3]} "d"
%e : int8[3,5,4] = reshape(%d) {shape=[3,5,4]} "e"
%f : int8[3,4,5] = transpose(%e) {perm=[0,2,1]} "f"
%g : int8[1,12,1,5] = reshape(%f) {shape=[1,12,1,5]} "g"
output "g" = %g
)")),
            "%x : int8[1,12,1,5] = input\noutput \"g\" = %x\n");
}

TEST(JoinMoves, ALongChainIsOneTranspose) {
  const Graph joined = JoinedMoves(R"(%x : int8[6,4,5] = input
%a : int8[4,6,5] = transpose(%x) {perm=[1,0,2]} "a"
%b : int8[4,2,3,5] = reshape(%a) {shape=[4,2,3,5]} "b"
%c : int8[2,4,3,5] = transpose(%b) {perm=[1,0,2,3]} "c"
%d : int8[2,4,15] = reshape(%c) {shape=[2,4,15]} "d"
%e : int8[15,2,4] = transpose(%d) {perm=[2,0,1]} "e"
output "e" = %e
)");
  EXPECT_EQ(std::ranges::count(joined.nodes(), Op::kTranspose, &Node::op), 1);
  EXPECT_LE(joined.nodes().size(), 3u);
}

TEST(JoinMoves, ATransposeOfASoftmaxJoinsTheMovesBeforeIt) {
  const auto moved = [](const std::string& shape, int64_t axis) {
    return JoinedMoves("%x : float32[2,3,20] = input\n%a : float32" + shape +
                       " = reshape(%x) {shape=" + shape + "} \"a\"\n%b : float32" + shape +
                       " = softmax(%a) {axis=" + std::to_string(axis) +
                       "} \"b\"\n%c : float32[4,6,5] = transpose(%b) {perm=[1,0,2]} \"c\"\n"
                       "output \"c\" = %c\n");
  };
  const auto last = [](const Graph& graph) { return graph.nodes().back().op; };
  EXPECT_EQ(last(moved("[6,4,5]", 1)), Op::kSoftmax);
  EXPECT_EQ(moved("[6,4,5]", 1).nodes().back().Int("axis"), 0);
  EXPECT_EQ(last(moved("[6,4,5]", 2)), Op::kSoftmax);  // lines stay lines
  // Lines do not become columns, and what no moves make is not moved.
  EXPECT_EQ(last(JoinedMoves(R"(%x : float32[30,4] = input
%a : float32[6,5,4] = reshape(%x) {shape=[6,5,4]} "a"
%b : float32[6,5,4] = softmax(%a) {axis=2} "b"
%c : float32[4,6,5] = transpose(%b) {perm=[2,0,1]} "c"
output "c" = %c
)")),
            Op::kTranspose);
  EXPECT_EQ(last(JoinedMoves(R"(%x : float32[6,4,5] = input
%b : float32[6,4,5] = softmax(%x) {axis=1} "b"
%c : float32[4,6,5] = transpose(%b) {perm=[1,0,2]} "c"
output "c" = %c
)")),
            Op::kTranspose);
}

TEST(JoinMoves, DimensionsThatShareAnAxisStay) {
  // Three of twelve, where two lie side by side.
  const std::string text = R"(%x : int8[6,2] = input
%a : int8[2,6] = transpose(%x) {perm=[1,0]} "a"
%b : int8[3,4] = reshape(%a) {shape=[3,4]} "b"
%c : int8[4,3] = transpose(%b) {perm=[1,0]} "c"
%d : int8[4,3,1] = reshape(%c) {shape=[4,3,1]} "d"
output "d" = %d
)";
  EXPECT_EQ(JoinedMoves(text).nodes().size(), 4u);
}

const std::string kLayer = R"(%x : int8[1,4,1,3] = input
%s : int8[3,4] = input
%q : int8[1,4,1,3] = requant_i8(%x) {bias=0, exponent=1, high=127, low=-128, multiplier=1073741824, zero_point=0} "q"
%a : int8[4,3] = reshape(%q) {shape=[4,3]} "a"
%b : int8[3,4] = transpose(%a) {perm=[1,0]} "b"
)";

TEST(JoinMoves, ASumIsDoneBeforeThem) {
  const Graph joined = JoinedMoves(
      kLayer +
      R"(%y : int8[3,4] = add_i8(%s, %b) {bias=0, exponent=1, high=127, low=-128, multiplier=1073741824, multiplier_a=1, multiplier_b=2, zero_point=0} "y"
output "y" = %y
)");
  const auto sum = std::ranges::find(joined.nodes(), Op::kAddI8, &Node::op);
  ASSERT_NE(sum, joined.nodes().end());
  EXPECT_EQ(joined.shape(sum->output), (Shape{1, 4, 1, 3}));
}

/// As TensorFlow Lite's networks have it between the two layers of a gate.
TEST(JoinMoves, AFunctionIsDoneBeforeReshapesThatAreNoneThen) {
  std::string table = "%t : int8[256] = const [";
  for (int i = 0; i < 256; ++i) table += StrCat(i ? "," : "", i * 7 % 256 - 128);
  const Graph joined = JoinedMoves(StrCat(R"(%x : int8[1,16,1,1] = input
%q : int8[1,16,1,1] = requant_i8(%x) {bias=0, exponent=1, high=127, low=-128, multiplier=1073741824, zero_point=0} "q"
%a : int8[1,1,1,16] = reshape(%q) {shape=[1,1,1,16]} "a"
)",
                                          table, R"(]
%y : int8[1,1,1,16] = lookup_i8(%a, %t) "y"
%b : int8[1,16,1,1] = reshape(%y) {shape=[1,16,1,1]} "b"
output "b" = %b
)"));
  EXPECT_EQ(joined.nodes().size(), 2);
  EXPECT_EQ(joined.nodes().back().op, Op::kLookupI8);
}

TEST(RowsAsPixels, OfMoreThanABatch) {
  const std::string head = R"(%x : int8[2,3,5] = input
%r : int8[6,5] = reshape(%x) {shape=[6,5]} "r"
)",
                    dense = R"(%w : int8[2,5] = const [1,-2,3,-4,5,6,-7,8,9,10]
%b : int32[2] = const [7,-9]
%m : int32[2] = const [1073741824,1500000000]
%e : int32[2] = const [-3,-4]
%y : int8[6,2] = dense_i8(%r, %w, %b, %m, %e) {high=127, low=-128, zero_point=3} "y"
output "y" = %y
)";
  const auto layers = [](const std::string& text) {
    const Graph pixels = RowsAsPixels(Parse(text), kTakesBlocks);
    ExpectPass(RowsAsPixels, text, Body(pixels), 0, kTakesBlocks);
    return std::ranges::count(pixels.nodes(), Op::kConv2dI8, &Node::op);
  };
  EXPECT_EQ(layers(head + dense), 1);
  EXPECT_EQ(layers("%r : int8[6,5] = input\n" + dense), 0);  // a batch of six
}

TEST(JoinMoves, WhatIsNotForEachElementIsNot) {
  const std::string text = kLayer + R"(%r : int8[3] = reduce_max(%b) {axes=[1], keepdims=0} "r"
output "r" = %r
)";
  EXPECT_EQ(Body(JoinedMoves(text)), Body(Parse(text)));
  // Nothing is moved for targets that have no blocks.
  EXPECT_EQ(Body(JoinMoves(Parse(text), {{}, &kRest})), Body(Parse(text)));
}

TEST(JoinMoves, RandomChainsKeepTheOrder) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    Graph graph("chain");
    Shape shape{6, 4, 10};
    ValueId value = graph.AddInput("x", {DType::kInt8, shape});
    for (uint32_t left = 1 + random() % 6; left > 0; --left) {
      if (random() % 2) {
        Shape perm(shape.size());
        std::iota(perm.begin(), perm.end(), 0);
        std::shuffle(perm.begin(), perm.end(), random);
        value = graph.Emit(Op::kTranspose, "t", {value}, {{"perm", perm}});
      } else {
        Shape cut;  // each dimension may be cut, and is joined to the one before it
        for (int64_t size : shape) {
          const int64_t part = size % 2 == 0 && random() % 2 ? 2 : 1;
          if (!cut.empty() && random() % 3 == 0)
            cut.back() *= part;
          else
            cut.push_back(part);
          cut.push_back(size / part);
        }
        value = graph.Emit(Op::kReshape, "r", {value}, {{"shape", cut}});
      }
      shape = graph.shape(value);
    }
    graph.AddOutput("y", value);
    const Graph joined = JoinMoves(graph, kTakesBlocks);
    EXPECT_LE(joined.nodes().size(), graph.nodes().size());
    const auto inputs = RandomInputs(graph, 7);
    EXPECT_EQ(Evaluate(joined, inputs)[0], Evaluate(graph, inputs)[0]) << Print(graph);
  }
}

}  // namespace
}  // namespace vta::compiler
