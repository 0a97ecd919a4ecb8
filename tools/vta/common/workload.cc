#include "tools/vta/common/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/compile.h"
#include "compiler/frontend/model.h"
#include "compiler/graph/facts.h"
#include "compiler/graph/text.h"
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
#include "tools/shared/inferences.h"
#include "tools/shared/usage.h"
#include "tools/vta/common/assume.h"
#include "tools/vta/common/network_launches.h"
#include "tools/vta/common/synthesis.h"
#include "tools/vta/common/trials/cycle_measurer.h"

namespace vta::tools {
namespace {

using compiler::targets::CpuTarget, compiler::targets::VtaTarget;

isa::Package CompileForCost(const compiler::Graph& normalized, const isa::Config& config,
                            int64_t effort,
                            const std::shared_ptr<compiler::loop::StepMemos>& memos) {
  const VtaTarget accelerator(config, compiler::targets::Hiding::kAny, VtaTarget::Use::kCost,
                              memos);
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

constexpr double kMostWeight = 1e9;

/// As BatchOf has it of a package.
int64_t InferencesOf(const compiler::Graph& graph) {
  std::vector<std::vector<int64_t>> inputs, outputs;
  for (const compiler::ValueId value : graph.inputs()) inputs.push_back(graph.shape(value));
  for (const compiler::GraphOutput& output : graph.outputs())
    outputs.push_back(graph.shape(output.value));
  return BatchOf(inputs, outputs);
}

void CountLayers(WorkloadNetwork& network) {
  const compiler::Graph& graph = *network.normalized;
  for (const compiler::Step& step : compiler::Steps(graph)) {
    const int64_t macs = compiler::FactsOf(graph, step).macs;
    network.macs += macs;
    if (macs == 0) continue;
    for (const compiler::ValueId input : graph.nodes()[step.nodes.front()].inputs)
      if (const compiler::Tensor* const constant = graph.constant(input))
        network.has_int8 |= constant->dtype() == compiler::DType::kInt8;
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

std::string ModelFile(const std::string& model, const std::string& folder,
                      const ModelFiles& files) {
  if (const auto own = files.find(model); own != files.end()) return own->second;
  const auto known = compiler::KnownModels();
  if (std::ranges::find(known, model, &compiler::ModelInfo::name) == known.end()) return model;
  const std::string file = StrCat(folder, "/", model, ".onnx");
  compiler::BuildModel(model, 1, file);
  return file;
}

Workload::Workload(const std::vector<std::string>& models, ModelFiles files,
                   const std::vector<double>& weights, const compiler::ImportOptions& import,
                   const std::string& assume, std::string energy)
    : files_(std::move(files)), energy_(std::move(energy)) {
  if (!weights.empty() && weights.size() != models.size())
    throw UsageError("--weights", "", StrCat(weights.size(), " numbers"),
                     StrCat("must be one of each of the ", models.size(), " models"));
  for (const double weight : weights)
    if (!(weight > 0 && weight <= kMostWeight))
      throw UsageError("--weights", "", fmt::format("{}", weight),
                       "must be more than 0, and at most 1e9");
  Hasher hasher;
  for (size_t i = 0; i < models.size(); ++i) {
    const Temporary folder(NewTemporaryFolder("vta-explore"));
    const std::string file = ModelFile(models[i], folder.path(), files_);
    const compiler::Graph imported = ImportAssuming(file, import, assume, std::nullopt).graph;
    networks_.push_back({models[i], weights.empty() ? 1 : weights[i],
                         std::make_shared<const compiler::Graph>(compiler::Normalize(imported))});
    CountLayers(networks_.back());
    networks_.back().inferences = InferencesOf(*networks_.back().normalized);
    hasher.Text(compiler::Print(*networks_.back().normalized));
  }
  const std::string table = EnergyFile(energy_);
  hasher.Text(energy_).Text(table.empty() ? "" : ReadTextFile(table));
  hash_ = hasher.value();
}

PointResult Workload::CostOn(int64_t point, const isa::Config& config,
                             const Costing& costing) const {
  PointResult result{point};
  const auto refuse = [&](const std::string& why) {
    return PointResult{point, PointResult::End::kRefused, why, {}};
  };
  const EnergyModel& model = ModelOf(costing.energy_of ? *costing.energy_of : config);
  for (const WorkloadNetwork& network : networks_) {
    try {
      result.networks.push_back(
          Cost(CompileForCost(*network.normalized, config, costing.effort, memos_), config, model,
               costing.on_rtl));
    } catch (const Error& error) {
      return refuse(error.In(network.name).what());
    }
    if (const double share = result.networks.back().macs_share; share < kMacsShare)
      return refuse(fmt::format("{}: leaves {:.1f} % of the multiplications to the host{}",
                                network.name, 100 * (1 - share),
                                network.has_int8 ? "" : ": give it codes (--assume int8)"));
  }
  if (costing.part == nullptr) return result;
  try {
    const Resources takes = CountArea(config, *costing.part).modules.front().resources;
    const ClockReached clock = EstimateClock(config, *costing.part);
    result.on_part = {takes, clock.mhz, clock.with_error_mhz};
  } catch (const Error& error) {
    return refuse(error.what());
  }
  return result;
}

Workload::Means Workload::MeansOf(const isa::Config& config,
                                  const std::vector<NetworkCost>& networks) const {
  Means means;
  double weights = 0;
  const double per_ms = 1e3 * static_cast<double>(config.uarch.clock_mhz);
  for (size_t i = 0; i < networks.size(); ++i) {
    const double weight = networks_[i].weight,
                 ms = static_cast<double>(networks[i].cycles) / per_ms,
                 inferences = static_cast<double>(networks_[i].inferences);
    weights += weight;
    means.ms += weight * ms;
    means.inference_ms += weight * ms / inferences;
    means.inference_mj += weight * networks[i].energy_mj / inferences;
  }
  return {means.ms / weights, means.inference_ms / weights, means.inference_mj / weights};
}

PointResult Workload::LeastOn(int64_t point, const isa::Config& config) const {
  using isa::MemoryType;
  PointResult least{point};
  const EnergyModel& model = ModelOf(config);
  for (const WorkloadNetwork& network : networks_) {
    Events events;
    events.macs = static_cast<int64_t>(kMacsShare * static_cast<double>(network.macs));
    const int64_t cycles = events.macs / config.macs_per_cycle();
    for (const MemoryType read : {MemoryType::kUop, MemoryType::kInp, MemoryType::kWgt})
      events.reads[static_cast<size_t>(read)] = cycles;
    for (const MemoryType written : {MemoryType::kAcc, MemoryType::kOut})
      events.writes[static_cast<size_t>(written)] = cycles;
    const Clocking clocking{cycles, cycles, static_cast<double>(config.uarch.clock_mhz)};
    least.networks.push_back(
        {.cycles = cycles,
         .ideal_cycles = cycles,
         .energy_mj = EnergyOf(model, config, events, clocking, FittedResources(config)).mj(),
         .macs_share = 1});
  }
  return least;
}

const EnergyModel& Workload::ModelOf(const isa::Config& config) const {
  for (const Model& one : models_)
    if (one.memory == config.memory && one.clock_mhz == config.uarch.clock_mhz) return one.model;
  return models_
      .emplace_back(Model{config.memory, config.uarch.clock_mhz, FindEnergyModel(energy_, config)})
      .model;
}

PointResult PointEndOf(int64_t point, const JobEnd& end) {
  constexpr char kWhere[] = "point";
  PointResult result{point, PointResult::End::kFailed, end.failure, {}};
  if (!end.failure.empty()) return result;
  try {
    result = ReadPointResult(Json::Parse(end.said, kWhere), kWhere);
    result.point = point;
  } catch (const Error& error) {
    result.why = error.what();
  }
  return result;
}

void RunPoints(const NextJob& next, const ProcessLimits& limits,
               const std::function<PointResult(int64_t job)>& work,
               const std::function<bool(int64_t job, PointResult result)>& done) {
  RunInProcesses(
      next, limits, [&](int64_t job) { return ToJson(work(job)).Dump(-1); },
      [&](int64_t job, const JobEnd& end) { return done(job, PointEndOf(job, end)); });
}

}  // namespace vta::tools
