// vta bench networks: what the known networks take on accelerator variants, beside their bounds.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "compiler/models/models.h"
#include "compiler/targets/vta/bounds.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"
#include "sim/cycle/core/core.h"
#include "sim/functional/machine.h"
#include "sim/rtl/machine.h"
#include "tools/host/host_bound.h"
#include "tools/host/host_time.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/bench/far_layers.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/network_launches.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"

namespace vta::tools {
namespace {

constexpr char kCycle[] = "cycle", kRtl[] = "rtl";

struct NetworksOptions {
  std::vector<std::string> networks, configs;
  std::string engine = kCycle;
  bool far = false, passes = false, json = false;
};

struct NetworkRow {
  std::string network, config;
  int64_t cycles = 0, host_bytes = 0, host_bound = 0;
  isa::LayerBounds bounds;  // sums
  uint64_t arch_hash = 0, timing_hash = 0, package_hash = 0;
  int64_t layers = 0;
  std::vector<HostedRun> hosts;
  std::vector<FarLayer> far;  // where somebody asked for them
};

// Takes the launches of a network in turn.
using Engine = std::function<isa::LaunchResult(const NetworkLaunches::Launch&)>;

// `looks`: with the causes of the time, of each part of a launch.
Engine OnCycleModel(const NetworkLaunches& network, const isa::Config& config, bool looks) {
  auto core = std::make_shared<sim::cycle::Core>(config);
  return [&network, core, looks](const NetworkLaunches::Launch& launch) {
    return core->Run(launch.request, network.dram, {.causes = looks});
  };
}

// Activations are random at first, and what each launch leaves in memory must be what it leaves on
// the functional engine. Errors: the Engine throws Error naming the launch and the first byte.
Engine OnRtl(const NetworkLaunches& network, const isa::Package& package,
             std::shared_ptr<sim::RtlMachine> rtl) {
  std::vector<uint8_t> dram = network.dram;
  std::mt19937 random(1);
  const auto arena = static_cast<int64_t>(network.launches.at(0).request.base[0]);
  std::generate_n(dram.begin() + arena, package.constants_offset_bytes,
                  [&] { return static_cast<uint8_t>(random()); });
  auto golden = std::make_shared<sim::Machine>(rtl->layout().config());
  return [rtl, golden, dram, wanted = dram](const NetworkLaunches::Launch& launch) mutable {
    golden->Run(launch.request, wanted);
    isa::LaunchResult result = rtl->Run(launch.request, dram);
    const auto [at, differs] = std::ranges::mismatch(dram, wanted);
    if (at != dram.end())
      throw Error(launch.layer, StrCat("byte ", at - dram.begin(), " on the RTL"),
                  std::to_string(*at), StrCat("must be the functional engine's ", *differs));
    return result;
  };
}

int64_t HostBytes(const isa::Package& package) {
  int64_t bytes = 0;
  for (const isa::PackageStep& step : package.steps)
    if (step.kind == isa::PackageStep::Kind::kKernel) bytes += HostBytesOf(package, step);
  return bytes;
}

// Errors: throws Error at a launch that is quicker than a bound says it can be.
NetworkRow Measure(const std::string& name, const isa::Config& config, const isa::Package& package,
                   const NetworkLaunches& network, const Engine& engine) {
  NetworkRow row{name, config.name};
  for (const NetworkLaunches::Launch& launch : network.launches) {
    const isa::LaunchResult result = engine(launch);
    const int64_t cycles = result.counters.time.value().cycles;
    row.cycles += cycles;
    row.layers += std::ssize(launch.layers);
    if (result.counters.causes) AppendFarLayers(launch, result, row.far);
    // Layers of a launch may hide behind each other, but none is quicker than it can be alone.
    for (const NetworkLaunches::Layer& layer : launch.layers) {
      const isa::LayerBounds& bounds = layer.facts.bounds.value();
      if (cycles < bounds.machine)
        throw Error(StrCat(name, " on ", config.name, ": ", launch.layer), "cycles",
                    std::to_string(cycles), StrCat("must not be below a bound, ", bounds.machine));
      row.bounds.ideal += bounds.ideal;
      row.bounds.machine += bounds.machine;
    }
  }
  row.host_bytes = HostBytes(package);
  row.host_bound = HostBytesBound(package);
  row.hosts = HostedRunsOf(
      config, package,
      static_cast<double>(row.cycles) / (1e3 * static_cast<double>(config.uarch.clock_mhz)));
  row.arch_hash = isa::ArchHash(config);
  row.timing_hash = isa::TimingHash(config);
  row.package_hash = isa::PackageHash(isa::SerializePackage(package));
  return row;
}

std::vector<NetworkRow> MeasureAll(const NetworksOptions& options,
                                   const std::vector<isa::Config>& configs, Progress& progress) {
  std::vector<NetworkRow> rows;
  for (const isa::Config& config : configs) {
    std::shared_ptr<sim::RtlMachine> rtl;
    if (options.engine == kRtl) {
      sim::ModelOptions model;
      model.on_wait = [&](const std::string& what) { progress.At(what); };
      rtl = std::make_shared<sim::RtlMachine>(config, sim::RtlOptions{}, model);
    }
    for (const std::string& name : options.networks) {
      progress.At(StrCat(name, " on ", config.name));
      const isa::Package package = PackageOf(name, config);
      const NetworkLaunches network = LaunchesOf(package, Launches::kOfSeveral);
      rows.push_back(
          Measure(name, config, package, network,
                  rtl ? OnRtl(network, package, rtl) : OnCycleModel(network, config, options.far)));
    }
  }
  return rows;
}

std::string InJson(const std::vector<NetworkRow>& rows, const NetworksOptions& options) {
  Json::Array list;
  for (const NetworkRow& row : rows) {
    Json json = Json()
                    .Set("network", row.network)
                    .Set("config", row.config)
                    .Set("cycles", row.cycles)
                    .Set("host_bytes", row.host_bytes)
                    .Set("host_bytes_bound", row.host_bound)
                    .Set("hosts", HostedJson(row.hosts))
                    .Set("bound_ideal", row.bounds.ideal)
                    .Set("bound_machine", row.bounds.machine)
                    .Set("arch_hash", Hex(row.arch_hash, 16))
                    .Set("timing_hash", Hex(row.timing_hash, 16))
                    .Set("package_hash", Hex(row.package_hash, 16));
    if (options.far) json.Set("layers", row.layers).Set("far", ToJson(row.far));
    list.push_back(std::move(json));
  }
  return HeadOf(kBenchNetworksDocument)
             .Set("engine", options.engine)
             .Set("networks", std::move(list))
             .Dump() +
         "\n";
}

std::string InWords(const std::vector<NetworkRow>& rows) {
  TableRows cells = {{"network", "config", "cycles", "bound %", "bound", "ideal", "host bytes",
                      "at least", "timing hash", "package hash"}};
  for (const NetworkRow& row : rows)
    cells.push_back({row.network, row.config, WithCommas(row.cycles),
                     fmt::format("{:.1f}", 100.0 * static_cast<double>(row.bounds.machine) /
                                               static_cast<double>(row.cycles)),
                     WithCommas(row.bounds.machine), WithCommas(row.bounds.ideal),
                     WithCommas(row.host_bytes), WithCommas(row.host_bound),
                     Hex(row.timing_hash, 16), Hex(row.package_hash, 16)});
  return FormatTable(cells, {false, false, true, true, true, true, true, true, false, false});
}

// What the rows' networks take with their boards' CPUs.
std::string HostsInWords(const std::vector<NetworkRow>& rows) {
  TableRows cells = {{"network", "config", "accelerator ms", "host", "on the host", "one run",
                      "two in flight each"}};
  for (const NetworkRow& row : rows)
    for (const HostedRun& run : row.hosts)
      cells.push_back({row.network, row.config, fmt::format("{:.3f}", run.accelerator_ms),
                       TextOf(run.cpu),
                       HostedTimeText(run, [](const HostedRun& at) { return at.host_ms; }),
                       HostedTimeText(run, [](const HostedRun& at) { return at.alone_ms(); }),
                       HostedTimeText(run, [](const HostedRun& at) { return at.interval_ms(); })});
  return StrCat("\nhost time in ms, by a model; in brackets at double and at half its rates\n",
                FormatTable(cells, {false, false, true, false, true, true, true}));
}

std::string FarInWords(const std::vector<NetworkRow>& rows) {
  TableRows cells = {FarColumns()};
  int64_t cycles = 0, layers = 0, far = 0, far_cycles = 0, above = 0;
  for (const NetworkRow& row : rows) {
    cycles += row.cycles;
    layers += row.layers;
    far += std::ssize(row.far);
    for (const FarLayer& layer : row.far) {
      cells.push_back(CellsOf(layer));
      cells.back().insert(cells.back().begin(), {row.network, row.config});
      far_cycles += layer.cycles;
      above += layer.above();
    }
  }
  return StrCat(
      far == 0 ? ""
               : FormatTable(cells, {false, false, false, false, true, true, true, true, false}),
      WithCommas(far), " of ", CountedWithCommas(layers, "layer"), " further from the bound than ",
      FarRule(), ": ", WithCommas(far_cycles), " of all ", WithCommas(cycles), " cycles, ",
      WithCommas(above), " of them above the bound\n");
}

// Of GEMM and the ALU over a vector of outputs, by operator.
std::string PassesText(const std::vector<isa::Config>& configs) {
  TableRows cells;
  for (const isa::Config& config : configs) {
    const auto passes = compiler::targets::PassesOf(config);
    if (cells.empty()) {
      cells.push_back({"config"});
      for (const auto& row : passes) cells[0].emplace_back(row.name);
    }
    std::vector<std::string>& row = cells.emplace_back();
    row.push_back(config.name);
    for (const auto& of : passes)
      row.push_back(of.possible ? fmt::format("{:.4g}+{:.4g}", of.gemm, of.alu) : "");
  }
  return FormatTable(cells, std::vector<bool>(cells[0].size(), false));
}

int BenchNetworks(NetworksOptions options, const isa::ConfigLoader& load) {
  if (options.configs.empty()) options.configs = ShippedConfigs();
  if (options.networks.empty())
    for (const auto& known : compiler::KnownModels()) options.networks.push_back(known.name);
  std::vector<isa::Config> configs;
  for (const std::string& name : options.configs) configs.push_back(load(name));
  if (options.passes) {
    fmt::print("{}", PassesText(configs));
    return 0;
  }
  Progress progress("bench networks");
  const std::vector<NetworkRow> rows = MeasureAll(options, configs, progress);
  progress.Hide();
  fmt::print("{}", options.json  ? InJson(rows, options)
                   : options.far ? FarInWords(rows)
                                 : InWords(rows) + HostsInWords(rows));
  return 0;
}

}  // namespace

std::function<int()> AddBenchNetworks(CLI::App& app) {
  auto options = std::make_shared<NetworksOptions>();
  std::vector<std::string> names;
  for (const auto& known : compiler::KnownModels()) names.emplace_back(known.name);
  CLI::Option* networks =
      app.add_option("NAME", options->networks, StrCat("of ", Listed(names), "; all of them"))
          ->check(OneOf(names));
  ReadsConfig(app.add_option("-c,--config", options->configs,
                             "accelerator variants: shipped names or files; all shipped ones"));
  CLI::Option* engine =
      app.add_option("--engine", options->engine,
                     "whose cycles: cycle, or rtl, which must leave in memory what the functional "
                     "engine leaves there")
          ->check(OneOf({kCycle, kRtl}))
          ->capture_default_str();
  CLI::Option* json = app.add_flag("--json", options->json, "print for machines");
  CLI::Option* far =
      app.add_flag("--far", options->far,
                   StrCat("list the layers that are further from the bound than ", FarRule()))
          ->excludes(engine);
  app.add_flag("--passes", options->passes,
               "print instead the passes over a vector, of GEMM and of the ALU, by operator")
      ->excludes(networks)
      ->excludes(engine)
      ->excludes(far)
      ->excludes(json);
  return [options, &app] { return BenchNetworks(*options, ConfigsBeside(app)); };
}

}  // namespace vta::tools
