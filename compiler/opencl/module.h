// Kernels of GPUs as a program in OpenCL C 1.2, which the driver of a device compiles.
#pragma once

#include <span>
#include <string>

#include "compiler/lower/kernel.h"

namespace vta::compiler::opencl {

/// Each kernel is a function by its name: a work-group is a task, its work-items are the threads,
/// its local memory is the shared one. Its arguments are, of each tensor and then of the workspace,
/// a buffer and at what byte in it the tensor or the workspace begins. Nothing of it is particular
/// to a device. The same kernels give the same text. Errors: throws Error if two kernels have one
/// name or a name that is none of a function.
std::string PrintModule(std::span<const lower::Kernel> kernels);

}  // namespace vta::compiler::opencl
