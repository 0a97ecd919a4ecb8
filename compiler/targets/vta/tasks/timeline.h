// Roughly when the tasks of a program run.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/targets/vta/tasks/rows.h"
#include "compiler/targets/vta/tasks/task.h"
#include "isa/config.h"

namespace vta::compiler::targets {

/// What a task takes by itself: its micro-ops and the parameter blocks that it requantises by, or
/// what it moves. Units: cycles.
int64_t CyclesOf(const isa::Config& config, const TaskProgram& program, const Task& task);

/// When each task begins and ends where modules run their tasks in order, beside each other, and
/// wait for the tasks that they conflict with; that they share a bus is left out. Units: cycles.
/// `rows` is of the program.
struct Timeline {
  std::vector<int64_t> begin, end;
};
Timeline TimelineOf(const isa::Config& config, const TaskProgram& program, RowSets* rows);

}  // namespace vta::compiler::targets
