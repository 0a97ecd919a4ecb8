// Where micro-op kernels lie: one table in DRAM, and places in micro-op memory.
#pragma once

#include <string>

#include "compiler/targets/vta/tasks/task.h"

namespace vta::compiler::targets {

/// Micro-ops that a program may use: on ISA 0.0.2 no more than published hardware holds.
int64_t UopDepth(const isa::Config& config);

/// Gives each gemm and alu task its uop_begin, appends the tensor of the micro-op table (all
/// kernels, in order) and inserts the loads: one at the start when everything fits, otherwise one
/// before each task whose kernel is absent, into a ring that overwrites the oldest kernels. Errors:
/// throws Error if a kernel is longer than micro-op memory.
void PlaceUops(const isa::Config& config, const std::string& tensor_name, TaskProgram* program);

}  // namespace vta::compiler::targets
