// The search of a convolution's space against all of its points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "compiler/targets/vta/kernels/conv/search.h"
#include "compiler/targets/vta/kernels/conv/tiling.h"
#include "compiler/targets/vta/lower/lower.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/targets/vta/kernels/random_conv.h"

namespace vta::compiler::targets {
namespace {

/// Of tilings that differ in load_slots alone the lowest estimate, all of the space in order.
std::vector<int64_t> AllEstimates(const isa::Config& config, const ConvShape& shape) {
  const std::vector<tune::Choice> choices = ConvChoices(shape);
  const ConvConstants constants(config, shape);
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
    EXPECT_LE(LeastConvCycles(config, shape, constants, tiling, tiling), cycles) << Print(tiling);
    ConvTiling even = tiling, largest = tiling;
    for (const auto& [size, extent] :
         {std::pair(&ConvTiling::kh, shape.kh), std::pair(&ConvTiling::co, shape.co),
          std::pair(&ConvTiling::ci, shape.ci), std::pair(&ConvTiling::height, shape.result_h()),
          std::pair(&ConvTiling::width, shape.result_w())}) {
      const int64_t tiles = CeilDiv(extent, tiling.*size);
      even.*size = CeilDiv(extent, tiles);
      largest.*size = tiles == 1 ? extent : CeilDiv(extent, tiles - 1) - 1;
    }
    EXPECT_LE(LeastConvCycles(config, shape, constants, even, largest), cycles) << Print(tiling);
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

TEST(KnownTilings, AreThoseOfASearch) {
  std::mt19937 random(6);
  const std::vector<isa::Config> configs = ConvConfigs();
  std::vector<KnownTilings> known(configs.size());
  // Few shapes, so that most are asked for again.
  for (int round = 0; round < Trials(40); ++round) {
    const size_t at = round % configs.size();
    std::mt19937 few(random() % 3);
    const ConvShape shape = RandomShape(configs[at], few);
    const Hiding hiding = random() % 2 ? Hiding::kAny : Hiding::kSlots;
    const auto count = static_cast<int64_t>(1 + random() % 9);
    const auto words = [](const std::vector<ConvTiling>& tilings) {
      std::vector<std::string> all;
      for (const ConvTiling& tiling : tilings) all.push_back(Print(tiling));
      return all;
    };
    EXPECT_EQ(words(known[at].Cheapest(configs[at], shape, hiding, count)),
              words(CheapestConvTilings(configs[at], shape, hiding, count)))
        << Print(shape);
  }
}

TEST(ConvSearch, WordsOfShapes) {
  ConvShape shape{.ci = 4, .co = 8, .in_h = 56, .in_w = 56, .kh = 3, .kw = 3};
  EXPECT_EQ(Print(shape), "in=1x1x4x56x56 co=8 kernel=3x3");
  shape.pad_value = -128;  // of no pads
  EXPECT_EQ(Print(shape), "in=1x1x4x56x56 co=8 kernel=3x3");
  shape.pad_top = 1, shape.residual = Residual{3, 5, 1, {}, 2};
  EXPECT_EQ(Print(shape),
            "in=1x1x4x56x56 co=8 kernel=3x3 pad_top=1 pads_by_value=true residual=2 scaled "
            "shifted");
}

/// Every field that programs depend on.
TEST(ConvSearch, WordsTellShapesApart) {
  const ConvShape plain{.ci = 4, .co = 8, .in_h = 56, .in_w = 56, .kh = 3, .kw = 3, .pad_left = 1};
  std::set<std::string> words = {Print(plain)};
  size_t count = 1;
  for (const auto& change : std::vector<std::function<void(ConvShape*)>>{
           [](ConvShape* s) { s->batch = 2; },
           [](ConvShape* s) { s->groups = 2; },
           [](ConvShape* s) { s->ci = 2; },
           [](ConvShape* s) { s->co = 2; },
           [](ConvShape* s) { s->in_h = 2; },
           [](ConvShape* s) { s->in_w = 2; },
           [](ConvShape* s) { s->kh = 2; },
           [](ConvShape* s) { s->kw = 2; },
           [](ConvShape* s) { s->stride_h = 2; },
           [](ConvShape* s) { s->stride_w = 2; },
           [](ConvShape* s) { s->dilation_h = 2; },
           [](ConvShape* s) { s->dilation_w = 2; },
           [](ConvShape* s) { s->pad_top = 2; },
           [](ConvShape* s) { s->pad_left = 2; },
           [](ConvShape* s) { s->pad_bottom = 2; },
           [](ConvShape* s) { s->pad_right = 2; },
           [](ConvShape* s) { s->pad_value = 2; },
           [](ConvShape* s) { s->border_rows = true; },
           [](ConvShape* s) { s->weight_terms = 2; },
           [](ConvShape* s) { s->further_weights = 2; },
           [](ConvShape* s) { s->phases_h = 2; },
           [](ConvShape* s) { s->phases_w = 2; },
           [](ConvShape* s) { s->absent_taps = true; },
           [](ConvShape* s) { s->absent_weights = 2; },
           [](ConvShape* s) { s->absent_products = 2; },
           [](ConvShape* s) { s->wide_shift = true; },
           [](ConvShape* s) { s->shared_weights = true; },
           [](ConvShape* s) { s->residual = Residual{}; },
           [](ConvShape* s) { s->residual = Residual{.factor = 2}; },
           [](ConvShape* s) { s->residual = Residual{.skip_factor = 200}; },
           [](ConvShape* s) { s->residual = Residual{.shift = 2}; },
           [](ConvShape* s) { s->residual = Residual{.terms = 2}; },
           [](ConvShape* s) { s->max = JoinedMax{}; },
           [](ConvShape* s) { s->max = JoinedMax{.kh = 2}; },
           [](ConvShape* s) { s->max = JoinedMax{.kw = 2}; },
           [](ConvShape* s) { s->max = JoinedMax{.stride_h = 2}; },
           [](ConvShape* s) { s->max = JoinedMax{.stride_w = 2}; }}) {
    ConvShape shape = plain;
    change(&shape);
    words.insert(Print(shape));
    EXPECT_EQ(words.size(), ++count) << Print(shape);
  }
}

/// Programs of the first candidates.
TEST(ConvSearch, CandidatesAreDifferentPrograms) {
  for (const char* name : {"default", "small_8x8", "two_banks"}) {
    const isa::Config config = ConfigNamed(name);
    const ConvShape shape{.ci = 2, .co = 2, .in_h = 16, .in_w = 16, .kh = 3, .kw = 3};
    const ConvDefinition definition = DefineConv(config, isa::Rounding::kSingle, {}, "conv", shape);
    std::set<std::string> programs;
    const std::vector<ConvTiling> tilings = CheapestConvTilings(config, shape, Hiding::kAny, 8);
    for (const ConvTiling& tiling : tilings)
      programs.insert(
          PrintTasks(LowerTasks(config, ScheduleConv(config, definition, shape, tiling).function(),
                                isa::Rounding::kSingle)));
    EXPECT_GE(programs.size() + 1, tilings.size()) << name;  // one tile has its slots for nothing
  }
}

}  // namespace
}  // namespace vta::compiler::targets
