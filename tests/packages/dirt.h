// Devices that have been used before: noise in every row of every scratchpad, and in the memory
// that the next owner gets.
#pragma once

#include <cstdint>

#include "driver/device.h"

namespace vta::test {

/// Fills the scratchpads by a program, and the first `bytes` of free memory, with noise drawn from
/// `seed`; frees what it took.
void MakeDirty(driver::Device& device, const isa::Config& config, int64_t bytes, uint64_t seed);

}  // namespace vta::test
