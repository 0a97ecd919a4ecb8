// Where threads of a GPU's block wait for each other.
#pragma once

#include <set>
#include <vector>

#include "compiler/loop/ir.h"

namespace vta::compiler::lower {

/// The body of a kernel with barriers before the nests of thread loops, and what has none inside,
/// that touch what others did since the last one. `own`: buffers that each thread has to itself;
/// `team`: the loop whose iterations are different blocks', which meet behind it, or none;
/// `copied`: buffers that are copied aside. Where a loop's iterations fill copies of these for
/// later ones, its barriers wait for those alone that are read next.
loop::Stmt WithBarriers(const loop::Stmt& body, const std::set<const loop::BufferNode*>& own,
                        const loop::Stmt& team, const std::vector<loop::Buffer>& copied);

}  // namespace vta::compiler::lower
