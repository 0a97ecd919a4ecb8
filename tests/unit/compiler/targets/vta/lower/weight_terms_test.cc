// Weights that are the sum of several int8 terms: exact, and at no cost where a term is 0.
#include "compiler/targets/vta/lower/weight_terms.h"

#include "compiler/graph/facts.h"
#include "compiler/targets/vta/tasks/emit.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

TEST(WeightTerms, AsNearAsInt8Comes) {
  for (const auto& [weight, rest] :
       {std::pair(127, 0), {-128, 0}, {128, 1}, {-255, -127}, {255, 128}})
    EXPECT_EQ(AfterTerm(weight), rest);
}

TEST(WeightTerms, ElementsOfZerosAreNotStored) {
  const std::vector<uint8_t> bytes = {0, 0, 1, 2, 0, 0, 0, 9, 0, 0};
  const StoredElements stored(bytes, 2, 2);
  EXPECT_EQ(stored.count(), 3);
  EXPECT_EQ(stored.extra(), 1);
  std::vector<int64_t> places;
  for (int64_t element = 0; element < 5; ++element) places.push_back(stored.PlaceOf(element));
  EXPECT_EQ(places, (std::vector<int64_t>{0, 1, -1, 2, -1}));
  EXPECT_EQ(stored.Pack(bytes), (std::vector<uint8_t>{0, 0, 1, 2, 0, 9}));
}

TEST(WeightTerms, NineBitsOnTheTarget) {
  // Over 3 x 3 blocks of input: few outliers, then all weights wide, 255 = 127 + 127 + 1 among
  // them.
  std::vector<isa::Config> configs = AllBlocks();
  configs.push_back(Batched(1));
  configs.back().arch.wgt_depth = 64, configs.back().arch.uop_depth = 16;
  configs.push_back(Batched(1));
  configs.back().arch.pad_value = 0;
  uint32_t seed = 500;
  for (const isa::Config& config : configs)
    for (const int64_t groups : {1, 4, 48})
      for (const bool dense : {false, true}) {
        SCOPED_TRACE(StrCat("seed ", seed));
        Case c(config, isa::Rounding::kSingle, seed);
        ++seed;
        std::vector<int16_t> w(48 * 48 / groups * 9);
        for (int16_t& value : w)
          value = static_cast<int16_t>(dense || c.Draw(0, 999) == 0 ? c.Draw(-255, 255)
                                                                    : c.Draw(-128, 127));
        w[7] = 255;
        AddConv(&c, 48, 48, groups, 3, 1, Tensor::Of({48, 48 / groups, 3, 3}, w));
        if (seed % 2) AddSum(&c, 48, 3, -2, true);
        c.Run();
      }
}

TEST(WeightTerms, OnlyElementsThatAreNotZeroCost) {
  struct Cost {
    ProgramStats stats;
    size_t constants;
    int64_t outputs, stated_macs;
  };
  // 32 x 32 channels of 3 x 3 taps: 36 elements of weights, whose second block of input channels
  // starts with these.
  const auto compile = [](const std::vector<int16_t>& wide) {
    Case c(Batched(1), isa::Rounding::kSingle, 40);
    std::vector<int16_t> w(32 * 32 * 9, 5);
    std::copy(wide.begin(), wide.end(), w.begin() + 9 * 16);
    AddConv(&c, 32, 32, 1, 3, 1, Tensor::Of({32, 32, 3, 3}, w));
    const ProgramCode step = c.Compile();
    EXPECT_TRUE(c.Prove(step).ok());
    const Shape& y = c.graph().shape(c.graph().nodes().back().output);
    const TaskProgram program = ParseTasks(step.dumps().back().text, "tasks");
    return Cost{CountStats(Batched(1), program), step.constants.size(), y[0] * y[2] * y[3],
                FactsOf(c.graph(), {c.Nodes(), "vta"}).macs};
  };
  // 200 and 255, of different taps, take 1 and 2 more.
  const Cost narrow = compile({127}), wide = compile({200, 255});
  constexpr int64_t kElement = 16 * 16, kMore = 3;
  EXPECT_EQ(wide.stats.macs, narrow.stats.macs + kMore * kElement * wide.outputs);
  const int wgt = static_cast<int>(isa::MemoryType::kWgt);
  EXPECT_EQ(narrow.stats.dram_bytes[wgt], 2 * 36 * kElement);  // for each of two samples
  EXPECT_EQ(wide.stats.dram_bytes[wgt], 2 * (36 + kMore) * kElement);
  EXPECT_LT(wide.constants, narrow.constants + 2 * kMore * kElement);
  EXPECT_EQ(wide.stated_macs, 32 * 32 * 9 * wide.outputs);
}

}  // namespace
}  // namespace vta::compiler::targets
