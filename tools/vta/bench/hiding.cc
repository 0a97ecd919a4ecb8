// vta bench hiding: what each way of hiding latency makes of a network's convolutions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/bench/hiding_ways.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"

namespace vta::tools {
namespace {

struct HidingOptions {
  std::vector<std::string> networks = {"resnet18"};
  std::string config = "default";
  bool json = false;
};

void AddWays(const isa::Config& config, int64_t macs, const HidingCycles& cycles, Json* json) {
  json->Set("macs", macs);
  for (size_t way = 0; way < std::size(kHidingWays); ++way)
    if (cycles[way])
      json->Set(
          kHidingWays[way].key,
          Json().Set("cycles", *cycles[way]).Set("share", ShareOfPeak(config, macs, *cycles[way])));
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
  return fmt::format("{:.1f}", 100 * ShareOfPeak(config, macs, cycles));
}

std::string HidingInWords(const HidingNetwork& network, const isa::Config& config) {
  TableRows rows(1, {"layer"});
  for (size_t way = 0; way < kFreeWay; ++way) {
    rows[0].emplace_back(kHidingWays[way].title);
    rows[0].emplace_back("peak %");
  }
  const auto add = [&](const std::string& name, int64_t macs, const HidingCycles& cycles) {
    std::vector<std::string>& row = rows.emplace_back(1, name);
    for (size_t way = 0; way < kFreeWay; ++way) {
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
  if (const std::optional<int64_t>& chosen = network.cycles[kFreeWay])
    text += StrCat(kHidingWays[kFreeWay].title, ": ", CountedWithCommas(*chosen, "cycle"), ", ",
                   PeakPercent(config, network.macs, *chosen), " % of the peak\n");
  return text;
}

int BenchHiding(const HidingOptions& options, const isa::ConfigLoader& load) {
  const isa::Config config = load(options.config);
  std::vector<HidingNetwork> networks;
  Progress progress("bench hiding");
  for (const std::string& name : options.networks)
    networks.push_back(MeasureHiding(name, config, progress));
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
