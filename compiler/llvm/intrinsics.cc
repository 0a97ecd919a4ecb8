#include "compiler/llvm/intrinsics.h"

namespace vta::compiler::llvm {

bool EmitIntrinsic(Code&, const Surroundings&, const loop::Block&, const std::vector<loop::Stmt>&) {
  return false;
}

}  // namespace vta::compiler::llvm
