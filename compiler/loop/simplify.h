// Index expressions of a statement in their simplest affine form, and guards that always hold left
// out.
#pragma once

#include "compiler/loop/arith.h"
#include "compiler/loop/ir.h"

namespace vta::compiler::loop {

/// `facts` holds around the statement.
Stmt SimplifyStmt(const Stmt& stmt, const Facts& facts);

}  // namespace vta::compiler::loop
