// Programs of consecutive layers as one: what a layer need not wait for runs under the one before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/targets/vta/tasks/task.h"

namespace vta::compiler::targets {

/// A program's tasks, and where each of its tensors lies. Units: bytes.
struct PlacedTasks {
  const TaskProgram* program;
  std::span<const int64_t> offsets;
};

/// Several programs as one, which ends with a FINISH.
struct JoinedTasks {
  TaskProgram program;
  std::vector<int64_t> counts;  // of tasks, by program
};

/// The tasks of `programs` one behind the other, with one FINISH at the end; those that load a
/// program's first inputs, for which it may have to wait, behind its first other loads. Each
/// program ends with a FINISH of its own, and its micro-ops and tokens are not placed.
JoinedTasks JoinTasks(std::span<const PlacedTasks> programs);

/// Where the tasks of each program begin in such a one once micro-ops and tokens are placed; what
/// was inserted belongs to the task behind it. Shape: counts as of JoinedTasks.
std::vector<int64_t> PartStarts(std::span<const int64_t> counts, const TaskProgram& finished);

}  // namespace vta::compiler::targets
