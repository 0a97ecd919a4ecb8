// Maximum over windows: the kernel against plain arithmetic, the operator against the graph's
// evaluator.
#include "compiler/targets/vta/kernels/max_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/targets/vta/kernels/constants.h"
#include "tests/unit/compiler/targets/vta/kernels/kernel_case.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

/// The maximum of each window; of one lane a code.
std::vector<int8_t> MaximumOf(const ConvShape& s, const std::vector<uint8_t>& x, int64_t lanes) {
  std::vector<int8_t> y;
  for (int64_t plane = 0; plane < s.batch * s.groups; ++plane)
    for (int64_t oy = 0; oy < s.out_h(); ++oy)
      for (int64_t ox = 0; ox < s.out_w(); ++ox)
        for (int64_t lane = 0; lane < lanes; ++lane) {
          int8_t most = -128;
          for (int64_t ky = 0; ky < s.kh; ++ky)
            for (int64_t kx = 0; kx < s.kw; ++kx) {
              const int64_t iy = oy * s.stride_h + ky - s.pad_top;
              const int64_t ix = ox * s.stride_w + kx - s.pad_left;
              if (iy < 0 || iy >= s.in_h || ix < 0 || ix >= s.in_w) continue;
              const int64_t at = ((plane * s.in_h + iy) * s.in_w + ix) * lanes + lane;
              most = std::max(most, static_cast<int8_t>(x[at]));
            }
          y.push_back(most);
        }
  return y;
}

TEST(MaxPool, RandomWindows) {
  std::mt19937 random(14);
  auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  for (int round = 0; round < 24; ++round) {
    isa::Config config = ConfigNamed("default");
    config.arch.batch = 1 + round % 2;
    config.arch.inp_depth = round % 3 ? 2048 : 64;
    ConvShape s{.batch = draw(1, 2),
                .groups = draw(1, 3),
                .kh = draw(1, 5),
                .kw = draw(1, 5),
                .stride_h = draw(1, 3),
                .stride_w = draw(1, 3),
                .pad_value = -128};
    s.in_h = draw(s.kh, 12), s.in_w = draw(s.kw, 12);
    if (round % 4) {
      s.pad_top = draw(0, s.kh - 1), s.pad_left = draw(0, s.kw - 1);
      s.pad_bottom = draw(0, s.kh - 1), s.pad_right = draw(0, s.kw - 1);
    }
    SCOPED_TRACE(StrCat("round ", round));
    Tensors tensors;
    tensors["x"] = RandomBytes(s.batch * s.groups * s.in_h * s.in_w * config.inp_bytes(), random);
    tensors["w"] = Diagonal(config, 1);
    tensors["y"].resize(s.batch * s.groups * s.out_h() * s.out_w() * config.out_bytes());
    const Tensors found =
        RunBoth(config, isa::Rounding::kSingle, ScheduleMaxPool(config, "pool", s), tensors);
    const std::vector<int8_t> want = MaximumOf(s, tensors.at("x"), config.inp_bytes());
    EXPECT_TRUE(std::ranges::equal(found.at("y"), want, {},
                                   [](uint8_t code) { return static_cast<int8_t>(code); }));
  }
}

/// Micro-ops of a window over outputs in one tile: "81 gemm, 104 max".
std::string PassesOf(int64_t kernel, int64_t stride, int64_t outputs) {
  const isa::Config config = ConfigNamed("default");
  ConvShape s{.kh = kernel, .kw = kernel, .stride_h = stride, .stride_w = stride};
  s.in_h = s.in_w = (outputs - 1) * stride + kernel;
  TaskProgram program =
      LowerTasks(config, ScheduleMaxPool(config, "pool", s).schedule(nullptr).function(),
                 isa::Rounding::kSingle);
  int64_t gemm = 0, most = 0, others = 0;
  for (const Task& task : program.tasks) {
    const auto uops = [&](const LoopNest& nest) {
      return std::ssize(program.kernels.at(nest.kernel)) * nest.iter_out * nest.iter_in;
    };
    if (const Gemm* op = std::get_if<Gemm>(&task.op)) gemm += uops(op->nest);
    if (const Alu* op = std::get_if<Alu>(&task.op))
      (op->op == isa::AluOp::kMax ? most : others) += uops(op->nest);
  }
  EXPECT_EQ(others, 0);
  return StrCat(gemm, " gemm, ", most, " max");
}

TEST(MaxPool, ColumnsThenRowsInPlace) {
  EXPECT_EQ(PassesOf(2, 2, 4), StrCat(8 * 8, " gemm, ", 8 * 4 + 4 * 4, " max"));
  EXPECT_EQ(PassesOf(3, 2, 4), StrCat(9 * 9, " gemm, ", 9 * 4 * 2 + 4 * 4 * 2, " max"));
  EXPECT_EQ(PassesOf(3, 3, 4), StrCat(12 * 12, " gemm, ", 12 * 4 * 2 + 4 * 4 * 2, " max"));
  // Each pixel is read by the next window, too: those that become the maximum are made twice.
  EXPECT_EQ(PassesOf(3, 1, 4), StrCat(9 * 9, " gemm, ", 9 * 4 * 2 + 4 * 4 * 2, " max"));
}

TEST(MaxPool, IsTheGraphs) {
  for (const isa::Config& config : AllBlocks()) {
    Case c(config, isa::Rounding::kSingle, 4);
    const ValueId x = c.Input("x", 3, 40, 13, 11);
    Attributes attributes{{"kernel", Shape{3, 3}}};
    Case::SetWindow(&attributes, {2, 2}, {1, 1, 1, 1});
    c.graph().Emit(Op::kMaxPoolI8, "pool", {x}, attributes);
    c.Run();
  }
}

TEST(MaxPool, SaysWhyItRefuses) {
  const auto pool = [](int64_t kernel, const Shape& pads) {
    return [=](Case& c) {
      Attributes attributes{{"kernel", Shape{kernel, kernel}}};
      Case::SetWindow(&attributes, {1, 1}, pads);
      c.graph().Emit(Op::kMaxPoolI8, "p", {c.Input("x", 1, 16, 64, 64)}, attributes);
    };
  };
  EXPECT_EQ(WhyNot(ConfigNamed("vta_0.0.2"), pool(3, {1, 1, 1, 1})),
            "pad_value = -128: this config pads with 0 only");
  EXPECT_EQ(WhyNot(Batched(1), pool(20, {16, 0, 0, 0})), "pads = 16: must be at most 15");
  EXPECT_EQ(WhyNot(Batched(1), pool(3, {3, 0, 0, 0})),
            "pads = [3,0,0,0]: must be less than the window");
  EXPECT_EQ(WhyNot(Batched(1), pool(40, {0, 0, 0, 0})),
            "tile = none: one window must fit the scratchpads twice");
  EXPECT_EQ(WhyNot(Blocks(8, 32), pool(5, {0, 4, 0, 0})), "pads = 4: must be at most 3");
}

}  // namespace
}  // namespace vta::compiler::targets
