#include "tools/vta/explore/workload.h"

#include <algorithm>

#include "compiler/compile.h"
#include "compiler/frontend/model.h"
#include "compiler/graph/facts.h"
#include "compiler/models/models.h"
#include "compiler/targets/cpu/target.h"
#include "compiler/targets/vta/target.h"
#include "compiler/tune/tuner.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "isa/support/temporary.h"
#include "sim/cycle/core/core.h"
#include "sim/rtl/machine.h"
#include "tools/area/predict.h"
#include "tools/energy/energy.h"
#include "tools/shared/usage.h"
#include "tools/vta/common/assume.h"
#include "tools/vta/common/cycle_measurer.h"
#include "tools/vta/common/dimensions.h"
#include "tools/vta/common/network_launches.h"

namespace vta::tools {
namespace {

using compiler::targets::CpuTarget, compiler::targets::VtaTarget;

bool IsKnown(const std::string& name) {
  return std::ranges::any_of(compiler::KnownModels(),
                             [&](const auto& model) { return model.name == name; });
}

isa::Package CompileForCost(const compiler::Graph& normalized, const isa::Config& config,
                            int64_t effort) {
  const VtaTarget accelerator(config, compiler::targets::Hiding::kAny, VtaTarget::Use::kCost);
  const CpuTarget rest({}, compiler::targets::Arithmetic::kFast);
  const compiler::CodeTarget* const targets[] = {&accelerator, &rest};
  compiler::CompileOptions options;
  options.config = config;
  options.targets = targets;
  const CycleMeasurer measurer(config);
  compiler::tune::Tuner tuner({.measurer = &measurer,
                               .trials = effort,
                               .target = accelerator.Name(),
                               .arch = isa::ArchHash(config)});
  if (effort > 0) options.choosers[accelerator.Name()] = &tuner;
  return compiler::CompileNormalized(normalized, options).package;
}

/// Of the layers that multiply.
void CountLayers(WorkloadNetwork& network) {
  const compiler::Graph& graph = *network.normalized;
  for (const compiler::Step& step : compiler::Steps(graph)) {
    const int64_t macs = compiler::FactsOf(graph, step).macs;
    network.macs += macs;
    if (macs == 0) continue;
    for (const compiler::ValueId input : graph.nodes()[step.nodes.front()].inputs)
      if (const compiler::Tensor* const constant = graph.constant(input);
          constant && constant->dtype() == compiler::DType::kInt8)
        network.weight_bytes += constant->elements();
  }
}

/// On zeros, as the cycle model has it. Errors: throws Error where a launch takes other cycles.
class OnRtl {
 public:
  OnRtl(const isa::Config& config, const NetworkLaunches& network)
      : machine_(config, {}, {.quick = true}), dram_(network.dram) {}

  void Require(const NetworkLaunches::Launch& launch, int64_t cycles) {
    const isa::LaunchResult result = machine_.Run(launch.request, dram_);
    const int64_t rtl = result.counters.time.value().cycles;
    if (result.outcome != isa::Outcome::kFinished || rtl != cycles)
      throw Error(launch.layer, "cycles on the RTL", std::to_string(rtl),
                  StrCat("must be the cycle model's ", cycles));
  }

 private:
  sim::RtlMachine machine_;
  std::vector<uint8_t> dram_;
};

NetworkCost Cost(const isa::Package& package, const isa::Config& config, const EnergyModel& model,
                 bool on_rtl) {
  NetworkCost cost;
  int64_t all = 0, on_accelerator = 0;
  for (const isa::PackageStep& step : package.steps) {
    all += step.facts.macs;
    if (step.kind != isa::PackageStep::Kind::kProgram) continue;
    on_accelerator += step.facts.macs;
    cost.ideal_cycles += step.facts.bounds.value().ideal;
  }
  cost.macs_share = all > 0 ? static_cast<double>(on_accelerator) / static_cast<double>(all) : 1;
  const NetworkLaunches network = LaunchesOf(package, Launches::kOfSeveral);
  sim::cycle::Core core(config);
  std::optional<OnRtl> rtl;
  if (on_rtl) rtl.emplace(config, network);
  isa::Counters counters;
  for (const NetworkLaunches::Launch& launch : network.launches) {
    const isa::LaunchResult result = core.Run(launch.request, network.dram, {});
    if (result.outcome != isa::Outcome::kFinished)
      throw Error(launch.layer, "outcome", std::string(isa::OutcomeName(result.outcome)),
                  "must be finished");
    if (rtl) rtl->Require(launch, result.counters.time.value().cycles);
    cost.cycles += result.counters.time.value().cycles;
    counters += result.counters;
  }
  for (const int64_t bytes : counters.bytes) cost.dram_bytes += bytes;
  Events events;
  for (const Events& of_step : EventsOf(package)) events += of_step;
  if (counters.time)
    cost.energy_mj =
        EnergyOf(model, config, events,
                 ClockingOf(*counters.time, static_cast<double>(config.uarch.clock_mhz)),
                 FittedResources(config))  // also of what was counted: points are compared
            .mj();
  return cost;
}

}  // namespace

Workload::Workload(const std::vector<std::string>& models, const std::vector<double>& weights,
                   const std::vector<std::string>& dims, const std::string& assume,
                   std::string energy)
    : energy_(std::move(energy)) {
  if (!weights.empty() && weights.size() != models.size())
    throw UsageError("--weights", "", StrCat(weights.size(), " numbers"),
                     StrCat("must be one of each of the ", models.size(), " models"));
  Hasher hasher;
  for (size_t i = 0; i < models.size(); ++i) {
    std::string file = models[i];
    const Temporary folder(NewTemporaryFolder("vta-explore"));
    if (IsKnown(file)) {
      file = folder.path() + "/model.onnx";
      compiler::BuildModel(models[i], 1, file);
    }
    hasher.Text(ReadTextFile(file));
    const compiler::Graph imported =
        ImportAssuming(file, {.dimensions = Dimensions(dims)}, assume, std::nullopt).graph;
    networks_.push_back({models[i], weights.empty() ? 1 : weights[i],
                         std::make_shared<const compiler::Graph>(compiler::Normalize(imported))});
    CountLayers(networks_.back());
  }
  for (const std::string& dim : dims) hasher.Text(dim);
  hasher.Text(assume);
  const std::string table = EnergyFile(energy_);
  hasher.Text(energy_).Text(table.empty() ? "" : ReadTextFile(table));
  hash_ = hasher.value();
}

std::vector<NetworkCost> Workload::CostOn(const isa::Config& config, const Costing& costing) const {
  const EnergyModel model =
      FindEnergyModel(energy_, costing.energy_of ? *costing.energy_of : config);
  std::vector<NetworkCost> costs;
  for (const WorkloadNetwork& network : networks_) {
    try {
      costs.push_back(Cost(CompileForCost(*network.normalized, config, costing.effort), config,
                           model, costing.on_rtl));
    } catch (const Error& error) {
      throw error.In(network.name);
    }
  }
  return costs;
}

int64_t Workload::LeastCycles(const WorkloadNetwork& network, const isa::Config& config,
                              double macs_share) {
  const int64_t bus = std::min(config.memory.bytes_per_cycle, config.uarch.bus_bits / 8);
  // What stays on the host may be the layer with the most weights.
  const double macs = macs_share * static_cast<double>(network.macs);
  const int64_t bytes = macs_share < 1 ? 0 : network.weight_bytes;
  return std::max(static_cast<int64_t>(macs) / config.macs_per_cycle(), bytes / bus);
}

}  // namespace vta::tools
