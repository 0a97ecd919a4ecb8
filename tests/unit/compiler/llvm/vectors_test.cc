// Lanes of a vectorised loop are registers of the machine that code is made for.
#include <gmock/gmock.h>

#include "compiler/llvm/module.h"
#include "compiler/loop/parser.h"
#include "compiler/loop/schedule/schedule.h"

namespace vta::compiler::llvm {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// Assembly of y[i] = y[i] + x[k] * w[k, i], whose columns are lanes.
std::string Assembly(const Machine& machine) {
  loop::Schedule schedule(loop::Parse(R"(
func sums(x: float32[8], w: float32[8, 32], y: float32[32]) {
  for k in 8 {
    for i in 32 {
      block y(vi: 32 = i, reduce vk: 8 = k) {
        init y[vi] = 0f
        y[vi] = y[vi] + x[vk] * w[vk, vi]
      }
    }
  }
})"));
  schedule.Do("vectorize", "y", "i");
  const std::vector<lower::Kernel> kernels = {lower::PlanKernel(schedule.function())};
  return DumpModule(kernels, machine).assembly;
}

TEST(Vectors, AreOfTheMachine) {
  Machine x86{"x86_64-unknown-linux-gnu", "", {"avx512f", "avx512bw", "avx512vl", "fma"}, 512};
  EXPECT_THAT(Assembly(x86), ContainsRegex("\tvfmadd[0-9a-z]+ps\t[^\n]*%zmm"));
  x86.vector_bits = 256;
  EXPECT_THAT(Assembly(x86), ContainsRegex("\tvfmadd[0-9a-z]+ps\t[^\n]*%ymm"));
  EXPECT_THAT(Assembly(x86), Not(HasSubstr("%zmm")));
  const Machine arm{"aarch64-unknown-linux-gnu", "", {}, 128};
  EXPECT_THAT(Assembly(arm), ContainsRegex("\tfmla\tv[0-9]+\\.4s"));
}

}  // namespace
}  // namespace vta::compiler::llvm
