// NVIDIA's GPUs, through the library of their driver, which is loaded when one is opened.
#pragma once

#include <cstdint>
#include <memory>

#include "driver/gpu.h"

namespace vta::driver {

/// The GPU of that number. Code that its driver has made is kept in the folder, if one is named.
/// Errors: throws Error where there is no driver's library, or no GPU of that number.
std::unique_ptr<Gpu> OpenCudaGpu(int64_t ordinal, const std::string& cache_folder = "");

}  // namespace vta::driver
