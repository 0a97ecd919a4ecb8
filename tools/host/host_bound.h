// How little a network leaves to the host at least, from its inputs and outputs alone.
#pragma once

#include <cstdint>

#include "isa/package.h"

namespace vta::tools {

/// What conversions at the network's border move: of each input and output its real numbers and
/// their codes, where it has such; of each input once more its codes, and what the accelerator
/// first reads of it, where kernels make that. Units: bytes.
int64_t HostBytesBound(const isa::Package& package);

/// The steps of these conversions: of each input one to codes, where it has none, and one to what
/// the accelerator first reads, where kernels make that; of each output one.
int64_t HostStepsBound(const isa::Package& package);

}  // namespace vta::tools
