#include "tools/vta/common/cycle_measurer.h"

#include <algorithm>
#include <variant>

#include "isa/spec/instructions.h"
#include "isa/support/error.h"
#include "sim/cycle/core/core.h"

namespace vta::tools {

struct CycleMeasurer::Bench {
  explicit Bench(const isa::Config& config) : core(config) {}
  sim::cycle::Core core;
  std::vector<uint8_t> dram;
};

CycleMeasurer::CycleMeasurer(isa::Config config) : config_(std::move(config)) {
  idle_.push_back(std::make_unique<Bench>(config_));
}

CycleMeasurer::~CycleMeasurer() = default;

std::unique_ptr<CycleMeasurer::Bench> CycleMeasurer::Take() const {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<Bench>(config_);
  std::unique_ptr<Bench> bench = std::move(idle_.back());
  idle_.pop_back();
  return bench;
}

int64_t CycleMeasurer::Measure(const compiler::tune::Trial& trial) const {
  constexpr int64_t kPage = 4096;
  const auto& [code, constants, dumps, bounds, joinable] =
      std::get<compiler::ProgramCode>(trial.code);
  std::unique_ptr<Bench> bench = Take();
  const auto on_pages = [](int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; };
  const int64_t begin = on_pages(trial.arena_bytes);
  // Fetch reads whole beats, past the last instruction.
  const auto end = static_cast<size_t>(on_pages(begin + std::ssize(code)));
  std::vector<uint8_t>& dram = bench->dram;
  if (dram.size() < end) dram.resize(end);
  std::ranges::copy(constants, dram.begin() + trial.constants_at);
  std::ranges::copy(code, dram.begin() + begin);
  isa::LaunchRequest request;
  request.instruction_address = static_cast<uint64_t>(begin);
  request.instruction_count = std::ssize(code) / isa::kInstructionBytes;
  const isa::LaunchResult result = bench->core.Run(request, dram);
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(bench));
  }
  if (result.outcome != isa::Outcome::kFinished)
    throw Error("trial", "outcome", std::string(isa::OutcomeName(result.outcome)),
                "must be finished");
  return result.counters.time.value().cycles;
}

}  // namespace vta::tools
