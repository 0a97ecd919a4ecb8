#include "sim/board/engine.h"
#include "sim/rtl/machine.h"

namespace vta::sim {
namespace {

// A host that waits looks at STATUS every few microseconds.
constexpr int64_t kWaitCycles = 256;

class RtlEngine : public Board::Engine {
 public:
  RtlEngine(const isa::Config& config, uint64_t base, const ModelOptions& model)
      : base_(base), machine_(config, {}, model) {}

  std::optional<uint32_t> Read(uint32_t offset) override {
    const HostPort::Answer answer = machine_.host().Read(static_cast<uint16_t>(offset));
    if (answer.response != AxiResponse::kOkay) return std::nullopt;
    if (offset == static_cast<uint32_t>(isa::Register::kStatus))
      runs_ = answer.data & isa::kStatusBusy;
    return answer.data;
  }

  bool Write(uint32_t offset, uint32_t value) override {
    if (offset == static_cast<uint32_t>(isa::Register::kControl)) {
      if (!runs_ && value & isa::kControlStart) machine_.bus().BeginLaunch();
      runs_ = true;
    }
    return machine_.host().Write(static_cast<uint16_t>(offset), value) == AxiResponse::kOkay;
  }

  bool interrupt() const override { return machine_.interrupt(); }

  void Advance() override {
    for (int64_t i = 0; runs_ && i < kWaitCycles && !machine_.interrupt(); ++i) machine_.Step();
  }

  void SetMemory(std::span<uint8_t> memory, bool is_dead) override {
    machine_.bus().set_memory(memory, base_);
    machine_.bus().set_dead(is_dead);
  }

 private:
  uint64_t base_;
  RtlMachine machine_;
  bool runs_ = false;  // as far as the host has seen
};

}  // namespace

std::unique_ptr<Board::Engine> MakeRtlEngine(const isa::Config& config, uint64_t base,
                                             const ModelOptions& model) {
  return std::make_unique<RtlEngine>(config, base, model);
}

}  // namespace vta::sim
