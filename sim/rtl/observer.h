// Turns what the RTL's trace ports say each cycle into a timeline.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <span>

#include "sim/rtl/model/abi.h"
#include "sim/trace/timeline.h"

namespace vta::sim {

class Observer {
 public:
  explicit Observer(const VtaPorts& ports) : ports_(ports) {}

  /// The slices of the launch to come are appended to `timeline`. `program`, the instructions as
  /// they are when the launch starts, is borrowed.
  void Begin(Timeline* timeline, uint64_t first_address, std::span<const isa::Word> program);
  /// Looks at a cycle whose outputs have settled. Units: bytes since power-on.
  void Observe(int64_t cycle, int64_t read_bytes, int64_t written_bytes);
  /// The launch has ended after so many cycles.
  void End(int64_t cycles);

 private:
  struct ModuleSlices {
    std::deque<InstructionSlice> instructions;  // under way, in the order in which they started
    std::optional<StallSlice> stall;
  };
  void ObserveInstructions(int module, int64_t cycle);
  void ObserveStall(int module, int64_t cycle);
  void Close(ModuleSlices& open, int64_t cycle);
  std::optional<StallSlice> StallOf(int module) const;

  const VtaPorts& ports_;
  Timeline* timeline_ = nullptr;
  uint64_t first_address_ = 0;
  std::span<const isa::Word> program_;
  std::array<ModuleSlices, isa::kModules> open_;
  BusSample bus_;        // of the last cycle
  int64_t sampled_ = 0;  // cycle of the last sample
};

}  // namespace vta::sim
