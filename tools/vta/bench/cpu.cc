// vta bench cpu: networks on the CPU, beside ONNX Runtime; and matrix products alone.
#include "compiler/lower/cpu.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "compiler/models/models.h"
#include "isa/support/error.h"
#include "isa/support/temporary.h"
#include "runtime/cpu_features.h"
#include "sim/build/once.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/bench/compare.h"
#include "tools/vta/bench/our_network.h"
#include "tools/vta/bench/products.h"
#include "tools/vta/common/cpu/bounds.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/session.h"
#include "tools/vta/common/trials/native_cpu.h"

namespace vta::tools {
namespace {

const std::vector<std::string> kNetworks = {"resnet18", "resnet50", "mobilenet_v1", "mobilenet_v2"};

struct Options {
  std::vector<std::string> networks = kNetworks;
  std::vector<std::string> types, products;
  std::string cpu = kNativeCpu;
  int64_t threads = 1, runs = 40;
  bool json = false;
};

int BenchCpu(const Options& options) {
  const std::vector<int64_t> cores = CoresFor(options.threads);
  std::vector<Product> products;
  for (const std::string& text : options.products) products.push_back(ParseProduct(text));
  const OnCores pinned(cores);
  Progress progress("bench cpu");
  progress.At("the peak of a core");
  const std::vector<CpuPeak> peaks = MeasureCpuPeaks();
  const std::vector<CpuPeak> usable =
      options.cpu == kNativeCpu ? peaks
                                : PeaksWith(peaks, compiler::lower::FindCpu(options.cpu).features);
  if (!products.empty()) {
    const compiler::lower::CpuSpec spec =
        options.cpu == kNativeCpu ? NativeCpu() : compiler::lower::FindCpu(options.cpu);
    std::vector<MeasuredProduct> measured;
    for (size_t i = 0; i < products.size(); ++i) {
      progress.At(options.products[i]);
      measured.push_back(Measured(products[i], spec, usable));
    }
    progress.Hide();
    fmt::print(
        "{}",
        options.json
            ? ComparisonJson(ThisCpu(), peaks, {}).Set("products", ProductsJson(measured)).Dump() +
                  "\n"
            : ProductsText(measured));
    return 0;
  }
  progress.At("what a core does at most");
  CpuBounds bounds = BoundsOfThisCpu(sim::CacheFolder());
  if (options.cpu != kNativeCpu)
    bounds.float_gops = BestGops(usable, false), bounds.code_gops = BestGops(usable, true);
  std::vector<ComparedNetwork> networks;
  for (const std::string& network : options.networks)
    for (const compiler::ModelTypeInfo& type : compiler::kModelTypes) {
      if (!options.types.empty() && !std::ranges::count(options.types, type.name)) continue;
      progress.At(StrCat(network, " ", type.name));
      const Temporary folder(NewTemporaryFolder("vta-bench"));
      const std::string model = StrCat(folder.path(), "/", network, ".onnx");
      compiler::BuildModel(network, 1, model, type.type);
      ModelOptions how;
      how.model = model;
      how.targets = "cpu";
      how.cpus = options.cpu;
      how.threads = options.threads;
      OurNetwork ours(how, {});
      Peer peer(OnnxRuntimePeer(cores, options.threads));
      const bool is_int8 = type.type != compiler::ModelType::kFloat;
      const auto threads = static_cast<double>(options.threads);
      ComparedNetwork row{network,
                          std::string(type.name),
                          options.cpu,
                          ours.Macs(),
                          BestGops(usable, is_int8) * threads,
                          BestGops(peaks, is_int8) * threads};
      row.peer = peer.Load(model, ours.Inputs());
      row.result = CompareWithPeer(
          ours.Side(), peer,
          ForThreads(
              {.runs = options.runs, .tolerance = is_int8 ? kInt8Tolerance : kFloatTolerance},
              options.threads));
      row.steps = BesideBounds(ours.package(), ours.StepTimes(NetworkSteps::kRuns), bounds,
                               options.threads);
      networks.push_back(std::move(row));
    }
  progress.Hide();
  const CpuFacts cpu = ThisCpu();
  fmt::print("{}", options.json ? ComparisonJson(cpu, peaks, networks).Dump() + "\n"
                                : ComparisonText(cpu, peaks, networks));
  return 0;
}

// The CPUs whose code this machine can run.
std::vector<std::string> RunnableCpus() {
  std::vector<std::string> names = {kNativeCpu};
  for (const isa::CpuRow& row : isa::kCpus)
    if (runtime::ThisCpu().Runs(row)) names.emplace_back(row.name);
  return names;
}

}  // namespace

std::function<int()> AddBenchCpu(CLI::App& app) {
  auto options = std::make_shared<Options>();
  std::vector<std::string> names, types;
  for (const auto& known : compiler::KnownModels()) names.emplace_back(known.name);
  for (const auto& known : compiler::kModelTypes) types.emplace_back(known.name);
  CLI::Option* network =
      app.add_option("--network", options->networks, StrCat("of ", Listed(names)))
          ->check(OneOf(names))
          ->capture_default_str();
  CLI::Option* type =
      app.add_option("--type", options->types, StrCat("of ", Listed(types), "; all of them"))
          ->check(OneOf(types));
  // The help is the same on all machines.
  app.add_option("--cpu", options->cpu,
                 "that our code is made for: native, or one of compile --cpu that runs here")
      ->check(OneOf(RunnableCpus()).description(""))
      ->capture_default_str();
  CLI::Option* threads = AddThreadsTo(app, &options->threads);
  CLI::Option* runs = app.add_option("--runs", options->runs, "that are measured, of either side")
                          ->check(IntegerFrom(1, 1'000'000))
                          ->capture_default_str();
  app.add_option("--product", options->products,
                 "MxKxN: a matrix product instead of networks, on one core, without a session; "
                 "of int8 with ,int8 behind it, and with ,computed of a right side that is not "
                 "constant; may be repeated")
      ->type_name("PRODUCT...")
      ->excludes(network)
      ->excludes(type)
      ->excludes(threads)
      ->excludes(runs);
  app.add_flag("--json", options->json, "print for machines");
  return [options] { return BenchCpu(*options); };
}

}  // namespace vta::tools
