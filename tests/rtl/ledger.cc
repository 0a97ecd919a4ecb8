// The cycle model's ledger: random programs on the RTL and on the model, and where they differ.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

#include "isa/support/error.h"
#include "sim/cycle/core/core.h"
#include "tests/rtl/trial.h"

namespace vta::test {
namespace {

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

std::string Text(const isa::ModuleCycles& cycles) {
  return StrCat(cycles.busy, " busy, ", cycles.wait_token, " for tokens, ", cycles.wait_memory,
                " for memory");
}

// The instruction whose start or end comes first of those that differ.
std::string FirstDifference(const Run& rtl, const Run& model) {
  const auto key = [](const sim::InstructionSlice& slice) { return slice.index; };
  std::map<int64_t, const sim::InstructionSlice*> have;
  for (const sim::InstructionSlice& slice : model.timeline.instructions) have[key(slice)] = &slice;
  const int64_t origin = rtl.timeline.launches.back().begin - 1;
  const sim::InstructionSlice* first = nullptr;
  for (const sim::InstructionSlice& slice : rtl.timeline.instructions) {
    const auto it = have.find(key(slice));
    // Those that are under way when the launch ends have no end.
    if (it == have.end()) continue;
    const bool same =
        it->second->begin == slice.begin - origin && it->second->end == slice.end - origin;
    if (!same && (!first || slice.begin < first->begin)) first = &slice;
  }
  if (!first) return "";
  const sim::InstructionSlice& other = *have[key(*first)];
  return StrCat("instruction ", first->index, " of ", isa::Spec(first->module).name, ": cycles ",
                first->begin - origin, " to ", first->end - origin, " on the RTL, ", other.begin,
                " to ", other.end, " on the model\n");
}

// In words, or "".
std::string Difference(const Run& rtl, const Run& model) {
  std::string text = FirstDifference(rtl, model);
  if (rtl.result == model.result) return text;
  const isa::Time &want = *rtl.result.counters.time, &have = *model.result.counters.time;
  const auto differ = [&](std::string_view what, const std::string& a, const std::string& b) {
    if (a != b) text += StrCat(what, ": ", a, " on the RTL; ", b, " on the model\n");
  };
  differ("cycles", std::to_string(want.cycles), std::to_string(have.cycles));
  differ("fetch", Text(want.fetch), Text(have.fetch));
  for (const isa::ModuleSpec& row : isa::kModuleTable) {
    const auto m = static_cast<size_t>(row.code);
    differ(row.name, Text(want.modules[m]), Text(have.modules[m]));
  }
  differ("end", isa::Describe(rtl.result), isa::Describe(model.result));
  return text.empty() ? "counters of work\n" : text;
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
      const Run model = OnModel(image), rtl = OnRtl(image);
      instructions += std::ssize(rtl.timeline.instructions);
      cycles += rtl.result.counters.time->cycles;
      const std::string text = Difference(rtl, model);
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

  Run OnModel(const Image& image) {
    Run run;
    run.result = model_.Run(image.launch, image.dram, {.timeline = &run.timeline});
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
