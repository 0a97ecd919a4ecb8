// vta bench cycle: how fast the cycle model counts, beside the RTL.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <fstream>

#include "compiler/models/models.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"
#include "sim/cycle/core/core.h"
#include "sim/rtl/machine.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/network_launches.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"

namespace vta::tools {
namespace {

constexpr char kSmallNetwork[] = "mobilenet_v1";
constexpr int64_t kStreamLoads = 400, kShortPrograms = 5000, kShortCycles = 10'000;

struct BenchCycleOptions {
  std::vector<std::string> configs;
  std::string network = "resnet18";
  double seconds = 5;
  bool json = false;
};

double Cpu() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// LOADs of input and weights in turn, as large as fit, which no other module waits for: the bus has
// a beat in each cycle in which the memory gives one.
NetworkLaunches StreamOf(const isa::Config& config) {
  const isa::Layout layout(config);
  NetworkLaunches stream;
  const auto rows = [&](int64_t depth) { return std::min<int64_t>(depth, 1024); };
  const int64_t bytes = std::max(rows(config.arch.inp_depth) * config.inp_bytes(),
                                 rows(config.arch.wgt_depth) * config.wgt_bytes());
  const int64_t code = (kStreamLoads + 1) * isa::kInstructionBytes;
  const int64_t base = (code + 4095) / 4096 * 4096;
  stream.dram.resize(static_cast<size_t>(base + bytes));
  for (int64_t i = 0; i <= kStreamLoads; ++i) {
    isa::Instruction insn;
    insn.opcode =
        static_cast<int64_t>(i < kStreamLoads ? isa::Opcode::kLoad : isa::Opcode::kFinish);
    const bool weights = i % 2 == 1;
    if (i < kStreamLoads) {
      insn.memory_type =
          static_cast<int64_t>(weights ? isa::MemoryType::kWgt : isa::MemoryType::kInp);
      insn.x_size = insn.x_stride = rows(weights ? config.arch.wgt_depth : config.arch.inp_depth);
      insn.y_size = 1;
    }
    isa::StoreWord(isa::Encode(layout, insn), stream.dram.data() + i * isa::kInstructionBytes);
  }
  isa::LaunchRequest& request = stream.launches.emplace_back("loads").request;
  request.instruction_count = kStreamLoads + 1;
  request.base.fill(static_cast<uint64_t>(base));
  return stream;
}

struct Speed {
  double rtl = 0, core = 0;  // cycles a second of CPU
  double evaluations = 0;    // a thousand cycles
  int64_t cycles = 0;        // that the core counted in all launches, once
  double ratio() const { return core / rtl; }
};

// The RTL on as many of the launches as begin in the time, at least one; the core on all, until it
// has run long enough to be timed.
Speed Measure(const NetworkLaunches& network, const isa::Config& config, double seconds,
              sim::RtlMachine& rtl) {
  constexpr double kLeastSeconds = 0.2;
  Speed speed;
  int64_t cycles = 0;
  double spent = 0;
  for (const NetworkLaunches::Launch& launch : network.launches) {
    if (spent > seconds) break;
    std::vector<uint8_t> dram = network.dram;
    const double begin = Cpu();
    cycles += rtl.Run(launch.request, dram).counters.time.value().cycles;
    spent += Cpu() - begin;
  }
  speed.rtl = static_cast<double>(cycles) / spent;
  sim::cycle::Core core(config);
  int64_t counted = 0, evaluations = 0;
  const double begin = Cpu();
  while (counted == 0 || Cpu() - begin < kLeastSeconds) {
    for (const NetworkLaunches::Launch& launch : network.launches) {
      counted += core.Run(launch.request, network.dram).counters.time.value().cycles;
      evaluations += core.evaluations();
    }
    if (speed.cycles == 0) speed.cycles = counted;
  }
  speed.core = static_cast<double>(counted) / (Cpu() - begin);
  speed.evaluations = 1000.0 * static_cast<double>(evaluations) / static_cast<double>(counted);
  return speed;
}

struct Short {
  int64_t cycles = 0;  // of the program
  double seconds = 0;
  int64_t growth = 0;  // bytes of memory
};

int64_t ResidentBytes() {
  int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// One program of about that length, many times in a process.
Short MeasureShort(const isa::Config& config) {
  const NetworkLaunches network = LaunchesOf(kSmallNetwork, config, Launches::kApart);
  sim::cycle::Core core(config);
  Short best;
  const NetworkLaunches::Launch* program = nullptr;
  for (const NetworkLaunches::Launch& launch : network.launches) {
    const int64_t cycles = core.Run(launch.request, network.dram).counters.time.value().cycles;
    if (program && std::abs(cycles - kShortCycles) >= std::abs(best.cycles - kShortCycles))
      continue;
    program = &launch;
    best.cycles = cycles;
  }
  if (!program) return best;
  const auto run = [&](int64_t times) {
    for (int64_t i = 0; i < times; ++i) core.Run(program->request, network.dram);
  };
  run(kShortPrograms / 10);
  const int64_t before = ResidentBytes();
  const double begin = Cpu();
  run(kShortPrograms);
  best.seconds = Cpu() - begin;
  best.growth = ResidentBytes() - before;
  return best;
}

struct Row {
  std::string config;
  uint64_t timing_hash = 0;
  Speed network, stream;
};

Json SpeedJson(const Speed& speed) {
  return Json()
      .Set("cycles", speed.cycles)
      .Set("rtl_cycles_per_s", speed.rtl)
      .Set("cycle_cycles_per_s", speed.core)
      .Set("ratio", speed.ratio())
      .Set("evaluations_per_1000_cycles", speed.evaluations);
}

std::string InJson(const std::string& network, const std::vector<Row>& rows, const Short& many) {
  Json::Array list;
  for (const Row& row : rows)
    list.push_back(Json()
                       .Set("config", row.config)
                       .Set("timing_hash", Hex(row.timing_hash, 16))
                       .Set("network", network)
                       .Set("launches", SpeedJson(row.network))
                       .Set("stream", SpeedJson(row.stream)));
  return HeadOf(kBenchCycleDocument)
             .Set("configs", std::move(list))
             .Set("programs", Json()
                                  .Set("config", rows[0].config)
                                  .Set("timing_hash", Hex(rows[0].timing_hash, 16))
                                  .Set("count", kShortPrograms)
                                  .Set("cycles_each", many.cycles)
                                  .Set("cpu_s", many.seconds)
                                  .Set("memory_growth_bytes", many.growth))
             .Dump() +
         "\n";
}

std::string InWords(const std::string& network, const std::vector<Row>& rows, const Short& many) {
  std::vector<std::vector<std::string>> cells = {{"config", "program", "cycles", "RTL Mcycle/s",
                                                  "cycle Mcycle/s", "ratio", "evaluations/1000",
                                                  "timing hash"}};
  for (const Row& row : rows)
    for (const auto& [name, speed] : {std::pair(network, row.network), {"stream", row.stream}})
      cells.push_back(
          {row.config, name, WithCommas(speed.cycles), fmt::format("{:.3f}", speed.rtl * 1e-6),
           fmt::format("{:.1f}", speed.core * 1e-6), fmt::format("{:.0f}", speed.ratio()),
           fmt::format("{:.1f}", speed.evaluations), Hex(row.timing_hash, 16)});
  return FormatTable(cells, {false, false, true, true, true, true, true, false}) +
         fmt::format(
             "{} programs of {} cycles on {} (timing hash {}), one after the other: {:.3f} s, {} "
             "bytes more memory\n",
             WithCommas(kShortPrograms), WithCommas(many.cycles), rows[0].config,
             Hex(rows[0].timing_hash, 16), many.seconds, WithCommas(many.growth));
}

int BenchCycle(const BenchCycleOptions& options, const isa::ConfigLoader& load) {
  Progress progress("bench cycle");
  std::vector<Row> rows;
  std::optional<Short> many;
  for (const std::string& name : options.configs.empty() ? ShippedConfigs() : options.configs) {
    const isa::Config config = load(name);
    progress.At(config.name);
    sim::ModelOptions model;
    model.on_wait = [&](const std::string& what) { progress.At(what); };
    sim::RtlMachine rtl(config, {}, model);
    Row& row = rows.emplace_back(config.name, isa::TimingHash(config));
    row.network = Measure(LaunchesOf(options.network, config, Launches::kOfSeveral), config,
                          options.seconds, rtl);
    row.stream = Measure(StreamOf(config), config, options.seconds, rtl);
    if (!many) many = MeasureShort(config);
  }
  progress.Hide();
  fmt::print("{}", options.json ? InJson(options.network, rows, *many)
                                : InWords(options.network, rows, *many));
  return 0;
}

}  // namespace

std::function<int()> AddBenchCycle(CLI::App& cycle) {
  auto options = std::make_shared<BenchCycleOptions>();
  ReadsConfig(cycle.add_option("-c,--config", options->configs,
                               "accelerator variants: shipped names or files; all shipped ones"));
  std::vector<std::string> names;
  for (const auto& known : compiler::KnownModels()) names.emplace_back(known.name);
  cycle.add_option("--network", options->network, "of vta model, whose launches run")
      ->check(OneOf(names))
      ->capture_default_str();
  cycle.add_option("--seconds", options->seconds, "of CPU, for the RTL on each program")
      ->check(NumberFrom(0.001, 1e6, "must be 0.001 to 1e6 seconds"))
      ->capture_default_str();
  cycle.add_flag("--json", options->json, "print for machines");
  return [options, &cycle] { return BenchCycle(*options, ConfigsBeside(cycle)); };
}

}  // namespace vta::tools
