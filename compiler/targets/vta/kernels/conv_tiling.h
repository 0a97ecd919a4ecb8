// Choosing a convolution's tiling: capacity as arithmetic, an analytic cost, full enumeration.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/targets/vta/kernels/conv.h"
#include "compiler/targets/vta/kernels/hiding.h"

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
ConvEstimate EstimateConv(const isa::Config& config, const ConvShape& shape,
                          const ConvTiling& tiling);
/// Whether a tiling hides latency in that way alone. kSlots has kOneSlot's, too: a copy that fits
/// nowhere, or does not pay, is not there.
bool Hides(const ConvTiling& tiling, Hiding hiding);
/// The cheapest tiling that fits and hides latency so; the same for the same arguments.
/// Errors: throws Error at `name` if there is none.
ConvTiling ChooseConvTiling(const isa::Config& config, const ConvShape& shape,
                            const std::string& name, Hiding hiding = Hiding::kAny);

}  // namespace vta::compiler::targets
