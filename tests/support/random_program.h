// Random programs that are right: load, compute and store pipelines over a few slots, with random
// shapes, kernels, token placement, stream order, in-place and round-trip DRAM traffic, no-ops and
// ISA 1.0 extensions. They terminate, and end the same in every order of the modules.
#pragma once

#include <cstdint>

#include "tests/support/test_program.h"

namespace vta::test {

/// The same seed gives the same program, on a small machine drawn from it. About a dozen
/// instructions a tile.
TestProgram RandomProgram(uint64_t seed, int64_t tiles);
/// For a given machine, with up to `most_rows` rows in a slot.
TestProgram RandomProgram(const isa::Config& config, uint64_t seed, int64_t tiles,
                          int64_t most_rows);

}  // namespace vta::test
