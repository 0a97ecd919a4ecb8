// How activations lie: what lies in memory, its text, and who is refused; then the passes that fuse
// for the target which takes the rest and choose how activations lie there.
#include "compiler/graph/storage.h"

#include <gmock/gmock.h>

#include "compiler/graph/ops.h"
#include "compiler/targets/cpu/target.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Storage, OfAnActivation) {
  const TensorType type{DType::kInt8, {2, 35, 5, 7}};
  EXPECT_EQ(Storage{}.Of(type), (TensorType{DType::kInt8, {2, 35, 5, 7, 1}}));
  EXPECT_EQ(Storage{.channels = 16}.Of(type), (TensorType{DType::kInt8, {2, 3, 5, 7, 16}}));
  EXPECT_EQ((Storage{.channels = 4, .border = {1, 2, 3, 4}, .biased = true}.Of(type)),
            (TensorType{DType::kUint8, {2, 9, 9, 13, 4}}));
}

TEST(Storage, HasText) {
  EXPECT_EQ(ToText(Storage{.channels = 16}), "blocks of 16");
  EXPECT_EQ(ToText(Storage{.channels = 1, .border = {0, 1, 0, 2}, .fill = -0.5}),
            "blocks of 1, border 0 1 0 2 of -0.5");
  EXPECT_EQ(ToText(Storage{.channels = 4, .biased = true}), "blocks of 4, biased");
  EXPECT_EQ(ToText(Storage{.channels = 2, .halves = true}), "blocks of 2, halves");
}

TEST(Storage, RoundTripsInGraphText) {
  for (const Storage& storage : std::initializer_list<Storage>{
           {},
           {.channels = 16},
           {.channels = 16, .biased = true},
           {.channels = 4, .border = {1, 0, 2, 3}, .fill = -128},
           {.channels = 4, .border = {1, 0, 2, 3}, .fill = 7, .biased = true},
           {.channels = 2, .halves = true},
           {.channels = 16,
           .border = {1, 1, 1, 1},
           .fill = -std::numeric_limits<double>::infinity()}}) {
    const std::string type = storage.halves ? "float32[1,3,2,2]" : "int8[1,3,2,2]";
    const std::string text = "%x : " + type + " = input\n%a : " + type + " in " + ToText(storage) +
                             " = identity(%x) \"a\"\n%b : " + type +
                             " = identity(%a) \"b\"\noutput \"b\" = %b\n";
    const Graph graph = Parse(text);
    Verify(graph);
    EXPECT_EQ(graph.values()[1].storage, storage) << text;
    EXPECT_EQ(Body(graph), text);
  }
}

TEST(Storage, IsRefusedWhereNothingLiesSo) {
  const auto refuses = [](const std::string& type, const std::string& storage,
                          const std::string& message) {
    EXPECT_THAT(
        [&] {
          Verify(Parse("%x : " + type + " = input\n%a : " + type + " in " + storage +
                       " = identity(%x) \"a\"\noutput \"a\" = %a\n"));
        },
        ThrowsMessage<Error>(HasSubstr(message)))
        << storage;
  };
  const std::string type = "int8[1,3,2,2]";
  const std::string so = "no " + type + " lies so in memory";
  refuses(type, "blocks of 0", so);
  refuses(type, "blocks of 2000000", so);
  refuses(type, "blocks of 4, border 1 1 1 -1 of 0", so);
  refuses(type, "blocks of 4, border 1 1 1 2000000 of 0", so);
  refuses("float32[1,3,2,2]", "blocks of 4, biased", "lies so in memory");
  refuses(type, "blocks of 2, halves", so);
  refuses("int8[3,2,2]", "blocks of 4", "lies so in memory");
  refuses(type, "blocks", "\"of\"");
  refuses(type, "blocks of 4, ", "\"biased\"");
  refuses(type, "blocks of 4, border 1 1 1 of 0", "");
  refuses(type, "blocks of 4", "output a = blocks of 4: must lie row by row");
  Graph graph = Parse(
      "%x : int8[1,3,2,2] = input\n%a : int8[1,3,2,2] = identity(%x) \"a\"\n"
      "output \"a\" = %a\n");
  graph.Store(0, {.channels = 4});
  EXPECT_THAT(
      [&] { Verify(graph); },
      ThrowsMessage<Error>("g: value %x = blocks of 4: must be of an activation in between"));
}

/// A node's name, its group if it has one, and how what it makes lies, a line each.
std::string Lies(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes()) {
    const auto& storage = graph.value(node.output).storage;
    text += StrCat(node.name, node.group == kNone ? "" : StrCat(" @", node.group), ": ",
                   storage ? ToText(*storage) : "rows",
                   node.why.empty() ? "" : StrCat(" (", node.why, ")"), "\n");
  }
  return text;
}

/// The same after the placement of a graph of one picture %x and 1x1 weights %w.
std::string LiesOn(const Target& rest, const std::string& body) {
  const PassContext context{{}, &rest};
  const Graph graph = Parse(
      "%x : float32[1,4,2,2] = input\n%w : float32[4,4,1,1] = const "
      "[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0,-1.0,-2.0,-3.0,-4.0,-5.0,-6.0,-7.0]\n" +
      body);
  const Graph chosen = RunPasses(graph, PlacementPipeline(), context);
  const auto inputs = RandomInputs(graph, 1);
  EXPECT_EQ(Evaluate(graph, inputs), Evaluate(chosen, inputs));
  return Lies(chosen);
}

/// "%NAME : float32[1,4,H,W] = conv2d(%OF, %w) ..." with pads.
std::string FloatConv(const std::string& name, const std::string& of, const std::string& size,
                      const std::string& pads) {
  return "%" + name + " : float32[1,4," + size + "] = conv2d(%" + of +
         ", %w) {dilations=[1,1], groups=1, pads=[" + pads + "], strides=[1,1]} \"" + name + "\"\n";
}
std::string Relu(const std::string& name, const std::string& of) {
  return "%" + name + " : float32[1,4,2,2] = relu(%" + of + ") \"" + name + "\"\n";
}
std::string Output(const std::string& name) { return "output \"" + name + "\" = %" + name + "\n"; }
constexpr char kNoPads[] = "0,0,0,0";

TEST(FuseRest, ElementwiseOpsJoinWhatTheyRead) {
  const targets::CpuTarget cpu;
  EXPECT_EQ(LiesOn(cpu, FloatConv("a", "x", "2,2", kNoPads) + Relu("b", "a") + Relu("c", "b") +
                            Output("c")),
            "x.blocks: blocks of 16 (lays an activation out for a window)\n"
            "a @0: rows\nb @0: rows\nc @0: blocks of 16\n"
            "c.rows: rows (lays an activation out row by row)\n");
  // Not where somebody else reads it, nor a layer after a layer.
  const std::string apart =
      LiesOn(cpu, FloatConv("a", "x", "2,2", kNoPads) + Relu("b", "a") +
                      FloatConv("c", "a", "2,2", kNoPads) + Output("b") + Output("c"));
  EXPECT_EQ(apart.find('@'), std::string::npos) << apart;
}

// However long a chain is, no step has more than 64 nodes.
TEST(FuseRest, AStepHasAnEnd) {
  const targets::CpuTarget cpu;
  std::string chain, before = "x";
  for (int i = 0; i < 130; ++i) {
    const std::string name = "n" + std::to_string(i);
    chain += Relu(name, before);
    before = name;
  }
  const std::string lies = LiesOn(cpu, chain + Output(before));
  const auto count = [&](const std::string& step) {
    int nodes = 0;
    for (size_t at = lies.find(step); at != std::string::npos; at = lies.find(step, at + 1))
      ++nodes;
    return nodes;
  };
  EXPECT_EQ(count(" @0:"), 64);
  EXPECT_EQ(count(" @1:"), 64);
  EXPECT_EQ(count(" @2:"), 2);
}

TEST(FuseRest, AnAddJoinsTheLaterOfWhatItReads) {
  const targets::CpuTarget cpu;
  EXPECT_EQ(LiesOn(cpu, FloatConv("a", "x", "2,2", kNoPads) + FloatConv("b", "x", "2,2", kNoPads) +
                            "%s : float32[1,4,2,2] = add(%b, %a) \"s\"\n" + Output("s")),
            "x.blocks: blocks of 16 (lays an activation out for a window)\n"
            "a: blocks of 16\nb @0: rows\ns @0: blocks of 16\n"
            "s.rows: rows (lays an activation out row by row)\n");
}

TEST(FuseRest, WhatReadsAValueSeveralTimesJoinsTogether) {
  const targets::CpuTarget cpu;
  const auto sum = [](const std::string& name, const std::string& a, const std::string& b) {
    return "%" + name + " : float32[1,4,2,2] = add(%" + a + ", %" + b + ") \"" + name + "\"\n";
  };
  const std::string conv = FloatConv("a", "x", "2,2", kNoPads);
  const std::string x = "x.blocks: blocks of 16 (lays an activation out for a window)\n";
  // Once more behind it, where the last joins what comes next.
  EXPECT_EQ(LiesOn(cpu, conv + Relu("b", "a") + sum("c", "a", "b") + sum("d", "c", "c") +
                            Relu("e", "d") + Output("e")),
            x + "a @0: rows\nb @0: rows\nc @0: rows\nd @0: rows\ne @0: blocks of 16\n"
                "e.rows: rows (lays an activation out row by row)\n");
  // Two values come out of these: the second sum reads one before the first.
  const std::string two = LiesOn(cpu, conv + Relu("b", "a") + sum("c", "a", "b") +
                                          sum("d", "b", "c") + Output("c") + Output("d"));
  EXPECT_EQ(two.find('@'), std::string::npos) << two;
  // A layer reads the value, too.
  const std::string layer =
      LiesOn(cpu, conv + Relu("b", "a") + sum("c", "a", "b") + FloatConv("d", "a", "2,2", kNoPads) +
                      Output("c") + Output("d"));
  EXPECT_EQ(layer.find("a @"), std::string::npos) << layer;
  // What reads two such values joins one of them.
  const std::string both =
      LiesOn(cpu, conv + FloatConv("b", "x", "2,2", kNoPads) + sum("c", "a", "b") +
                      sum("d", "b", "a") + sum("e", "c", "d") + Output("e"));
  EXPECT_THAT(both, HasSubstr("a @0: rows\nb: blocks of 16\nc @0: rows\nd @0: rows\ne @0: "));
  // Each sum is written out twice as long: eight of them would be 511 operators.
  std::string doubled = conv;
  for (const char* name : {"b", "c", "d", "e", "f", "g", "h", "i"})
    doubled += sum(name, std::string(1, static_cast<char>(*name - 1)),
                   std::string(1, static_cast<char>(*name - 1)));
  const std::string lies = LiesOn(cpu, doubled + Output("i"));
  EXPECT_THAT(lies, HasSubstr("h @0: blocks of 16\ni: "));
}

// Where a value is stored since others read it, what is made of it element by element is one step.
TEST(FuseRest, WhatReadsAStoredValueJoinsToo) {
  const targets::CpuTarget cpu;
  const std::string lies = LiesOn(
      cpu,
      FloatConv("a", "x", "2,2", kNoPads) + Relu("b", "a") +
          "%m : float32[1,4,2,2] = abs(%a) \"m\"\n%s : float32[1,4,2,2] = sub(%b, %m) \"s\"\n" +
          FloatConv("d", "a", "2,2", kNoPads) + Output("s") + Output("d"));
  EXPECT_THAT(lies, HasSubstr("a: blocks of 16\nb @0: rows\nm @0: rows\ns @0: rows\n"));
  // Not what reads others.
  const std::string apart =
      LiesOn(cpu, FloatConv("a", "x", "2,2", kNoPads) + Relu("b", "a") +
                      "%m : float32[1,4,2,2] = abs(%x) \"m\"\n" +
                      "%s : float32[1,4,2,2] = sub(%b, %m) \"s\"\n" +
                      FloatConv("d", "a", "2,2", kNoPads) + Output("s") + Output("d"));
  EXPECT_EQ(apart.find("b @"), std::string::npos) << apart;
}

TEST(FuseRest, DoesWhatTheTargetTakes) {
  EXPECT_EQ(LiesOn(kRest, FloatConv("a", "x", "2,2", kNoPads) + Relu("b", "a") + Output("b")),
            "a: rows\nb: rows\n");
}

TEST(ChooseStorage, BordersOfOneContentAreMerged) {
  const targets::CpuTarget cpu;
  EXPECT_EQ(
      LiesOn(cpu, FloatConv("a", "x", "2,2", kNoPads) + FloatConv("b", "a", "4,4", "1,1,1,1") +
                      FloatConv("c", "a", "5,3", "0,1,3,0") + FloatConv("d", "a", "2,2", kNoPads) +
                      Output("b") + Output("c") + Output("d")),
      "x.blocks: blocks of 16 (lays an activation out for a window)\n"
      "a: blocks of 16, border 1 1 3 1 of 0.0\n"
      "b: blocks of 16\nb.rows: rows (lays an activation out row by row)\n"
      "c: blocks of 16\nc.rows: rows (lays an activation out row by row)\n"
      "d: blocks of 16\nd.rows: rows (lays an activation out row by row)\n");
}

TEST(ChooseStorage, BordersOfOtherContentAreLaidOutAnewOnce) {
  const targets::CpuTarget cpu;
  const auto pool = [](const std::string& name) {
    return "%" + name +
           " : float32[1,4,2,2] = max_pool(%a) {dilations=[1,1], kernel=[3,3], pads=[1,1,1,1], "
           "strides=[1,1]} \"" +
           name + "\"\n";
  };
  EXPECT_EQ(
      LiesOn(cpu, FloatConv("a", "x", "2,2", kNoPads) + FloatConv("b", "a", "4,4", "1,1,1,1") +
                      pool("p") + pool("q") + Output("b") + Output("p") + Output("q")),
      "x.blocks: blocks of 16 (lays an activation out for a window)\n"
      "a: blocks of 16, border 1 1 1 1 of 0.0\n"
      "b: blocks of 16\nb.rows: rows (lays an activation out row by row)\n"
      "a.blocks: blocks of 16, border 1 1 1 1 of -3.4028234663852886e+38 (lays an activation "
      "out for a window)\n"
      "p: blocks of 16\np.rows: rows (lays an activation out row by row)\n"
      "q: blocks of 16\nq.rows: rows (lays an activation out row by row)\n");
}

TEST(ChooseStorage, WhatNobodyWantsInBlocksLiesRowByRow) {
  const targets::CpuTarget cpu;
  EXPECT_EQ(LiesOn(cpu, Relu("a", "x") + "%b : float32[1,4,2,2] = softmax(%a) {axis=1} \"b\"\n" +
                            Relu("c", "a") + Output("b") + Output("c")),
            "a: rows\nb: rows\nc: rows\n");
}

TEST(ChooseStorage, WholeBlocksStayBlocks) {
  const targets::CpuTarget cpu;
  std::string weights;
  for (int i = 0; i < 64; ++i) weights += StrCat(i == 0 ? "" : ",", i % 7, ".0");
  // Of `channels` channels: %a, a convolution's, doubled in size, which %e adds to itself.
  const auto lies = [&](int channels, int axis, const std::string& read) {
    const std::string wide = StrCat("float32[1,", channels, axis == 2 ? ",4,2]" : ",2,4]");
    return LiesOn(
        cpu,
        StrCat(
            "%k : float32[", channels, ",4,1,1] = const [", weights.substr(0, 16 * channels - 1),
            R"(]
%i : int64[4] = const [0,0,1,1]
%a : float32[1,)",
            channels,
            R"(,2,2] = conv2d(%x, %k) {dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]} "a"
%g : )",
            wide, " = gather(%a, %i) {axis=", axis, R"(} "g"
%e : )",
            wide, " = ", read, R"( "e"
output "e" = %e
)"));
  };
  const std::string a =
      "x.blocks: blocks of 16 (lays an activation out for a window)\na: blocks of 16\n";
  for (const int axis : {2, 3})
    EXPECT_EQ(lies(16, axis, "softmax(%g) {axis=2}"), a + "g: blocks of 16\ne: rows\n");
  EXPECT_EQ(lies(8, 2, "softmax(%g) {axis=2}"), a + "g: blocks of 16\ne: rows\n");
  // Less than half of a block, and an output, lie row by row.
  EXPECT_EQ(lies(4, 2, "softmax(%g) {axis=2}"), a + "g: rows\ne: rows\n");
  EXPECT_EQ(lies(16, 2, "relu(%g)"), a + "g @0: rows\ne @0: rows\n");
}

// Channels that a pad puts behind others leave those where they are; in front of them it does not.
TEST(ChooseStorage, ChannelsBehindOthersStayInBlocks) {
  const targets::CpuTarget cpu;
  std::string weights = "0.5";
  for (int i = 1; i < 32; ++i) weights += StrCat(",", i % 7, ".0");
  const auto lies = [&](const std::string& pads) {
    return LiesOn(cpu,
                  StrCat("%k : float32[8,4,1,1] = const [", weights,
                         "]\n%a : float32[1,8,2,2] = conv2d(%x, %k) {dilations=[1,1], "
                         "groups=1, pads=[0,0,0,0], strides=[1,1]} \"a\"\n"
                         "%p : float32[1,16,2,2] = pad(%a) {mode=\"constant\", pads=",
                         pads, ", value=0.0} \"p\"\n",
                         "%e : float32[1,16,2,2] = softmax(%p) {axis=2} \"e\"\n", Output("e")));
  };
  EXPECT_THAT(lies("[0,0,0,0,0,8,0,0]"), HasSubstr("a: blocks of 16\np: blocks of 16\n"));
  EXPECT_THAT(lies("[0,8,0,0,0,0,0,0]"), HasSubstr("a: blocks of 16\np: rows\n"));
}

/// Keeps activations of rank 4 in blocks of 8, and wants convolutions' inputs so, but makes
/// nothing only so.
class FakeRest : public RestTarget {
 public:
  std::optional<Storage> BlockedLayout(const TensorType& type) const override {
    if (type.shape.size() != 4) return {};
    return Storage{.channels = 8};
  }
  std::optional<Storage> InputLayout(const Graph&, const Node& node) const override {
    if (node.op != Op::kConv2d) return {};
    return Storage{.channels = 8, .border = {0, 0, node.Ints("pads")[2], 0}, .fill = 3};
  }
};

TEST(ChooseStorage, AsTheTargetKeepsThem) {
  const FakeRest rest;
  EXPECT_EQ(LiesOn(rest, Relu("a", "x") + FloatConv("b", "a", "4,2", "0,0,2,0") + Output("b")),
            "a: blocks of 8, border 0 0 2 0 of 3.0\nb: rows\n");
  // An output lies row by row, and is laid out for who wants it otherwise.
  EXPECT_EQ(LiesOn(rest, Relu("a", "x") + FloatConv("b", "a", "4,2", "0,0,2,0") + Output("a") +
                             Output("b")),
            "a: rows\na.blocks: blocks of 8, border 0 0 2 0 of 3.0 (lays an activation out for a "
            "window)\nb: rows\n");
}

}  // namespace
}  // namespace vta::compiler
