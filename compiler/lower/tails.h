// Short last tiles, apart from the whole ones.
#pragma once

#include "compiler/loop/ir.h"

namespace vta::compiler::lower {

/// The last iteration of a loop stands after it where guards inside hold in all others: the loop
/// then does without them, and in that iteration what they exclude is known. The copy has buffers
/// of its own, and blocks of the same names.
loop::Stmt TailsApart(const loop::Stmt& stmt);

}  // namespace vta::compiler::lower
