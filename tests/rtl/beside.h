// Random programs of the compute module: ALU instructions in one bank of the accumulator, and
// behind them what may run beside them, or must not.
#pragma once

#include <cstdint>

#include "tests/support/test_program.h"

namespace vta::test {

/// For any config; where it has one bank, nothing runs beside anything. One in three has a fault.
/// Load and store only give and take tokens, so nothing races.
TestProgram BesideProgram(const isa::Config& config, uint64_t seed);

}  // namespace vta::test
