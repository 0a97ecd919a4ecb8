// Where two timelines of one launch differ first, and which rule of isa/spec/timing.h says what is
// right.
#pragma once

#include <optional>
#include <string>

#include "isa/config.h"
#include "sim/trace/lockstep.h"
#include "sim/trace/timeline.h"

namespace vta::sim {

/// The instruction whose start or end comes first of those that differ: "compute, instruction 12
/// (0x10c0)"; "ends in cycle 40 on the RTL, in cycle 41 on the model"; the number or the sentence
/// that governs it. Cycles are those of the launch.
struct TimingDifference {
  isa::Word word;  // of the instruction
  std::string place, what, rule;
  std::string text() const { return place + " " + what + "; rule: " + rule; }
};

/// Compares when instructions start and end. Both hold one launch.
std::optional<TimingDifference> CompareInstructions(const isa::Config& config, const Timeline& left,
                                                    const Timeline& right, const SideNames& names);

/// The first launch, instruction, stall or bus sample that is not the same, in words, or "". Units:
/// cycles since power-on.
std::string CompareTimelines(const Timeline& left, const Timeline& right, const SideNames& names);

}  // namespace vta::sim
