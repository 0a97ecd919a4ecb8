// Kernels in a GPU of NVIDIA's: code that its driver makes of PTX, or has made before.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/code_cache.h"
#include "driver/cuda/cuda_api.h"
#include "driver/gpu.h"

namespace vta::driver::cuda {

/// Into the context that is current; launches go to the stream. `api` is borrowed, `place` names
/// the module in errors. Errors: throws Error with the first line of what the driver says, or
/// naming the first kernel that is not there.
std::unique_ptr<GpuModule> LoadModule(const Api& api, Stream stream, const CodeCache& cache,
                                      const std::vector<isa::PackageKernel>& kernels,
                                      const isa::PackageModule& module, const std::string& place);

}  // namespace vta::driver::cuda
