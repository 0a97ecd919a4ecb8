// Programs of consecutive layers as one: what a layer need not wait for runs under the one before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/targets/vta/tasks/task.h"

namespace vta::compiler::targets {

/// The tasks of `programs` one behind the other, with one FINISH at the end; those that load a
/// program's first inputs, for which it may have to wait, behind its first other loads. Each
/// program ends with a FINISH of its own, its micro-ops and tokens are not placed, and its tensors
/// lie where they are linked.
TaskProgram JoinTasks(std::span<const TaskProgram* const> programs);

/// Where the tasks of each program begin in such a one once micro-ops and tokens are placed; what
/// was inserted belongs to the task behind it.
std::vector<int64_t> PartStarts(std::span<const TaskProgram* const> programs,
                                const TaskProgram& finished);

}  // namespace vta::compiler::targets
