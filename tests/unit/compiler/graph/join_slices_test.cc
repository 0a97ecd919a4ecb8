// Slices and concatenations that undo each other.
#include <gmock/gmock.h>

#include <random>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

/// The operators that are left, in order.
std::vector<std::string> LeftOf(const std::string& body) {
  const Graph graph = Parse(body);
  const Graph joined = JoinSlices(graph, {});
  EXPECT_EQ(Evaluate(joined, RandomInputs(graph, 1)), Evaluate(graph, RandomInputs(graph, 1)));
  std::vector<std::string> ops;
  for (const Node& node : joined.nodes()) ops.emplace_back(Spec(node.op).name);
  return ops;
}

using testing::ElementsAre;
using testing::IsEmpty;

std::string SliceLine(const std::string& to, const std::string& from, const std::string& shape,
                      const std::string& starts) {
  return "%" + to + " : float32" + shape + " = slice(%" + from + ") {shape=" + shape +
         ", starts=" + starts + ", steps=[1,1,1]} \"" + to + "\"\n";
}

constexpr char kTwoInputs[] = "%x : float32[1,6,4] = input\n%z : float32[1,2,4] = input\n";

TEST(JoinSlices, NeighboursThatAreJoinedAgainAreWhatTheyAreOf) {
  const std::string both = kTwoInputs + SliceLine("a", "x", "[1,2,4]", "[0,0,0]") +
                           SliceLine("b", "x", "[1,4,4]", "[0,2,0]");
  EXPECT_THAT(LeftOf(both + "%c : float32[1,6,4] = concat(%a, %b) {axis=1} \"c\"\n"
                            "%y : float32[1,6,4] = relu(%c) \"y\"\noutput \"y\" = %y\n"),
              ElementsAre("relu"));
  EXPECT_THAT(LeftOf(both + "%c : float32[1,8,4] = concat(%a, %b, %z) {axis=1} \"c\"\n"
                            "output \"y\" = %c\n"),
              ElementsAre("concat"));
  // In another order they are not.
  EXPECT_THAT(LeftOf(both + "%c : float32[1,6,4] = concat(%b, %a) {axis=1} \"c\"\n"
                            "output \"y\" = %c\n"),
              ElementsAre("slice", "slice", "concat"));
}

TEST(JoinSlices, ASliceTakesOfTheParts) {
  const std::string whole =
      kTwoInputs + std::string("%c : float32[1,8,4] = concat(%x, %z) {axis=1} \"c\"\n");
  const std::string end = "output \"a\" = %a\n";
  EXPECT_THAT(LeftOf(whole + SliceLine("a", "c", "[1,2,4]", "[0,6,0]") + end), IsEmpty());
  EXPECT_THAT(LeftOf(whole + SliceLine("a", "c", "[1,3,4]", "[0,1,0]") + end),
              ElementsAre("slice"));
  EXPECT_THAT(LeftOf(whole + SliceLine("a", "c", "[1,4,4]", "[0,4,0]") + end),
              ElementsAre("concat", "slice"));
  // Along another axis only where nobody else wants the whole.
  EXPECT_THAT(LeftOf(whole + SliceLine("a", "c", "[1,8,2]", "[0,0,1]") + end),
              ElementsAre("slice", "slice", "concat"));
  EXPECT_THAT(
      LeftOf(whole + SliceLine("a", "c", "[1,8,2]", "[0,0,1]") + end + "output \"c\" = %c\n"),
      ElementsAre("concat", "slice"));
}

TEST(JoinSlices, GoesThroughReshapesThatLeaveTheAxis) {
  // As a detector does: boxes and scores of each level, one behind the other, and then apart.
  const std::string body =
      "%b : float32[1,4,2,2] = input\n%s : float32[1,3,2,2] = input\n"
      "%e : float32[1,4,1,2] = input\n%t : float32[1,3,1,2] = input\n"
      "%p : float32[1,7,2,2] = concat(%b, %s) {axis=1} \"p\"\n"
      "%q : float32[1,7,1,2] = concat(%e, %t) {axis=1} \"q\"\n"
      "%f : float32[1,7,4] = reshape(%p) {shape=[1,7,4]} \"f\"\n"
      "%g : float32[1,7,2] = reshape(%q) {shape=[1,7,2]} \"g\"\n"
      "%c : float32[1,7,6] = concat(%f, %g) {axis=2} \"c\"\n" +
      SliceLine("boxes", "c", "[1,4,6]", "[0,0,0]") +
      SliceLine("scores", "c", "[1,3,6]", "[0,4,0]") +
      "output \"b\" = %boxes\noutput \"s\" = %scores\n";
  EXPECT_THAT(LeftOf(body),
              ElementsAre("reshape", "reshape", "concat", "reshape", "reshape", "concat"));
}

TEST(JoinSlices, RandomGraphsComputeTheSame) {
  int64_t joined_something = 0;
  for (int seed = 0; seed < Trials(200); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](int64_t most) { return static_cast<int64_t>(random() % most); };
    Graph graph("random");
    std::vector<ValueId> values = {graph.AddInput("x", {DType::kFloat32, {2, 3, 4}}),
                                   graph.AddInput("z", {DType::kFloat32, {2, 3, 4}})};
    for (int i = 0; i < 20; ++i) {
      const ValueId a = random() % 3 ? values.back() : values[below(std::ssize(values))],
                    b = values[below(std::ssize(values))];
      const Shape shape = graph.shape(a);
      const int64_t axis = below(3);
      Shape fits = graph.shape(b);
      fits[axis] = shape[axis];
      if (random() % 4 && fits == shape && Elements(shape) < 1000) {
        values.push_back(graph.Emit(Op::kConcat, "c", {a, b}, {{"axis", axis}}));
        continue;
      }
      Shape starts(3, 0), to = shape;
      for (const int64_t cut : {axis, random() % 4 ? axis : below(3)}) {
        to[cut] = 1 + below(shape[cut]);
        starts[cut] = below(shape[cut] - to[cut] + 1);
      }
      values.push_back(graph.Emit(Op::kSlice, "s", {a},
                                  {{"starts", starts}, {"steps", Shape(3, 1)}, {"shape", to}}));
    }
    graph.AddOutput("y0", values.back());
    graph.AddOutput("y1", values[below(std::ssize(values))]);
    graph = RemoveDead(graph);
    const Graph joined = JoinSlices(graph, {});
    const auto inputs = RandomInputs(graph, seed);
    ASSERT_EQ(Evaluate(joined, inputs), Evaluate(graph, inputs));
    joined_something += joined.nodes().size() != graph.nodes().size();
  }
  EXPECT_GT(joined_something, Trials(200) / 8);
}

}  // namespace
}  // namespace vta::compiler
