// The search of a convolution's space against all of its points.
#include "compiler/targets/vta/kernels/conv_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "compiler/targets/vta/kernels/conv_tiling.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/targets/vta/kernels/random_conv.h"

namespace vta::compiler::targets {
namespace {

/// Of tilings that differ in load_slots alone the lowest estimate, all of the space in order.
std::vector<int64_t> AllEstimates(const isa::Config& config, const ConvShape& shape) {
  const std::vector<tune::Choice> choices = ConvChoices(shape);
  std::map<tune::Point, int64_t> lowest;
  tune::Point point;
  const auto visit = [&](const auto& self) -> void {
    if (point.size() < choices.size()) {
      for (const int64_t value : choices[point.size()].values) {
        point.push_back(value);
        self(self);
        point.pop_back();
      }
      return;
    }
    const ConvTiling tiling = ToTiling(point);
    ASSERT_EQ(ToPoint(tiling), point);
    if (!IsInSpace(config, shape, Hiding::kAny, tiling)) return;
    const int64_t cycles = EstimateConv(config, shape, tiling).cycles;
    EXPECT_LE(LeastConvCycles(config, shape, tiling), cycles) << Print(tiling);
    const auto [at, fresh] =
        lowest.try_emplace(tune::Point(point.begin(), point.end() - 1), cycles);
    at->second = std::min(at->second, cycles);
  };
  visit(visit);
  std::vector<int64_t> estimates;
  for (const auto& [of, cycles] : lowest) estimates.push_back(cycles);
  std::ranges::sort(estimates);
  return estimates;
}

TEST(ConvSearch, FindsTheCheapestOfAllPoints) {
  constexpr int64_t kCount = 9;
  std::mt19937 random(5);
  const std::vector<isa::Config> configs = ConvConfigs();
  int64_t points = 0;
  for (int round = 0; round < Trials(16); ++round) {
    isa::Config config = configs[round % configs.size()];
    ConvShape shape = RandomShape(config, random);
    // Scratchpads that leave a part of the space.
    if (random() % 2) config.arch.inp_depth = config.arch.acc_depth = 64;
    SCOPED_TRACE(StrCat("round ", round, ": ", Print(shape)));
    const std::vector<int64_t> all = AllEstimates(config, shape);
    points += std::ssize(all);
    std::vector<int64_t> found;
    for (const ConvTiling& tiling : CheapestConvTilings(config, shape, Hiding::kAny, kCount)) {
      EXPECT_TRUE(IsInSpace(config, shape, Hiding::kAny, tiling)) << Print(tiling);
      found.push_back(EstimateConv(config, shape, tiling).cycles);
    }
    const auto count = std::min<int64_t>(kCount, std::ssize(all));
    EXPECT_EQ(found, std::vector<int64_t>(all.begin(), all.begin() + count));
    if (all.empty())
      EXPECT_THROW(ChooseConvTiling(config, shape, "conv"), Error);
    else
      EXPECT_EQ(EstimateConv(config, shape, ChooseConvTiling(config, shape, "conv")).cycles,
                all[0]);
  }
  EXPECT_GT(points, Trials(16) * 100);
}

TEST(ConvSearch, WordsOfShapes) {
  ConvShape shape{.ci = 4, .co = 8, .in_h = 56, .in_w = 56, .kh = 3, .kw = 3};
  EXPECT_EQ(Print(shape), "in=1x1x4x56x56 co=8 kernel=3x3");
  shape.pad_top = 1, shape.pad_value = -128, shape.residual = Residual{3, 5, 1, {}, 2};
  EXPECT_EQ(Print(shape),
            "in=1x1x4x56x56 co=8 kernel=3x3 pad_top=1 pad_value=-128 residual=3,5,1,2");
}

/// Every field tells shapes apart.
TEST(ConvSearch, WordsTellShapesApart) {
  std::mt19937 random(6);
  const isa::Config config = ConfigNamed("default");
  std::map<std::string, ConvShape> shapes;
  for (int i = 0; i < 2000; ++i) {
    const ConvShape shape = RandomShape(config, random);
    const auto [at, fresh] = shapes.try_emplace(Print(shape), shape);
    EXPECT_TRUE(fresh || at->second == shape) << at->first;
  }
}

}  // namespace
}  // namespace vta::compiler::targets
