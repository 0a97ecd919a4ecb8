// A tensor intrinsic: what one instruction of a target computes, declared in the expression
// language.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/loop/ir.h"

namespace vta::compiler::tensorize {

/// The scope of an operand that is a value in the instruction and not a place in a memory.
inline constexpr std::string_view kImmediate = "imm";

/// An operand of an intrinsic. Shape: without unit dimensions. An empty scope stands for any.
struct Operand {
  std::string name;
  loop::DType dtype;
  std::vector<int64_t> shape;
  std::string scope;
};

/// The names of the target's operations that do the whole computation, the start of its reduction,
/// one more step. An empty name says that the target has no such operation.
struct Lowering {
  std::string compute, reset, update;
};

/// The declaration. `description` is a function of one block whose parameters are the operands, the
/// result first; it is what the matcher compares a loop nest with, and what the interpreter runs.
struct Intrinsic {
  std::string name;
  std::vector<Operand> operands;  // operands[0] is the result
  loop::Function description;
  Lowering lowering;
  int64_t cost_cycles = 0;  // of one application
};
using IntrinsicRef = std::shared_ptr<const Intrinsic>;

}  // namespace vta::compiler::tensorize
