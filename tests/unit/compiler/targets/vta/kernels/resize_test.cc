// Linear resizing: the kernel against plain arithmetic, the operator against the graph's evaluator.
#include "compiler/targets/vta/kernels/resize.h"

#include <gtest/gtest.h>

#include <random>

#include "isa/spec/requant.h"
#include "tests/unit/compiler/targets/vta/kernels/kernel_case.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

Attributes ResizeBy(const Shape& scales, bool half_pixel, Case* c) {
  Attributes attributes = c->Requant();
  attributes.Set("scales", scales);
  attributes.Set("half_pixel", int64_t{half_pixel});
  attributes.Set("factor", c->Draw(1, 2));
  return attributes;
}

/// Lines of one phase each and both ways that centres may lie; tiles of whole planes, of lines and
/// of parts of lines; planes of one pixel and of one column.
TEST(Resize, RandomPlanes) {
  std::mt19937 random(21);
  auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  for (int round = 0; round < 60; ++round) {
    isa::Config config = ConfigNamed("default");
    config.arch.batch = 1 + round % 2;
    config.arch.inp_depth = round % 3 ? 2048 : 64;
    if (round % 5 == 0) config.arch.acc_depth = 128;
    const bool half = draw(0, 1) != 0;
    const int64_t most = round % 5 == 0 ? 3 : 5;
    const ResizeShape s{draw(1, 2),
                        draw(1, 2),
                        draw(1, 9),
                        draw(1, round % 4 ? 9 : 40),
                        {draw(1, most), half},
                        {draw(1, most), half}};
    SCOPED_TRACE(StrCat("round ", round, ": ", s.in_h, "x", s.in_w, " by ", s.height.scale, "x",
                        s.width.scale, half ? " half" : ""));
    const int64_t lanes = config.inp_bytes();
    isa::RequantLane lane = SomeLane();
    lane.exponent = -5;
    Tensors tensors;
    tensors["x"] = RandomBytes(s.batch * s.channels * s.in_h * s.in_w * lanes, random);
    tensors["w"] = ResizeWeights(config, s, 1);
    const std::vector<isa::RequantLane> all(config.arch.block_out, lane);
    tensors["p"] =
        BytesOf(PackParameters(config, all, std::vector<int64_t>(all.size(), int64_t{1} << 21)));
    tensors["y"].resize(tensors["x"].size() * static_cast<size_t>(s.height.scale * s.width.scale));
    const Tensors found =
        RunBoth(config, isa::Rounding::kSingle,
                ScheduleResize(config, isa::Rounding::kSingle, "resize", s), tensors);
    std::vector<uint8_t> want;
    const auto place = [](const ops::LinearTaps& axis, int64_t at, int64_t tap, int64_t size) {
      return std::clamp<int64_t>(at / axis.scale + axis.First(at % axis.scale) + tap, 0, size - 1);
    };
    for (int64_t plane = 0; plane < s.batch * s.channels; ++plane)
      for (int64_t row = 0; row < s.in_h * s.height.scale; ++row)
        for (int64_t column = 0; column < s.in_w * s.width.scale; ++column)
          for (int64_t k = 0; k < lanes; ++k) {
            int64_t sum = 0;
            for (int64_t ty = 0; ty < s.height.taps(); ++ty)
              for (int64_t tx = 0; tx < s.width.taps(); ++tx) {
                const int64_t y = plane * s.in_h + place(s.height, row, ty, s.in_h);
                const int64_t at = y * s.in_w + place(s.width, column, tx, s.in_w);
                const auto x =
                    static_cast<int8_t>(tensors.at("x")[static_cast<size_t>(at * lanes + k)]);
                sum += s.height.Weight(row % s.height.scale, ty) *
                       s.width.Weight(column % s.width.scale, tx) * x;
              }
            want.push_back(static_cast<uint8_t>(
                isa::Requant(static_cast<int32_t>(sum), lane, isa::Rounding::kSingle)));
          }
    EXPECT_TRUE(found.at("y") == want);
  }
}

TEST(Resize, IsTheGraphs) {
  for (const isa::Config& config : AllBlocks())
    for (const isa::Rounding rounding : {isa::Rounding::kSingle, isa::Rounding::kDouble})
      for (const bool half : {true, false}) {
        Case c(config, rounding, 4);
        const ValueId x = c.Input("x", 3, 40, 5, 7);
        c.graph().Emit(Op::kResizeI8, "up", {x}, ResizeBy({3, 2}, half, &c));
        c.Run();
      }
}

/// Of a tensor and what of it is above a number, and of channels that fill no block.
TEST(Resize, OfTwoIsTheGraphs) {
  std::vector<isa::Config> configs = AllBlocks();
  for (const char* name : {"two_banks", "large_64x64"}) configs.push_back(ConfigNamed(name));
  for (const isa::Config& config : configs)
    for (const bool half : {true, false}) {
      Case c(config, isa::Rounding::kSingle, 4);
      const ValueId x = c.Input("x", 3, 40, 5, 7), z = c.Input("z", 3, 40, 5, 7);
      const ValueId a = c.Constant<int32_t>("a", {1, 40, 1, 1}, -9000, 9000),
                    b = c.Constant<int32_t>("b", {1, 40, 1, 1}, -9000, 9000);
      Attributes attributes = ResizeBy({2, 3}, half, &c);
      attributes.Set("exponent", int64_t{-17});
      c.graph().Emit(Op::kResizeI8, "up", {x, z, a, b}, attributes);
      c.Run();
      EXPECT_EQ(c.off_by(), 0);
    }
}

/// All shipped configs that requantise; the others say what they lack.
TEST(Resize, OnShippedConfigs) {
  for (const char* name : {"default", "extended", "small_8x8", "large_64x64", "wide_8x32",
                           "batch2_16x16", "two_banks", "only_requant", "only_lut", "kv260"})
    for (const bool half : {true, false}) {
      SCOPED_TRACE(name);
      Case c(ConfigNamed(name), isa::Rounding::kSingle, 6);
      const ValueId x = c.Input("x", 1, 70, 6, 40);
      c.graph().Emit(Op::kResizeI8, "up", {x}, ResizeBy({2, 2}, half, &c));
      c.Run();
      EXPECT_EQ(c.off_by(), 0);
    }
  const auto add = [](Case& c) {
    c.graph().Emit(Op::kResizeI8, "up", {c.Input("x", 1, 16, 2, 2)}, ResizeBy({2, 2}, true, &c));
  };
  for (const char* name :
       {"vta_0.0.2", "only_mul", "only_acc8", "only_overwrite", "only_pad_value"})
    EXPECT_EQ(WhyNot(ConfigNamed(name), add),
              "arch.requant = 0: sums of pixels are scaled by the ALU operation requant");
}

/// Sixteen bits of a multiplier hold a power of two, and other scales nearly.
TEST(Resize, SaysHowFarItIsOff) {
  const auto off_by = [](int64_t multiplier) {
    Case c(ConfigNamed("pynq"), isa::Rounding::kSingle, 6);
    const ValueId x = c.Input("x", 1, 16, 6, 9);
    Attributes attributes = ResizeBy({2, 2}, true, &c);
    attributes.Set("factor", int64_t{1});
    attributes.Set("multiplier", multiplier);
    attributes.Set("exponent", int64_t{-3});
    c.graph().Emit(Op::kResizeI8, "up", {x}, attributes);
    return c.Compile().off_by;
  };
  EXPECT_EQ(off_by(1 << 30), 0);
  EXPECT_EQ(off_by(1534567890), 1);
}

TEST(Resize, SaysWhyItRefuses) {
  const auto why = [](const isa::Config& config, const Shape& scales, bool half) {
    return WhyNot(config, [&](Case& c) {
      Attributes attributes = ResizeBy(scales, half, &c);
      attributes.Set("factor", int64_t{1});
      c.graph().Emit(Op::kResizeI8, "up", {c.Input("x", 1, 16, 2, 2)}, attributes);
    });
  };
  const isa::Config config = ConfigNamed("default");
  EXPECT_EQ(why(config, {8, 8}, true), "weights = 225: must be at most 127, which int8 holds");
  isa::Config few = config;
  few.arch.wgt_depth = 8;
  EXPECT_EQ(why(few, {2, 2}, true), "weights = 16: must be at most 8, arch.wgt_depth");
  few = config;
  few.arch.mul = false;
  EXPECT_EQ(WhyNot(few,
                   [](Case& c) {
                     const ValueId x = c.Input("x", 1, 16, 2, 2);
                     const ValueId a = c.Constant<int32_t>("a", {1, 16, 1, 1}, 1, 9);
                     c.graph().Emit(Op::kResizeI8, "up", {x, x, a, a}, ResizeBy({2, 2}, true, &c));
                   }),
            "arch.mul = 0: the sums of two tensors need the ALU operation mul");
  few = config;
  few.arch.acc_depth = 16;
  EXPECT_EQ(why(few, {4, 4}, true),
            "tile = none: the 16 places of a pixel must fit the scratchpads twice");
}

}  // namespace
}  // namespace vta::compiler::targets
