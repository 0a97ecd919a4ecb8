// Pixels that are repeated: the kernel against plain arithmetic, the operator against the graph's
// evaluator.
#include "compiler/targets/vta/kernels/upsample.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/targets/vta/kernels/constants.h"
#include "tests/unit/compiler/targets/vta/kernels/kernel_case.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

TEST(Upsample, RandomPlanes) {
  std::mt19937 random(15);
  auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  for (int round = 0; round < 24; ++round) {
    isa::Config config = ConfigNamed("default");
    config.arch.batch = 1 + round % 2;
    config.arch.inp_depth = round % 3 ? 2048 : 32;  // parts of lines
    const UpsampleShape s{draw(1, 4), draw(1, 12), draw(1, 24), draw(1, 4), draw(1, 4)};
    SCOPED_TRACE(StrCat("round ", round));
    const int64_t lanes = config.inp_bytes();
    Tensors tensors;
    tensors["x"] = RandomBytes(s.planes * s.in_h * s.in_w * lanes, random);
    tensors["w"] = Diagonal(config, 1);
    tensors["y"].resize(tensors["x"].size() * static_cast<size_t>(s.scale_h * s.scale_w));
    const Tensors found =
        RunBoth(config, isa::Rounding::kSingle, ScheduleUpsample(config, "up", s), tensors);
    std::vector<uint8_t> want;
    for (int64_t row = 0; row < s.planes * s.in_h * s.scale_h; ++row)
      for (int64_t column = 0; column < s.in_w * s.scale_w; ++column)
        for (int64_t lane = 0; lane < lanes; ++lane)
          want.push_back(tensors.at("x")[static_cast<size_t>(
              (row / s.scale_h * s.in_w + column / s.scale_w) * lanes + lane)]);
    EXPECT_EQ(found.at("y"), want);
  }
}

TEST(Upsample, IsTheGraphs) {
  for (const isa::Config& config : AllBlocks()) {
    Case c(config, isa::Rounding::kSingle, 4);
    c.graph().Emit(Op::kUpsampleI8, "up", {c.Input("x", 3, 40, 5, 7)}, {{"scales", Shape{3, 2}}});
    c.Run();
  }
}

TEST(Upsample, SaysWhyItRefuses) {
  EXPECT_EQ(WhyNot(Batched(1),
                   [](Case& c) {
                     c.graph().Emit(Op::kUpsampleI8, "up", {c.Input("x", 1, 16, 2, 2)},
                                    {{"scales", Shape{64, 64}}});
                   }),
            "tile = none: the 4096 places of a pixel must fit the scratchpads twice");
}

}  // namespace
}  // namespace vta::compiler::targets
