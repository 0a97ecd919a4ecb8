// A network-sized program in the shape of tiled convolutions: two slots for inputs, weights and
// accumulators, kernels that are loaded once a layer, each layer reading what the one before
// stored.
#pragma once

#include <cstdint>

#include "tests/support/test_program.h"

namespace vta::test {

struct ConvStream {
  int64_t layers = 53;
  int64_t tiles = 120;       // of a layer
  int64_t reduction = 8;     // load and GEMM steps of a tile
  int64_t kernel_uops = 36;  // of a GEMM, a multiple of 4
  int64_t loop_trips = 196;  // of its two loops together: a multiple of 14
};

/// On the default config; about 30 instructions a tile with the default numbers. The memory holds
/// only micro-ops, and zeros up to where the data ends.
TestProgram MakeConvStream(const ConvStream& shape);

}  // namespace vta::test
