// Kernels of GPUs: every op, and what follows it, as blocks of threads on the interpreter, against
// the graph's evaluator; and as PTX.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <numeric>
#include <random>

#include "compiler/compile.h"
#include "compiler/frontend/model.h"
#include "compiler/graph/evaluate.h"
#include "compiler/loop/analysis.h"
#include "compiler/models/models.h"
#include "compiler/targets/cuda/space.h"
#include "compiler/targets/cuda/target.h"
#include "isa/support/error.h"
#include "runtime/session.h"
#include "tests/support/interpreter/host_gpu.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/llvm/native.h"
#include "tests/unit/compiler/lower/gpu_races.h"
#include "tests/unit/compiler/operators/cases.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"

namespace vta::compiler::targets {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

CompileResult CompileForGpu(const Graph& graph, tune::Chooser* chooser = nullptr,
                            isa::Precision precision = isa::Precision::kFp32) {
  const llvm::Machine ptx{"nvptx64-nvidia-cuda-unknown",
                          "",
                          {precision == isa::Precision::kFp32 ? "sm_70" : "sm_80"},
                          128};
  const lower::CpuSpec spec{std::string(isa::kPtxArch), ptx.features, "", precision};
  const CudaTarget cuda(precision);
  const CodeTarget* const targets[] = {&cuda};
  CompileOptions options{
      .targets = targets,
      .cpus = {&spec, 1},
      .build_module = [&](std::span<const lower::Kernel> kernels, const lower::CpuSpec&, bool) {
        return ModuleCode{llvm::BuildModule(kernels, ptx), {}};
      }};
  if (chooser) options.choosers["cuda"] = chooser;
  return Compile(graph, options);
}

/// The first difference of an output, or "".
std::string RunOnGpu(const CompileResult& compiled, const Graph& graph,
                     const std::vector<Tensor>& inputs) {
  test::HostGpu gpu(compiled.kernels);
  const isa::Package loaded =
      isa::ParsePackage(isa::SerializePackage(compiled.package), "gpu");  // as from a file
  runtime::Session session(std::make_shared<runtime::Model>(loaded, "gpu"), nullptr, {.gpu = &gpu});
  std::vector<std::span<const uint8_t>> bytes;
  for (const Tensor& input : inputs) bytes.push_back(input.bytes());
  runtime::RunProfile profile;
  const auto outputs = runtime::Infer(session, bytes, &profile);
  EXPECT_EQ(gpu.launches, std::ssize(loaded.steps));
  // As one, and again, it is the same.
  for (size_t i = 0; i < bytes.size(); ++i) session.SetInput(static_cast<int64_t>(i), bytes[i]);
  session.Run();
  EXPECT_EQ(gpu.launches, 2 * std::ssize(loaded.steps));
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::vector<uint8_t> again(outputs[i].size());
    session.GetOutput(static_cast<int64_t>(i), again);
    EXPECT_EQ(again, outputs[i]);
  }
  const std::vector<Tensor> wanted = Evaluate(graph, inputs);
  for (size_t i = 0; i < wanted.size(); ++i)
    if (const std::string text = Difference(wanted[i], outputs[i]); !text.empty())
      return StrCat(graph.outputs()[i].name, text);
  return "";
}

std::string TextOf(const isa::Package& package) {
  const std::vector<uint8_t>& code = package.modules.at(0).code;
  return {code.begin(), code.end()};
}

TEST(CudaKernels, EveryOpIsAsTheEvaluatorDoesIt) {
  std::mt19937 random(5);
  int64_t trial = 0, threads = 0, all = 0;
  for (const operators::Case& c : operators::Cases()) {
    const auto [graph, inputs] = operators::MakeExample(
        c, ++trial % 2 ? isa::Rounding::kSingle : isa::Rounding::kDouble, random);
    if (trial % OneTrialOf() != 0) continue;
    const CompileResult compiled = CompileForGpu(graph);
    EXPECT_EQ(RunOnGpu(compiled, graph, inputs), "") << Spec(c.op).name;
    for (const isa::PackageKernel& kernel : compiled.package.kernels) {
      EXPECT_THAT(TextOf(compiled.package), HasSubstr(".visible .entry " + kernel.name + "("));
      ++all, threads += kernel.threads > 1;
    }
  }
  EXPECT_GE(threads, all * 9 / 10) << threads << " of " << all;  // the others have several results
}

using Any = std::function<int64_t(int64_t low, int64_t high)>;

/// `channels`: what their number is a multiple of; with more than one there are 16 outputs and 8
/// places or more.
Graph AnyConv(const Any& any, int64_t channels = 1) {
  const Shape kernel{any(1, 4), any(1, 4)};
  const int64_t height = channels > 1 ? 26 : 0, width = any(kernel[1], 17);
  const Shape in{any(1, 2), channels * any(1, 40 / channels), any(kernel[0] + height, 17 + height),
                 width};
  const Shape weights{any(channels > 1 ? 16 : 1, 70), in[1], kernel[0], kernel[1]};
  Graph graph;
  const ValueId x = graph.AddInput("x", {DType::kFloat32, in});
  Tensor w({DType::kFloat32, weights}), b({DType::kFloat32, {weights[0]}});
  for (Tensor* tensor : {&w, &b})
    for (float& v : tensor->mutable_data<float>()) v = static_cast<float>(any(-8, 8)) / 8;
  graph.AddOutput("y", graph.Emit(Op::kConv2d, "c",
                                  {x, graph.AddConstant("w", std::move(w)),
                                   graph.AddConstant("b", std::move(b))},
                                  {{"strides", Shape{any(1, 3), any(1, 3)}},
                                   {"pads", Shape{any(0, 2), any(0, 2), any(0, 2), any(0, 2)}},
                                   {"dilations", Shape{1, 1}},
                                   {"groups", int64_t{1}}}));
  return graph;
}

void ExpectBarriersAreEnough(const CompileResult& compiled, bool and_needed) {
  for (const loop::Function& function : compiled.kernels) {
    const lower::Kernel plan = lower::PlanGpuKernel(function);
    EXPECT_EQ(lower::FirstRace(plan), "") << Print(plan.function);
    for (int64_t i = 0; i < lower::Barriers(plan) && and_needed; ++i)
      EXPECT_NE(lower::FirstRace(lower::WithoutBarrier(plan, i)), "") << "barrier " << i << " of\n"
                                                                      << Print(plan.function);
  }
}

TEST(CudaKernels, ConvolutionsOfAnySizeAreInTiles) {
  std::mt19937 random(9);
  const Any any = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  int64_t tiled = 0;
  const int64_t trials = Trials(40);
  for (int64_t trial = 0; trial < trials; ++trial) {
    const Graph graph = AnyConv(any);
    const CompileResult compiled = CompileForGpu(graph);
    EXPECT_EQ(RunOnGpu(compiled, graph, RandomInputs(graph, static_cast<uint32_t>(trial))), "")
        << trial;
    ExpectBarriersAreEnough(compiled, trial % 4 == 0);
    const std::string text = TextOf(compiled.package);
    tiled += text.find("bar.sync") != std::string::npos;
    EXPECT_EQ(text.find(".local"), std::string::npos) << "sums are in no registers:\n" << text;
  }
  EXPECT_GE(tiled, trials * 3 / 4) << tiled << " of " << trials;
}

/// Takes any points; the rule's own is one of the space, which a log could not name otherwise.
class AnyOfTheSpace : public RandomChooser {
 public:
  using RandomChooser::RandomChooser;
  std::vector<tune::Offer> Choose(const std::string& step, int64_t steps,
                                  const tune::Space& space) override {
    const tune::Point rule = space.Cheapest(1).at(0);
    EXPECT_EQ(tune::ParsePoint(space.Choices(), tune::Print(space.Choices(), rule)), rule);
    EXPECT_TRUE(space.Has(rule));
    return RandomChooser::Choose(step, steps, space);
  }
};

class OnlyTensor : public RandomChooser {
 public:
  using RandomChooser::RandomChooser;
  bool Wants(const tune::Space& /*space*/, const tune::Point& point) const override {
    return GpuTileAt(point).tensor;
  }
};

/// A space has no point without code, and its code is right.
TEST(CudaKernels, ConvolutionsAreRightInAnyTile) {
  std::mt19937 random(11);
  const Any any = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  AnyOfTheSpace chooser(7);
  const int64_t trials = Trials(8);
  for (int64_t trial = 0; trial < trials; ++trial) {
    const Graph graph = AnyConv(any);
    const CompileResult compiled = CompileForGpu(graph, &chooser);
    EXPECT_EQ(RunOnGpu(compiled, graph, RandomInputs(graph, static_cast<uint32_t>(trial))), "")
        << Print(compiled.kernels[0]);
    if (trial % 4 == 0) ExpectBarriersAreEnough(compiled, false);
  }
  EXPECT_EQ(chooser.chosen(), trials);
}

/// Warps make products of the same numbers as threads would, in any tile, and each of a warp's
/// instructions is one.
TEST(CudaKernels, WarpsMultiplyMatricesInAnyTile) {
  std::mt19937 random(13);
  const Any any = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  for (const isa::Precision precision : {isa::Precision::kTf32, isa::Precision::kFp16}) {
    const bool half = precision == isa::Precision::kFp16;
    OnlyTensor chooser(7);
    const int64_t trials = Trials(8);
    for (int64_t trial = 0; trial < trials; ++trial) {
      const Graph graph = AnyConv(any, trial % 2 ? 8 : 16);
      const CompileResult compiled = CompileForGpu(graph, &chooser, precision);
      EXPECT_EQ(RunOnGpu(compiled, graph, RandomInputs(graph, static_cast<uint32_t>(trial))), "")
          << Print(compiled.kernels[0]);
      const std::string text = TextOf(compiled.package);
      EXPECT_THAT(text,
                  AnyOf(HasSubstr(half ? "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
                                       : "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"),
                        HasSubstr("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32")));
      EXPECT_THAT(text, Not(HasSubstr("fma.rn.f32"))) << "a product is of no warp";
      EXPECT_THAT(text, Not(HasSubstr(".local"))) << "sums are in no registers";
      EXPECT_EQ(compiled.package.modules.at(0).precision, precision);
      if (trial % 4 == 0) ExpectBarriersAreEnough(compiled, true);
    }
    EXPECT_EQ(chooser.chosen(), trials);
  }
}

/// A convolution of codes whose channels and outputs are enough for warps' products.
Graph AnyConvOfCodes(const Any& any) {
  const Shape kernel{any(1, 3), any(1, 3)};
  const Shape in{any(1, 2), 16 * any(1, 4), any(kernel[0] + 6, 20), any(kernel[1] + 6, 20)};
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

TEST(CudaKernels, WarpsMultiplyCodesInAnyTile) {
  std::mt19937 random(31);
  const Any any = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  OnlyTensor chooser(7);
  const int64_t trials = Trials(8);
  for (int64_t trial = 0; trial < trials; ++trial) {
    const Graph graph = AnyConvOfCodes(any);
    // What warps have is machines' of sm_80 on; their precision is that of floats.
    const CompileResult compiled = CompileForGpu(graph, &chooser, isa::Precision::kTf32);
    EXPECT_EQ(RunOnGpu(compiled, graph, RandomInputs(graph, static_cast<uint32_t>(trial))), "")
        << Print(compiled.kernels[0]);
    const std::string text = TextOf(compiled.package);
    EXPECT_THAT(text, AnyOf(HasSubstr("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"),
                            HasSubstr("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32")));
    EXPECT_THAT(text, Not(HasSubstr(".local"))) << "sums are in no registers";
    if (trial % 4 == 0) ExpectBarriersAreEnough(compiled, true);
  }
  EXPECT_EQ(chooser.chosen(), trials);
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

TEST(CudaKernels, MatricesAreMultipliedInAnyTile) {
  std::mt19937 random(23);
  const Any any = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
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
    EXPECT_EQ(products > 0, precision != isa::Precision::kFp32);
  }
  EXPECT_GE(moved, Trials(12) / 4);
}

/// Lines are a block's each, whatever follows their elements.
TEST(CudaKernels, LinesAreOfBlocksOfThreads) {
  std::mt19937 random(29);
  const Any any = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  const int64_t trials = Trials(8);
  for (int64_t trial = 0; trial < trials; ++trial) {
    Graph graph;
    Shape shape = {any(1, 4), any(32, trial % 4 ? 200 : 1500)};
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

/// The rule's tile is one that a log can name, also where it is large.
TEST(CudaKernels, TheRulesTileIsOfTheSpace) {
  for (const int64_t outputs : {16, 64, 256, 512, 2048})
    for (const int64_t side : {1, 7, 14, 56}) {
      Graph graph;
      const ValueId x = graph.AddInput("x", {DType::kFloat32, {1, 64, side, side}});
      graph.AddOutput(
          "y",
          graph.Emit(Op::kConv2d, "c",
                     {x, graph.AddConstant("w", Tensor({DType::kFloat32, {outputs, 64, 1, 1}}))},
                     {{"strides", Shape{1, 1}},
                      {"pads", Shape{0, 0, 0, 0}},
                      {"dilations", Shape{1, 1}},
                      {"groups", int64_t{1}}}));
      for (const isa::Precision precision :
           {isa::Precision::kFp32, isa::Precision::kTf32, isa::Precision::kFp16}) {
        const CudaTarget cuda(precision);
        const auto space = cuda.SpaceOf(graph, {.nodes = {0}});
        const tune::Point rule = space->Cheapest(1).at(0);
        EXPECT_EQ(tune::ParsePoint(space->Choices(), tune::Print(space->Choices(), rule)), rule)
            << outputs << " " << side;
      }
    }
}

/// Columns that lie as in the input are brought four at once, also where the last tile goes beyond
/// the end.
TEST(CudaKernels, PlacesSideBySideAreBroughtTogether) {
  std::mt19937 random(17);
  const Any any = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  AnyOfTheSpace chooser(19);
  int64_t together = 0;
  const int64_t trials = Trials(16);
  for (int64_t trial = 0; trial < trials; ++trial) {
    const Shape in{any(1, 2), 8 * any(1, 6), 2 * any(2, 7), 2 * any(2, 7)};
    Graph graph;
    const ValueId x = graph.AddInput("x", {DType::kFloat32, in});
    Tensor w({DType::kFloat32, {any(16, 40), in[1], 1, 1}});
    for (float& v : w.mutable_data<float>()) v = static_cast<float>(any(-8, 8)) / 8;
    graph.AddOutput("y", graph.Emit(Op::kConv2d, "c", {x, graph.AddConstant("w", std::move(w))},
                                    {{"strides", Shape{1, 1}},
                                     {"pads", Shape{0, 0, 0, 0}},
                                     {"dilations", Shape{1, 1}},
                                     {"groups", int64_t{1}}}));
    const CompileResult compiled = CompileForGpu(graph, &chooser, isa::Precision::kTf32);
    EXPECT_EQ(RunOnGpu(compiled, graph, RandomInputs(graph, static_cast<uint32_t>(trial))), "")
        << Print(compiled.kernels[0]);
    bool quads = false;
    for (const loop::Site& site : loop::Sites(compiled.kernels[0].body))
      quads |= site.block->name == "columns" &&
               loop::As<loop::For>(site.loops.back())->kind == loop::ForKind::kVectorize;
    const bool copied = TextOf(compiled.package).find("cp.async.cg") != std::string::npos;
    EXPECT_TRUE(!quads || copied);
    together += quads;
  }
  EXPECT_GE(together, trials / 4) << together << " of " << trials;
}

Graph Known(const std::string& name, ModelType type) {
  const std::string path = StrCat(testing::TempDir(), "/vta_cuda_kernels_", getpid(), ".onnx");
  BuildModel(name, 1, path, type);
  Graph graph = ImportModelFile(path);
  std::filesystem::remove(path);
  return graph;
}

TEST(CudaKernels, NetworksAreAsOnTheCpu) {
  for (const char* name : {"resnet_tiny", "mobilenet_tiny"})
    for (const ModelType type : {ModelType::kFloat, ModelType::kInt8}) {
      const Graph graph = Known(name, type);
      const std::vector<Tensor> inputs = RandomInputs(graph, 3);
      const std::span<const uint8_t> bytes = inputs[0].bytes();
      runtime::Session cpu(
          std::make_shared<runtime::Model>(
              CompileFor(graph, llvm::HostMachine(), Arithmetic::kExact).package, "cpu"),
          nullptr);
      const CompileResult compiled = CompileForGpu(graph);
      test::HostGpu gpu(compiled.kernels);
      runtime::Session session(std::make_shared<runtime::Model>(compiled.package, "gpu"), nullptr,
                               {.gpu = &gpu});
      const auto wanted = runtime::Infer(cpu, {&bytes, 1}),
                 found = runtime::Infer(session, {&bytes, 1});
      const Tensor want(graph.type(graph.outputs()[0].value), {wanted[0].begin(), wanted[0].end()});
      EXPECT_EQ(Difference(want, found[0]), "") << name;
      if (type == ModelType::kInt8) EXPECT_EQ(wanted, found) << name;
    }
}

TEST(CudaKernels, APackageForAGpuNeedsOne) {
  Graph graph;
  const ValueId x = graph.AddInput("x", {DType::kFloat32, {4}});
  graph.AddOutput("y", graph.Emit(Op::kRelu, "r", {x}, {}));
  const auto model = std::make_shared<runtime::Model>(CompileForGpu(graph).package, "p");
  EXPECT_TRUE(model->package().Gpu());
  try {
    runtime::Session session(model, nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "p: step 0 r (relu 4 -> 4): is for a GPU, and none is there");
  }
}

TEST(CudaKernels, AGpuThatFailsOrHangsEndsTheSession) {
  Graph graph;
  const ValueId x = graph.AddInput("x", {DType::kFloat32, {4}});
  graph.AddOutput("y", graph.Emit(Op::kRelu, "r", {x}, {}));
  const CompileResult compiled = CompileForGpu(graph);
  for (const bool hangs : {false, true}) {
    test::HostGpu gpu(compiled.kernels);
    runtime::Session session(std::make_shared<runtime::Model>(compiled.package, "p"), nullptr,
                             {.gpu = &gpu});
    const std::vector<uint8_t> input(16);
    session.SetInput(0, input);
    gpu.ends = !hangs;
    if (!hangs) gpu.failure = "an illegal address";
    const auto message = [&](auto call) -> std::string {
      try {
        call();
      } catch (const Error& error) {
        return error.what();
      }
      return "";
    };
    EXPECT_THAT(message([&] { session.Run(); }),
                HasSubstr(hangs ? "the time for the run ended" : "an illegal address"));
    EXPECT_THAT(message([&] { session.SetInput(0, input); }), HasSubstr("is dead since"));
  }
}

}  // namespace
}  // namespace vta::compiler::targets
