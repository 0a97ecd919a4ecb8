// Random programs on the kernels of hw/hls and on the golden model, on one or more configs: how the
// launch ends, counters, the whole memory. Prints what was compared, or what differs and the
// command that shows it again.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "isa/support/error.h"
#include "sim/functional/machine.h"
#include "sim/hls/machine.h"
#include "sim/trace/lockstep.h"
#include "tests/rtl/program.h"
#include "tests/rtl/trial.h"
#include "tests/support/random_kernels.h"

namespace vta::test {
namespace {

// Programs of one group follow each other without power-on: what one leaves, the next one finds.
constexpr int64_t kGroup = 8;

const sim::SideNames kNames = {"golden", "HLS"};

struct Options {
  std::vector<std::string> configs;
  std::string headers;
  int64_t seed = 0, programs = 400;
};

struct Pair {
  Pair(const isa::Config& config, const sim::HlsOptions& options, const std::string& headers)
      : golden(config), hls(config, options, {.headers = headers}) {}

  /// Runs the program on both. Returns the first difference, or "".
  std::string Run(const RtlProgram& program, bool values) {
    Image left = ImageOf(program), right = left;
    const isa::LaunchResult want = golden.Run(left.launch, left.dram);
    const isa::LaunchResult have = hls.Run(right.launch, right.dram);
    outcome = have.outcome;
    std::string text = sim::CompareResults(want, have, kNames);
    if (!values || left.dram == right.dram) return text;
    const auto [a, b] = std::ranges::mismatch(left.dram, right.dram);
    return StrCat(text, "memory at ", Hex(static_cast<uint64_t>(a - left.dram.begin())),
                  ": golden ", Hex(*a), ", HLS ", Hex(*b), "\n");
  }

  sim::Machine golden;
  sim::HlsMachine hls;
  isa::Outcome outcome = isa::Outcome::kNoFinish;
};

struct Tally {
  std::array<int64_t, kProgramKinds> kinds = {};
  std::array<int64_t, 5> outcomes = {};
};

/// Returns what differs, with the command that shows it again, or "".
std::string RunGroup(const std::string& path, const isa::Config& config, int64_t first,
                     const std::string& headers, Tally& tally) {
  // Channels of one word and of two, kernels in turns and at random.
  const int64_t group = first / kGroup;
  const sim::HlsOptions options = {.channel_depth = 1 + group % 2,
                                   .schedule = static_cast<uint64_t>(group / 2 % 2 * first)};
  Pair pair(config, options, headers);
  for (int64_t seed = first; seed < first + kGroup; ++seed) {
    const auto number = static_cast<uint64_t>(seed);
    Draw draw(number ^ 0x9e3779b97f4a7c15);
    const auto kind = static_cast<ProgramKind>(draw.UpTo(kProgramKinds - 1));
    const bool racy = kind == ProgramKind::kRacy;
    std::string text = pair.Run(RandomRtlProgram(config, kind, number), !racy);
    ++tally.kinds[static_cast<size_t>(kind)];
    ++tally.outcomes[static_cast<size_t>(pair.outcome)];
    if (racy && text.empty()) text = pair.Run(RefillProgram(config, number), true);
    if (!text.empty())
      return StrCat(path, ", seed ", seed, ", ", ProgramKindName(kind), ":\n", text,
                    "again: hls_fuzz --seed ", first, " --programs ", kGroup, " ",
                    headers.empty() ? "" : StrCat("--headers ", headers, " "), path, "\n");
  }
  return "";
}

int Run(const Options& options) {
  Tally tally;
  int64_t programs = 0;
  const auto count = std::ssize(options.configs);
  const int64_t each = (options.programs + count * kGroup - 1) / (count * kGroup);
  for (const std::string& path : options.configs) {
    const isa::Config config = isa::LoadConfig(path);
    for (int64_t group = 0; group < each; ++group, programs += kGroup) {
      const int64_t first = (options.seed / kGroup + group) * kGroup;
      const std::string text = RunGroup(path, config, first, options.headers, tally);
      if (text.empty()) continue;
      std::fputs(text.c_str(), stdout);
      return 1;
    }
  }
  std::printf("%lld programs on %lld configs:", static_cast<long long>(programs),
              static_cast<long long>(count));
  for (int k = 0; k < kProgramKinds; ++k)
    std::printf(" %lld %s", static_cast<long long>(tally.kinds[k]),
                std::string(ProgramKindName(static_cast<ProgramKind>(k))).c_str());
  std::printf("\nends:");
  for (int i = 0; i < 5; ++i)
    std::printf(" %lld %s", static_cast<long long>(tally.outcomes[i]),
                std::string(OutcomeName(static_cast<isa::Outcome>(i))).c_str());
  std::printf("\nno difference\n");
  return 0;
}

}  // namespace
}  // namespace vta::test

int main(int argc, char** argv) {
  CLI::App app("random programs on the HLS kernels and the golden model");
  vta::test::Options options;
  app.add_option("CONFIG", options.configs)->required();
  app.add_option("--headers", options.headers, "the folder of a vendor's hls_stream.h");
  app.add_option("--seed", options.seed);
  app.add_option("-n,--programs", options.programs);
  CLI11_PARSE(app, argc, argv);
  try {
    return vta::test::Run(options);
  } catch (const vta::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
