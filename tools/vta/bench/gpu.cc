// vta bench gpu: networks on a GPU, beside PyTorch.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "compiler/models/models.h"
#include "isa/support/error.h"
#include "isa/support/shipped.h"
#include "isa/support/temporary.h"
#include "runtime/cpu_features.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/bench/our_network.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"

namespace vta::tools {
namespace {

const std::vector<std::string> kGpuNetworks = {"resnet18", "resnet50", "mobilenet_v1",
                                               "mobilenet_v2"};
/// How the peer runs a network: as it is, and as its compiler makes it.
constexpr const char* kPeerModes[] = {"graph", "compile"};
constexpr const char* kNoPeer = "none";
/// Runs of a side before one that is measured: the GPU has given its time, and its caches, to the
/// other one.
constexpr int64_t kLeads = 5;

struct GpuBenchOptions {
  std::vector<std::string> networks = kGpuNetworks;
  std::vector<std::string> types = {"float"};
  std::vector<std::string> modes = {std::begin(kPeerModes), std::end(kPeerModes)};
  std::vector<std::string> precisions = {std::string(isa::kPrecisions[0])};
  std::string python = "python3";
  std::string log;  // of a search, whose findings ours takes; "" for none
  int64_t batch = 1, runs = 100;
  bool json = false;
  EngineOptions engine;
};

struct GpuRow {
  std::string network, type, precision;
  int64_t steps = 0, macs = 0;
  RunTimes ours, with_copies;
  std::optional<RunTimes> without_log;  // where there is one
  struct Beside {
    std::string mode;
    PeerModel peer;
    Comparison result;
  };
  std::vector<Beside> peers;

  /// By the quicker peer; 0 without one.
  double ratio() const {
    double least = 0;
    for (const Beside& one : peers)
      least = least == 0 ? one.result.ratio : std::min(least, one.result.ratio);
    return least;
  }
};

/// Why there is no peer, or "".
std::string WhyNoPeer(const GpuBenchOptions& options) {
  if (options.python == kNoPeer) return "as --python says";
  if (&options.engine.GpuKind(isa::kCudaGpu) != &isa::kCudaGpu)
    return "PyTorch has no devices of OpenCL's";
  const pid_t process = fork();
  if (process == 0) {
    const int nowhere = open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
    execlp(options.python.c_str(), options.python.c_str(), "-c", "import torch", nullptr);
    _exit(1);
  }
  int status = 1;
  waitpid(process, &status, 0);
  return status == 0 ? "" : StrCat(options.python, " has no PyTorch, or is none");
}

PeerOptions TorchPeer(const GpuBenchOptions& options, const std::string& mode,
                      const std::string& precision, int64_t core) {
  PeerOptions peer;
  peer.name = "PyTorch";
  peer.command = {"/usr/bin/env",
                  options.python,
                  "-B",
                  ShippedPath("tools/bench/torch_peer.py"),
                  options.engine.DeviceOf(isa::kCudaGpu),
                  mode,
                  precision};
  peer.cores = {core};
  return peer;
}

/// Of outputs, as CompareWithPeer has it: both sides round what they multiply.
double ToleranceOf(const std::string& precision) {
  constexpr double kOfFewBits = 5e-2;
  return precision == isa::kPrecisions[0] ? kFloatTolerance : kOfFewBits;
}

RunTimes Measure(const OurSide& side, int64_t runs) {
  using Clock = std::chrono::steady_clock;
  std::vector<int64_t> times;
  for (int64_t i = 0; i < runs + 5; ++i) {
    side.prepare();
    const Clock::time_point begin = Clock::now();
    side.run();
    const std::chrono::nanoseconds time = Clock::now() - begin;
    if (i >= 5) times.push_back(std::max<int64_t>(1, time.count()));
  }
  return Summarize(std::move(times));
}

GpuRow BenchNetwork(const GpuBenchOptions& options, const std::string& network,
                    const compiler::ModelTypeInfo& type, const std::string& precision,
                    bool has_peer) {
  const Temporary folder(NewTemporaryFolder("vta-bench"));
  ModelOptions model;
  model.model = StrCat(folder.path(), "/", network, ".onnx");
  model.targets = options.engine.GpuKind(isa::kCudaGpu).name;
  model.precision = precision;
  model.tune.log = options.log;
  compiler::BuildModel(network, 1, model.model, type.type, options.batch);
  OurNetwork ours(model, options.engine);
  GpuRow row{.network = network,
             .type = type.name,
             .precision = precision,
             .steps = ours.Steps(),
             .macs = ours.Macs()};
  const std::vector<int64_t> cores = AllowedCores();
  // Its own core: the other side waits on one.
  if (has_peer && type.type == compiler::ModelType::kFloat)
    for (const std::string& mode : options.modes) {
      Peer peer(TorchPeer(options, mode, precision, cores.back()));
      GpuRow::Beside& beside = row.peers.emplace_back(mode, peer.Load(model.model, ours.Inputs()));
      beside.result = CompareWithPeer(
          ours.SideInPlace(), peer,
          {.runs = options.runs, .tolerance = ToleranceOf(precision), .leads = kLeads});
      row.ours = beside.result.ours;
    }
  if (row.peers.empty()) row.ours = Measure(ours.SideInPlace(), options.runs);
  row.with_copies = Measure(ours.Side(), options.runs);
  if (!options.log.empty()) {
    model.tune.log.clear();
    row.without_log = Measure(OurNetwork(model, options.engine).SideInPlace(), options.runs);
  }
  return row;
}

std::string Ms(double ns) { return fmt::format("{:.3f}", ns / 1e6); }

std::string TextOf(const std::string& gpu, int64_t batch, const std::vector<GpuRow>& rows,
                   const std::string& why_no_peer) {
  std::string text = gpu + "\n";
  if (batch > 1) text += fmt::format("runs of {} images\n", batch);
  for (const GpuRow& row : rows)
    if (!row.peers.empty()) {
      const PeerModel& peer = row.peers[0].peer;
      text += fmt::format("{} {}, {}\n", peer.runtime, peer.version, Listed(peer.providers));
      break;
    }
  if (!why_no_peer.empty()) text += StrCat("ours alone: ", why_no_peer, "\n");
  constexpr int kWithoutLog = 6;
  std::vector<std::vector<std::string>> cells = {{"network", "type", "precision", "kernels",
                                                  "GFLOP/s", "ours", "without log", "with copies",
                                                  "peer graph", "compile", "ratio", "difference"}};
  for (const GpuRow& row : rows) {
    std::vector<std::string>& line = cells.emplace_back(std::vector<std::string>{
        row.network, row.type, row.precision, std::to_string(row.steps),
        fmt::format("{:.0f}", 2 * static_cast<double>(row.macs) / row.ours.median),
        Ms(row.ours.median), row.without_log ? Ms(row.without_log->median) : "",
        Ms(row.with_copies.median), "", "", "", ""});
    double difference = 0;
    for (const GpuRow::Beside& one : row.peers) {
      line[one.mode == kPeerModes[0] ? 8 : 9] = Ms(one.result.peer.median);
      difference = std::max(difference, one.result.difference);
    }
    if (row.peers.empty()) continue;
    line[10] = fmt::format("{:.2f}", row.ratio());
    line[11] = fmt::format("{:.2g}", difference);
  }
  if (rows.empty() || !rows[0].without_log)
    for (std::vector<std::string>& line : cells) line.erase(line.begin() + kWithoutLog);
  std::vector<bool> right(cells[0].size(), true);
  right[0] = right[1] = right[2] = false;
  return text + "\n" + FormatTable(cells, right) +
         "medians in ms, each run one graph that is waited for, inputs and outputs on the "
         "GPU; with copies: from and to the host's memory; peer: as it is, in the quicker layout, "
         "and as torch.compile makes it; ratio: the quicker peer by ours; difference: of the "
         "outputs, root mean square, as a share of the peer's\n";
}

Json TimesOf(const RunTimes& times) {
  return Json()
      .Set("min_ms", times.min / 1e6)
      .Set("median_ms", times.median / 1e6)
      .Set("p90_ms", times.p90 / 1e6)
      .Set("runs", times.runs);
}

Json JsonOf(const std::string& gpu, int64_t batch, const std::vector<GpuRow>& rows) {
  Json::Array networks;
  for (const GpuRow& row : rows) {
    Json::Array peers;
    for (const GpuRow::Beside& one : row.peers)
      peers.push_back(Json()
                          .Set("mode", one.mode)
                          .Set("runtime", one.peer.runtime)
                          .Set("version", one.peer.version)
                          .Set("times", TimesOf(one.result.peer))
                          .Set("ours", TimesOf(one.result.ours))
                          .Set("ratio", one.result.ratio)
                          .Set("difference", one.result.difference));
    Json& network = networks.emplace_back(Json()
                                              .Set("network", row.network)
                                              .Set("type", row.type)
                                              .Set("precision", row.precision)
                                              .Set("kernels", row.steps)
                                              .Set("macs", row.macs)
                                              .Set("ours", TimesOf(row.ours))
                                              .Set("with_copies", TimesOf(row.with_copies))
                                              .Set("peers", std::move(peers)));
    if (row.without_log) network.Set("without_log", TimesOf(*row.without_log));
  }
  return HeadOf(kBenchGpuDocument)
      .Set("gpu", gpu)
      .Set("batch", batch)
      .Set("networks", std::move(networks));
}

int BenchGpu(const GpuBenchOptions& options) {
  const std::string gpu = options.engine.OpenGpu(isa::kCudaGpu)->name();  // or none is there
  const std::vector<int64_t> cores = AllowedCores();
  const OnCores pinned({cores.front()});
  const std::string why_no_peer = WhyNoPeer(options);
  Progress progress("bench gpu");
  std::vector<GpuRow> rows;
  for (const std::string& network : options.networks)
    for (const compiler::ModelTypeInfo& type : compiler::kModelTypes) {
      if (!std::ranges::count(options.types, type.name)) continue;
      for (const std::string& precision : options.precisions) {
        // Bytes are multiplied as they are, once.
        const bool is_float = type.type == compiler::ModelType::kFloat;
        if (!is_float && precision != options.precisions[0]) continue;
        progress.At(StrCat(network, " ", type.name, " ", precision));
        rows.push_back(BenchNetwork(options, network, type,
                                    is_float ? precision : std::string(isa::kPrecisions[0]),
                                    why_no_peer.empty()));
      }
    }
  progress.Hide();
  fmt::print("{}", options.json ? JsonOf(gpu, options.batch, rows).Dump() + "\n"
                                : TextOf(gpu, options.batch, rows, why_no_peer));
  return 0;
}

}  // namespace

std::function<int()> AddBenchGpu(CLI::App& app) {
  auto options = std::make_shared<GpuBenchOptions>();
  std::vector<std::string> names, types;
  for (const auto& known : compiler::KnownModels()) names.emplace_back(known.name);
  for (const auto& known : compiler::kModelTypes) types.emplace_back(known.name);
  app.add_option("--network", options->networks, StrCat("of ", Listed(names)))
      ->check(OneOf(names))
      ->capture_default_str();
  app.add_option("--type", options->types,
                 StrCat("of ", Listed(types), "; the peer runs float alone"))
      ->check(OneOf(types))
      ->capture_default_str();
  app.add_option("--precision", options->precisions, "of float networks, on both sides")
      ->check(OneOf({std::begin(isa::kPrecisions), std::end(isa::kPrecisions)}))
      ->capture_default_str();
  app.add_option("--peer", options->modes,
                 "how the peer runs a network: graph, as it is; compile, by torch.compile")
      ->check(OneOf(std::vector<std::string>(std::begin(kPeerModes), std::end(kPeerModes))))
      ->capture_default_str();
  app.add_option("--python", options->python,
                 StrCat("that has PyTorch; ", kNoPeer, " for ours alone"))
      ->capture_default_str();
  ReadsFile(app.add_option("--log", options->log,
                           "take what vta tune found; ours without it stands beside that"));
  app.add_option("--batch", options->batch, "images of a run")
      ->check(IntegerFrom(1, 1024))
      ->capture_default_str();
  app.add_option("--runs", options->runs, "that are measured, of either side")
      ->check(IntegerFrom(1, 1'000'000))
      ->capture_default_str();
  app.add_flag("--json", options->json, "print for machines");
  options->engine.AddDeviceTo(app);
  return [options] { return BenchGpu(*options); };
}

}  // namespace vta::tools
