// The example platform beside the RTL: random programs, with and without a second master on the
// bus; every instruction's start and end, and the cycles of the launch.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "isa/support/error.h"
#include "sim/build/shell.h"
#include "tests/rtl/trial.h"

namespace vta::test {
namespace {

struct Options {
  std::vector<std::string> configs;
  std::string platform, folder;
  int64_t programs = 30, seed = 0, traffics = 3;
  sim::ModelOptions model;
};

struct Launch {
  std::string config;
  ProgramKind kind = ProgramKind::kOverlapped;
  uint64_t seed = 0;
  std::optional<uint64_t> traffic;
  std::string Name() const {
    return StrCat(config, ", a program of kind ", ProgramKindName(kind), ", seed ", seed, ", ",
                  traffic ? StrCat("traffic ", *traffic) : "no traffic");
  }
};

// Module, index, begin and end in cycles of the launch.
using Row = std::array<int64_t, 4>;
struct Ended {
  int64_t outcome = 0, cycles = 0;
  std::set<Row> rows;
  bool operator==(const Ended&) const = default;
};

std::vector<Launch> LaunchesOf(const Options& options) {
  std::vector<Launch> launches;
  for (const std::string& config : options.configs)
    for (int64_t i = 0; i < options.programs; ++i)
      for (int64_t t = 0; t <= options.traffics; ++t) {
        Launch launch{std::filesystem::absolute(config).string(),
                      static_cast<ProgramKind>(i % kProgramKinds),
                      static_cast<uint64_t>(options.seed + i)};
        if (t > 0) launch.traffic = static_cast<uint64_t>(options.seed + 1000 * i + t);
        launches.push_back(launch);
      }
  return launches;
}

Image ImageOf(const Launch& launch) {
  return ImageOf(RandomRtlProgram(isa::LoadConfig(launch.config), launch.kind, launch.seed));
}

// On the platform, in one process.
std::vector<Ended> OnPlatform(const Options& options, const std::vector<Launch>& launches) {
  const std::filesystem::path folder = options.folder;
  std::filesystem::create_directories(folder);
  std::ofstream list(folder / "launches.txt");
  for (size_t i = 0; i < launches.size(); ++i) {
    const Image image = ImageOf(launches[i]);
    const std::string memory = (folder / StrCat(i, ".bin")).string();
    std::ofstream(memory, std::ios::binary)
        .write(reinterpret_cast<const char*>(image.dram.data()), std::ssize(image.dram));
    list << launches[i].config << ' ' << memory << ' ' << image.launch.instruction_address << ' '
         << image.launch.instruction_count;
    for (uint64_t base : image.launch.base) list << ' ' << base;
    list << ' ' << (launches[i].traffic ? std::to_string(*launches[i].traffic) : "none") << '\n';
  }
  list.close();
  const std::string output = (folder / "output.txt").string();
  if (!sim::RunShell(StrCat(
          "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 ", sim::ShellQuoted(options.platform), " ",
          sim::ShellQuoted((folder / "launches.txt").string()), " >", sim::ShellQuoted(output))))
    throw Error(options.platform, "", "", "fails");
  std::vector<Ended> ended;
  std::ifstream in(output);
  for (std::string line; std::getline(in, line);) {
    Ended head;
    long long launch = 0, outcome = 0, cycles = 0;
    if (std::sscanf(line.c_str(), "launch %lld: outcome %lld, %lld cycles", &launch, &outcome,
                    &cycles) == 3) {
      head.outcome = outcome, head.cycles = cycles;
      ended.push_back(head);
      continue;
    }
    Row row;
    std::istringstream words(line);
    if (!(words >> row[0] >> row[1] >> row[2] >> row[3]) || ended.empty())
      throw Error(output, "line", line, "is no instruction");
    ended.back().rows.insert(row);
  }
  std::filesystem::remove_all(folder);
  if (ended.size() != launches.size())
    throw Error(output, "launches", std::to_string(ended.size()),
                StrCat("must be ", launches.size()));
  return ended;
}

Ended OnRtl(sim::RtlMachine& rtl, const Launch& launch) {
  Image image = ImageOf(launch);
  sim::Timeline timeline;
  rtl.options().timeline = &timeline;
  rtl.options().traffic_seed = launch.traffic;
  const isa::LaunchResult result = rtl.Run(image.launch, image.dram);
  Ended ended{static_cast<int64_t>(result.outcome), result.counters.time.value().cycles, {}};
  const int64_t origin = timeline.launches.back().begin - 1;
  for (const sim::InstructionSlice& slice : timeline.instructions)
    ended.rows.insert({static_cast<int64_t>(slice.module), slice.index, slice.begin - origin,
                       slice.end - origin});
  return ended;
}

// In words; the instruction that begins first of those that differ.
std::string Difference(const Ended& rtl, const Ended& platform) {
  std::string text = StrCat("outcome ", rtl.outcome, ", ", rtl.cycles, " cycles on the RTL, ",
                            platform.outcome, ", ", platform.cycles, " on the platform\n");
  const auto first = [](const Ended& a, const Ended& b, const char* side) -> std::string {
    const Row* found = nullptr;
    for (const Row& row : a.rows)
      if (!b.rows.contains(row) && (!found || row[2] < (*found)[2])) found = &row;
    if (!found) return "";
    return StrCat("instruction ", (*found)[1], " of ",
                  isa::Spec(static_cast<isa::Module>((*found)[0])).name, " in cycles ", (*found)[2],
                  " to ", (*found)[3], " only on the ", side, "\n");
  };
  return text + first(rtl, platform, "RTL") + first(platform, rtl, "platform");
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("The example platform of the cycle model beside the RTL");
  app.add_option("PLATFORM", options.platform, "its program")->required();
  app.add_option("FOLDER", options.folder, "for its files; removed")->required();
  app.add_option("CONFIG", options.configs, "config files")->required()->check(CLI::ExistingFile);
  app.add_option("-n,--programs", options.programs, "on each")->check(CLI::PositiveNumber);
  app.add_option("--traffics", options.traffics, "runs of each program with traffic");
  app.add_option("--seed", options.seed, "of the first one")->check(CLI::NonNegativeNumber);
  app.add_flag("--quick", options.model.quick, "models that are built sooner and run slower");
  CLI11_PARSE(app, argc, argv);
  const std::vector<Launch> launches = LaunchesOf(options);
  const std::vector<Ended> platform = OnPlatform(options, launches);
  std::unique_ptr<sim::RtlMachine> rtl;
  int64_t different = 0, rows = 0, cycles[2] = {};
  for (size_t i = 0; i < launches.size(); ++i) {
    const Launch& launch = launches[i];
    if (i == 0 || launch.config != launches[i - 1].config)
      rtl = std::make_unique<sim::RtlMachine>(isa::LoadConfig(launch.config), sim::RtlOptions(),
                                              options.model);
    const Ended ended = OnRtl(*rtl, launch);
    rows += std::ssize(ended.rows);
    cycles[launch.traffic.has_value()] += ended.cycles;
    if (ended == platform[i] || ++different > 3) continue;
    std::printf("%s:\n%s", launch.Name().c_str(), Difference(ended, platform[i]).c_str());
  }
  std::printf(
      "%zu launches, %lld instructions, %lld cycles without traffic, %lld with: %lld differ\n",
      launches.size(), static_cast<long long>(rows), static_cast<long long>(cycles[0]),
      static_cast<long long>(cycles[1]), static_cast<long long>(different));
  return different > 0;
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
