// Operands of fixed-point scaling at the ends of all ranges and where products tie, for who makes
// code of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/spec/requant.h"
#include "tests/unit/compiler/llvm/native.h"

namespace vta::compiler::llvm {

struct RequantInputs {
  std::vector<int32_t> value, bias, multiplier, packed;
};

/// Each value with each multiplier and each rest.
RequantInputs EdgesOfRequant();

struct RequantOp {
  const char* name;
  isa::Rounding rounding;
};
inline constexpr RequantOp kRequants[] = {{"requant_single", isa::Rounding::kSingle},
                                          {"requant_double", isa::Rounding::kDouble}};

/// A function of that name over all of them, which writes its last parameter; `kind`: of its loop.
loop::Function RequantFunction(const RequantInputs& in, const std::string& name,
                               const std::string& kind);
Arguments ArgumentsOf(const RequantInputs& in);
/// In words the first result, of `found`, that isa::Requant does not give; or "".
std::string FirstInexact(const RequantInputs& in, const std::vector<std::byte>& found,
                         isa::Rounding rounding);

}  // namespace vta::compiler::llvm
