// Kernels of GPUs: every op, and what follows it, as blocks of threads on the interpreter, against
// the graph's evaluator; and as PTX.
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <numeric>
#include <random>

#include "compiler/compile.h"
#include "compiler/frontend/model.h"
#include "compiler/graph/evaluate.h"
#include "compiler/loop/analysis.h"
#include "compiler/models/models.h"
#include "compiler/targets/gpu/space.h"
#include "compiler/targets/gpu/target.h"
#include "isa/support/error.h"
#include "runtime/session.h"
#include "tests/support/interpreter/host_gpu.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/llvm/native.h"
#include "tests/unit/compiler/lower/gpu_races.h"
#include "tests/unit/compiler/operators/cases.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"
#include "tests/unit/compiler/targets/gpu/kernel_testing.h"

namespace vta::compiler::targets {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

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

/// Of a convolution that goes place by place.
Attributes Plain() {
  return {{"strides", Shape{1, 1}},
          {"pads", Shape{0, 0, 0, 0}},
          {"dilations", Shape{1, 1}},
          {"groups", int64_t{1}}};
}

/// `channels`: what their number is a multiple of. For warps there are 16 outputs and 8 places or
/// more.
Graph AnyConv(const Any& any, int64_t channels = 1, bool for_warps = false) {
  const Shape kernel{any(1, 4), any(1, 4)};
  const int64_t height = for_warps ? 26 : 0, width = any(kernel[1], 17);
  const Shape in{any(1, 3), channels * any(1, 40 / channels), any(kernel[0] + height, 17 + height),
                 width};
  const Shape weights{any(for_warps ? 16 : 1, 70), in[1], kernel[0], kernel[1]};
  Graph graph;
  const ValueId x = graph.AddInput("x", {DType::kFloat32, in});
  Tensor w({DType::kFloat32, weights}), b({DType::kFloat32, {weights[0]}});
  for (Tensor* tensor : {&w, &b})
    for (float& v : tensor->mutable_data<float>()) v = static_cast<float>(any(-8, 8)) / 8;
  const int64_t down = any(1, 3), across = any(0, 1) ? down : any(1, 3);
  graph.AddOutput("y", graph.Emit(Op::kConv2d, "c",
                                  {x, graph.AddConstant("w", std::move(w)),
                                   graph.AddConstant("b", std::move(b))},
                                  {{"strides", Shape{down, across}},
                                   {"pads", Shape{any(0, 2), any(0, 2), any(0, 2), any(0, 2)}},
                                   {"dilations", Shape{1, 1}},
                                   {"groups", int64_t{1}}}));
  return graph;
}

TEST(CudaKernels, ConvolutionsOfAnySizeAreInTiles) {
  std::mt19937 random(9);
  const Any any = NumbersOf(random);
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

/// A space has no point without code, and its code is right.
TEST(CudaKernels, ConvolutionsAreRightInAnyTile) {
  std::mt19937 random(11);
  const Any any = NumbersOf(random);
  AnyOfTheSpace chooser(7);
  ExpectRightInAnyTile(
      chooser, Trials(8), isa::Precision::kFp32, [&](int64_t) { return AnyConv(any); }, false,
      [](const CompileResult&) {});
}

/// Warps make products of the same numbers as threads would, in any tile, and each of a warp's
/// instructions is one.
TEST(CudaKernels, WarpsMultiplyMatricesInAnyTile) {
  std::mt19937 random(13);
  const Any any = NumbersOf(random);
  for (const isa::Precision precision : {isa::Precision::kTf32, isa::Precision::kFp16}) {
    const bool half = precision == isa::Precision::kFp16;
    OnlyTensor chooser(7);
    ExpectRightInAnyTile(
        chooser, Trials(8), precision,
        [&](int64_t trial) {
          return AnyConv(any, std::array{16, 8, 1}[trial % 3], true);
        },
        true,
        [&](const CompileResult& compiled) {
          const std::string text = TextOf(compiled.package);
          EXPECT_THAT(text,
                      AnyOf(HasSubstr(half ? "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
                                           : "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"),
                            HasSubstr("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32")));
          EXPECT_THAT(text, Not(HasSubstr("fma.rn.f32"))) << "a product is of no warp";
          EXPECT_THAT(text, Not(HasSubstr(".local"))) << "sums are in no registers";
          EXPECT_EQ(compiled.package.modules.at(0).precision, precision);
        });
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
                     Plain()));
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
  const Any any = NumbersOf(random);
  AnyOfTheSpace chooser(19);
  int64_t together = 0;
  const int64_t trials = Trials(16);
  for (int64_t trial = 0; trial < trials; ++trial) {
    const Shape in{any(1, 2), 8 * any(1, 6), 2 * any(2, 7), 2 * any(2, 7)};
    Graph graph;
    const ValueId x = graph.AddInput("x", {DType::kFloat32, in});
    Tensor w({DType::kFloat32, {any(16, 40), in[1], 1, 1}});
    for (float& v : w.mutable_data<float>()) v = static_cast<float>(any(-8, 8)) / 8;
    graph.AddOutput(
        "y", graph.Emit(Op::kConv2d, "c", {x, graph.AddConstant("w", std::move(w))}, Plain()));
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

/// What a thread's elements need beside their sums it reads before it stores any, also where tiles
/// go beyond the end, and where they are of several images.
TEST(CudaKernels, NoElementWaitsForWhatAnotherOneNeeds) {
  std::mt19937 random(23);
  const Any any = NumbersOf(random);
  int64_t ahead = 0;
  const int64_t trials = Trials(12);
  for (int64_t trial = 0; trial < trials; ++trial) {
    const Shape in{any(1, 4), 32, any(7, 20), any(7, 20)}, out{in[0], any(24, 80), in[2], in[3]};
    Graph graph;
    const ValueId x = graph.AddInput("x", {DType::kFloat32, in}),
                  r = graph.AddInput("r", {DType::kFloat32, out});
    Tensor w({DType::kFloat32, {out[1], in[1], 1, 1}}), b({DType::kFloat32, {out[1]}});
    for (Tensor* tensor : {&w, &b})
      for (float& v : tensor->mutable_data<float>()) v = static_cast<float>(any(-8, 8)) / 8;
    const ValueId sum = graph.Emit(
        Op::kConv2d, "c",
        {x, graph.AddConstant("w", std::move(w)), graph.AddConstant("b", std::move(b))}, Plain());
    graph.AddOutput("y", graph.Emit(Op::kAdd, "a", {sum, r}, {}));
    const CompileResult compiled = CompileForGpu(graph, nullptr, isa::Precision::kTf32);
    EXPECT_EQ(RunOnGpu(compiled, graph, RandomInputs(graph, static_cast<uint32_t>(trial))), "");
    const std::string text = TextOf(compiled.package);
    const bool one_launch = text.find("atom.") == std::string::npos;  // of a team the last adds up
    ahead += one_launch && text.rfind("ld.global") < text.find("st.global");
  }
  EXPECT_GE(ahead, trials / 2) << ahead << " of " << trials;
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
