#include "tools/vta/bench/hiding_ways.h"

#include <map>
#include <utility>

#include "compiler/graph/ops.h"
#include "compiler/tune/tuner.h"
#include "isa/support/error.h"
#include "sim/cycle/core/core.h"
#include "tools/vta/common/network_launches.h"
#include "tools/vta/common/session.h"
#include "tools/vta/common/trials/cycle_measurer.h"

namespace vta::tools {
namespace {

bool IsConvolution(const isa::PackageStep& step) {
  const auto begins = [&](compiler::Op op) {
    return step.facts.op.starts_with(compiler::Spec(op).name);
  };
  return step.kind == isa::PackageStep::Kind::kProgram &&
         (begins(compiler::Op::kConv2dI8) || begins(compiler::Op::kDenseI8));
}

/// Layers run apart here: each has what is best for it alone.
class ApartTuner : public compiler::tune::Tuner {
 public:
  using Tuner::Tuner;
  const compiler::tune::Measurer* measurer() const override { return nullptr; }
};

/// Of the network's convolutions on the accelerator, in order.
std::vector<HidingLayer> LayersOf(const std::string& network, const isa::Config& config,
                                  size_t way) {
  const CycleMeasurer measurer(config);
  ApartTuner tuner({.measurer = &measurer, .trials = TuneOptions::kEffort, .jobs = JobsOf({})});
  const isa::Package package = PackageOf(network, config, kHidingWays[way].hiding, &tuner);
  const NetworkLaunches launches = LaunchesOf(package, Launches::kApart);
  sim::cycle::Core core(config);
  std::vector<HidingLayer> layers;
  auto launch = launches.launches.begin();
  for (const isa::PackageStep& step : package.steps) {
    if (step.kind != isa::PackageStep::Kind::kProgram) continue;
    const isa::LaunchRequest& request = launch++->request;
    if (!IsConvolution(step)) continue;
    HidingLayer& layer = layers.emplace_back(step.name, step.facts.op, step.facts.macs);
    layer.cycles[way] = core.Run(request, launches.dram).counters.time.value().cycles;
  }
  return layers;
}

}  // namespace

HidingNetwork MeasureHiding(const std::string& name, const isa::Config& config,
                            Progress& progress) {
  HidingNetwork network{name, {}};
  for (size_t way = std::size(kHidingWays); way-- > 0;) {
    progress.At(StrCat(name, " on ", config.name, ", ", kHidingWays[way].title));
    std::vector<HidingLayer> layers = LayersOf(name, config, way);
    if (way == kFreeWay) {
      network.layers = std::move(layers);
      continue;
    }
    // What does not fit with its sum may be there without it: that is another layer.
    std::map<std::pair<std::string, std::string>, int64_t> found;
    for (const HidingLayer& layer : layers)
      found.emplace(std::pair(layer.name, layer.op), layer.cycles[way].value());
    for (HidingLayer& layer : network.layers)
      if (const auto at = found.find({layer.name, layer.op}); at != found.end())
        layer.cycles[way] = at->second;
  }
  for (const HidingLayer& layer : network.layers) {
    if (!layer.complete()) continue;
    ++network.counted;
    network.macs += layer.macs;
    for (size_t way = 0; way < std::size(kHidingWays); ++way)
      network.cycles[way] = network.cycles[way].value_or(0) + layer.cycles[way].value();
  }
  return network;
}

double ShareOfPeak(const isa::Config& config, int64_t macs, int64_t cycles) {
  return static_cast<double>(macs) / static_cast<double>(cycles * config.macs_per_cycle());
}

}  // namespace vta::tools
