// Programs with one token bit wrong.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "tests/support/test_program.h"

namespace vta::test {

/// Deletes a token bit that is set, adds one that is not, or moves one to another instruction of
/// its module: what is done says `description`.
TestProgram MutateTokens(const TestProgram& program, std::mt19937_64& rng,
                         std::string& description);

}  // namespace vta::test
