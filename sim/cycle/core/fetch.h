// Fetch: hands the instructions of the stream to the modules' queues.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "isa/launch.h"
#include "sim/cycle/core/reads.h"
#include "sim/cycle/core/stream.h"
#include "sim/cycle/core/why.h"

namespace vta::sim::cycle {

class Fetch {
 public:
  Fetch(const isa::Layout& layout, const isa::LaunchRequest& launch, std::span<const uint8_t> dram,
        Insns& insns, Reads& reads, std::array<Commands, isa::kModules>& queues, Schedule& schedule,
        bool uops_are_free, Record* record);

  int64_t Evaluate(int64_t cycle);
  bool Still(int64_t cycle) const;
  isa::FetchState State(int64_t cycle) const;
  isa::ModuleCycles Cycles(int64_t end) const;
  /// As Load::SaidTo.
  int64_t SaidTo(int64_t cycle) const {
    return cycle < run_until_ ? std::min(cycle, free_from_) : cycle;
  }
  bool halted(int64_t cycle) const { return halted_from_ <= cycle; }
  /// By index.
  std::vector<const Insn*> handed_on() const;

 private:
  void ReadInstruction(int64_t index);
  bool Blocked(int64_t cycle) const;

  const isa::Layout& layout_;
  isa::LaunchRequest launch_;
  std::span<const uint8_t> dram_;
  Insns& insns_;
  Reads& reads_;
  std::array<Commands, isa::kModules>& queues_;
  Schedule& schedule_;
  bool uops_are_free_;
  Record* record_;                 // or null
  int64_t free_from_ = 0;          // it can take a word from this cycle on
  int64_t per_beat_, beats_each_;  // instructions of a beat; beats of an instruction
  int64_t run_from_ = kNever, run_until_ = kNever, halted_from_ = kNever;  // registers
  bool low_ = false, low_error_ = false;
  int64_t lane_ = 0, read_ = 0, handed_on_ = 0;
  bool head_ = false, head_error_ = false, head_last_ = false;
  int64_t head_from_ = 0;
  int64_t waited_ = 0;             // cycles
  int64_t blocked_from_ = kNever;  // the first of those that are not counted yet
};

}  // namespace vta::sim::cycle
