// Random packages, right ones and ones with something wrong: whatever the rules and the proof
// accept finishes, and gives the same bytes on every engine, from clean and from used devices,
// whatever ran before it.
//
// usage: package_fuzz FIRST_SEED NETWORKS functional|rtl     prints the first failure, or what was
// covered
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

#include "driver/functional/functional_device.h"
#include "driver/rtl/rtl_device.h"
#include "isa/support/error.h"
#include "runtime/proof.h"
#include "runtime/session.h"
#include "tests/network/random_network.h"
#include "tests/network/trial.h"
#include "tests/packages/dirt.h"
#include "tests/packages/mutate_package.h"
#include "tests/support/files.h"
#include "tests/support/interpreter/interpreted_module.h"

namespace vta::test {
namespace {

constexpr int64_t kMutants = 12;  // of a network
constexpr int64_t kMemoryBytes = int64_t{1} << 25, kDirtBytes = int64_t{1} << 21;
constexpr int64_t kMostUops = 60'000;  // of an inference, for the RTL's sake

using Outputs = std::vector<std::vector<uint8_t>>;

/// Short command queues; packages are made for long ones.
isa::Config DeviceConfig() {
  return isa::LoadConfig(SourcePath("tests/packages/short_queues.json"));
}

compiler::CompileResult CompileNetwork(Draws& draw) {
  isa::Config config = DeviceConfig();
  config.uarch.command_queue_depth = 512;
  const auto rounding = draw.Once(2) ? isa::Rounding::kDouble : isa::Rounding::kSingle;
  return CompileFor(config, RandomNetwork(draw, rounding), Kernels::kInterpreted);
}

/// Micro-ops of one inference, or nothing where the package is refused.
std::optional<int64_t> Accept(const isa::Package& package,
                              std::map<std::string, int64_t>& refused) {
  try {
    isa::ValidatePackage(package, "p");
    if (package.arena_bytes > kMemoryBytes / 2) return std::nullopt;
    int64_t uops = 0;
    const auto is_good = [&](const isa::Report& report) {
      if (!report.ok()) ++refused[std::string(isa::Spec(report.findings[0].kind).name)];
      return report.ok();
    };
    for (const isa::PackageStep& step : package.steps) {
      if (step.kind != isa::PackageStep::Kind::kProgram) continue;
      const isa::Report report = runtime::ProveStep(package, step);
      if (!is_good(report)) return std::nullopt;
      uops += report.statistics.uops_executed;
    }
    for (const isa::PackageLaunch& launch : package.launches) {
      const isa::Report report = runtime::ProveLaunch(package, launch);
      if (!is_good(report)) return std::nullopt;
      uops += report.statistics.uops_executed;
    }
    return uops;
  } catch (const Error& error) {
    std::istringstream words(error.rule());  // what follows them are names and numbers
    std::string a, b, c;
    words >> a >> b >> c;
    ++refused[StrCat(a, " ", b, b == "over" ? "" : " ", b == "over" ? "" : c)];
    return std::nullopt;
  }
}

std::vector<std::vector<uint8_t>> RandomInputs(Draws& draw, const isa::Package& package) {
  std::vector<std::vector<uint8_t>> inputs;
  for (int64_t tensor : package.inputs) {
    inputs.emplace_back(static_cast<size_t>(package.tensors[tensor].bytes()));
    for (uint8_t& byte : inputs.back()) byte = static_cast<uint8_t>(draw.Int(0, 255));
  }
  return inputs;
}

Outputs Run(runtime::Session& session, const std::vector<std::vector<uint8_t>>& inputs) {
  return runtime::Infer(session,
                        std::vector<std::span<const uint8_t>>(inputs.begin(), inputs.end()));
}

class Fuzzer {
 public:
  explicit Fuzzer(bool rtl) : config_(DeviceConfig()) {
    used_.push_back(std::make_unique<driver::FunctionalDevice>(
        config_,
        driver::FunctionalOptions{.memory_bytes = kMemoryBytes,
                                  .machine = {.order = sim::ModuleOrder::kRandom, .seed = 1}}));
    if (rtl) used_.push_back(std::make_unique<driver::RtlDevice>(config_, kMemoryBytes));
  }

  void Network(uint64_t seed) {
    Draws draw(seed);
    const compiler::CompileResult right = CompileNetwork(draw);
    kernels_.emplace(right.package, right.kernels);
    for (int64_t m = 0; m < kMutants; ++m) {
      isa::Package package = right.package;
      text_ = StrCat("seed ", seed, ", mutant ", m, ": ");
      // Of every network the package as it is, then with one to three changes.
      for (int64_t n = m == 0 ? 0 : draw.Int(1, 3); n > 0; --n) MutatePackage(draw, package, text_);
      ++packages_;
      const std::optional<int64_t> uops = Accept(package, refused_);
      if (m == 0 && !uops) throw Error(text_, "", "", "what the compiler made is refused");
      if (!uops) continue;
      ++accepted_;
      if (*uops > kMostUops)
        ++too_long_;
      else
        RunEverywhere(draw, package, m == 0 ? seed + 1 : 0);
    }
  }

  void PrintCoverage() const {
    std::cout << packages_ << " packages, " << accepted_ << " accepted";
    if (too_long_) std::cout << " (" << too_long_ << " too long to run)";
    std::cout << ", " << runs_ << " runs without a difference on";
    for (const auto& device : used_) std::cout << " " << device->id().name;
    std::cout << "; refused:";
    for (const auto& [why, count] : refused_) std::cout << " " << count << " " << why << ",";
    std::cout << "\n";
  }
  const std::string& text() const { return text_; }

 private:
  /// `dirt` is the seed of noise for the used devices, or 0 for none.
  void RunEverywhere(Draws& draw, const isa::Package& package, uint64_t dirt) {
    const auto a = RandomInputs(draw, package), b = RandomInputs(draw, package);
    driver::FunctionalDevice clean(config_, {.memory_bytes = kMemoryBytes, .machine = {}});
    const auto model = std::make_shared<runtime::Model>(
        package, "p", runtime::ModelOptions{.kernels = &*kernels_});
    runtime::Session first(model, &clean);
    const Outputs wanted = Run(first, a);
    ++runs_;
    for (const auto& device : used_) {
      if (dirt) MakeDirty(*device, config_, kDirtBytes, dirt);
      runtime::Session session(model, device.get());
      const auto expect = [&](const char* when) {
        ++runs_;
        if (Run(session, a) != wanted)
          throw Error(text_, device->id().name, when, "gives other outputs than a clean device");
      };
      expect("first run");
      Run(session, b);
      ++runs_;
      expect("after another inference");
    }
  }

  isa::Config config_;
  std::vector<std::unique_ptr<driver::Device>> used_;
  std::optional<InterpretedModule> kernels_;  // of the network
  std::string text_;
  int64_t packages_ = 0, accepted_ = 0, too_long_ = 0, runs_ = 0;
  std::map<std::string, int64_t> refused_;
};

int Fuzz(uint64_t first, uint64_t networks, bool rtl) {
  Fuzzer fuzzer(rtl);
  try {
    for (uint64_t seed = first; seed < first + networks; ++seed) fuzzer.Network(seed);
  } catch (const Error& error) {
    std::cout << fuzzer.text() << "\n" << error.what() << "\n";
    return 1;
  }
  fuzzer.PrintCoverage();
  return 0;
}

}  // namespace
}  // namespace vta::test

int main(int argc, char** argv) {
  const std::string engine = argc == 4 ? argv[3] : "";
  if (engine != "functional" && engine != "rtl") {
    std::cerr << "usage: package_fuzz FIRST_SEED NETWORKS functional|rtl\n";
    return 2;
  }
  return vta::test::Fuzz(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10),
                         engine == "rtl");
}
