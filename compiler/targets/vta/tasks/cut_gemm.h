// GEMM tasks in parts, so that what runs beside them can be placed in between.
#pragma once

#include <cstdint>
#include <utility>

#include "compiler/targets/vta/tasks/task.h"

namespace vta::compiler::targets {

/// Iterations of the loop at which a GEMM is cut best: the longer of its two.
int64_t CutIterations(const Gemm& gemm);

/// A GEMM as two that one after the other do the same: the first takes so many of those iterations,
/// more than none and fewer than all. Appends the micro-ops of the second to the kernels, where
/// they are not there.
std::pair<Gemm, Gemm> CutGemm(const Gemm& gemm, int64_t iterations, TaskProgram* program);

/// Removes the kernels that no task runs.
void DropUnusedKernels(TaskProgram* program);

}  // namespace vta::compiler::targets
