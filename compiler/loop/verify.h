// Checks that a function of the loop IR is well formed and that each access stays inside its
// buffer.
#pragma once

#include "compiler/loop/ir.h"

namespace vta::compiler::loop {

/// Names and scopes, types, bindings within their iterators, every access within its buffer given
/// the guards, one store of a block and one block (or an init and its update) a buffer, and no
/// element accumulated into more often than the block says. Errors: throws Error naming the
/// function, the block and the expression.
void Verify(const Function& function);

}  // namespace vta::compiler::loop
