// Writes an xclbin file, the container in which XRT takes a bitstream with what it must know of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/config.h"

namespace vta::driver {

/// Where the block design puts what XRT must find: the registers, and the memory that the
/// accelerator's port reaches.
struct XclbinPlaces {
  uint64_t control_address = 0;
  uint64_t memory_address = 0;
  int64_t memory_bytes = 0;
};

/// Without a bitstream the file is for the simulated device alone. Equal arguments, equal bytes.
/// Errors: throws Error where this build is without XRT.
std::vector<uint8_t> MakeXclbin(const isa::Config& config, std::span<const uint8_t> bitstream,
                                const XclbinPlaces& places);

}  // namespace vta::driver
