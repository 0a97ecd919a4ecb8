// What kernels are lowered for.
#pragma once

#include <string>
#include <vector>

#include "isa/spec/cpu.h"
#include "isa/spec/gpu.h"

namespace vta::compiler::lower {

/// A kind of CPU; or of a GPU, by the architecture of a row of isa::kGpus and the one of its
/// features that it is at least.
struct CpuSpec {
  std::string arch;                                  // of isa::kCpuArchs
  std::vector<std::string> features;                 // of isa::kCpuFeatures: what code may use
  std::string tune;                                  // LLVM's name of what it is tuned for
  isa::Precision precision = isa::Precision::kFp32;  // of a GPU's products in float
};

/// Of a row of isa::kCpus. Errors: throws Error listing the CPUs where there is none of that name.
CpuSpec FindCpu(const std::string& name);

}  // namespace vta::compiler::lower
