#include <algorithm>
#include <filesystem>

#include "isa/support/error.h"
#include "sim/functional/machine.h"
#include "sim/hls/machine.h"
#include "sim/rtl/machine.h"
#include "sim/trace/lockstep.h"
#include "tests/rtl/ledger_sides.h"

namespace vta::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNames[] = {"RTL", "HLS", "golden"};

class Trio : public LedgerSides {
 public:
  Trio(const isa::Config& config, const sim::ModelOptions& model)
      : rtl_(config, {}, model), hls_(config), golden_(config) {}

  std::string Compare(const LedgerLaunch& launch, LedgerRow& row) override {
    ++row.programs;
    std::string text = Run(launch.image, !launch.refill, row);
    if (text.empty() && launch.refill) text = Run(*launch.refill, true, row);
    return text;
  }

 private:
  std::string Run(const Image& image, bool values, LedgerRow& row) {
    std::vector<uint8_t> memory[3] = {image.dram, image.dram, image.dram};
    const isa::LaunchResult results[3] = {rtl_.Run(image.launch, memory[0]),
                                          hls_.Run(image.launch, memory[1]),
                                          golden_.Run(image.launch, memory[2])};
    for (const int64_t count : results[0].counters.instructions) row.instructions += count;
    row.cycles += results[0].counters.time->cycles;
    for (const int other : {1, 2}) {
      const sim::SideNames names = {kNames[0], kNames[other]};
      if (std::string text = sim::CompareResults(results[0], results[other], names); !text.empty())
        return text;
      const auto [a, b] = std::ranges::mismatch(memory[0], memory[other]);
      if (values && a != memory[0].end())
        return StrCat("memory at ", Hex(static_cast<uint64_t>(a - memory[0].begin())), ": ",
                      names.left, " ", Hex(*a), ", ", names.right, " ", Hex(*b), "\n");
    }
    return "";
  }

  sim::RtlMachine rtl_;
  sim::HlsMachine hls_;
  sim::Machine golden_;
};

}  // namespace

std::unique_ptr<LedgerSides> HlsSides(const isa::Config& config, const sim::ModelOptions& model) {
  return std::make_unique<Trio>(config, model);
}

std::string HlsSourcesHash() {
  const fs::path sources = sim::HardwareSources();
  std::vector<std::string> files;
  for (const char* folder : {"hw/hls", "sim/functional"})
    for (const auto& entry : fs::directory_iterator(sources / folder))
      if (entry.path().extension() == ".cc" || entry.path().extension() == ".h")
        files.push_back(entry.path().string());
  std::ranges::sort(files);
  return HashOf(files);
}

}  // namespace vta::test
