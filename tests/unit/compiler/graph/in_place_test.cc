// Concatenations in place: which they are, and that what lies in memory is what the graph computes.
#include "compiler/graph/in_place.h"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/memory_plan.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/rebuild.h"
#include "tests/support/error_of.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

constexpr int64_t kAlignment = 64;

/// "c: a+0 b+64", a whole a line; in the order of their values.
std::string Found(const std::string& body, const std::vector<std::string>& loose = {}) {
  const Graph graph = Parse(body);
  LooseValues values{std::vector<bool>(graph.values().size()), 16};
  for (size_t id = 0; id < graph.values().size(); ++id)
    values.are[id] = std::ranges::find(loose, graph.values()[id].name) != loose.end();
  const InPlace found = FindInPlace(graph, Steps(graph), kAlignment, values);
  std::string text;
  for (const ValueId whole : found.wholes) {
    text += graph.value(whole).name + ":";
    for (const auto& [part, place] : found.parts)
      if (place.whole == whole)
        text += StrCat(" ", graph.value(part).name, "+", place.offset_bytes);
    text += "\n";
  }
  return text;
}

// a and b are of 64 bytes.
constexpr char kParts[] = R"(%x : int8[1,4,4,4] = input
%a : int8[1,4,4,4] = relu(%x) "a"
%b : int8[1,4,4,4] = abs(%x) "b"
)";

std::string Concat(const std::string& parts, const std::string& type = "[1,8,4,4]", int axis = 1) {
  return kParts + ("%c : int8" + type) + " = concat(" + parts + ") {axis=" + std::to_string(axis) +
         "} \"c\"\noutput \"c\" = %c\noutput \"b\" = %b\n";
}

TEST(InPlace, PartsThatLieInARowAreMadeThere) {
  EXPECT_EQ(Found(Concat("%a, %b")), "c: a+0 b+64\n");
  // Inputs and constants are where they are; nothing is in two places; rows apart are not a row.
  EXPECT_EQ(Found(Concat("%a, %x")), "");
  EXPECT_EQ(Found(Concat("%a, %a")), "");
  EXPECT_EQ(Found(Concat("%a, %b", "[1,4,8,4]", 2)), "");
  EXPECT_EQ(Found(Concat("%a, %b", "[2,4,4,4]", 0)), "c: a+0 b+64\n");
}

TEST(InPlace, ASliceReadsWhereTheRowLies) {
  const auto views = [](const std::string& from, const std::string& to, const std::string& starts,
                        const std::string& steps, const std::string& stored = "") {
    const Graph graph = Parse("%x : int8" + from + " = input\n%a : int8" + from + stored +
                              " = relu(%x) \"a\"\n%s : int8" + to + " = slice(%a) {shape=" + to +
                              ", starts=" + starts + ", steps=" + steps + "} \"s\"\n%y : int8" +
                              to + " = abs(%s) \"y\"\noutput \"y\" = %y\n");
    const InPlace found = FindInPlace(graph, Steps(graph), kAlignment);
    std::string text;
    for (const ValueId view : found.views)
      text += StrCat(graph.value(view).name, "+", found.parts.at(view).offset_bytes);
    return text;
  };
  EXPECT_EQ(views("[1,8,4,4]", "[1,4,4,4]", "[0,4,0,0]", "[1,1,1,1]"), "s+64");
  EXPECT_EQ(views("[1,8,4,4]", "[1,4,4,4]", "[0,0,0,0]", "[1,1,1,1]"), "s+0");
  EXPECT_EQ(views("[4,64]", "[2,64]", "[1,0]", "[1,1]"), "s+64");
  // Not at the alignment, every second one, a column, two axes, and borders between.
  EXPECT_EQ(views("[1,8,4,4]", "[1,4,4,4]", "[0,3,0,0]", "[1,1,1,1]"), "");
  EXPECT_EQ(views("[1,8,4,4]", "[1,4,4,4]", "[0,0,0,0]", "[1,2,1,1]"), "");
  EXPECT_EQ(views("[2,8,4,4]", "[2,4,4,4]", "[0,4,0,0]", "[1,1,1,1]"), "");
  EXPECT_EQ(views("[1,8,4,4]", "[1,4,2,4]", "[0,4,0,0]", "[1,1,1,1]"), "");
  EXPECT_EQ(views("[1,8,4,4]", "[1,4,4,4]", "[0,4,0,0]", "[1,1,1,1]", " in blocks of 4"), "");
}

TEST(InPlace, AReshapeLiesWhereItsInputDoes) {
  const std::string shape = " {shape=[1,4,16]} ", made = "%a : int8[1,4,4,4] = relu(%x) \"a\"\n";
  const std::string x = "%x : int8[1,4,4,4] = input\n",
                    y = "%y : int8[1,4,16] = abs(%r) \"y\"\noutput \"y\" = %y\n";
  const std::string r = "%r : int8[1,4,16] = reshape(%a)" + shape + "\"r\"\n";
  EXPECT_EQ(Found(x + made + r + y), "r: a+0\n");
  // Also as a part of another whole; what is one already is seen once more.
  const std::string b = "%b : int8[1,4,16] = sign(%z) \"b\"\n", z = "%z : int8[1,4,16] = input\n";
  EXPECT_EQ(Found(x + z + made + b + r +
                  "%c : int8[1,8,16] = concat(%b, %r) {axis=1} \"c\"\noutput \"c\" = %c\n"),
            "r: a+0\nc: b+0 r+64\n");
  const Graph twice = Parse(
      x + made + r +
      "%s : int8[4,16] = reshape(%a) {shape=[4,16]} \"s\"\noutput \"r\" = %r\noutput \"s\" = %s\n");
  const InPlace found = FindInPlace(twice, Steps(twice), kAlignment);
  ASSERT_EQ(found.views.size(), 1u);
  EXPECT_EQ(twice.value(*found.views.begin()).name, "s");
  // Of an input it is a view; blocks are taken apart.
  const Graph of_input = Parse(x + "%r : int8[1,4,16] = reshape(%x)" + shape + "\"r\"\n" + y);
  const InPlace views = FindInPlace(of_input, Steps(of_input), kAlignment);
  ASSERT_EQ(views.views.size(), 1u);
  EXPECT_EQ(of_input.value(views.Outermost(*views.views.begin()).whole).name, "x");
  const Graph shown = Parse(x + "%r : int8[1,4,16] = reshape(%x)" + shape + "\"r\"\n" +
                            "%s : int8[64] = reshape(%r) {shape=[64]} \"s\"\noutput \"s\" = %s\n");
  EXPECT_EQ(FindInPlace(shown, Steps(shown), kAlignment).views.size(), 1u);  // s is made
  EXPECT_EQ(Found(x + "%a : int8[1,4,4,4] in blocks of 4 = relu(%x) \"a\"\n" + r + y), "");
}

TEST(InPlace, APartThatIsNotAtTheAlignmentIsCopied) {
  const std::string head = "%x : int8[1,3,4,4] = input\n%a : int8[1,3,4,4] = relu(%x) \"a\"\n" +
                           std::string("%b : int8[1,3,4,4] = abs(%x) \"b\"\n");
  EXPECT_EQ(Found(head + "%c : int8[1,6,4,4] = concat(%a, %b) {axis=1} \"c\"\noutput \"c\" = %c\n"),
            "");
}

TEST(InPlace, LoosePartsLieAtAnyElement) {
  const std::string head = "%x : int8[1,3,4,4] = input\n%a : int8[1,3,4,4] = relu(%x) \"a\"\n" +
                           std::string("%b : int8[1,3,4,4] = abs(%x) \"b\"\n");
  const std::string one =
      head + "%c : int8[1,6,4,4] = concat(%a, %b) {axis=1} \"c\"\noutput \"c\" = %c\n";
  // Both, since they share a line of a cache.
  for (const char* loose : {"a", "b"}) EXPECT_EQ(Found(one, {loose}), "");
  EXPECT_EQ(Found(one, {"a", "b"}), "c: a+0 b+48\n");
  // What lies in a loose value has to be loose, and a concatenation to be in place.
  const std::string two = head + R"(%c : int8[1,6,4,4] = concat(%a, %b) {axis=1} "c"
%d : int8[1,3,4,4] = sign(%x) "d"
%e : int8[1,9,4,4] = concat(%d, %c) {axis=1} "e"
output "e" = %e
)";
  EXPECT_EQ(Found(two, {"a", "b", "c", "d"}), "c: a+0 b+48\ne: c+48 d+0\n");
  EXPECT_EQ(Found(two, {"a", "b", "c"}), "c: a+0 b+48\n");
  EXPECT_EQ(Found(two, {"b", "c", "d"}), "");
}

TEST(InPlace, AWholeMayBeAPartAndEachLiesInOne) {
  const std::string body = kParts + std::string(R"(%c : int8[1,8,4,4] = concat(%a, %b) {axis=1} "c"
%d : int8[1,4,4,4] = sign(%x) "d"
%e : int8[1,12,4,4] = concat(%d, %c) {axis=1} "e"
%f : int8[1,8,4,4] = concat(%b, %d) {axis=1} "f"
output "e" = %e
output "f" = %f
)");
  EXPECT_EQ(Found(body), "c: a+0 b+64\ne: c+64 d+0\n");
  const Graph graph = Parse(body);
  const InPlace found = FindInPlace(graph, Steps(graph), kAlignment);
  const PlaceIn b = found.Outermost(graph.Producer(graph.outputs()[1].value)->inputs[0]);
  EXPECT_EQ(graph.value(b.whole).name, "e");
  EXPECT_EQ(b.offset_bytes, 128);
}

TEST(InPlace, PartsAreStoredAsTheWholeIs) {
  const auto found = [](const std::string& a, const std::string& b, const std::string& c,
                        const std::string& channels, const std::string& all) {
    return Found("%x : int8[1," + channels + ",4,4] = input\n%a : int8[1," + channels + ",4,4]" +
                 a + " = relu(%x) \"a\"\n%b : int8[1," + channels + ",4,4]" + b +
                 " = abs(%x) \"b\"\n%c : int8[1," + all + ",4,4]" + c +
                 " = concat(%a, %b) {axis=1} \"c\"\noutput \"c\" = %c\n");
  };
  const std::string blocks = " in blocks of 4", border = " in blocks of 4, border 1 1 1 1 of 0.0";
  EXPECT_EQ(found(blocks, blocks, blocks, "4", "8"), "c: a+0 b+64\n");
  EXPECT_EQ(found(blocks, "", blocks, "4", "8"), "");
  EXPECT_EQ(found(border, border, blocks, "4", "8"), "");
  EXPECT_EQ(found(border, border, border, "16", "32"), "c: a+0 b+576\n");
  EXPECT_EQ(found(blocks, blocks, blocks, "6", "12"), "");  // a's second block is not full
}

/// Concatenations, most of which can be in place, of values that other nodes read, too.
Graph RandomGraph(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](size_t most) { return static_cast<int64_t>(random() % most); };
  Graph graph("random");
  std::vector<ValueId> values = {graph.AddInput("x", {DType::kInt8, {1, 4, 4, 4}})};
  const auto any = [&] { return values[below(values.size())]; };
  for (int i = 0; i < 25; ++i) {
    const ValueId a = any(), b = values.back();
    if (random() % 6 == 0) {
      const Shape shape = graph.shape(a);
      const ValueId wide =
          graph.Emit(Op::kReshape, "r", {a}, {{"shape", Shape{1, shape[1], 2, 8}}});
      values.push_back(graph.Emit(Op::kReshape, "r", {wide}, {{"shape", shape}}));
    } else if (random() % 2 && graph.shape(a)[1] + graph.shape(b)[1] <= 64) {
      std::vector<ValueId> parts = {a, b};
      if (random() % 4 == 0) parts.push_back(any());
      values.push_back(graph.Emit(Op::kConcat, "c", parts, {{"axis", int64_t{1}}}));
    } else if (random() % 2 && graph.shape(a) == graph.shape(b)) {
      values.push_back(graph.Emit(Op::kAdd, "s", {a, b}, {}));
    } else {
      const int64_t all = graph.shape(a)[1],
                    channels = std::min(random() % 6 ? 4 : 1 + below(all), all),
                    first = below(all - channels + 1) / (random() % 3 ? 4 : 1) * 4 %
                            (all - channels + 1);
      values.push_back(graph.Emit(Op::kSlice, "p", {a},
                                  {{"starts", Shape{0, first, 0, 0}},
                                   {"steps", Shape(4, 1)},
                                   {"shape", Shape{1, channels, 4, 4}}}));
    }
  }
  for (int i = 0; i < 3; ++i) graph.AddOutput(StrCat("y", i), any());
  return graph;
}

/// What lies where the plan says when all steps, but those of wholes, have run.
std::vector<Tensor> RunInArena(const Graph& graph, std::span<const Step> steps,
                               const MemoryPlan& plan, const InPlace& in_place,
                               const std::vector<Tensor>& inputs) {
  std::vector<uint8_t> arena(plan.arena_bytes, 0xa5);
  const auto at = [&](ValueId value) { return &arena[plan.Find(value)->offset_bytes]; };
  const auto read = [&](ValueId value) {
    const TensorType& type = graph.type(value);
    return Tensor(type, {at(value), at(value) + type.bytes()});
  };
  const auto write = [&](ValueId value, const Tensor& tensor) {
    std::memcpy(at(value), tensor.bytes().data(), tensor.bytes().size());
  };
  for (size_t i = 0; i < inputs.size(); ++i) write(graph.inputs()[i], inputs[i]);
  for (const Step& step : steps) {
    if (in_place.Covers(graph, step)) continue;
    const Node& node = graph.nodes()[step.nodes[0]];
    std::vector<Tensor> operands;
    for (const ValueId input : node.inputs) operands.push_back(read(input));
    std::vector<const Tensor*> pointers;
    for (const Tensor& operand : operands) pointers.push_back(&operand);
    write(node.output, EvaluateNode(graph, node, pointers));
  }
  std::vector<Tensor> outputs;
  for (const GraphOutput& output : graph.outputs()) outputs.push_back(read(output.value));
  return outputs;
}

TEST(InPlace, MemoryHoldsWhatTheGraphComputes) {
  int64_t wholes = 0, nested = 0, views = 0;
  for (int seed = 0; seed < Trials(300); ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    const Graph graph = RemoveDead(RandomGraph(seed));
    const std::vector<Step> steps = Steps(graph);
    const InPlace in_place = FindInPlace(graph, steps, kAlignment);
    const MemoryPlan plan = PlanMemory(graph, steps, kAlignment, in_place);
    const std::vector<Tensor> inputs = RandomInputs(graph, seed);
    ASSERT_EQ(RunInArena(graph, steps, plan, in_place, inputs), Evaluate(graph, inputs));
    wholes += static_cast<int64_t>(in_place.wholes.size());
    for (const ValueId whole : in_place.wholes) nested += in_place.parts.contains(whole);
    views += static_cast<int64_t>(in_place.views.size());
  }
  EXPECT_GE(views, Trials(300) / 4);
  EXPECT_GE(wholes, Trials(300) / 4);
  EXPECT_GE(nested, Trials(300) / 40);
}

TEST(InPlace, TheCheckerOfMemoryPlansNamesWhatIsAstray) {
  const Graph graph = Parse(Concat("%a, %b"));
  const auto steps = Steps(graph);
  const InPlace in_place = FindInPlace(graph, steps, kAlignment);
  const MemoryPlan good = PlanMemory(graph, steps, kAlignment, in_place);
  EXPECT_EQ(ErrorOf([&] { CheckMemoryPlan(graph, steps, kAlignment, good); }),
            "g: memory plan: c = bytes 0 to 128: overlaps b, alive at step 2 too");
  MemoryPlan moved = good;
  for (PlannedTensor& tensor : moved.tensors)
    if (graph.value(tensor.value).name == "b") tensor.offset_bytes = 0;
  EXPECT_EQ(ErrorOf([&] { CheckMemoryPlan(graph, steps, kAlignment, moved, in_place); }),
            "g: memory plan: b = offset 0: must be 64 to lie in c");
  const Graph sliced = Parse(
      std::string(kParts) +
      R"(%s : int8[1,2,4,4] = slice(%a) {shape=[1,2,4,4], starts=[0,0,0,0], steps=[1,1,1,1]} "s"
%t : int8[1,2,4,4] = abs(%s) "t"
output "t" = %t
output "b" = %b
)");
  const auto few = Steps(sliced);
  const InPlace views = FindInPlace(sliced, few, kAlignment);
  moved = PlanMemory(sliced, few, kAlignment, views);
  for (PlannedTensor& tensor : moved.tensors)
    if (sliced.value(tensor.value).name == "s") tensor.offset_bytes += kAlignment;
  EXPECT_EQ(ErrorOf([&] { CheckMemoryPlan(sliced, few, kAlignment, moved, views); }),
            "g: memory plan: s = offset 128: must be 64 to be what is taken of a");
}

}  // namespace
}  // namespace vta::compiler
