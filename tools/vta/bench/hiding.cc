// vta bench hiding: what each way of hiding latency makes of a network's convolutions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "compiler/graph/ops.h"
#include "compiler/tune/tuner.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"
#include "sim/cycle/core/core.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/cycle_measurer.h"
#include "tools/vta/common/network_launches.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/session.h"

namespace vta::tools {
namespace {

using compiler::targets::Hiding;

struct HidingWay {
  Hiding hiding;
  const char *title, *key;
};
constexpr size_t kFree = 3;  // the last one's place
constexpr HidingWay kWays[] = {{Hiding::kOneSlot, "one slot", "one_slot"},
                               {Hiding::kSlots, "two slots", "two_slots"},
                               {Hiding::kThreads, "two threads", "two_threads"},
                               {Hiding::kAlone, "the compiler's choice", "compiler"}};
using Cycles = std::array<std::optional<int64_t>, std::size(kWays)>;

struct HidingOptions {
  std::vector<std::string> networks = {"resnet18"};
  std::string config = "default";
  bool json = false;
};

struct HidingLayer {
  std::string name, op;
  int64_t macs = 0;
  Cycles cycles;  // nothing where no tiling that fits hides latency so

  bool complete() const {
    return std::ranges::all_of(cycles, [](const auto& way) { return way.has_value(); });
  }
};

struct HidingNetwork {
  std::string name;
  std::vector<HidingLayer> layers;
  int64_t counted = 0, macs = 0;  // of the layers that are complete
  Cycles cycles;                  // and theirs; nothing where none is
};

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
  const isa::Package package = PackageOf(network, config, kWays[way].hiding, &tuner);
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

HidingNetwork MeasureWays(const std::string& name, const isa::Config& config, Progress& progress) {
  HidingNetwork network{name, {}};
  for (size_t way = std::size(kWays); way-- > 0;) {
    progress.At(StrCat(name, " on ", config.name, ", ", kWays[way].title));
    std::vector<HidingLayer> layers = LayersOf(name, config, way);
    if (way == kFree) {
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
    for (size_t way = 0; way < std::size(kWays); ++way)
      network.cycles[way] = network.cycles[way].value_or(0) + layer.cycles[way].value();
  }
  return network;
}

/// Of the array's peak.
double ShareOf(const isa::Config& config, int64_t macs, int64_t cycles) {
  return static_cast<double>(macs) / static_cast<double>(cycles * config.macs_per_cycle());
}

void AddWays(const isa::Config& config, int64_t macs, const Cycles& cycles, Json* json) {
  json->Set("macs", macs);
  for (size_t way = 0; way < std::size(kWays); ++way)
    if (cycles[way])
      json->Set(
          kWays[way].key,
          Json().Set("cycles", *cycles[way]).Set("share", ShareOf(config, macs, *cycles[way])));
}

std::string HidingInJson(const std::vector<HidingNetwork>& networks, const isa::Config& config) {
  Json::Array list;
  for (const HidingNetwork& network : networks) {
    Json::Array layers;
    for (const HidingLayer& layer : network.layers) {
      Json row;
      row.Set("layer", layer.name).Set("op", layer.op);
      AddWays(config, layer.macs, layer.cycles, &row);
      layers.push_back(std::move(row));
    }
    Json total;
    total.Set("layers", network.counted);
    AddWays(config, network.macs, network.cycles, &total);
    list.push_back(Json()
                       .Set("network", network.name)
                       .Set("layers", std::move(layers))
                       .Set("total", std::move(total)));
  }
  return HeadOf(kBenchHidingDocument)
             .Set("config", config.name)
             .Set("timing_hash", Hex(isa::TimingHash(config), 16))
             .Set("macs_per_cycle", config.macs_per_cycle())
             .Set("networks", std::move(list))
             .Dump() +
         "\n";
}

std::string PeakPercent(const isa::Config& config, int64_t macs, int64_t cycles) {
  return fmt::format("{:.1f}", 100 * ShareOf(config, macs, cycles));
}

std::string HidingInWords(const HidingNetwork& network, const isa::Config& config) {
  TableRows rows(1, {"layer"});
  for (size_t way = 0; way < kFree; ++way) {
    rows[0].emplace_back(kWays[way].title);
    rows[0].emplace_back("peak %");
  }
  const auto add = [&](const std::string& name, int64_t macs, const Cycles& cycles) {
    std::vector<std::string>& row = rows.emplace_back(1, name);
    for (size_t way = 0; way < kFree; ++way) {
      row.push_back(cycles[way] ? WithCommas(*cycles[way]) : "");
      row.push_back(cycles[way] ? PeakPercent(config, macs, *cycles[way]) : "");
    }
  };
  for (const HidingLayer& layer : network.layers) add(layer.name, layer.macs, layer.cycles);
  const int64_t left_out = std::ssize(network.layers) - network.counted;
  add(left_out == 0 ? "all layers" : StrCat("all but ", Counted(left_out, "layer")), network.macs,
      network.cycles);
  std::string text = StrCat(network.name, " on ", config.name, "\n",
                            FormatTable(rows, {false, true, true, true, true, true, true}));
  if (left_out > 0)
    text += "blank: no tiling of that kind fits the config; sums are of layers that have all\n";
  if (const std::optional<int64_t>& chosen = network.cycles[kFree])
    text += StrCat(kWays[kFree].title, ": ", CountedWithCommas(*chosen, "cycle"), ", ",
                   PeakPercent(config, network.macs, *chosen), " % of the peak\n");
  return text;
}

int BenchHiding(const HidingOptions& options, const isa::ConfigLoader& load) {
  const isa::Config config = load(options.config);
  std::vector<HidingNetwork> networks;
  Progress progress("bench hiding");
  for (const std::string& name : options.networks)
    networks.push_back(MeasureWays(name, config, progress));
  progress.Hide();
  if (options.json) {
    fmt::print("{}", HidingInJson(networks, config));
    return 0;
  }
  for (const HidingNetwork& network : networks)
    fmt::print("{}{}", &network == &networks[0] ? "" : "\n", HidingInWords(network, config));
  return 0;
}

}  // namespace

std::function<int()> AddBenchHiding(CLI::App& app) {
  auto options = std::make_shared<HidingOptions>();
  AddNetworksTo(app, &options->networks, &options->config);
  app.add_flag("--json", options->json, "print for machines");
  return [options, &app] { return BenchHiding(*options, ConfigsBeside(app)); };
}

}  // namespace vta::tools
