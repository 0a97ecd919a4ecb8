// The cycle model's ledger: random programs on the RTL and on the model, and where they differ.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "isa/support/error.h"
#include "sim/cycle/core/core.h"
#include "sim/trace/timing_difference.h"
#include "tests/rtl/trial.h"

namespace vta::test {
namespace {

const sim::SideNames kSides = {"RTL", "model"};

struct Options {
  std::vector<std::string> configs;
  int64_t programs = 200, seed = 0;
  sim::ModelOptions model;
};

// One launch on an engine. Slices are in cycles since the launch began.
struct Run {
  isa::LaunchResult result;
  sim::Timeline timeline;
};

// In words, or "".
std::string Difference(const isa::Config& config, const Run& rtl, const Run& model) {
  std::string text;
  if (const auto first = sim::CompareInstructions(config, rtl.timeline, model.timeline, kSides))
    text = first->text() + "\n";
  else if (std::string other = sim::CompareTimelines(rtl.timeline, model.timeline, kSides);
           !other.empty())
    text = other + "\n";
  return text + sim::CompareResults(rtl.result, model.result, kSides);
}

class Ledger {
 public:
  Ledger(const isa::Config& config, const Options& options)
      : config_(config), options_(options), rtl_(config, {}, options.model), model_(config) {}

  /// Returns the number of programs that differ.
  int64_t Fill() {
    int64_t instructions = 0, cycles = 0, different = 0;
    for (int64_t i = 0; i < options_.programs; ++i) {
      const auto kind = static_cast<ProgramKind>(i % kProgramKinds);
      const auto seed = static_cast<uint64_t>(options_.seed + i);
      const Image image = ImageOf(RandomRtlProgram(config_, kind, seed));
      const Run rtl = OnRtl(image), model = OnModel(image, rtl.timeline);
      instructions += std::ssize(rtl.timeline.instructions);
      cycles += rtl.result.counters.time->cycles;
      const std::string text = Difference(config_, rtl, model);
      if (!text.empty() && ++different <= kShown)
        std::printf("%s, a program of kind %s, seed %llu:\n%s", config_.name.c_str(),
                    std::string(ProgramKindName(kind)).c_str(),
                    static_cast<unsigned long long>(seed), text.c_str());
    }
    std::printf("%-16s %9lld %10lld %12lld %10lld\n", config_.name.c_str(),
                static_cast<long long>(options_.programs), static_cast<long long>(instructions),
                static_cast<long long>(cycles), static_cast<long long>(different));
    return different;
  }

 private:
  static constexpr int64_t kShown = 3;

  // Beside the RTL's launch, from where that began.
  Run OnModel(const Image& image, const sim::Timeline& rtl) {
    Run run;
    sim::BusSample origin = rtl.bus.front();
    origin.cycle = rtl.launches.back().begin - 1;
    run.result =
        model_.Run(image.launch, image.dram, {.timeline = &run.timeline, .origin = origin});
    return run;
  }
  Run OnRtl(const Image& image) {
    Run run;
    std::vector<uint8_t> dram = image.dram;
    rtl_.options().timeline = &run.timeline;
    run.result = rtl_.Run(image.launch, dram);
    rtl_.options().timeline = nullptr;
    return run;
  }

  const isa::Config& config_;
  const Options& options_;
  sim::RtlMachine rtl_;
  sim::cycle::Core model_;
};

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Random programs on the RTL and on the cycle model");
  app.add_option("CONFIG", options.configs, "config files")->required()->check(CLI::ExistingFile);
  app.add_option("-n,--programs", options.programs, "on each")->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "of the first one")->check(CLI::NonNegativeNumber);
  app.add_flag("--quick", options.model.quick, "models that are built sooner and run slower");
  CLI11_PARSE(app, argc, argv);
  std::printf("%-16s %9s %10s %12s %10s\n", "config", "programs", "instruct.", "cycles",
              "different");
  int64_t different = 0;
  for (const std::string& path : options.configs) {
    const isa::Config config = isa::LoadConfig(path);
    different += Ledger(config, options).Fill();
  }
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
