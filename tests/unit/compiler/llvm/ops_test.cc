// Every operation on every type: native code against the interpreter, on loops of each kind.
#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/llvm/native.h"
#include "tests/unit/compiler/llvm/op_cases.h"

namespace vta::compiler::llvm {
namespace {

// Vectors and a rest; little where each element is written out.
std::vector<OpCase> Cases(loop::ForKind kind) {
  return OpCases({kind, kind == loop::ForKind::kUnroll ? 21 : 197});
}

class EveryOp : public testing::TestWithParam<loop::ForKind> {};

TEST_P(EveryOp, IsAsTheInterpreterDoesIt) {
  std::vector<OpCase> cases = Cases(GetParam());
  for (const Machine& machine : {HostMachine(), BaselineMachine()})
    for (const OpCase& c : cases)
      EXPECT_EQ(Difference(c.function, machine, RandomArguments(c.function, 7), c.tolerance), "")
          << c.name << "\n"
          << Print(c.function);
}

INSTANTIATE_TEST_SUITE_P(Loops, EveryOp,
                         testing::Values(loop::ForKind::kSerial, loop::ForKind::kUnroll,
                                         loop::ForKind::kVectorize, loop::ForKind::kParallel,
                                         loop::ForKind::kVthread),
                         [](const auto& info) { return std::string(Name(info.param)); });

TEST(EveryOpElsewhere, LinksWithoutImports) {
  int trial = 0;
  for (const Machine& machine : OtherMachines())
    for (const loop::ForKind kind : {loop::ForKind::kSerial, loop::ForKind::kVectorize}) {
      if (++trial % OneTrialOf() != 0) continue;
      std::vector<lower::Kernel> kernels;
      for (OpCase& c : Cases(kind)) {
        c.function.name = StrCat("k", kernels.size());
        kernels.push_back(lower::PlanKernel(c.function));
      }
      EXPECT_NO_THROW(BuildModule(kernels, machine)) << machine.triple;
    }
}

}  // namespace
}  // namespace vta::compiler::llvm
