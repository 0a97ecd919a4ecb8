#include "tests/network/trial.h"

#include <algorithm>
#include <optional>

#include "compiler/compile.h"
#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/schedule.h"
#include "compiler/native_code.h"
#include "compiler/targets/cpu/target.h"
#include "compiler/targets/vta/plan.h"
#include "compiler/targets/vta/target.h"
#include "driver/functional/functional_device.h"
#include "isa/check/published.h"
#include "isa/support/error.h"
#include "runtime/proof.h"
#include "runtime/session.h"
#include "tests/network/random_network.h"
#include "tests/support/interpreter/interpret.h"
#include "tests/support/interpreter/interpreted_module.h"
#include "tools/vta/common/trials/native_cpu.h"

namespace vta::test {
namespace {

using compiler::Graph;
using compiler::Node;
using compiler::Tensor;
using compiler::ValueId;
using Outputs = std::vector<std::vector<uint8_t>>;

constexpr char kVta[] = "vta";

constexpr sim::ModuleOrder kOrders[] = {
    sim::ModuleOrder::kOldestFirst, sim::ModuleOrder::kLoadFirst, sim::ModuleOrder::kComputeFirst,
    sim::ModuleOrder::kStoreFirst, sim::ModuleOrder::kRandom};

/// The graph that the compile driver makes programs of.
Graph Placed(const Graph& graph, const compiler::CodeTarget& target) {
  const compiler::Target* const targets[] = {&target};
  const compiler::targets::CpuTarget cpu;
  const compiler::PassContext context{targets, &cpu};
  Graph normal = compiler::RunPasses(graph, compiler::NormalizePipeline(), context);
  return compiler::RunPasses(std::move(normal), compiler::PlacementPipeline(), context);
}

/// The phases that a definition makes, where a program stores them.
Tensor Interleaved(const isa::Config& config, const Graph& graph, const compiler::Step& step,
                   const compiler::targets::PhasePlaces& places, const std::vector<uint8_t>& made) {
  Tensor out(graph.type(graph.nodes()[step.nodes.back()].output));
  const int64_t size = config.out_bytes();
  for (int64_t i = 0; i < std::ssize(made) / size; ++i)
    if (const int64_t at = places.PlaceOf(i); at != compiler::targets::PhasePlaces::kNowhere)
      std::copy_n(&made[i * size], size, &out.mutable_bytes()[at * size]);
  return out;
}

/// What the definition of a step's program makes of its inputs, on the loop-IR interpreter.
Tensor Interpret(const isa::Config& config, const Graph& graph, const compiler::Step& step,
                 const std::vector<std::optional<Tensor>>& values) {
  const auto plan = compiler::targets::PlanStep(config, graph, step.nodes);
  const ValueId made = graph.nodes()[step.nodes.back()].output;
  std::map<std::string, std::vector<uint8_t>> bytes;
  for (const auto& [name, value] : plan.tensors)
    if (value == made)
      bytes[name].resize(
          graph.type(plan.phases ? graph.nodes()[step.nodes[0]].output : made).bytes());
    else
      bytes[name].assign(values.at(value)->bytes().begin(), values.at(value)->bytes().end());
  for (const auto& [name, constant] : plan.constants) bytes[name] = constant;
  std::vector<std::span<std::byte>> arguments;
  for (const auto& parameter : plan.definition.params)
    arguments.push_back(std::as_writable_bytes(std::span(bytes.at(parameter->name))));
  compiler::loop::Interpreter(plan.definition).Run(arguments);
  for (const auto& [name, value] : plan.tensors) {
    if (value != made) continue;
    return plan.phases ? Interleaved(config, graph, step, *plan.phases, bytes.at(name))
                       : Tensor(graph.type(value), bytes.at(name));
  }
  VTA_CHECK(false, "a plan without its step's output");
}

Outputs RunDefinitions(const isa::Config& config, const Graph& placed,
                       const std::vector<Tensor>& inputs) {
  std::vector<std::optional<Tensor>> values(placed.values().size());
  for (size_t i = 0; i < inputs.size(); ++i) values[placed.inputs()[i]] = inputs[i];
  for (size_t id = 0; id < values.size(); ++id)
    if (const Tensor* constant = placed.constant(static_cast<ValueId>(id))) values[id] = *constant;
  for (const compiler::Step& step : compiler::Steps(placed)) {
    const Node& last = placed.nodes()[step.nodes.back()];
    if (step.target == kVta) {
      values[last.output] = Interpret(config, placed, step, values);
      continue;
    }
    for (const compiler::NodeId id : step.nodes) {
      const Node& node = placed.nodes()[id];
      std::vector<const Tensor*> operands;
      for (const ValueId input : node.inputs) operands.push_back(&*values.at(input));
      values[node.output] = compiler::EvaluateNode(placed, node, operands);
    }
  }
  Outputs outputs;
  for (const compiler::GraphOutput& output : placed.outputs()) {
    const auto bytes = values[output.value]->bytes();
    outputs.emplace_back(bytes.begin(), bytes.end());
  }
  return outputs;
}

Outputs RunEvaluator(const Graph& graph, const std::vector<Tensor>& inputs) {
  Outputs outputs;
  for (const Tensor& tensor : compiler::Evaluate(graph, inputs))
    outputs.emplace_back(tensor.bytes().begin(), tensor.bytes().end());
  return outputs;
}

std::string Differ(const Graph& graph, const std::string& what, const Outputs& found,
                   const Outputs& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (found[i] == wanted[i]) continue;
    size_t at = 0, differing = 0;
    for (size_t k = wanted[i].size(); k-- > 0;)
      if (found[i][k] != wanted[i][k]) at = k, ++differing;
    return StrCat(what, ": output ", graph.outputs()[i].name, " differs in ", differing, " of ",
                  wanted[i].size(), " bytes; first at ", at, ": ",
                  int{static_cast<int8_t>(found[i][at])}, " instead of ",
                  int{static_cast<int8_t>(wanted[i][at])});
  }
  return "";
}

void Count(const Graph& placed, const isa::Package& package, NetworkTally* tally) {
  for (const compiler::Step& step : compiler::Steps(placed)) {
    std::string name;
    for (const compiler::NodeId id : step.nodes)
      name += StrCat(name.empty() ? "" : "+", compiler::Spec(placed.nodes()[id].op).name);
    ++(step.target == kVta ? tally->on_vta : tally->on_cpu)[name];
  }
  tally->programs += static_cast<int64_t>(package.programs.size());
  tally->instructions += static_cast<int64_t>(package.code.size()) / isa::kInstructionBytes;
}

/// What a program of ISA 0.0.2 has that published executors disagree on, but for what the variant
/// itself is beyond them: depths, extensions.
std::string BeyondPublished(const isa::Package& package) {
  if (package.config->version != isa::Version::k002) return "";
  std::string beyond;
  const auto check = [&](const isa::Launch& launch) {
    isa::PublishedReport report = isa::CheckPublished(*package.config, launch);
    std::erase_if(report.broken, [](const isa::BrokenRule& broken) {
      return broken.rule == isa::PublishedRule::kColumns ||
             broken.rule == isa::PublishedRule::kExtension;
    });
    if (!report.ok() && beyond.empty()) beyond = isa::PublishedToText(report);
  };
  for (const isa::PackageStep& step : package.steps)
    if (step.kind == isa::PackageStep::Kind::kProgram) runtime::WithLaunch(package, step, check);
  for (const isa::PackageLaunch& launch : package.launches)
    runtime::WithLaunch(package, launch, check);
  return beyond;
}

/// The network without the accelerator: native code and its interpreter give the evaluator's bytes.
std::string RunOnCpuAlone(const Graph& graph, const std::vector<std::vector<Tensor>>& inputs,
                          NetworkTally* tally) {
  const compiler::lower::CpuSpec native = tools::NativeCpu();
  const compiler::targets::CpuTarget cpu({native});
  const compiler::CodeTarget* const targets[] = {&cpu};
  const compiler::CompileResult compiled =
      compiler::Compile(graph, {.rounding = graph.rounding(),
                                .targets = targets,
                                .cpus = {&native, 1},
                                .build_module = compiler::BuildModule});
  const InterpretedModule interpreted(compiled.package, compiled.kernels);
  for (const runtime::KernelModule* kernels :
       {(const runtime::KernelModule*)nullptr, (const runtime::KernelModule*)&interpreted}) {
    runtime::Session session(
        std::make_shared<runtime::Model>(compiled.package, "network",
                                         runtime::ModelOptions{.kernels = kernels}),
        nullptr);
    for (const std::vector<Tensor>& sample : inputs) {
      std::vector<std::span<const uint8_t>> bytes;
      for (const Tensor& tensor : sample) bytes.push_back(tensor.bytes());
      ++tally->runs;
      const std::string text =
          Differ(graph, kernels ? "the CPU alone, interpreted" : "the CPU alone",
                 runtime::Infer(session, bytes), RunEvaluator(graph, sample));
      if (!text.empty()) return text;
    }
  }
  return "";
}

std::string RunTrial(const isa::Config& config, const Graph& graph, uint64_t seed,
                     NetworkTally* tally) {
  const compiler::CompileResult compiled = CompileFor(config, graph);
  const isa::Package& package = compiled.package;
  const std::string beyond = BeyondPublished(package);
  if (!beyond.empty()) return beyond;
  const Graph placed = Placed(graph, compiler::targets::VtaTarget(config));
  Count(placed, package, tally);

  const bool exact = config.arch.requant && config.arch.requant_multiplier_bits == 32;
  Draws draw(seed);
  std::vector<std::vector<Tensor>> inputs(2);
  std::vector<Outputs> wanted;
  for (std::vector<Tensor>& sample : inputs) {
    for (const ValueId input : graph.inputs())
      sample.push_back(RandomCodes(draw, graph.type(input)));
    wanted.push_back(RunDefinitions(config, placed, sample));
    if (!exact) continue;
    const std::string text =
        Differ(graph, "definitions", wanted.back(), RunEvaluator(graph, sample));
    if (!text.empty()) return text;
  }
  tally->exact += exact;

  const InterpretedModule interpreted(package, compiled.kernels);
  const auto run = [&](sim::ModuleOrder order, const runtime::KernelModule* kernels, bool apart) {
    driver::FunctionalDevice device(config, {.memory_bytes = driver::MemoryFor(package),
                                             .machine = {.order = order, .seed = seed}});
    runtime::Session session(std::make_shared<runtime::Model>(
                                 package, "network", runtime::ModelOptions{.kernels = kernels}),
                             &device, {.apart = apart});
    for (size_t s = 0; s < inputs.size(); ++s) {
      std::vector<std::span<const uint8_t>> bytes;
      for (const Tensor& tensor : inputs[s]) bytes.push_back(tensor.bytes());
      ++tally->runs;
      const std::string text =
          Differ(graph,
                 StrCat("sample ", s, ", order ", static_cast<int>(order),
                        kernels ? ", kernels interpreted" : "", apart ? ", each layer apart" : ""),
                 runtime::Infer(session, bytes), wanted[s]);
      if (!text.empty()) return text;
    }
    return std::string();
  };
  std::string text = run(kOrders[0], &interpreted, true);
  for (const sim::ModuleOrder order : kOrders)
    if (text.empty()) text = run(order, nullptr, false);
  return text.empty() ? RunOnCpuAlone(graph, inputs, tally) : text;
}

}  // namespace

compiler::CompileResult CompileFor(const isa::Config& config, const Graph& graph, Kernels kernels) {
  const compiler::targets::VtaTarget vta(config);
  const compiler::targets::CpuTarget cpu;
  const compiler::CodeTarget* const targets[] = {&vta, &cpu};
  const compiler::lower::CpuSpec native = tools::NativeCpu();
  compiler::CompileOptions options;
  options.config = config;
  options.rounding = graph.rounding();
  options.targets = targets;
  if (kernels == Kernels::kNative)
    options.cpus = {&native, 1}, options.build_module = compiler::BuildModule;
  return compiler::Compile(graph, options);
}

std::string TryNetwork(const isa::Config& config, const Graph& graph, uint64_t seed,
                       NetworkTally* tally) {
  ++tally->networks;
  try {
    return RunTrial(config, graph, seed, tally);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace vta::test
