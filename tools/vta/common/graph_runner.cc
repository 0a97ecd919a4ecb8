#include "tools/vta/common/graph_runner.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>

#include "compiler/compile.h"
#include "compiler/graph/text.h"
#include "compiler/native_code.h"
#include "compiler/targets/cpu/target.h"
#include "compiler/targets/vta/target.h"
#include "isa/support/error.h"
#include "runtime/thread_pool.h"
#include "tools/vta/common/session.h"
#include "tools/vta/common/trials/native_cpu.h"

namespace vta::tools {
namespace {

using compiler::Graph;
using compiler::Tensor;
using compiler::TensorType;

/// The module of kernels that were compiled before: graphs that differ in their constants have the
/// same.
compiler::ModuleCode BuildOnce(std::span<const compiler::lower::Kernel> kernels,
                               const compiler::lower::CpuSpec& cpu, bool dump) {
  constexpr size_t kMost = 16;
  static std::mutex mutex;
  static std::deque<std::pair<std::string, compiler::ModuleCode>> known;
  std::string text = StrCat(cpu.arch, " ", cpu.tune);
  for (const std::string& feature : cpu.features) text += StrCat(" ", feature);
  for (const compiler::lower::Kernel& kernel : kernels)
    text += compiler::loop::Print(kernel.function);
  const std::lock_guard lock(mutex);
  const auto found = std::ranges::find(known, text, &decltype(known)::value_type::first);
  if (found != known.end()) return found->second;
  if (known.size() == kMost) known.pop_front();
  known.emplace_back(std::move(text), compiler::BuildModule(kernels, cpu, dump));
  return known.back().second;
}

isa::Package Compiled(const Graph& graph, const std::optional<isa::Config>& config,
                      int64_t threads) {
  const std::vector<compiler::lower::CpuSpec> cpus = {NativeCpu()};
  std::optional<compiler::targets::VtaTarget> vta;
  const compiler::targets::CpuTarget cpu(cpus, compiler::targets::Arithmetic::kFast,
                                         threads > 0 ? threads : runtime::AvailableCpus());
  std::vector<const compiler::CodeTarget*> targets;
  if (config) targets.push_back(&vta.emplace(*config));
  targets.push_back(&cpu);
  compiler::CompileOptions options;
  options.config = config;
  options.rounding = graph.rounding();
  options.cpus = cpus;
  options.targets = targets;
  options.build_module = BuildOnce;
  return compiler::Compile(graph, options).package;
}

/// A package that is run by itself, and what its outputs are.
class GraphRunner {
 public:
  GraphRunner(const Graph& graph, const std::optional<isa::Config>& config,
              const EngineOptions& engine) {
    for (const compiler::GraphOutput& output : graph.outputs())
      types_.push_back(graph.type(output.value));
    session_ = std::make_unique<EngineSession>(
        LoadModel(Compiled(graph, config, engine.threads), graph.name(), engine.progress,
                  {.elsewhere = engine.IsRemote()}),
        engine);
  }

  std::vector<Tensor> Run(std::span<const Tensor> inputs) {
    std::vector<std::vector<uint8_t>> bytes;
    for (const Tensor& input : inputs)
      bytes.emplace_back(input.bytes().begin(), input.bytes().end());
    std::vector<std::vector<uint8_t>> made = session_->Run(bytes);
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < made.size(); ++i) outputs.emplace_back(types_[i], std::move(made[i]));
    return outputs;
  }

 private:
  std::vector<TensorType> types_;
  std::unique_ptr<EngineSession> session_;
};

isa::ElementType TypeOf(const Graph& graph, const compiler::Value& value) {
  using enum isa::ElementType;
  const std::string_view name = compiler::Name(value.type.dtype);
  for (isa::ElementType type : {kInt8, kUint8, kInt16, kInt32, kInt64, kFloat32, kBool})
    if (isa::ElementTypeName(type) == name) return type;
  throw Error(graph.name(), StrCat("type of input \"", value.name, "\""), std::string(name),
              "no target computes with it");
}

compiler::quantize::MakeRunner RunnersOn(const std::optional<isa::Config>& config,
                                         const EngineOptions& engine) {
  return [=](const Graph& graph) -> compiler::quantize::Runner {
    auto runner = std::make_shared<GraphRunner>(graph, config, engine);
    return [runner](std::span<const Tensor> inputs) { return runner->Run(inputs); };
  };
}

}  // namespace

compiler::quantize::MakeRunner OnCpu(int64_t threads) {
  EngineOptions engine;
  engine.threads = threads;
  return RunnersOn(std::nullopt, engine);
}

compiler::quantize::MakeRunner OnEngine(const isa::Config& config, const EngineOptions& engine) {
  return RunnersOn(config, engine);
}

compiler::quantize::MakeRunner Remembering(compiler::quantize::MakeRunner make_runner) {
  constexpr size_t kMost = 4;
  using Known = std::pair<std::string, compiler::quantize::Runner>;  // by the graph's text
  auto known = std::make_shared<std::vector<Known>>();               // the last one first
  return [make = std::move(make_runner), known](const Graph& graph) {
    const std::string text = Print(graph);
    auto found = std::ranges::find(*known, text, &Known::first);
    if (found == known->end()) {
      if (known->size() == kMost) known->pop_back();
      found = known->insert(known->end(), {text, make(graph)});
    }
    std::rotate(known->begin(), found, found + 1);
    return known->front().second;
  };
}

std::vector<isa::PackageTensor> InputTensors(const Graph& graph) {
  std::vector<isa::PackageTensor> tensors;
  for (compiler::ValueId input : graph.inputs()) {
    const compiler::Value& value = graph.value(input);
    tensors.push_back({value.name, TypeOf(graph, value), value.type.shape, 0});
  }
  return tensors;
}

}  // namespace vta::tools
