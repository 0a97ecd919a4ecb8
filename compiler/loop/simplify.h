// Index expressions of a statement in their simplest affine form, and guards that always hold left
// out.
#pragma once

#include "compiler/loop/arith.h"
#include "compiler/loop/ir.h"

namespace vta::compiler::loop {

/// All, or those that are not of an earlier call, for where nothing around those has changed.
enum class Blocks : uint8_t { kAll, kNew };
/// `facts` holds around the statement. What is as simple already is returned as it is.
Stmt SimplifyStmt(const Stmt& stmt, const Facts& facts, Blocks blocks = Blocks::kAll);

}  // namespace vta::compiler::loop
