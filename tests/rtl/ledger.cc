// The cycle model's ledger: programs on the RTL and on the model, and where they differ.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "sim/cycle/core/core.h"
#include "sim/trace/timing_difference.h"
#include "tests/rtl/causes.h"
#include "tests/rtl/ledger_programs.h"
#include "tests/rtl/ledger_table.h"

namespace vta::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

const sim::SideNames kSides = {"RTL", "model"};
constexpr int64_t kLatencies[] = {0, 16, 64, 200};
constexpr int64_t kChunk = 500;  // random programs between two looks at the clock

struct Options {
  std::vector<std::string> configs;
  int64_t programs = 200, seed = 0;
  bool networks = false;
  std::string table;
  double minutes = 0;
  sim::ModelOptions model;
};

/// A config on both sides. All launches follow each other without power-on.
class Pair {
 public:
  /// `memory` stands behind the bus of the config's own hardware.
  Pair(const isa::Config& config, const isa::Memory& memory, const sim::ModelOptions& model)
      : config_(config), rtl_(config, {.memory = memory}, model), core_(With(config, memory)) {}

  static isa::Config With(isa::Config config, const isa::Memory& memory) {
    config.memory = memory;
    return config;
  }

  /// The first difference in words, or "". What ran is added to the row.
  std::string Compare(const Image& image, LedgerRow& row) {
    sim::Timeline rtl, model;
    std::vector<uint8_t> dram = image.dram;
    rtl_.options().timeline = &rtl;
    const isa::LaunchResult want = rtl_.Run(image.launch, dram);
    rtl_.options().timeline = nullptr;
    // From where the RTL began.
    sim::BusSample origin = rtl.bus.front();
    origin.cycle = rtl.launches.back().begin - 1;
    isa::LaunchResult have =
        core_.Run(image.launch, image.dram, {.timeline = &model, .origin = origin, .causes = true});
    const std::string broken = BrokenCauses(have.counters, model, origin.cycle);
    have.counters.causes.reset(), model.causes.clear();
    ++row.programs;
    row.instructions += std::ssize(rtl.instructions);
    row.cycles += want.counters.time->cycles;
    std::string text;
    if (const auto first = sim::CompareInstructions(config_, rtl, model, kSides))
      text = first->text() + "\n";
    text += sim::CompareResults(want, have, kSides);
    if (!text.empty()) return text;
    text = sim::CompareTimelines(rtl, model, kSides);
    return text.empty() ? broken : text + "\n";
  }

 private:
  isa::Config config_;
  sim::RtlMachine rtl_;
  sim::cycle::Core core_;
};

std::string HashOf(const std::vector<std::string>& files) {
  Hasher hasher;
  for (const std::string& file : files) hasher.Text(ReadTextFile(file));
  return Hex(hasher.value(), 16);
}

std::string RtlHash() {
  const std::string sources = sim::HardwareSources();
  std::vector<std::string> files;
  for (const std::string& file : sim::DesignFiles(sources)) files.push_back(sources + "/" + file);
  return HashOf(files);
}

std::string ModelHash() {
  const fs::path sources = sim::HardwareSources();
  std::vector<std::string> files = {(sources / "isa/spec/timing.h").string(),
                                    (sources / "sim/memory/dram.cc").string()};
  for (const auto& entry : fs::directory_iterator(sources / "sim/cycle/core"))
    files.push_back(entry.path().string());
  std::ranges::sort(files);
  return HashOf(files);
}

/// Runs what is asked for, and keeps the rows in a table where one is named.
class Ledger {
 public:
  explicit Ledger(const Options& options) : options_(options) {
    if (options.minutes > 0)
      end_ = steady_clock::now() +
             std::chrono::nanoseconds(static_cast<int64_t>(options.minutes * 60e9));
    if (options.table.empty()) return;
    table_.emplace(options.table);
    rtl_ = RtlHash(), model_ = ModelHash();
  }

  /// Does nothing about rows of an older model, or, once all others are there, fills them again.
  void Random(const isa::Config& config, bool again) {
    LedgerRow row = RowOf("random", config, again);
    if (row.model != model_ || Missing(row) == 0) return;
    Pair pair(config, config.memory, options_.model);
    while (Missing(row) > 0 && !IsOver()) {
      const int64_t first = options_.seed + row.programs + row.left_out;
      row.left_out +=
          ForEachRandom(config, first, std::min(kChunk, Missing(row)),
                        [&](const LedgerLaunch& launch) { Compare(pair, launch, row); });
      if (table_) table_->Put(row);
    }
    Tell(row);
  }

  void Network(const std::string& network, const isa::Config& config, int64_t latency, bool again) {
    isa::Memory memory = config.memory;
    memory.read_latency_cycles = latency;
    memory.write_latency_cycles = latency / 2;
    LedgerRow row = RowOf(network, Pair::With(config, memory), again);
    if (row.model != model_ || Missing(row) == 0) return;
    Pair pair(config, memory, options_.model);
    ForEachLayer(network, config, [&](const LedgerLaunch& launch) { Compare(pair, launch, row); });
    if (table_) table_->Put(row);
    Tell(row);
  }

  bool IsOver() const { return steady_clock::now() >= end_; }
  int64_t different() const { return different_; }
  /// What is left of these rows: "2 of 9 rows missing or not whole, 1 of an older model, 0 with
  /// differences". Those count as found.
  std::string Left(const std::vector<LedgerRow>& wanted) {
    int64_t missing = 0, older = 0, differ = 0;
    for (const LedgerRow& row : wanted) {
      const LedgerRow* kept = table_->Find(row);
      missing += Missing(kept ? *kept : row) > 0;
      older += kept && kept->model != model_;
      differ += kept && kept->different > 0;
    }
    different_ += differ;
    return StrCat(missing, " of ", wanted.size(), " rows missing or not whole, ", older,
                  " of an older model, ", differ, " with differences");
  }
  /// The row as it begins.
  LedgerRow Wanted(const std::string& program, const isa::Config& config) const {
    LedgerRow row;
    row.program = program, row.config = config.name;
    row.latency = config.memory.read_latency_cycles;
    row.timing_hash = Hex(isa::TimingHash(config), 16);
    row.rtl = rtl_, row.model = model_;
    return row;
  }

 private:
  static constexpr int64_t kShown = 3;

  // As far as it has been filled.
  LedgerRow RowOf(const std::string& program, const isa::Config& config, bool again) const {
    const LedgerRow row = Wanted(program, config);
    const LedgerRow* kept = table_ ? table_->Find(row) : nullptr;
    return kept && !(again && kept->model != model_) ? *kept : row;
  }
  int64_t Missing(const LedgerRow& row) const {
    const int64_t all = row.program == "random" ? options_.programs : 1;
    return std::max<int64_t>(0, all - row.programs - row.left_out);
  }
  void Compare(Pair& pair, const LedgerLaunch& launch, LedgerRow& row) {
    const std::string text = pair.Compare(launch.image, row);
    if (text.empty()) return;
    if (++row.different <= kShown)
      std::printf("%s, %s:\n%s", row.config.c_str(), launch.name.c_str(), text.c_str());
    if (row.first.empty()) row.first = StrCat(launch.name, ": ", text);
  }
  void Tell(const LedgerRow& row) {
    different_ += row.different;
    std::printf("%-14s %-16s %7lld %9lld %10lld %12lld %10lld\n", row.program.c_str(),
                row.config.c_str(), static_cast<long long>(row.latency),
                static_cast<long long>(row.programs), static_cast<long long>(row.instructions),
                static_cast<long long>(row.cycles), static_cast<long long>(row.different));
    std::fflush(stdout);
  }

  const Options& options_;
  std::optional<LedgerTable> table_;
  std::string rtl_, model_;  // sources
  steady_clock::time_point end_ = steady_clock::time_point::max();
  int64_t different_ = 0;
};

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Programs on the RTL and on the cycle model");
  app.add_option("CONFIG", options.configs, "config files")->required()->check(CLI::ExistingFile);
  app.add_option("-n,--programs", options.programs, "random ones on each")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "of the first one")->check(CLI::NonNegativeNumber);
  app.add_flag("--networks", options.networks,
               "every layer of the networks instead, at memory latencies 0, 16, 64 and 200");
  app.add_option("--table", options.table, "keep the rows there; what it has is not run again");
  app.add_option("--minutes", options.minutes, "begin nothing after them")
      ->check(CLI::PositiveNumber);
  app.add_flag("--quick", options.model.quick, "models that are built sooner and run slower");
  CLI11_PARSE(app, argc, argv);
  std::printf("%-14s %-16s %7s %9s %10s %12s %10s\n", "program", "config", "latency", "programs",
              "instruct.", "cycles", "different");
  Ledger ledger(options);
  std::vector<isa::Config> configs;
  for (const std::string& path : options.configs) configs.push_back(isa::LoadConfig(path));
  const std::vector<std::string> networks =
      options.networks ? LedgerNetworks() : std::vector<std::string>();
  for (const bool again : {false, true}) {
    for (const std::string& network : networks)
      for (const int64_t latency : kLatencies)
        for (const isa::Config& config : configs)
          if (!ledger.IsOver()) ledger.Network(network, config, latency, again);
    for (const isa::Config& config : configs)
      if (!options.networks && !ledger.IsOver()) ledger.Random(config, again);
    if (options.table.empty()) break;
  }
  if (!options.table.empty()) {
    std::vector<LedgerRow> wanted;
    for (isa::Config config : configs) {
      if (!options.networks) wanted.push_back(ledger.Wanted("random", config));
      for (const std::string& network : networks)
        for (const int64_t latency : kLatencies) {
          config.memory.read_latency_cycles = latency;
          config.memory.write_latency_cycles = latency / 2;
          wanted.push_back(ledger.Wanted(network, config));
        }
    }
    std::printf("%s\n", ledger.Left(wanted).c_str());
  }
  return ledger.different() > 0;
}

}  // namespace
}  // namespace vta::test

int main(int argc, char** argv) {
  try {
    return vta::test::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
