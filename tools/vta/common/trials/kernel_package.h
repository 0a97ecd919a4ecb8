// A function of the loop IR as a package of one kernel, for sessions.
#pragma once

#include <span>

#include "compiler/loop/ir.h"
#include "compiler/lower/cpu.h"
#include "isa/package.h"

namespace vta::tools {

/// The parameters that the function writes are the package's outputs, the others its inputs, each
/// in the function's order. Errors: as lower::PlanKernel, loop::Verify and compiler::BuildModule;
/// throws Error where it writes nothing, or a parameter is not in memory, dense and row by row.
isa::Package PackageOfKernel(compiler::loop::Function function,
                             std::span<const compiler::lower::CpuSpec> cpus);

/// They have the same names.
isa::ElementType ElementTypeOf(compiler::loop::DType dtype);

}  // namespace vta::tools
