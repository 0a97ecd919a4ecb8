// Constants that several operators have.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/config.h"

namespace vta::compiler::targets {

/// Weights that give each channel of a block to itself, times `value`. Shape: [out_parts, in_parts,
/// block_out, block_in].
std::vector<uint8_t> Diagonal(const isa::Config& config, int8_t value);
/// As memory has them.
std::vector<uint8_t> Bytes(const std::vector<int32_t>& values);

}  // namespace vta::compiler::targets
