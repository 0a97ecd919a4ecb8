// The ledgers: programs on the RTL, and on the cycle model or the kernels for high-level synthesis,
// and where they differ.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <optional>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "tests/rtl/ledger_sides.h"

namespace vta::test {

isa::Config With(isa::Config config, const isa::Memory& memory) {
  config.memory = memory;
  return config;
}

std::string HashOf(const std::vector<std::string>& files) {
  Hasher hasher;
  for (const std::string& file : files) hasher.Text(ReadTextFile(file));
  return Hex(hasher.value(), 16);
}

namespace {

using std::chrono::steady_clock;

constexpr int64_t kLatencies[] = {0, 16, 64, 200};
constexpr int64_t kChunk = 500;  // random programs between two looks at the clock

struct Options {
  std::vector<std::string> configs;
  int64_t programs = 200, seed = 0;
  bool hls = false;
  std::vector<std::string> networks;
  std::string table;
  double minutes = 0;
  sim::ModelOptions model;
};

std::string RtlHash() {
  const std::string sources = sim::HardwareSources();
  std::vector<std::string> files;
  for (const std::string& file : sim::DesignFiles(sources)) files.push_back(sources + "/" + file);
  return HashOf(files);
}

/// What networks run with: values do not depend on it.
std::vector<isa::Memory> MemoriesFor(const isa::Config& config, bool hls) {
  if (hls) return {config.memory};
  std::vector<isa::Memory> memories;
  for (const int64_t latency : kLatencies) {
    isa::Memory& memory = memories.emplace_back(config.memory);
    memory.read_latency_cycles = latency;
    memory.write_latency_cycles = latency / 2;
  }
  return memories;
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
    rtl_ = RtlHash(), other_ = options.hls ? HlsSourcesHash() : CycleSourcesHash();
  }

  /// Does nothing about rows of an older model, or, once all others are there, fills them again.
  void Random(const isa::Config& config, bool again) {
    LedgerRow row = RowOf("random", config, again);
    if (row.model != other_ || Missing(row) == 0) return;
    const std::unique_ptr<LedgerSides> sides = SidesOf(config, config.memory);
    while (Missing(row) > 0 && !IsOver()) {
      const int64_t first = options_.seed + row.programs + row.left_out;
      ForEachRandom(config, first, std::min(kChunk, Missing(row)),
                    [&](const LedgerLaunch& launch) { Compare(*sides, launch, row); });
      if (table_) table_->Put(row);
    }
    Tell(row);
  }

  void Network(const std::string& network, const isa::Config& config, const isa::Memory& memory,
               bool again) {
    LedgerRow row = RowOf(network, With(config, memory), again);
    if (row.model != other_ || Missing(row) == 0) return;
    const std::unique_ptr<LedgerSides> sides = SidesOf(config, memory);
    ForEachLayer(network, config,
                 [&](const LedgerLaunch& launch) { Compare(*sides, launch, row); });
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
      older += kept && kept->model != other_;
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
    row.rtl = rtl_, row.model = other_;
    return row;
  }

 private:
  static constexpr int64_t kShown = 3;

  // As far as it has been filled.
  LedgerRow RowOf(const std::string& program, const isa::Config& config, bool again) const {
    const LedgerRow row = Wanted(program, config);
    const LedgerRow* kept = table_ ? table_->Find(row) : nullptr;
    return kept && !(again && kept->model != other_) ? *kept : row;
  }
  int64_t Missing(const LedgerRow& row) const {
    const int64_t all = row.program == "random" ? options_.programs : 1;
    return std::max<int64_t>(0, all - row.programs - row.left_out);
  }
  std::unique_ptr<LedgerSides> SidesOf(const isa::Config& config, const isa::Memory& memory) const {
    return options_.hls ? HlsSides(config, options_.model)
                        : CycleSides(config, memory, options_.model);
  }
  void Compare(LedgerSides& sides, const LedgerLaunch& launch, LedgerRow& row) {
    const std::string text = sides.Compare(launch, row);
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
  std::string rtl_, other_;  // sources
  steady_clock::time_point end_ = steady_clock::time_point::max();
  int64_t different_ = 0;
};

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Programs on the RTL and on the cycle model, or the kernels for synthesis");
  app.add_option("CONFIG", options.configs, "config files")->required()->check(CLI::ExistingFile);
  app.add_option("-n,--programs", options.programs, "random ones on each")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "of the first one")->check(CLI::NonNegativeNumber);
  std::vector<std::string> names = LedgerNetworks();
  names.push_back("all");
  app.add_flag("--hls", options.hls, "the kernels of hw/hls, and the golden model, on values");
  app.add_option("--networks", options.networks,
                 "every layer of these, or of all, instead; beside the cycle model at memory "
                 "latencies 0, 16, 64 and 200")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(names));
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
      std::ranges::count(options.networks, "all") > 0 ? LedgerNetworks() : options.networks;
  for (const bool again : {false, true}) {
    for (const std::string& network : networks)
      for (const isa::Config& config : configs)
        for (const isa::Memory& memory : MemoriesFor(config, options.hls))
          if (!ledger.IsOver()) ledger.Network(network, config, memory, again);
    for (const isa::Config& config : configs)
      if (networks.empty() && !ledger.IsOver()) ledger.Random(config, again);
    if (options.table.empty()) break;
  }
  if (!options.table.empty()) {
    std::vector<LedgerRow> wanted;
    for (const isa::Config& config : configs) {
      if (networks.empty()) wanted.push_back(ledger.Wanted("random", config));
      for (const std::string& network : networks)
        for (const isa::Memory& memory : MemoriesFor(config, options.hls))
          wanted.push_back(ledger.Wanted(network, With(config, memory)));
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
