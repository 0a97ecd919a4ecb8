// Products of matrices and of codes on GPUs, and lines: in any tile, against the graph's evaluator.
#include <gmock/gmock.h>

#include <numeric>
#include <random>

#include "compiler/graph/ops.h"
#include "compiler/graph/text.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/targets/gpu/kernel_testing.h"

namespace vta::compiler::targets {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

/// A convolution of codes whose outputs and places are enough for warps' products.
Graph AnyConvOfCodes(const Any& any) {
  const Shape kernel{any(1, 3), any(1, 3)};
  const int64_t channels = any(0, 1) ? 16 * any(1, 4) : any(1, 30);
  const Shape in{any(1, 2), channels, any(kernel[0] + 6, 20), any(kernel[1] + 6, 20)};
  const Shape weights{any(16, 70), in[1], kernel[0], kernel[1]};
  Graph graph;
  const ValueId x = graph.AddInput("x", {DType::kInt8, in});
  Tensor w({DType::kInt8, weights}), b({DType::kInt32, {weights[0]}}),
      m({DType::kInt32, {weights[0]}}), s({DType::kInt32, {weights[0]}});
  for (int8_t& v : w.mutable_data<int8_t>()) v = static_cast<int8_t>(any(-128, 127));
  for (int32_t& v : b.mutable_data<int32_t>()) v = static_cast<int32_t>(any(-9999, 9999));
  for (int32_t& v : m.mutable_data<int32_t>())
    v = static_cast<int32_t>(any(int64_t{1} << 30, INT32_MAX));
  for (int32_t& v : s.mutable_data<int32_t>()) v = static_cast<int32_t>(any(-12, -8));
  std::vector<ValueId> inputs = {x};
  for (Tensor* tensor : {&w, &b, &m, &s})
    inputs.push_back(graph.AddConstant("c", std::move(*tensor)));
  graph.AddOutput("y", graph.Emit(Op::kConv2dI8, "c", inputs,
                                  {{"strides", Shape{any(1, 2), any(1, 2)}},
                                   {"pads", Shape{any(0, 2), any(0, 2), any(0, 2), any(0, 2)}},
                                   {"dilations", Shape{1, 1}},
                                   {"groups", int64_t{1}},
                                   {"pad_value", any(-9, 9)},
                                   {"zero_point", any(-9, 9)},
                                   {"low", int64_t{-128}},
                                   {"high", int64_t{127}}}));
  return graph;
}

TEST(CudaProducts, WarpsMultiplyCodesInAnyTile) {
  std::mt19937 random(31);
  const Any any = NumbersOf(random);
  OnlyTensor chooser(7);
  // What warps have is machines' of sm_80 on; their precision is that of floats.
  ExpectRightInAnyTile(
      chooser, Trials(8), isa::Precision::kTf32, [&](int64_t) { return AnyConvOfCodes(any); }, true,
      [](const CompileResult& compiled) {
        const std::string text = TextOf(compiled.package);
        EXPECT_THAT(text, AnyOf(HasSubstr("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32"),
                                HasSubstr("mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32")));
        EXPECT_THAT(text, Not(HasSubstr(".local"))) << "sums are in no registers";
        const std::vector<lower::Kernel> kernels = {lower::PlanGpuKernel(compiled.kernels.at(1))};
        const std::vector<uint8_t> older =
            llvm::BuildModule(kernels, {"nvptx64-nvidia-cuda-unknown", "", {"sm_70"}, 128});
        EXPECT_THAT(std::string(older.begin(), older.end()),
                    AllOf(HasSubstr("dp4a.s32.u32"), Not(HasSubstr("mma.sync"))));
      });
}

// Words are of channels; a product's rows lie row by row, whatever its result is reshaped to.
TEST(CudaProducts, WriteRowsBeforeConvolutionsOfCodes) {
  std::mt19937 random(5);
  const Any any = NumbersOf(random);
  Graph graph;
  const auto layer = [&](Op op, ValueId x, const Shape& weights, Attributes more) {
    Tensor w({DType::kInt8, weights}), b({DType::kInt32, {weights[0]}}), m = b, s = b;
    for (int8_t& v : w.mutable_data<int8_t>()) v = static_cast<int8_t>(any(-128, 127));
    for (int32_t& v : m.mutable_data<int32_t>())
      v = static_cast<int32_t>(any(int64_t{1} << 30, INT32_MAX));
    for (int32_t& v : s.mutable_data<int32_t>()) v = -9;
    std::vector<ValueId> inputs = {x};
    for (Tensor* tensor : {&w, &b, &m, &s})
      inputs.push_back(graph.AddConstant("c", std::move(*tensor)));
    for (const auto& [name, value] :
         Attributes{{"zero_point", int64_t{3}}, {"low", int64_t{-128}}, {"high", int64_t{127}}})
      more.Set(name, value);
    return graph.Emit(op, "layer", inputs, more);
  };
  const ValueId x = graph.AddInput("x", {DType::kInt8, {16, 32}});
  ValueId y = layer(Op::kDenseI8, x, {64, 32}, {});
  y = graph.Emit(Op::kReshape, "map", {y}, {{"shape", Shape{1, 16, 8, 8}}});
  y = layer(Op::kConv2dI8, y, {18, 16, 3, 3},
            {{"strides", Shape{1, 1}},
             {"pads", Shape{1, 1, 1, 1}},
             {"dilations", Shape{1, 1}},
             {"groups", int64_t{1}},
             {"pad_value", int64_t{3}}});
  graph.AddOutput("y", y);
  for (const isa::Precision precision : {isa::Precision::kFp32, isa::Precision::kFp16})
    EXPECT_EQ(RunOnGpu(CompileForGpu(graph, nullptr, precision), graph, RandomInputs(graph, 2)),
              "");
}

/// What halves hold exactly: each output sums up a few of an input's eighths.
ValueId ConvOfFew(Graph& graph, const Any& any, ValueId x, int64_t outputs) {
  const Shape in = graph.shape(x);
  const int64_t side = in[2] > 9 && in[3] > 9 ? any(1, 3) : 1;
  Tensor w({DType::kFloat32, {outputs, in[1], side, side}});
  const int64_t each = in[1] * side * side;
  for (int64_t o = 0; o < outputs; ++o)
    for (int i = 0; i < 4; ++i)
      w.mutable_data<float>()[o * each + any(0, each - 1)] = any(0, 1) ? 1 : -1;
  return graph.Emit(Op::kConv2d, "c", {x, graph.AddConstant("w", std::move(w))},
                    {{"strides", Shape{1, side > 1 ? any(1, 2) : 1}},
                     {"pads", Shape{any(0, 1), any(0, 1), any(0, 1), any(0, 1)}},
                     {"dilations", Shape{1, 1}},
                     {"groups", int64_t{1}}});
}

/// Convolutions one behind the other, with what networks have between them.
Graph AnyChain(const Any& any, int64_t kind) {
  const auto channels = [&] { return any(0, 2) ? 8 * any(2, 6) : any(16, 50); };
  const Attributes window{{"kernel", Shape{2, 3}},
                          {"strides", Shape{1, 1}},
                          {"pads", Shape{0, 1, 0, 0}},
                          {"dilations", Shape{1, 1}}};
  Graph graph;
  ValueId x = graph.AddInput(
      "x", {DType::kFloat32, {any(1, 2), channels(), any(8, 16), kind == 3 ? 32 : any(8, 20)}});
  x = graph.Emit(Op::kRelu, "r", {x}, {});
  ValueId y = ConvOfFew(graph, any, x, channels());
  const Shape shape = graph.shape(y);
  if (kind == 0) y = graph.Emit(Op::kMaxPool, "p", {y}, window);
  if (kind == 1)
    y = graph.Emit(Op::kConcat, "j", {y, graph.Emit(Op::kRelu, "n", {y}, {})},
                   {{"axis", int64_t{1}}});
  if (kind == 2) {
    Tensor w({DType::kFloat32, {shape[1], 1, 1, 1}});
    for (float& v : w.mutable_data<float>()) v = static_cast<float>(any(-1, 1));
    y = graph.Emit(Op::kConv2d, "d", {y, graph.AddConstant("w", std::move(w))},
                   {{"strides", Shape{1, 2}},
                    {"pads", Shape{0, 0, 0, 0}},
                    {"dilations", Shape{1, 1}},
                    {"groups", shape[1]}});
  }
  if (kind == 3) {  // all equal, of 32
    y = graph.Emit(Op::kSub, "e", {x, x}, {});
    y = graph.Emit(Op::kSoftmax, "s", {y}, {{"axis", int64_t{3}}});
  }
  graph.AddOutput("z", ConvOfFew(graph, any, y, channels()));
  if (any(0, 2) == 0) graph.AddOutput("y", y);
  return graph;
}

// Between products of 16-bit numbers such ones lie, two channels a word.
TEST(CudaProducts, HalvesBetweenConvolutionsAreRightInAnyTile) {
  std::mt19937 random(37);
  const Any any = NumbersOf(random);
  AnyOfTheSpace chooser(7);
  int64_t words = 0;
  const int64_t trials = Trials(10);
  for (int64_t trial = 0; trial < trials; ++trial) {
    const Graph graph = AnyChain(any, trial % 5);
    Tensor input(graph.type(graph.inputs()[0]));
    for (float& v : input.mutable_data<float>()) v = static_cast<float>(any(-8, 8)) / 8;
    for (tune::Chooser* of :
         {static_cast<tune::Chooser*>(nullptr), static_cast<tune::Chooser*>(&chooser)}) {
      const CompileResult compiled = CompileForGpu(graph, of, isa::Precision::kFp16);
      EXPECT_EQ(RunOnGpu(compiled, graph, {input}), "") << trial;
      if (trial % 4 == 0) ExpectBarriersAreEnough(compiled, false);
      const std::string text = TextOf(compiled.package);
      EXPECT_THAT(text, Not(HasSubstr(".local"))) << "sums are in no registers";
      words += text.find("cvt.rn.f16.f32") != std::string::npos;
    }
  }
  EXPECT_GE(words, trials * 3 / 2);
}

// What no product reads may be larger than such a number can be.
TEST(CudaProducts, SquaresBetweenConvolutionsAreNoHalves) {
  std::mt19937 random(41);
  const Any any = NumbersOf(random);
  Graph graph;
  ValueId x = graph.AddInput("x", {DType::kFloat32, {1, 16, 12, 12}});
  x = ConvOfFew(graph, any, graph.Emit(Op::kRelu, "r", {x}, {}), 32);
  const ValueId squares =
      graph.Emit(Op::kMul, "q",
                 {graph.Emit(Op::kRelu, "r", {x}, {}), graph.Emit(Op::kRelu, "s", {x}, {})}, {});
  graph.AddOutput("sum", graph.Emit(Op::kReduceSum, "sum", {squares},
                                    {{"axes", Shape{1}}, {"keepdims", int64_t{1}}}));
  graph.AddOutput("z", ConvOfFew(graph, any, x, 32));
  Tensor input(graph.type(graph.inputs()[0]));
  for (float& v : input.mutable_data<float>()) v = static_cast<float>(any(-300, 300));
  EXPECT_EQ(RunOnGpu(CompileForGpu(graph, nullptr, isa::Precision::kFp16), graph, {input}), "");
}

/// What a product makes in another order, its outputs in parts.
ValueId AnyMoves(Graph& graph, const Any& any, ValueId x) {
  Shape shape = graph.shape(x);
  const int64_t outputs = shape.back();
  int64_t parts = any(1, 4);
  while (outputs % parts != 0) --parts;
  shape.back() = parts;
  shape.push_back(outputs / parts);
  x = graph.Emit(Op::kReshape, "parts", {x}, {{"shape", shape}});
  Shape perm(shape.size());
  std::iota(perm.begin(), perm.end(), 0);
  for (size_t i = perm.size(); i-- > 1;)
    std::swap(perm[i], perm[static_cast<size_t>(any(0, static_cast<int64_t>(i)))]);
  return graph.Emit(Op::kTranspose, "moved", {x}, {{"perm", perm}});
}

/// A dense layer of some rows, whose weights are constants, or matrices by as many others; and
/// where the result goes.
Graph AnyMatrices(const Any& any, int64_t channels) {
  Graph graph;
  const int64_t rows = any(1, 70), outputs = any(channels > 1 ? 16 : 1, 70);
  channels = channels * any(1, 64 / channels) + (any(0, 3) ? 0 : 40 + any(0, 9));
  Shape x_shape{rows, channels}, y_shape{channels, outputs};
  const bool is_dense = channels > 1 && any(0, 2);
  const int64_t alike = is_dense ? 0 : any(1, 2);
  for (int64_t d = 0; d < alike; ++d)
    for (Shape* shape : {&x_shape, &y_shape}) shape->insert(shape->begin(), 1 + (rows + d) % 3);
  const ValueId x = graph.AddInput("x", {DType::kFloat32, x_shape});
  ValueId product;
  if (!is_dense) {
    product =
        graph.Emit(Op::kMatMul, "m", {x, graph.AddInput("y", {DType::kFloat32, y_shape})}, {});
  } else {
    const int64_t by_output = any(0, 1);
    if (by_output) std::swap(y_shape[0], y_shape[1]);
    Tensor w({DType::kFloat32, y_shape}), b({DType::kFloat32, {outputs}});
    for (Tensor* tensor : {&w, &b})
      for (float& v : tensor->mutable_data<float>()) v = static_cast<float>(any(-8, 8)) / 8;
    const ValueId weights = any(0, 3) ? graph.AddConstant("w", std::move(w))
                                      : graph.AddInput("w", {DType::kFloat32, y_shape});
    product = graph.Emit(
        Op::kGemm, "m", {x, weights, graph.AddConstant("b", std::move(b))},
        {{"alpha", 1.0}, {"beta", 0.5}, {"trans_a", int64_t{0}}, {"trans_b", by_output}});
  }
  if (any(0, 1)) product = graph.Emit(Op::kRelu, "r", {product}, {});
  if (any(0, 1)) product = AnyMoves(graph, any, product);
  if (!any(0, 3))  // what is read twice between them
    product =
        graph.Emit(Op::kMul, "t", {product, graph.Emit(Op::kSigmoid, "s", {product}, {})}, {});
  graph.AddOutput("z", product);
  return graph;
}

TEST(CudaProducts, MatricesAreMultipliedInAnyTile) {
  std::mt19937 random(23);
  const Any any = NumbersOf(random);
  int64_t moved = 0;
  for (const isa::Precision precision :
       {isa::Precision::kFp32, isa::Precision::kTf32, isa::Precision::kFp16}) {
    int64_t products = 0;
    AnyOfTheSpace chooser(7);
    const int64_t trials = Trials(12);
    for (int64_t trial = 0; trial < trials; ++trial) {
      const Graph graph = AnyMatrices(any, trial % 2 ? 16 : 1);
      for (tune::Chooser* of :
           {static_cast<tune::Chooser*>(nullptr), static_cast<tune::Chooser*>(&chooser)}) {
        const CompileResult compiled = CompileForGpu(graph, of, precision);
        EXPECT_EQ(RunOnGpu(compiled, graph, RandomInputs(graph, static_cast<uint32_t>(trial))), "")
            << Print(compiled.kernels[0]);
        if (trial % 4 == 0) ExpectBarriersAreEnough(compiled, !of);
        const std::string text = TextOf(compiled.package);
        EXPECT_THAT(text, Not(HasSubstr(".local"))) << "sums are in no registers";
        products += text.find("mma.sync") != std::string::npos;
        moved += compiled.package.steps.size() == 1 && graph.nodes().back().op == Op::kTranspose;
      }
    }
    EXPECT_EQ(chooser.chosen(), trials);
    if (precision == isa::Precision::kFp32)
      EXPECT_EQ(products, 0);
    else
      EXPECT_GE(products, trials / 4);
  }
  EXPECT_GE(moved, Trials(12) / 4);
}

/// Lines are a block's each, whatever follows their elements.
TEST(CudaProducts, LinesAreOfBlocksOfThreads) {
  std::mt19937 random(29);
  const Any any = NumbersOf(random);
  const int64_t trials = Trials(8);
  for (int64_t trial = 0; trial < trials; ++trial) {
    Graph graph;
    Shape shape = {any(1, 4), any(32, trial % 4 == 3 ? 1500 : 200)};
    for (int64_t more = any(0, 2); more > 0; --more) shape.insert(shape.begin(), any(1, 3));
    const int64_t axis = std::ssize(shape) - 1;
    ValueId y = graph.AddInput("x", {DType::kFloat32, shape});
    if (any(0, 1))
      y = graph.Emit(Op::kSoftmax, "s", {y}, {{"axis", axis}});
    else
      y = graph.Emit(Op::kNormalize, "n", {y},
                     {{"axis", axis}, {"centred", any(0, 1)}, {"epsilon", 1e-5}});
    if (any(0, 1))
      y = graph.Emit(Op::kMul, "m", {y, graph.AddInput("w", {DType::kFloat32, {shape.back()}})},
                     {});
    graph.AddOutput("y", y);
    const CompileResult compiled = CompileForGpu(graph);
    EXPECT_EQ(RunOnGpu(compiled, graph, RandomInputs(graph, static_cast<uint32_t>(trial))), "")
        << Print(compiled.kernels[0]);
    ExpectBarriersAreEnough(compiled, true);
    EXPECT_THAT(TextOf(compiled.package), HasSubstr("bar.sync"));
    EXPECT_EQ(compiled.package.steps.size(), 1u);
  }
}

}  // namespace
}  // namespace vta::compiler::targets
