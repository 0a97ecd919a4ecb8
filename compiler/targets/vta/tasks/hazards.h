// Which tasks have to wait for which: exact conflicts on scratchpad rows and DRAM bytes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/targets/vta/tasks/rows.h"
#include "compiler/targets/vta/tasks/task.h"

namespace vta::compiler::targets {

/// For each module the latest earlier task that has to be complete, or -1.
using Need = std::array<int64_t, isa::kModules>;

/// Per task, the conflicts (read after write, write after read, write after write) with tasks of
/// other modules. `rows` is of the program.
std::vector<Need> FindHazards(const isa::Config& config, const TaskProgram& program, RowSets* rows);

}  // namespace vta::compiler::targets
