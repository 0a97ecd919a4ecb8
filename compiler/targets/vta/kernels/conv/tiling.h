// What a convolution's tiling needs and takes: capacity as arithmetic, an analytic cost.
#pragma once

#include <cstdint>

#include "compiler/targets/vta/kernels/conv/conv.h"
#include "compiler/targets/vta/kernels/work.h"

namespace vta::compiler::targets {

/// Whether loads can pad the inputs of tiles this wide. Lines of pads alone are as long as the
/// others of a tile, so these have to be padded to their end, past the input and its pads.
bool CanPadTiles(const isa::Config& config, const ConvShape& shape, int64_t tile_width);

/// Units: cycles, by an analytic model that knows no stalls but those that it names.
struct ConvEstimate {
  bool fits = false;
  int64_t compute_cycles = 0;  // of the compute module: GEMM, ALU, its own loads
  int64_t bus_cycles = 0;      // all DRAM traffic
  int64_t cycles = 0;          // with what does not overlap
};

/// What the shape needs whatever the tiling. A vector has a product for each input block and tap
/// whose weights are there, a reset where ResetPasses says so, and the epilogue's passes; with a
/// residual the passes of that.
Work ConvWork(const isa::Config& config, const ConvShape& shape);
/// What is the same for all tilings of a shape.
struct ConvConstants {
  ConvBlocks blocks;
  int64_t bus_bytes = 1;                 // a cycle
  int64_t picked_step = 1;               // PickedStep
  int64_t parameter_rows = 0;            // of an output block
  int64_t parameter_changes = 0;         // cycles, of a channel block of a tile
  int64_t alu_passes = 0, products = 0;  // of each vector
  int64_t vectors = 0;                   // of a group of a batch
  // Units: cycles.
  int64_t passes = 0;          // of the compute module over all elements
  int64_t tile = 0, step = 0;  // of it for each tile, and for each of its steps

  ConvConstants(const isa::Config& config, const ConvShape& shape);
};
ConvEstimate EstimateConv(const isa::Config& config, const ConvShape& shape,
                          const ConvConstants& constants, const ConvTiling& tiling);
ConvEstimate EstimateConv(const isa::Config& config, const ConvShape& shape,
                          const ConvTiling& tiling);
/// What no tiling of this order, and of sizes from these up to the largest, which make as many
/// tiles and steps, is estimated below, whatever its slots and threads.
int64_t LeastConvCycles(const isa::Config& config, const ConvShape& shape,
                        const ConvConstants& constants, const ConvTiling& tiling,
                        const ConvTiling& largest);

}  // namespace vta::compiler::targets
