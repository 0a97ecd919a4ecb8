// Fixed-point scaling on every machine, at the ends of all ranges and where products tie.
#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/unit/compiler/llvm/requant_inputs.h"

namespace vta::compiler::llvm {
namespace {

TEST(Requant, EveryMachineIsExact) {
  const RequantInputs in = EdgesOfRequant();
  for (const auto& [name, rounding] : kRequants)
    for (const char* kind : {"", " vectorize"}) {
      const loop::Function function = RequantFunction(in, name, kind);
      for (const Machine& machine : RunnableMachines()) {
        const NativeModule module({function}, machine);
        Arguments args = ArgumentsOf(in);
        module.Run(0, std::vector<std::span<std::byte>>(args.begin(), args.end()));
        ASSERT_EQ(FirstInexact(in, args.back(), rounding), "")
            << name << kind << ", " << machine.tune_cpu << ", " << machine.vector_bits << " bits";
      }
    }
}

}  // namespace
}  // namespace vta::compiler::llvm
