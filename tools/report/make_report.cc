// The report of a run, of what was measured; and sums of its layers.
#include <algorithm>
#include <functional>

#include "isa/support/plural.h"
#include "runtime/pipeline.h"
#include "tools/area/predict.h"
#include "tools/host/host_bound.h"
#include "tools/report/hosts.h"
#include "tools/report/report.h"
#include "tools/shared/inferences.h"

namespace vta::tools {
namespace {

constexpr char kOnVta[] = "vta", kOnCpu[] = "cpu";

// The layers of a launch of which only the whole is known.
LayerReport OfLaunch(std::span<const isa::PackageStep> steps) {
  LayerReport layer{isa::NameOf(steps)};
  layer.layers = std::ssize(steps);
  layer.facts.op = StrCat("a launch of ", Counted(steps.size(), "layer"));
  isa::LayerBounds bounds;
  for (const isa::PackageStep& step : steps) {
    layer.facts.macs += step.facts.macs;
    layer.facts.off_by = std::max(layer.facts.off_by, step.facts.off_by);
    if (!step.facts.bounds) continue;
    bounds.ideal += step.facts.bounds->ideal;
    bounds.machine += step.facts.bounds->machine;
  }
  if (std::ranges::all_of(steps, [](const auto& step) { return step.facts.bounds.has_value(); }))
    layer.facts.bounds = bounds;
  return layer;
}

bool IsFloat(const isa::Package& package) {
  bool is_float = !package.steps.empty();
  for (const isa::PackageStep& step : package.steps)
    for (const int64_t output : step.outputs)
      is_float = is_float && package.tensors[output].type == isa::ElementType::kFloat32;
  return is_float;
}

}  // namespace

bool OnVta(const LayerReport& layer) { return layer.where == kOnVta; }
bool OnCpu(const LayerReport& layer) { return layer.where == kOnCpu; }
bool IsCopy(const LayerReport& layer) { return layer.is_copy; }
bool OnGpu(const LayerReport& layer) { return !OnVta(layer) && !OnCpu(layer) && !IsCopy(layer); }
bool Anywhere(const LayerReport&) { return true; }

LayerReport Total(const RunReport& report, const std::string& name,
                  bool (*counts)(const LayerReport&)) {
  LayerReport total;
  total.name = name;
  total.layers = 0;
  isa::LayerBounds bounds;
  bool is_bounded = true;  // also by packages that older tools made
  for (const LayerReport& layer : report.layers) {
    if (!counts(layer)) continue;
    total.layers += layer.layers;
    total.facts.macs += layer.facts.macs;
    total.wall_ms += layer.wall_ms;
    total.kernel_bytes += layer.kernel_bytes;
    total.counters += layer.counters;
    total.host_ms.resize(std::max(total.host_ms.size(), layer.host_ms.size()));
    std::ranges::transform(layer.host_ms, total.host_ms, total.host_ms.begin(), std::plus());
    if (layer.energy_mj) total.energy_mj = total.energy_mj.value_or(0) + *layer.energy_mj;
    if (!OnVta(layer)) continue;
    if (!layer.facts.bounds) is_bounded = false;
    bounds.ideal += is_bounded ? layer.facts.bounds->ideal : 0;
    bounds.machine += is_bounded ? layer.facts.bounds->machine : 0;
  }
  if (is_bounded && bounds.machine > 0) total.facts.bounds = bounds;
  return total;
}

RunReport MakeReport(const isa::Package& package, const runtime::RunProfile& profile,
                     const runtime::MemoryUse& memory, const driver::DeviceId* device,
                     const std::optional<ClockEstimate>& estimate, int64_t in_flight) {
  RunReport report{package.model};
  if (package.Gpu()) report.gpu = package.Gpu()->name;
  if (device) {
    report.config = package.config->name, report.engine = device->name;
    report.is_simulated = device->is_simulated;
    report.arch_hash = device->arch_hash, report.timing_hash = device->timing_hash;
    report.clock_mhz =
        device->clock_mhz.value_or(static_cast<double>(package.config->uarch.clock_mhz));
    report.macs_per_cycle = package.config->macs_per_cycle();
  }
  report.estimate = estimate;
  report.batch = BatchOf(package);
  report.is_float = IsFloat(package);
  report.assumed = package.assumed;
  report.inexact = package.inexactness();
  report.wall_ms = Milliseconds(profile.wall);
  report.copy_ms = Milliseconds(profile.copy_in + profile.copy_out);
  report.memory = memory;
  report.layout_changes = LayoutChangesOf(package);
  if (device) report.host_bytes_bound = HostBytesBound(package);
  if (device) report.host_steps_bound = HostStepsBound(package);
  for (size_t i = 0; i < package.steps.size(); ++i) {
    const isa::PackageStep& step = package.steps[i];
    const runtime::StepProfile& measured = profile.steps.at(i);
    if (measured.steps == 0) continue;
    const auto together = std::span(package.steps).subspan(i, static_cast<size_t>(measured.steps));
    LayerReport layer =
        measured.steps > 1 ? OfLaunch(together) : LayerReport{step.name, step.facts};
    layer.step = static_cast<int64_t>(i);
    layer.where = package.WhereOf(step);
    layer.is_copy = step.kind == isa::PackageStep::Kind::kCopy;
    layer.wall_ms = Milliseconds(measured.wall);
    if (step.kind == isa::PackageStep::Kind::kKernel)
      layer.kernel_bytes = HostBytesOf(package, step);
    else if (layer.is_copy)
      layer.kernel_bytes = package.tensors[step.outputs[0]].bytes();
    else
      layer.launch = measured.begins ? report.launches++ : report.launches - 1;
    layer.shares_launch = !measured.begins;
    if (!measured.begins) report.layers.back().shares_launch = true;
    layer.counters = measured.counters;
    report.layers.push_back(std::move(layer));
  }
  const runtime::StepClock clock = runtime::ClockOf(package, device);
  if (clock.kind == runtime::TimeKind::kModelled) {
    report.modelled = {runtime::Modelled(package, profile, clock, in_flight), clock};
    AddHosts(package, report);
  }
  return report;
}

void AddEnergy(const isa::Package& package, const EnergyModel& model, RunReport& report) {
  const bool together = std::ranges::any_of(
      report.layers, [](const auto& layer) { return layer.shares_launch || layer.layers > 1; });
  const std::vector<Events> steps = EventsOf(package, together);
  const Resources resources = ResourcesOf(*package.config);
  const auto energy_of = [&](const Events& events, const isa::Time& time) {
    return EnergyOf(model, *package.config, events, ClockingOf(time, report.clock_mhz), resources);
  };
  Events all;
  for (LayerReport& layer : report.layers) {
    if (!OnVta(layer) || !layer.time()) continue;
    Events events;
    for (int64_t i = 0; i < layer.layers; ++i) events += steps[layer.step + i];
    layer.energy_mj = energy_of(events, *layer.time()).mj();
    all += events;
  }
  if (const auto time = Total(report, "", OnVta).time()) report.energy = energy_of(all, *time);
}

std::optional<ClockEstimate> EstimateFor(const isa::Package& package,
                                         const driver::DeviceId* device) {
  return device && device->timing_hash && !device->clock_mhz ? EstimateOf(*package.config)
                                                             : std::nullopt;
}

}  // namespace vta::tools
