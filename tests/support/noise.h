// Small programs without any plan: random instructions over a few rows and bytes, with random
// tokens.
#pragma once

#include <cstdint>

#include "tests/support/test_program.h"

namespace vta::test {

/// The same seed gives the same program, of at most a dozen instructions. Most read what nobody
/// wrote, many race, deadlock, fault or store over their micro-ops; some are right.
TestProgram NoiseProgram(uint64_t seed);

}  // namespace vta::test
