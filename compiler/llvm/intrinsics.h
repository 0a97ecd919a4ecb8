// Tensor intrinsics that are instructions of the machine.
#pragma once

#include <vector>

#include "compiler/llvm/values.h"

namespace vta::compiler::llvm {

/// Writes a block whose body is a call by the machine's own operation, which the intrinsic's
/// lowering names; false where there is none, or where it does not fit: then nothing is written.
bool EmitIntrinsic(Code& code, const Surroundings& around, const loop::Block& block,
                   const std::vector<loop::Stmt>& loops);

}  // namespace vta::compiler::llvm
