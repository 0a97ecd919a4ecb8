#include "isa/register_launch.h"
#include "sim/board/engine.h"
#include "sim/cycle/core/core.h"
#include "sim/cycle/host/registers.h"
#include "sim/functional/machine.h"

namespace vta::sim {
namespace {

class ModelEngine : public Board::Engine {
 public:
  ModelEngine(const isa::Config& config, uint64_t base, bool timed)
      : base_(base), registers_(config), machine_(config) {
    if (timed) core_ = std::make_unique<cycle::Core>(config);
  }

  // Without a clock it is the machine of no timing hash.
  std::optional<uint32_t> Read(uint32_t offset) override {
    if (!core_ && (offset == static_cast<uint32_t>(isa::Register::kTimingHashLow) ||
                   offset == static_cast<uint32_t>(isa::Register::kTimingHashHigh)))
      return 0;
    const HostRegisters::Read read = registers_.ReadWord(offset);
    return read.allowed ? std::optional(read.value) : std::nullopt;
  }

  bool Write(uint32_t offset, uint32_t value) override {
    const HostRegisters::Written written = registers_.WriteWord(offset, value, 0xf);
    if (written.start) registers_.Begin(), runs_ = true;
    if (written.reset) registers_.Reset(), runs_ = false;
    return written.allowed;
  }

  bool interrupt() const override { return registers_.interrupt(); }

  void Advance() override {
    if (!registers_.busy()) return;
    if (!runs_) return registers_.EndReset();
    runs_ = false;
    if (is_dead_) return registers_.End({.outcome = isa::Outcome::kStopped}, true);
    registers_.End(Run());
  }

  void SetMemory(std::span<uint8_t> memory, bool is_dead) override {
    memory_ = memory, is_dead_ = is_dead;
  }

 private:
  isa::LaunchResult Run() {
    isa::LaunchRequest request = registers_.Launch();
    isa::Move(request, -base_);
    std::optional<isa::Time> time;  // the clock first: it reads memory as it is before the launch
    if (core_) time = core_->Run(request, memory_).counters.time;
    isa::LaunchResult result = machine_.Run(request, memory_);
    result.counters.time = time.value_or(isa::Time());  // without it no counter would read
    isa::Move(result, base_);
    return result;
  }

  uint64_t base_;
  HostRegisters registers_;
  Machine machine_;
  std::unique_ptr<cycle::Core> core_;
  std::span<uint8_t> memory_;
  bool is_dead_ = false, runs_ = false;
};

}  // namespace

std::unique_ptr<Board::Engine> MakeModelEngine(const isa::Config& config, uint64_t base,
                                               bool timed) {
  return std::make_unique<ModelEngine>(config, base, timed);
}

}  // namespace vta::sim
