// Writes an application of a tensor intrinsic out as the loops that it stands for.
#pragma once

#include "compiler/loop/ir.h"
#include "compiler/tensorize/intrinsic.h"

namespace vta::compiler::tensorize {

/// A block whose body (and init) is a call, as a loop nest around plain blocks with the same
/// effect. Errors: throws Error if the operands of a call do not have the shape, type or scope of
/// the declaration.
loop::Stmt ExpandCalls(const loop::Block& block);

}  // namespace vta::compiler::tensorize
