// Packages whose steps are for a GPU and others, run on a GPU that is none, against the same
// network on the CPU alone.
#include <gmock/gmock.h>

#include "compiler/frontend/model.h"
#include "compiler/graph/ops.h"
#include "compiler/models/models.h"
#include "compiler/targets/gpu/target.h"
#include "compiler/targets/vta/target.h"
#include "driver/functional/functional_device.h"
#include "isa/support/temporary.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"
#include "tests/support/interpreter/host_gpu.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"

namespace vta::compiler {
namespace {

using targets::CpuTarget;
using targets::CudaTarget;
using targets::VtaTarget;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// For the accelerator where there is a config, a GPU, and this CPU.
CompileResult CompileMixed(const Graph& graph, std::map<std::string, std::string> places,
                           const std::optional<isa::Config>& config = {}) {
  const llvm::Machine gpu{"nvptx64-nvidia-cuda-unknown", "", {"sm_70"}, 128};
  const llvm::Machine machine = llvm::HostMachine();
  const lower::CpuSpec specs[] = {
      {std::string(isa::kPtxArch), gpu.features, ""},
      {machine.triple.substr(0, machine.triple.find('-')), machine.features, machine.tune_cpu}};
  const CudaTarget cuda;
  const CpuTarget cpu({specs[1]});
  std::optional<VtaTarget> vta;
  std::vector<const CodeTarget*> targets = {&cuda, &cpu};
  if (config) targets.insert(targets.begin(), &vta.emplace(*config));
  return Compile(graph,
                 {.config = config,
                  .targets = targets,
                  .places = std::move(places),
                  .cpus = specs,
                  .build_module = [&](std::span<const lower::Kernel> kernels,
                                      const lower::CpuSpec& spec, bool) {
                    const bool on_gpu = spec.arch == isa::kPtxArch;
                    return ModuleCode{llvm::BuildModule(kernels, on_gpu ? gpu : machine), {}};
                  }});
}

Graph Known(const std::string& name, ModelType type) {
  const Temporary folder(NewTemporaryFolder("vta-mixed"));
  const std::string file = folder.path() + "/m.onnx";
  BuildModel(name, 1, file, type);
  return ImportModelFile(file);
}

std::vector<std::string> WhereOf(const isa::Package& package) {
  std::vector<std::string> where;
  for (const isa::PackageStep& step : package.steps) {
    const std::string one = package.WhereOf(step);
    if (where.empty() || where.back() != one) where.push_back(one);
  }
  return where;
}

/// Runs it step by step and as one, twice.
void ExpectRuns(const CompileResult& compiled, const Graph& graph, driver::Device* device) {
  const isa::Package loaded = isa::ParsePackage(isa::SerializePackage(compiled.package), "mixed");
  test::HostGpu gpu(compiled.kernels);
  runtime::Session session(std::make_shared<runtime::Model>(loaded, "mixed"), device,
                           {.gpu = &gpu});
  runtime::Session on_cpu(
      std::make_shared<runtime::Model>(
          targets::CompileFor(graph, llvm::HostMachine(), targets::Arithmetic::kExact).package,
          "cpu"),
      nullptr);
  const int64_t allocations = gpu.allocations();
  const auto on_gpu = std::ranges::count_if(
      loaded.steps, [&](const isa::PackageStep& step) { return loaded.IsOnGpu(step); });
  for (uint32_t seed = 0; seed < 2; ++seed) {
    const std::vector<Tensor> inputs = RandomInputs(graph, seed);
    std::vector<std::span<const uint8_t>> bytes;
    for (const Tensor& input : inputs) bytes.push_back(input.bytes());
    const auto wanted = runtime::Infer(on_cpu, bytes);
    for (const bool timed : {false, true}) {
      const int64_t before = gpu.launches;
      runtime::RunProfile profile;
      const auto outputs = runtime::Infer(session, bytes, timed ? &profile : nullptr);
      for (size_t i = 0; i < wanted.size(); ++i) {
        const Tensor want(graph.type(graph.outputs()[i].value),
                          {wanted[i].begin(), wanted[i].end()});
        EXPECT_EQ(targets::Difference(want, outputs[i]), "") << seed << timed;
      }
      EXPECT_EQ(gpu.launches - before, on_gpu);
    }
  }
  EXPECT_EQ(gpu.allocations(), allocations);
}

TEST(Mixed, AGpuAndTheCpu) {
  for (const ModelType type : {ModelType::kFloat, ModelType::kInt8}) {
    const Graph graph = Known("mobilenet_tiny", type);
    const CompileResult compiled =
        CompileMixed(graph, {{"stem", "cuda"}, {"block2.depthwise", "cpu"}, {"head", "cuda"}});
    EXPECT_THAT(WhereOf(compiled.package),
                ElementsAre("cuda", "from cuda", "cpu", "to cuda", "cuda"));
    EXPECT_EQ(compiled.package.modules.size(), 2);
    ExpectRuns(compiled, graph, nullptr);
  }
}

TEST(Mixed, TheAcceleratorAGpuAndTheCpu) {
  const Graph graph = Known("mobilenet_tiny", ModelType::kInt8);
  const isa::Config config = isa::LoadConfig(SourcePath("isa/configs/default.json"));
  const CompileResult compiled =
      // Of averages the accelerator may round a tie otherwise.
      CompileMixed(graph, {{"block2.depthwise", "cuda"}, {"average", "cpu"}, {"classifier", "cpu"}},
                   config);
  EXPECT_THAT(WhereOf(compiled.package),
              ElementsAre("cpu", "vta", "to cuda", "cuda", "from cuda", "vta", "cpu"));
  driver::FunctionalDevice device(config);
  ExpectRuns(compiled, graph, &device);
}

// What no step reads or makes, or is a constant, lies in the host's memory.
TEST(Mixed, OutputsThatNoStepMakes) {
  Graph graph;
  const ValueId x = graph.AddInput("x", {DType::kFloat32, {4}});
  const ValueId passed = graph.AddInput("passed", {DType::kFloat32, {4}});
  const ValueId both = graph.AddInput("both", {DType::kFloat32, {4}});
  graph.AddInput("unused", {DType::kFloat32, {4}});
  const ValueId constant = graph.AddConstant("c", Tensor::Of<float>({4}, {1, 2, 3, 4}));
  graph.AddOutput("y", graph.Emit(Op::kAdd, "y", {x, constant}, {}));
  graph.AddOutput("z", graph.Emit(Op::kRelu, "z", {both}, {}));
  graph.AddOutput("passed", passed);
  graph.AddOutput("both", both);
  graph.AddOutput("c", constant);
  const CompileResult compiled = CompileMixed(graph, {{"y", "cuda"}, {"z", "cuda"}});
  EXPECT_EQ(std::ranges::count(WhereOf(compiled.package), "to cuda"), 1);
  ExpectRuns(compiled, graph, nullptr);
}

TEST(Mixed, WithoutAGpuItSaysWhichStepIsForOne) {
  const CompileResult compiled =
      CompileMixed(Known("mobilenet_tiny", ModelType::kInt8),
                   {{"image/quantized", "cpu"}, {"stem", "cuda"}, {"head", "cuda"}});
  EXPECT_THAT(
      ErrorOf([&] {
        runtime::Session(std::make_shared<runtime::Model>(compiled.package, "p"), nullptr);
      }),
      StartsWith("p: step 2 image/quantized.blocks (identity 3x32x32 -> 3x32x32): is for a GPU, "
                 "and none is there"));
}

TEST(Mixed, AGpuThatFailsIsNamedWhereSomebodyWaitsForIt) {
  const Graph graph = Known("mobilenet_tiny", ModelType::kInt8);
  const CompileResult compiled =
      CompileMixed(graph, {{"stem", "cuda"}, {"classifier", "cpu"}, {"head", "cuda"}});
  test::HostGpu gpu(compiled.kernels);
  runtime::Session session(std::make_shared<runtime::Model>(compiled.package, "p"), nullptr,
                           {.gpu = &gpu});
  session.SetInput(0, std::vector<uint8_t>(3 * 32 * 32 * 4));
  gpu.failure = "an illegal address";
  const std::string error = ErrorOf([&] { session.Run(); });
  EXPECT_THAT(error, StartsWith("p: step "));
  EXPECT_THAT(error, HasSubstr(".copy (copy 40 -> 40): GPU = host: an illegal address"));
  EXPECT_THAT(ErrorOf([&] { session.Run(); }), HasSubstr("is dead since"));
}

}  // namespace
}  // namespace vta::compiler
