// A kernel of a GPU by itself: as a package, and what it takes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/lower/cpu.h"
#include "compiler/targets/step_code.h"
#include "driver/gpu.h"
#include "isa/package.h"
#include "isa/spec/gpu.h"

namespace vta::tools {

/// That code is made for: a device takes the first that it runs. Those that have the precision.
std::vector<compiler::lower::CpuSpec> GpuSpecs(const isa::GpuRow& gpu,
                                               isa::Precision precision = isa::Precision::kFp32);

/// The kernel as the only step of a package, with a module for each of these, which are the GPU's.
/// Its inputs are the kernel's but for the constants that it has of its own. Errors: as
/// BuildModule.
isa::Package PackageOf(const compiler::KernelCode& code, const isa::GpuRow& gpu,
                       std::span<const compiler::lower::CpuSpec> specs);

struct GpuTime {
  int64_t ns = 0;                // of a run of all kernels of a package
  std::vector<uint8_t> outputs;  // of that, one after the other
};

/// Runs the package's kernels on random inputs, the same for the same shapes, then many times in
/// one graph: the time is the median of several graphs'. Errors: throws Error where the GPU does
/// not run the package, or a kernel fails.
GpuTime TimeOnGpu(driver::Gpu& gpu, const isa::Package& package, const std::string& file);

}  // namespace vta::tools
