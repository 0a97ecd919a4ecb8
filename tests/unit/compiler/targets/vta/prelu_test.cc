// prelu_i8 through the whole target: the graph's evaluator against the linked program on the
// functional simulator, behind each operator that can have one; and who cannot.
#include <gtest/gtest.h>

#include "compiler/targets/vta/plan.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/targets/vta/behind.h"

namespace vta::compiler::targets {
namespace {

constexpr Slopes kSlopes[] = {
    {-900, 1024, -100}, {1024, 2000, 20}, {0, 2000, 31}, {-2000, 2000, -77}, {-2000, 2000, 31}};

TEST(VtaPrelu, EqualsTheEvaluatorBehindEachOperator) {
  std::vector<isa::Config> configs = AllBlocks();
  configs.push_back(Batched(2));
  for (const char* name : {"default", "two_banks", "only_requant", "pynq"})
    configs.push_back(ConfigNamed(name));
  uint32_t seed = 300;
  for (const isa::Config& config : configs)
    for (const Maker& maker : kMakers) {
      if (maker.needs_mul && !config.arch.mul) continue;
      if (!maker.takes_prelu || !config.arch.requant) continue;
      isa::Config exact = config;
      exact.arch.requant_multiplier_bits = 32;
      const Slopes& slopes = kSlopes[++seed % std::size(kSlopes)];
      SCOPED_TRACE(StrCat("seed ", seed, ": ", maker.name, " on ", config.name, " ",
                          config.arch.block_in, "x", config.arch.block_out));
      Case c(exact, isa::Rounding::kSingle, seed);
      maker.add(c);
      AddPrelu(&c, slopes, c.Draw(-90, 90));
      c.Run();
    }
}

TEST(VtaPrelu, SaysWhyItRefuses) {
  const auto alone = [](const Slopes& slopes) {
    return [slopes](Case& c) { AddPrelu(&c, slopes, 5); };
  };
  EXPECT_EQ(WhyNot(ConfigNamed("vta_0.0.2"), alone(kSlopes[0])),
            "arch.requant = 0: each channel scales codes below the zero point otherwise, by the "
            "ALU operation requant");
  EXPECT_EQ(WhyNot(Batched(1),
                   [](Case& c) {
                     AddPrelu(&c, {-2000, 2000, -5}, 5, 0);
                   }),
            "zero_point = -5: must be in [0, 127] where some channels are steeper below it than "
            "above, and others less steep");
  const auto behind = [](auto add) {
    return [add](Case& c) {
      add(c);
      AddPrelu(&c, kSlopes[0], 5);
    };
  };
  EXPECT_NE(WhyNot(Batched(1), behind(AddInterleaved)), "");
}

}  // namespace
}  // namespace vta::compiler::targets
