// Graph operators through the whole target: the graph's evaluator against the linked program on the
// functional simulator, each program proved by the checker; mutated tokens refused.
#include "compiler/targets/vta/target.h"

#include <gmock/gmock.h>

#include <cmath>

#include "isa/support/error.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

TEST(VtaTarget, CheckerRefusesMutatedTokens) {
  Case c(Batched(1), isa::Rounding::kSingle, 9);
  AddConv(&c, 64, 64, 1, 3, 1);
  ProgramCode step = c.Compile();
  EXPECT_TRUE(c.Prove(step).ok());
  int64_t mutants = 0, caught = 0;
  for (size_t byte = 0; byte < step.code.size(); byte += isa::kInstructionBytes)
    for (int bit = 3; bit < 7; ++bit) {  // the token bits; only those that are set are dropped
      if (!(step.code[byte] & 1 << bit)) continue;
      ProgramCode mutant = step;
      mutant.code[byte] ^= static_cast<uint8_t>(1 << bit);
      ++mutants;
      caught += !c.Prove(mutant).ok();
    }
  EXPECT_GT(mutants, 20);
  EXPECT_EQ(caught, mutants);
}

TEST(VtaTarget, SaysWhyItRefuses) {
  isa::Config wide = Batched(2);
  wide.arch.block_in = 8;
  const auto conv = [](Case& c) { AddConv(&c, 16, 16, 1, 1, 1); };
  EXPECT_EQ(WhyNot(wide, conv),
            "arch.block_in = 8: must be arch.block_out, 16, where arch.batch is more "
            "than 1, so that layers pass activations on");
  const std::string rule =
      ": must be one, or a convolution and the addition of its result to another tensor, what "
      "interleaves it, or a maximum of it; and a table for the codes of these, but for a "
      "maximum's, "
      "or their prelu_i8, but for those of the last two";
  const auto three = [&](Case& c) {
    conv(c);
    AddSum(&c, 16, 1, 1, true);
    AddSum(&c, 16, 1, 1, true);
  };
  EXPECT_EQ(WhyNot(Batched(1), three), "operators = 3" + rule);
  const auto rescaled = [&](Case& c) {
    conv(c);
    Attributes attributes = c.Requant();
    c.graph().Emit(Op::kRequantI8, "r", {c.graph().nodes()[0].output}, attributes);
  };
  EXPECT_EQ(WhyNot(Batched(1), rescaled), "operators = 2" + rule);
}

}  // namespace
}  // namespace vta::compiler::targets
