// What convolutions make the compute module do: the passes over their accumulators, and which
// outputs a pad costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <sstream>

#include "compiler/targets/vta/kernels/conv/conv.h"
#include "compiler/targets/vta/lower/lower.h"
#include "isa/spec/alu_ops.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler::targets {
namespace {

/// The program of one tile.
TaskProgram OneTile(const isa::Config& config, const ConvShape& shape) {
  const ConvDefinition definition = DefineConv(config, isa::Rounding::kSingle, {}, "conv", shape);
  const loop::Schedule schedule = ScheduleConv(
      config, definition, shape, {.height = shape.out_h(), .width = shape.out_w(), .kh = shape.kh});
  return LowerTasks(config, schedule.function(), isa::Rounding::kSingle);
}

/// What the compute module does with accumulators, in order, of one tile of 2 x 2 pixels.
std::vector<std::string> PassesOf(const isa::Config& config, const Residual& residual) {
  ConvShape shape{.in_h = 2, .in_w = 2};
  shape.residual = residual;
  const TaskProgram program = OneTile(config, shape);
  std::vector<std::string> passes;
  std::istringstream text(PrintTasks(program));
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string task, what;
    words >> task >> what;
    if (task == "gemm")
      passes.push_back(line.find("overwrite") != std::string::npos ? "gemm overwrite" : "gemm");
    if (task == "alu") passes.push_back(what);
  }
  return passes;
}

TEST(Conv, AResidualTakesNoPassThatItsFactorsDoNotNeed) {
  using testing::ElementsAre;
  isa::Config config = ConfigNamed("default");
  EXPECT_THAT(PassesOf(config, {1, 1}),
              ElementsAre("gemm overwrite", "requant", "gemm", "requant"));
  EXPECT_THAT(PassesOf(config, {1, -127}),
              ElementsAre("gemm overwrite", "requant", "gemm", "requant"));
  EXPECT_THAT(PassesOf(config, {2, 1}),
              ElementsAre("gemm overwrite", "requant", "mul", "gemm", "requant"));
  EXPECT_THAT(PassesOf(config, {2, 1, 3}),
              ElementsAre("gemm overwrite", "requant", "mul", "gemm", "shr", "requant"));
  // Too wide for a weight: rows of its own.
  EXPECT_THAT(PassesOf(config, {1, 128}),
              ElementsAre("gemm overwrite", "requant", "gemm overwrite", "mul", "add", "requant"));
  for (const Residual& residual : {Residual{1, 1}, Residual{2, 1, 3}, Residual{1, 128}})
    EXPECT_EQ(std::ssize(PassesOf(config, residual)) - 2, residual.Passes(config));
  // On published hardware, which shifts; a reset of 0 and a product start the sum.
  config = ConfigNamed("vta_0.0.2");
  EXPECT_THAT(PassesOf(config, {1, -127}), ElementsAre("gemm", "gemm", "add", "shr", "max", "min",
                                                       "gemm", "add", "shr", "max", "min"));
  EXPECT_EQ((Residual{.skip_factor = 300, .terms = 3}.Passes(config)), 3 + 4);
}

/// Of each instruction on the accumulators its operation, micro-ops and first row.
std::vector<std::string> InstructionsOf(const isa::Config& config, const ConvShape& shape,
                                        const ConvTiling& tiling) {
  const ConvDefinition definition = DefineConv(config, isa::Rounding::kSingle, {}, "conv", shape);
  const TaskProgram program = LowerTasks(
      config, ScheduleConv(config, definition, shape, tiling).function(), isa::Rounding::kSingle);
  std::vector<std::string> out;
  for (const Task& task : program.tasks) {
    const Alu* alu = std::get_if<Alu>(&task.op);
    const Gemm* gemm = std::get_if<Gemm>(&task.op);
    if (!alu && !gemm) continue;
    const LoopNest& nest = alu ? alu->nest : gemm->nest;
    const UopKernel& kernel = program.kernels[nest.kernel];
    const std::string name =
        gemm ? "gemm" : std::string(isa::kAluOps[static_cast<int>(alu->op)].name);
    out.push_back(StrCat(name, " ", std::ssize(kernel) * nest.iter_out * nest.iter_in, " at ",
                         kernel[0].dst, alu ? StrCat(" of ", kernel[0].src) : ""));
  }
  return out;
}

// 6 x 4 pixels in two tiles of 2 windows of 3 x 3 with a stride of 2, and one of the last two
// lines. A line has its even pixels, then its odd ones; a tile the even lines, then the odd ones.
TEST(Conv, TilesKeepTheLineThatTheNextOnesWindowsRead) {
  const isa::Config config = ConfigNamed("default");
  ConvShape shape{.in_h = 12, .in_w = 4};
  shape.max = JoinedMax{.kh = 3, .kw = 3, .stride_h = 2, .stride_w = 2};
  const ConvTiling tiling{.height = 2, .width = 2, .kh = 1, .slots = 2};
  // A slot has phases of 4 pixels, 2 lines of 2: even lines' even pixels at 0, their odd ones at 4,
  // odd lines' at 8 and 12. Two slots of parameters lie before them.
  const auto tile = [](int64_t at, int64_t before) {
    std::vector<std::string> all = {
        StrCat("gemm 16 at ", at), StrCat("requant 16 at ", at, " of 0"),
        StrCat("max 4 at ", at + 1, " of ", at + 4),  // the odd pixel on the left
        StrCat("max 8 at ", at, " of ", at + 4)};     // and on the right
    if (before > 0) all.push_back(StrCat("max 2 at ", at, " of ", before + 10));
    all.push_back(StrCat("max 2 at ", at + 2, " of ", at + 8));
    all.push_back(StrCat("max 4 at ", at, " of ", at + 8));
    return all;
  };
  std::vector<std::string> want;
  for (const auto& [at, before] : {std::pair(6, 0), {22, 6}, {6, 22}})
    for (const std::string& one : tile(at, before)) want.push_back(one);
  EXPECT_EQ(InstructionsOf(config, shape, tiling), want);
}

TEST(Conv, PadsCostThePixelsAtBorders) {
  const isa::Config config = ConfigNamed("only_requant");
  const auto additions = [&](const ConvShape& shape) {
    int64_t uops = 0;
    const TaskProgram program = OneTile(config, shape);
    for (const Task& task : program.tasks)
      if (const Alu* alu = std::get_if<Alu>(&task.op); alu && alu->op == isa::AluOp::kAdd)
        uops +=
            std::ssize(program.kernels[alu->nest.kernel]) * alu->nest.iter_out * alu->nest.iter_in;
    return uops;
  };
  ConvShape shape{.in_h = 6,
                  .in_w = 5,
                  .kh = 3,
                  .kw = 3,
                  .pad_top = 1,
                  .pad_left = 1,
                  .pad_bottom = 1,
                  .pad_right = 1,
                  .border_rows = true};
  EXPECT_EQ(additions(shape), 6 * 5 - 4 * 3);
  shape.co = 2;
  EXPECT_EQ(additions(shape), 2 * (6 * 5 - 4 * 3));
  shape.stride_h = shape.stride_w = 2;  // 3 x 3 outputs, of which the last line reaches no pad
  EXPECT_EQ(additions(shape), 2 * (3 * 3 - 2 * 1));
  shape.border_rows = false;
  EXPECT_EQ(additions(shape), 0);
}

TEST(Border, ClassesAreTheOutputsThatReachPads) {
  const auto counts = [](const Border& border) {
    return std::vector<int64_t>{border.before, border.after, border.classes()};
  };
  using Counts = std::vector<int64_t>;
  EXPECT_EQ(counts(Border(5, 5, 1, 1, 3)), (Counts{1, 1, 3}));
  EXPECT_EQ(counts(Border(3, 6, 2, 1, 3)), (Counts{1, 0, 2}));
  EXPECT_EQ(counts(Border(5, 5, 1, 0, 1)), (Counts{0, 0, 1}));
  EXPECT_EQ(counts(Border(3, 3, 1, 3, 7)), (Counts{3, 0, 3}));  // all reach both
  std::mt19937 random(3);
  const auto draw = [&random](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    const int64_t inputs = draw(1, 12), stride = draw(1, 3);
    const int64_t reach = draw(1, 7), pad = draw(0, reach - 1);
    const int64_t room = inputs + pad + draw(0, reach - 1) - reach;
    if (room < 0) continue;
    const Border border(room / stride + 1, inputs, stride, pad, reach);
    SCOPED_TRACE(StrCat(inputs, " ", stride, " ", reach, " ", pad, " ", border.size));
    int64_t outputs = 0;
    std::set<int64_t> classes;
    for (const Border::Part& part : border.Parts())
      for (int64_t o = part.begin; o < part.end; ++o, ++outputs) {
        const int64_t first = o * stride - pad;
        ASSERT_EQ(part.inside, first >= 0 && first + reach <= inputs);
        const int64_t number = part.inside ? part.first : part.first + o - part.begin;
        if (classes.insert(number).second) {
          ASSERT_EQ(border.OutputOf(number), o);
        }
      }
    ASSERT_EQ(outputs, border.size);
    ASSERT_EQ(std::ssize(classes), border.classes());
  }
}

}  // namespace
}  // namespace vta::compiler::targets
