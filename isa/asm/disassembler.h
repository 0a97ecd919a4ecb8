// What the disassembler finds in instructions.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "isa/layout.h"

namespace vta::isa {

/// The micro-op tables of one piece that a program loads with base registers 0: begin -> end, in
/// bytes. They may overlap.
std::map<uint64_t, uint64_t> UopTables(const Config& config, std::span<const Word> words);

}  // namespace vta::isa
