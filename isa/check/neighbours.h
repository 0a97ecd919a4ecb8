// Hazards between the neighbouring micro-ops of one ALU instruction, loops not unrolled.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "isa/spec/instructions.h"

namespace vta::isa {

/// How the instruction's micro-ops collide: two that run one after the other have the same dst, or
/// the second reads the dst of the first (never with an immediate, whose operand is not read).
/// Nothing where none do.
std::optional<std::string> NeighboursThatMeet(const Instruction& alu, std::span<const Uop> uops);

}  // namespace vta::isa
