// Where codes go: text of small graphs, and that the compiler makes integers of all of them.
#include "compiler/quantize/insert.h"

#include <gmock/gmock.h>

#include <set>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "tests/support/error_of.h"
#include "tests/unit/compiler/quantize/quantise_testing.h"

namespace vta::compiler::quantize {
namespace {

constexpr char kConv[] = "dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]";

TEST(Insert, AConvolutionWithReluHasOneRangeBehindTheRelu) {
  const Graph graph = Parse(StrCat(R"(%x : float32[1,1,2,2] = input
%w : float32[1,1,1,1] = const [1.27]
%b : float32[1] = const [0.5]
%c : float32[1,1,2,2] = conv2d(%x, %w, %b) {)",
                                   kConv, R"(} "conv"
%r : float32[1,1,2,2] = relu(%c) "relu"
output "y" = %r
)"));
  const Plan plan = MakePlan(graph);
  ASSERT_EQ(plan.points.size(), 2u);
  EXPECT_EQ(plan.points[0].layer, "x");
  EXPECT_EQ(plan.points[1].layer, "conv");
  const Inserted inserted = Insert(graph, plan, {.points = {{0.5, 3}, {0.25, -128}}});
  EXPECT_EQ(Body(inserted.graph), StrCat(R"(%x : float32[1,1,2,2] = input
%x_scale : float32[] = const [0.5]
%x_zero_point : int8[] = const [3]
%x_quantized : int8[1,1,2,2] = quantize(%x, %x_scale, %x_zero_point) {axis=0} "x_quantize"
%x_dequantized : float32[1,1,2,2] = dequantize(%x_quantized, %x_scale, %x_zero_point) {axis=0} "x_dequantize"
%w_quantized : int8[1,1,1,1] = const [127]
%w_scale : float32[1] = const [0.009999999776482582]
%w_zero_point : int8[1] = const [0]
%w_dequantized : float32[1,1,1,1] = dequantize(%w_quantized, %w_scale, %w_zero_point) {axis=0} "w_dequantize"
%b_quantized : int32[1] = const [100]
%b_scale : float32[1] = const [0.004999999888241291]
%b_zero_point : int32[1] = const [0]
%b_dequantized : float32[1] = dequantize(%b_quantized, %b_scale, %b_zero_point) {axis=0} "b_dequantize"
%c : float32[1,1,2,2] = conv2d(%x_dequantized, %w_dequantized, %b_dequantized) {)",
                                         kConv,
                                         R"(} "conv"
%r : float32[1,1,2,2] = relu(%c) "relu"
%r_scale : float32[] = const [0.25]
%r_zero_point : int8[] = const [-128]
%r_quantized : int8[1,1,2,2] = quantize(%r, %r_scale, %r_zero_point) {axis=0} "conv_quantize"
%r_dequantized : float32[1,1,2,2] = dequantize(%r_quantized, %r_scale, %r_zero_point) {axis=0} "conv_dequantize"
output "y" = %r_dequantized
)"));
}

/// A layer of every kind: a residual block, a depthwise convolution, pools, a concatenation whose
/// one part is read elsewhere, moves, a product of activations, matrices, softmax in float.
Graph EveryKind() {
  const std::string conv = StrCat("{", kConv, "}");
  ConstantTable constants;
  const auto constant = [&](const Shape& shape, uint32_t seed) {
    const Tensor tensor = RandomTensor(shape, 0.4f, seed);
    constants[ContentHash(tensor)] = std::make_shared<Tensor>(tensor);
    return StrCat("float32", ToText(shape), " = const #", Hex(ContentHash(tensor), 16).substr(2),
                  "\n");
  };
  std::string text = "graph \"g\" rounding=single\n%x : float32[1,6,5,3] = input\n";
  text += "%w1 : " + constant({4, 3, 1, 1}, 1) + "%w2 : " + constant({4, 4, 1, 1}, 2) +
          "%w3 : " + constant({4, 1, 3, 3}, 3) + "%w4 : " + constant({8, 5}, 4) +
          "%b4 : " + constant({5, 2}, 5);
  text += R"(%t : float32[1,3,6,5] = transpose(%x) {perm=[0,3,1,2]} "t"
%a : float32[1,4,6,5] = conv2d(%t, %w1) )" +
          conv + R"( "a"
%ar : float32[1,4,6,5] = relu(%a) "ar"
%b : float32[1,4,6,5] = conv2d(%ar, %w2) )" +
          conv + R"( "b"
%s : float32[1,4,6,5] = add(%b, %ar) "s"
%sr : float32[1,4,6,5] = clip(%s) {high=6.0, low=0.0} "sr"
%d : float32[1,4,6,5] = conv2d(%sr, %w3) {dilations=[1,1], groups=4, pads=[1,1,1,1], strides=[1,1]} "d"
%m : float32[1,4,6,5] = mul(%d, %sr) "m"
%k : float32[1,8,6,5] = concat(%m, %sr) {axis=1} "k"
%p : float32[1,8,3,2] = max_pool(%k) {dilations=[1,1], kernel=[2,2], pads=[0,0,0,0], strides=[2,2]} "p"
%v : float32[1,8,1,1] = avg_pool(%p) {count_include_pad=0, kernel=[3,2], pads=[0,0,0,0], strides=[1,1]} "v"
%f : float32[1,8] = reshape(%v) {shape=[1,8]} "f"
%g : float32[1,5] = gemm(%f, %w4) {alpha=1.0, beta=1.0, trans_a=0, trans_b=0} "g"
%h : float32[1,2] = matmul(%g, %b4) "h"
%y : float32[1,2] = softmax(%h) {axis=1} "y"
output "y" = %y
)";
  return ParseGraph(text, constants, "test");
}

TEST(Quantise, EveryKindOfLayerBecomesIntegersAndComputesNearlyTheSame) {
  const Graph graph = EveryKind();
  const auto samples = NormalSamples(graph, 8, 0.3f);
  for (const bool unsigned_codes : {false, true}) {
    const Result result =
        Quantise(graph, On(samples), {.method = Method::kMinMax, .unsigned_codes = unsigned_codes});
    EXPECT_TRUE(result.left_float.empty()) << result.left_float[0];
    const Graph integers = RunPasses(result.quantised.graph, NormalizePipeline(), {});
    std::set<Op> real;
    for (const Node& node : integers.nodes())
      if (integers.type(node.output).dtype == DType::kFloat32) real.insert(node.op);
    EXPECT_EQ(real, (std::set<Op>{Op::kDequantize, Op::kSoftmax})) << Print(integers);
    for (const auto& sample : samples) {
      const Tensor want = Evaluate(graph, sample)[0], have = Evaluate(integers, sample)[0],
                   real_form = Evaluate(result.quantised.graph, sample)[0];
      for (int64_t i = 0; i < want.elements(); ++i) {
        EXPECT_NEAR(have.At(i), want.At(i), 0.03);
        EXPECT_NEAR(have.At(i), real_form.At(i), 0.02);
      }
    }
  }
}

/// What interleaves a transposed convolution's phases has the name of its layer.
TEST(Quantise, ALayerWhoseResultIsMovedUnderItsNameIsOneOfIntegers) {
  Graph graph("phases");
  const ValueId x = graph.AddInput("x", {DType::kFloat32, {1, 3, 4, 4}});
  const ValueId phases = graph.Emit(
      Op::kConv2d, "up", {x, graph.AddConstant("w", RandomTensor({4, 3, 1, 1}, 0.3f, 7))},
      {{"strides", Shape{1, 1}},
       {"pads", Shape{0, 0, 0, 0}},
       {"dilations", Shape{1, 1}},
       {"groups", int64_t{1}}});
  const ValueId up =
      graph.Emit(Op::kDepthToSpace, "up", {phases},
                 {{"blocks", Shape{2, 2}}, {"crops", Shape{0, 0, 0, 0}}, {"groups", int64_t{1}}});
  graph.AddOutput("y", graph.Emit(Op::kSigmoid, "y", {up}, {}));
  const auto samples = NormalSamples(graph, 4, 0.3f);
  const Result result = Quantise(graph, On(samples), {.method = Method::kMinMax});
  EXPECT_EQ(result.left_float, std::vector<std::string>());
  const Graph integers = RunPasses(result.quantised.graph, NormalizePipeline(), {});
  EXPECT_TRUE(std::ranges::any_of(integers.nodes(), [](const Node& node) {
    return node.op == Op::kConv2dI8;
  })) << Print(integers);
}

/// The largest difference between a graph's output and that of its quantised form.
double MostLost(const Graph& graph) {
  const auto samples = NormalSamples(graph, 8, 0.3f);
  const Graph quantised = Quantise(graph, On(samples), {}).quantised.graph;
  double most = 0;
  for (const auto& sample : samples) {
    const Tensor want = Evaluate(graph, sample)[0], have = Evaluate(quantised, sample)[0];
    for (int64_t i = 0; i < want.elements(); ++i)
      most = std::max(most, std::abs(want.At(i) - have.At(i)));
  }
  return most;
}

TEST(Quantise, NamesThatItMakesMayBeTaken) {
  for (const char* name : {"x_dequantized", "x_quantized", "x_scale", "x_zero_point", "other"}) {
    SCOPED_TRACE(name);
    Graph g("g");
    const ValueId x = g.AddInput("x", {DType::kFloat32, {1, 2, 5, 5}});
    const ValueId w = g.AddConstant("w", RandomTensor({2, 2, 1, 1}, 0.5f, 1));
    const ValueId b = g.AddConstant("b", Tensor::Of<float>({2}, {5, 5}));
    const Attributes conv{{"strides", Shape{1, 1}},
                          {"pads", Shape{0, 0, 0, 0}},
                          {"dilations", Shape{1, 1}},
                          {"groups", int64_t{1}}};
    const ValueId y = g.Emit(Op::kConv2d, "first", {x, w, b}, conv, name);
    g.AddOutput("y", g.Emit(Op::kConv2d, "second", {g.Emit(Op::kRelu, "r", {y}, {}), w, b}, conv));
    EXPECT_LT(MostLost(g), 0.15);
  }
}

TEST(Quantise, ProductsOfStacksOfMatricesMayBeAllThatThereIs) {
  Graph g("g");
  const ValueId x = g.AddInput("x", {DType::kFloat32, {1, 4, 16}});
  const ValueId w = g.AddConstant("w", RandomTensor({16, 8}, 0.25f, 1));
  g.AddOutput("y", g.Emit(Op::kMatMul, "product", {x, w}, {}));
  EXPECT_LT(MostLost(g), 0.1);
}

TEST(Quantise, ABiasForEachRowIsNotOneForEachChannel) {
  Graph g("g");
  const ValueId x = g.AddInput("x", {DType::kFloat32, {3, 4}});
  const ValueId w = g.AddConstant("w", RandomTensor({4, 3}, 0.5f, 1));
  const ValueId rows = g.AddConstant("rows", Tensor::Of<float>({3, 1}, {-9, 0, 9}));
  const Attributes gemm{
      {"alpha", 1.0}, {"beta", 1.0}, {"trans_a", int64_t{0}}, {"trans_b", int64_t{0}}};
  const ValueId y = g.Emit(Op::kGemm, "first", {x, w, rows}, gemm);
  const ValueId square = g.AddConstant("square", RandomTensor({3, 3}, 0.5f, 2));
  g.AddOutput("y", g.Emit(Op::kMatMul, "second", {y, square}, {}));
  EXPECT_LT(MostLost(g), 0.3);
}

TEST(MakePlan, WhatIsConcatenatedAndReadNowhereElseSharesItsScale) {
  const Graph graph = EveryKind();
  const Plan plan = MakePlan(graph);
  std::map<std::string, int64_t> groups;
  for (const Point& point : plan.points) groups[point.layer] = point.group;
  EXPECT_EQ(groups["m"], groups["k"]);
  EXPECT_NE(groups["s"], groups["k"]);
}

TEST(MakePlan, KeptNodesStayInFloatAndOthersReadThemThroughCodes) {
  const Graph graph = EveryKind();
  const auto samples = NormalSamples(graph, 4, 0.3f);
  const Result result = Quantise(graph, On(samples), {.keep_float = {"b", "g"}});
  const Graph integers = RunPasses(result.quantised.graph, NormalizePipeline(), {});
  std::multiset<std::string> real;
  for (const Node& node : integers.nodes())
    if (node.op == Op::kConv2d || node.op == Op::kGemm || node.op == Op::kAdd)
      real.insert(node.name);
  EXPECT_EQ(real, (std::multiset<std::string>{"b", "g"}));
}

TEST(NodesNamed, AreTheMostWordsThatAreOneName) {
  const Graph graph = Parse(R"(%x : float32[1] = input
%a : float32[1] = relu(%x) "a"
%b : float32[1] = relu(%a) "a,b"
%c : float32[1] = relu(%b) "c,"
%d : float32[1] = relu(%c) ",d,,"
output "y" = %d
)");
  const auto named = [&](const std::set<std::string>& lists) { return NodesNamed(graph, lists); };
  using Names = std::set<std::string>;
  EXPECT_EQ(named({}), Names());
  EXPECT_EQ(named({"a"}), (Names{"a"}));
  EXPECT_EQ(named({"a,b"}), (Names{"a,b"}));
  EXPECT_EQ(named({"b,a"}), (Names{"b", "a"}));  // by its output
  EXPECT_EQ(named({"a,a,b,a"}), (Names{"a", "a,b"}));
  EXPECT_EQ(named({"c,,,d,,,a"}), (Names{"c,", ",d,,", "a"}));
  EXPECT_EQ(named({"a", "c,"}), (Names{"a", "c,"}));
  const auto refusal = [&](const std::string& list) { return ErrorOf([&] { named({list}); }); };
  const std::string rule = ": is no node of the simplified network";
  EXPECT_EQ(refusal("e"), "g: node to keep in float = e" + rule);
  EXPECT_EQ(refusal("a,e,c"), "g: node to keep in float = e" + rule);
  for (const char* list : {"", ",", ",a", "a,", "a,,b"})
    EXPECT_EQ(refusal(list), "g: node to keep in float" + rule) << list;
}

TEST(MakePlan, AFunctionOfOneTensorHasCodesAtItsEndAlone) {
  // Hard swish: one table of the compiler's.
  const Graph graph = Parse(R"(%x : float32[1,2] = input
%w : float32[2,2] = const [1.0,2.0,-1.0,0.5]
%three : float32[] = const [3.0]
%sixth : float32[] = const [0.166666672]
%a : float32[1,2] = matmul(%x, %w) "a"
%p : float32[1,2] = add(%a, %three) "p"
%c : float32[1,2] = clip(%p) {high=6.0, low=0.0} "c"
%m : float32[1,2] = mul(%a, %c) "m"
%s : float32[1,2] = mul(%m, %sixth) "s"
%y : float32[1,2] = matmul(%s, %w) "y"
output "y" = %y
)");
  std::vector<std::string> layers;
  for (const Point& point : MakePlan(graph).points) layers.push_back(point.layer);
  EXPECT_EQ(layers, (std::vector<std::string>{"x", "a", "s", "y"}));
  const auto samples = NormalSamples(graph, 20, 0);
  const Result result = Quantise(graph, On(samples), {.method = Method::kMinMax});
  const Graph integers = RunPasses(result.quantised.graph, NormalizePipeline(), {});
  std::multiset<std::string_view> ops;
  for (const Node& node : integers.nodes()) ops.insert(Spec(node.op).name);
  EXPECT_EQ(ops, (std::multiset<std::string_view>{"quantize", "dense_i8", "lookup_i8", "dense_i8",
                                                  "dequantize"}));
}

TEST(MakePlan, RefusesWhatItCannotQuantise) {
  const Graph graph = EveryKind();
  EXPECT_EQ(ErrorOf([&] {
              MakePlan(graph, {"a", "nowhere"});
            }),
            "g: node to keep in float = nowhere: is no node of the simplified network");
  EXPECT_EQ(
      ErrorOf([&] {
        MakePlan(graph, {"a", "b", "d", "g", "h"});
      }),
      "g: no layer to quantise: no convolution or plain product (of factors 1, the left matrix "
      "as it is) with constant weights that is not kept in float");
  const auto samples = NormalSamples(graph, 2, 0);
  const Graph quantised = Quantise(graph, On(samples), {}).quantised.graph;
  EXPECT_EQ(ErrorOf([&] { MakePlan(quantised); }),
            "g: node \"x_quantize\" = quantize: the network is quantised already");
}

TEST(Quantise, RefusesDataThatSaysNothing) {
  const Graph graph = EveryKind();
  const auto refusal = [&](const std::vector<std::vector<Tensor>>& samples) {
    return ErrorOf([&] { Quantise(graph, On(samples), {}); });
  };
  EXPECT_EQ(refusal({}), "g: calibration samples = 0: there must be one at least");
  auto samples = NormalSamples(graph, 2, 0);
  for (auto& sample : samples)
    for (float& value : sample[0].mutable_data<float>()) value = 0.5f;
  EXPECT_EQ(refusal(samples),
            "g: calibration data of \"x\" = 0.5: is every value of every sample: no range to "
            "choose from");
  const Graph huge = Parse(R"(%x : float32[1,2] = input
%w : float32[2,1] = const [3e38,3e38]
%y : float32[1,1] = matmul(%x, %w) "layer"
output "y" = %y
)");
  const std::vector<std::vector<Tensor>> two = {{Tensor::Of<float>({1, 2}, {1, 2})}};
  EXPECT_EQ(ErrorOf([&] { Quantise(huge, On(two), {}); }),
            "g: values of \"layer\" = inf: must be finite on the calibration data");
}

TEST(Quantise, TakesLayersThatMakeNothingButZeros) {
  const Graph graph = Parse(R"(%x : float32[1,2] = input
%v : float32[2,2] = const [0.0,0.0,0.0,0.0]
%w : float32[2,1] = const [1.0,2.0]
%b : float32[1] = const [0.5]
%h : float32[1,2] = matmul(%x, %v) "zeros"
%y : float32[1,1] = gemm(%h, %w, %b) {alpha=1.0, beta=1.0, trans_a=0, trans_b=0} "layer"
output "y" = %y
)");
  const auto samples = NormalSamples(graph, 2, 0);
  const Result result = Quantise(graph, On(samples), {});
  EXPECT_NEAR(Evaluate(result.quantised.graph, samples[0])[0].At(0), 0.5, 0.002);
}

TEST(Quantise, RefusesAScaleThatIsNoFloat) {
  const Graph graph = Parse(R"(%x : float32[1,2] = input
%w : float32[2,1] = const [0.0,1e-39]
%y : float32[1,1] = matmul(%x, %w) "layer"
output "y" = %y
)");
  const auto samples = NormalSamples(graph, 2, 0);
  EXPECT_THAT(ErrorOf([&] { Quantise(graph, On(samples), {}); }),
              testing::MatchesRegex("g: values of \"layer\": scale = .*e-4.: must be a normal "
                                    "float32"));
}

}  // namespace
}  // namespace vta::compiler::quantize
