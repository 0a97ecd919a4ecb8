// Every op of the graph, lowered and interpreted, against the graph evaluator.
#include "compiler/operators/operators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "compiler/graph/evaluate.h"
#include "compiler/loop/parser.h"
#include "compiler/loop/verify.h"
#include "tests/support/interpreter/interpret.h"
#include "tests/unit/compiler/operators/cases.h"

namespace vta::compiler::operators {
namespace {

constexpr auto kReal = DType::kFloat32;

Tensor Interpret(const Graph& graph, const std::vector<Tensor>& inputs) {
  const Node& node = graph.nodes().front();
  const loop::Function function = Lower(graph, node, "kernel");
  EXPECT_EQ(Print(loop::Parse(Print(function))), Print(function));
  loop::Verify(function);  // as the runtime does
  std::vector<Tensor> values = inputs;
  values.emplace_back(graph.type(node.output));
  std::vector<std::span<std::byte>> args;
  for (Tensor& value : values) args.push_back(std::as_writable_bytes(value.mutable_bytes()));
  loop::Interpreter(function).Run(args);
  return values.back();
}

void ExpectSame(const Tensor& got, const Tensor& want, const std::string& what) {
  if (want.type().dtype != kReal) {
    EXPECT_TRUE(std::ranges::equal(got.bytes(), want.bytes())) << what;
    return;
  }
  // The evaluator sums in double.
  for (int64_t i = 0; i < want.elements(); ++i)
    ASSERT_NEAR(got.data<float>()[i], want.data<float>()[i],
                1e-5 * std::max(1.0f, std::abs(want.data<float>()[i])))
        << what << " element " << i;
}

TEST(HostTest, EveryOpEqualsTheEvaluator) {
  std::set<Op> covered;
  std::mt19937 random(11);
  for (const Case& c : Cases())
    for (isa::Rounding rounding : {isa::Rounding::kSingle, isa::Rounding::kDouble}) {
      covered.insert(c.op);
      const auto& [graph, inputs] = MakeExample(c, rounding, random);
      ExpectSame(Interpret(graph, inputs), Evaluate(graph, inputs).front(),
                 std::string(Spec(c.op).name));
    }
  covered.insert(Op::kCopy);  // which is no kernel
  for (const OpSpec& spec : AllOps()) EXPECT_TRUE(covered.contains(spec.op)) << spec.name;
}

/// The evaluator has the functions of the C++ library; kernels have their own.
TEST(HostTest, SinesKeepTheirDigitsUpTo2To13) {
  constexpr float kMost = 8192;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> any(-kMost, kMost);
  std::vector<float> x = {0, -0.0f, 1e-30f, 1e-4f, -0.75f};
  for (int i = 0; i < 20000; ++i) x.push_back(any(random));
  // Around zeros and extremes, and where one polynomial gives way to the other.
  for (double place = 0; place < kMost; place += std::acos(-1.0) / 4) {
    const auto at = static_cast<float>(place);
    x.insert(x.end(), {at, std::nextafter(at, 0.0f), -std::nextafter(at, kMost)});
  }
  for (const Op op : {Op::kSin, Op::kCos}) {
    Graph graph;
    const ValueId input = graph.AddInput("x", {kReal, {std::ssize(x)}});
    graph.AddOutput("y", graph.Emit(op, "s", {input}, {}));
    const Tensor y = Interpret(graph, {Tensor::Of<float>({std::ssize(x)}, x)});
    for (size_t i = 0; i < x.size(); ++i) {
      const double want = op == Op::kSin ? std::sin(double{x[i]}) : std::cos(double{x[i]});
      const auto size = static_cast<float>(std::abs(want));
      const double unit = std::nextafter(size, 2.0f) - size;
      ASSERT_NEAR(y.data<float>()[i], want, 3 * unit) << Spec(op).name << " of " << x[i];
    }
  }
}

TEST(HostTest, QuantizeSaturatesAndMapsNanToTheZeroPoint) {
  Graph graph;
  const ValueId x = graph.AddInput("x", {kReal, {4}});
  const ValueId scale = graph.AddConstant("s", Tensor::Of<float>({}, {0.5f}));
  const ValueId zero = graph.AddConstant("z", Tensor::Of<int8_t>({}, {3}));
  graph.AddOutput("y", graph.Emit(Op::kQuantize, "q", {x, scale, zero}, {{"axis", int64_t{0}}}));
  std::vector<Tensor> inputs = {Tensor::Of<float>({4}, {1e9f, -INFINITY, NAN, 0.75f}),
                                Tensor::Of<float>({}, {0.5f}), Tensor::Of<int8_t>({}, {3})};
  const Tensor y = Interpret(graph, inputs);
  const std::vector<int8_t> want = {127, -128, 3, 5};  // 1.5 rounds to the even 2
  EXPECT_TRUE(std::ranges::equal(y.data<int8_t>(), want));
}

TEST(HostTest, RefusesATypeWithoutArithmetic) {
  Graph graph;
  const ValueId x = graph.AddInput("x", {DType::kFloat64, {4}});
  graph.AddOutput("y", graph.Emit(Op::kRelu, "r", {x}, {}));
  try {
    Lower(graph, graph.nodes().front(), "kernel");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "relu \"r\": element type = float64: no target has arithmetic for it");
  }
}

}  // namespace
}  // namespace vta::compiler::operators
