#include <algorithm>
#include <filesystem>

#include "sim/cycle/core/core.h"
#include "sim/rtl/machine.h"
#include "sim/trace/timing_difference.h"
#include "tests/rtl/causes.h"
#include "tests/rtl/ledger_sides.h"

namespace vta::test {
namespace {

namespace fs = std::filesystem;

const sim::SideNames kSides = {"RTL", "model"};

class Pair : public LedgerSides {
 public:
  Pair(const isa::Config& config, const isa::Memory& memory, const sim::ModelOptions& model)
      : config_(config), rtl_(config, {.memory = memory}, model), core_(With(config, memory)) {}

  std::string Compare(const LedgerLaunch& launch, LedgerRow& row) override {
    const Image& image = launch.image;
    if (launch.rereads) {
      ++row.left_out;
      return "";
    }
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

}  // namespace

std::unique_ptr<LedgerSides> CycleSides(const isa::Config& config, const isa::Memory& memory,
                                        const sim::ModelOptions& model) {
  return std::make_unique<Pair>(config, memory, model);
}

std::string CycleSourcesHash() {
  const fs::path sources = sim::HardwareSources();
  std::vector<std::string> files = {(sources / "isa/spec/timing.h").string(),
                                    (sources / "sim/memory/dram.cc").string()};
  for (const auto& entry : fs::directory_iterator(sources / "sim/cycle/core"))
    files.push_back(entry.path().string());
  std::ranges::sort(files);
  return HashOf(files);
}

}  // namespace vta::test
