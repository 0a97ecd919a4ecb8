// Every operation of the loop IR on every type, for who makes code of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/loop/ir.h"

namespace vta::compiler::llvm {

/// y[i] = op(x0[i], x1[i], ...), in a loop of some kind.
struct OpCase {
  std::string name;
  loop::Function function;
  double tolerance = 0;
};
struct LoopOfCase {
  loop::ForKind kind = loop::ForKind::kSerial;
  int64_t size = 197;
};

/// Divisors are constants of both signs, too.
std::vector<OpCase> OpCases(const LoopOfCase& loop);

}  // namespace vta::compiler::llvm
