// Tasks of a GPU that several blocks do together: a parallel loop inside of a task.
#pragma once

#include <optional>

#include "compiler/loop/ir.h"
#include "compiler/lower/kernel.h"

namespace vta::compiler::lower {

/// A task that begins with a parallel loop: a block does one of its iterations, and the block that
/// is the last to end does what stands behind the loop.
struct Team {
  loop::Stmt tasks, loop;
  std::vector<loop::Stmt> rest;  // behind the loop
};

/// Absent where no task is such a one.
std::optional<Team> FindTeam(const loop::Stmt& body);

/// Whether blocks may do the iterations at once: these are independent, and leave for the last
/// block only what lies in memory that it reaches.
bool CanBeTeam(const Kernel& kernel, const Team& team);

}  // namespace vta::compiler::lower
