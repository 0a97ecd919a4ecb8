// Two accumulator banks: where slots lie, what is loaded for each, and the order of tasks.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "compiler/loop/parser.h"
#include "compiler/targets/vta/kernels/conv/conv.h"
#include "compiler/targets/vta/kernels/conv/tiling.h"
#include "compiler/targets/vta/lower/intrinsics.h"
#include "compiler/targets/vta/lower/lower.h"
#include "compiler/targets/vta/tasks/interleave.h"
#include "compiler/targets/vta/tasks/rows.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler::targets {
namespace {

isa::Config Banked() {
  isa::Config config = ConfigNamed("default");
  config.uarch.acc_banks = 2;
  config.arch.acc_depth = 32;
  config.arch.overwrite = 0;
  return config;
}

std::string TextOf(const TaskProgram& program) {
  std::string text;
  for (const Task& task : program.tasks) text += PrintTask(program, task) + "\n";
  return text;
}

/// Twice three tiles (or `tiles`) of so many rows and slots. Of two rows of parameters, loaded
/// twice, the first is added to each tile, before what else it does.
std::string TilesOf(int64_t rows, int64_t slots, const std::string& last = "",
                    const std::string& tiles = "3") {
  const std::string n = std::to_string(rows);
  return R"(func f(
    p: int32[4, 16],
    y: int8[6, )" +
         n + R"(, 16]) {
  for c in 2 {
    alloc q: int32[2, 16] @acc
    for r in 2 {
      for k in 16 {
        block q(vr: 2 = r, vk: 16 = k) {
          q[vr, vk] = p[c * 2 + vr, vk]
        }
      }
    }
    for t in )" +
         tiles + R"( {
      alloc a: int32[)" +
         n + R"(, 16] @acc
      for r in )" +
         n + R"( {
        block zero(vr: )" +
         n + R"( = r) [slots=)" + std::to_string(slots) + R"(] {
          call vta.gemm.reset(a[vr, 0 : 16])
        }
      }
      for r in )" +
         n + R"( {
        block bias(vr: )" +
         n + R"( = r) {
          call vta.add.compute(a[vr, 0 : 16], a[vr, 0 : 16], q[0, 0 : 16])
        }
      }
)" + last +
         R"(      for r in )" + n + R"( {
        for k in 16 {
          block y(vr: )" +
         n + R"( = r, vk: 16 = k) {
            y[c * 3 + t, vr, vk] = int8(a[vr, vk])
          }
        }
      }
    }
  }
}
)";
}

TaskProgram Lower(const isa::Config& config, const std::string& text) {
  const auto intrinsics = Intrinsics(config, isa::Rounding::kSingle);
  return LowerTasks(config, loop::Parse(text, intrinsics), isa::Rounding::kSingle);
}

TEST(Banks, SlotsTakeTurnsAndEachBankLoadsWhatItReads) {
  EXPECT_EQ(TextOf(Lower(Banked(), TilesOf(14, 2))),
            "gemm k0 1x14 dst 0 1 src 0 0 wgt 0 0 reset\n"
            "load2d acc[0] <- p[0] 1x2 stride 2\n"
            "alu add k0 1x14 dst 0 1 src 0 0\n"
            "store2d out[2] -> y[0] 1x14 stride 14\n"
            "gemm k1 1x14 dst 0 1 src 0 0 wgt 0 0 reset\n"
            "load2d acc[16] <- p[0] 1x2 stride 2\n"
            "alu add k2 1x14 dst 0 1 src 0 0\n"
            "store2d out[18] -> y[14] 1x14 stride 14\n"
            "gemm k0 1x14 dst 0 1 src 0 0 wgt 0 0 reset\n"
            "alu add k0 1x14 dst 0 1 src 0 0\n"
            "store2d out[2] -> y[28] 1x14 stride 14\n"
            "gemm k1 1x14 dst 0 1 src 0 0 wgt 0 0 reset\n"
            "load2d acc[16] <- p[2] 1x2 stride 2\n"
            "alu add k2 1x14 dst 0 1 src 0 0\n"
            "store2d out[18] -> y[42] 1x14 stride 14\n"
            "gemm k0 1x14 dst 0 1 src 0 0 wgt 0 0 reset\n"
            "load2d acc[0] <- p[2] 1x2 stride 2\n"
            "alu add k0 1x14 dst 0 1 src 0 0\n"
            "store2d out[2] -> y[56] 1x14 stride 14\n"
            "gemm k1 1x14 dst 0 1 src 0 0 wgt 0 0 reset\n"
            "alu add k2 1x14 dst 0 1 src 0 0\n"
            "store2d out[18] -> y[70] 1x14 stride 14\n"
            "finish\n");
}

TEST(Banks, NothingIsLoadedForABankThatDoesNotReadIt) {
  EXPECT_EQ(TextOf(Lower(Banked(), TilesOf(14, 2, "", "1"))),
            "gemm k0 1x14 dst 0 1 src 0 0 wgt 0 0 reset\n"
            "load2d acc[0] <- p[0] 1x2 stride 2\n"
            "alu add k0 1x14 dst 0 1 src 0 0\n"
            "store2d out[2] -> y[0] 1x14 stride 14\n"
            "gemm k1 1x14 dst 0 1 src 0 0 wgt 0 0 reset\n"
            "load2d acc[16] <- p[2] 1x2 stride 2\n"
            "alu add k2 1x14 dst 0 1 src 0 0\n"
            "store2d out[18] -> y[42] 1x14 stride 14\n"
            "finish\n");
}

/// A copy of the parameters that no call makes.
constexpr char kCopyOut[] = R"(      for k in 16 {
        block z(vk: 16 = k) {
          y[c * 3 + t, 0, vk] = int8(q[0, vk])
        }
      }
)";

/// The parameters are computed too, and take slots in turn less often than the tiles.
constexpr char kComputed[] = R"(      for r in 2 {
        block over(vr: 2 = r) [slots=2] {
          call vta.gemm.reset(q[vr, 0 : 16])
        }
      }
)";

TEST(Banks, WhatFitsNoBankIsPlacedAsInOne) {
  isa::Config one = Banked();
  one.uarch.acc_banks = 1;
  for (const std::string& text : {TilesOf(15, 2), TilesOf(8, 1), TilesOf(8, 3),
                                  TilesOf(14, 2, kCopyOut), TilesOf(10, 2, kComputed)})
    EXPECT_EQ(TextOf(Lower(Banked(), text)), TextOf(Lower(one, text))) << text;
  EXPECT_NE(TextOf(Lower(Banked(), TilesOf(14, 2))), TextOf(Lower(one, TilesOf(14, 2))));
}

/// Convolutions of which each tile has several ALU instructions.
std::vector<ConvShape> Shapes() {
  const ConvShape padded{.ci = 2,
                         .co = 3,
                         .in_h = 7,
                         .in_w = 9,
                         .kh = 3,
                         .kw = 3,
                         .pad_top = 1,
                         .pad_left = 1,
                         .pad_bottom = 1,
                         .pad_right = 1};
  ConvShape border = padded, residual = padded;
  border.pad_value = 5;
  border.border_rows = true;
  residual.residual = Residual{.factor = 3, .skip_factor = 300, .shift = 1};
  return {padded, border, residual};
}

TaskProgram ConvTasks(const isa::Config& config, const ConvShape& shape, bool channels_outer) {
  const ConvTiling tiling{
      .height = 4, .width = 3, .co = 2, .kh = 3, .channels_outer = channels_outer, .slots = 2};
  EXPECT_TRUE(EstimateConv(config, shape, tiling).fits);
  const ConvDefinition definition = DefineConv(config, isa::Rounding::kSingle, {}, "conv", shape);
  return LowerTasks(config, ScheduleConv(config, definition, shape, tiling).function(),
                    isa::Rounding::kSingle);
}

TEST(Banks, RowsOfAnEpilogueLieInItsTilesBank) {
  isa::Config config = Banked();
  for (const ConvShape& shape : Shapes())
    for (const bool channels_outer : {false, true}) {
      // As shallow as it can be: two tiles with their parameters fill it to the half at least.
      config.arch.acc_depth = shape.border_rows || shape.residual ? 256 : 64;
      const TaskProgram program = ConvTasks(config, shape, channels_outer);
      RowSets rows(config, program);
      std::vector<int64_t> turns;  // banks of the tiles, one after the other
      for (const Task& task : program.tasks) {
        if (!std::holds_alternative<Alu>(task.op)) continue;
        std::set<int64_t> banks;
        for (const Access& access : rows.All(task))
          for (const RowRange& range : access.rows)
            for (const int64_t row : {range.begin, range.end - 1})
              banks.insert(row / (config.arch.acc_depth / 2));
        ASSERT_EQ(banks.size(), 1u) << PrintTask(program, task);
        if (turns.empty() || turns.back() != *banks.begin()) turns.push_back(*banks.begin());
      }
      EXPECT_EQ(turns.size(), 12u);
    }
}

constexpr char kMul[] = "alu mul k0 1x64 dst 0 1 src 0 1 imm 3\n";
constexpr char kOwn[] =
    "load2d inp[128] <- s[0] 1x64 stride 64\n"
    "gemm k2 1x64 dst 0 1 src 0 1 wgt 0 0\n";

/// A tile of 64 rows in bank 0, `first` its first tasks, then one in bank 1, of which each GEMM has
/// 64 micro-ops `times`.
std::string TwoTiles(const std::string& times, const std::string& first = StrCat(kOwn, kMul)) {
  return StrCat(R"(program p
tensor x : inp[256] @0
tensor s : inp[64] @0
tensor y : out[256] @0
kernel k0 (0,0,0)
kernel k1 (1024,0,0)
kernel k2 (64,128,0)
kernel k3 (0,64,0)
)",
                first, R"(alu add k3 1x64 dst 0 1 src 0 1
alu shr k0 1x64 dst 0 1 src 0 1 imm 2
store2d out[0] -> y[0] 1x64 stride 64
load2d inp[0] <- x[0] 1x64 stride 64
gemm k1 )",
                times, R"(x64 dst 0 1 src 0 1 wgt 0 0
load2d inp[64] <- x[64] 1x64 stride 64
gemm k1 )",
                times, R"(x64 dst 0 1 src 0 1 wgt 0 0
alu mul k1 1x64 dst 0 1 src 0 1 imm 3
finish
)");
}

std::string Interleaved(const std::string& tasks) {
  isa::Config config = Banked();
  config.arch.acc_depth = 2048;
  TaskProgram program = ParseTasks(tasks, "test");
  InterleaveTiles(config, &program);
  return TextOf(program);
}

std::string Kept(const std::string& tasks) { return TextOf(ParseTasks(tasks, "test")); }

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST(Banks, AluInstructionsStandBetweenGemmsOfTheNextTile) {
  EXPECT_EQ(Interleaved(TwoTiles("4")),
            "load2d inp[128] <- s[0] 1x64 stride 64\n"
            "gemm k2 1x64 dst 0 1 src 0 1 wgt 0 0\n"
            "alu mul k0 1x64 dst 0 1 src 0 1 imm 3\n"
            "load2d inp[0] <- x[0] 1x64 stride 64\n"
            "gemm k1 4x64 dst 0 1 src 0 1 wgt 0 0\n"
            "alu add k3 1x64 dst 0 1 src 0 1\n"
            "load2d inp[64] <- x[64] 1x64 stride 64\n"
            "gemm k1 4x12 dst 0 1 src 0 1 wgt 0 0\n"
            "alu shr k0 1x64 dst 0 1 src 0 1 imm 2\n"
            "store2d out[0] -> y[0] 1x64 stride 64\n"
            "gemm k4 4x52 dst 0 1 src 0 1 wgt 0 0\n"
            "alu mul k1 1x64 dst 0 1 src 0 1 imm 3\n"
            "finish\n");
}

TEST(Banks, GemmsOfATileComeBeforeItsAluInstructions) {
  EXPECT_EQ(Interleaved(TwoTiles("4", StrCat(kMul, kOwn))), Interleaved(TwoTiles("4")));
}

// The second GEMM is longer than what hides the first ALU instruction. It stays whole where those
// behind it still hide the last one, and the store, which holds up the tile after the next one.
TEST(Banks, GemmsAreCutWhereOthersNeedTheirTime) {
  const std::string tasks = R"(program p
tensor y : out[256] @0
kernel k0 (0,0,0)
kernel k1 (1024,0,0)
alu mul k0 1x128 dst 0 1 src 0 1 imm 3
alu add k0 1x64 dst 0 1 src 0 1
store2d out[0] -> y[0] 1x64 stride 64
gemm k1 1x64 dst 0 1 src 0 1 wgt 0 0
gemm k1 4x64 dst 0 1 src 0 1 wgt 0 0
gemm k1 1x64 dst 0 1 src 0 1 wgt 0 0
alu mul k1 1x64 dst 0 1 src 0 1 imm 3
gemm k0 1x64 dst 0 1 src 0 1 wgt 0 0
finish
)";
  const std::string first = "imm 3\ngemm k1 1x64 dst 0 1 src 0 1 wgt 0 0\ngemm k1 4x";
  const std::string held = Interleaved(tasks);
  EXPECT_NE(held.find(first + "12 dst 0 1 src 0 1 wgt 0 0\nalu add"), std::string::npos) << held;
  const std::string whole = first + "64 dst 0 1 src 0 1 wgt 0 0\nalu add";
  const std::string brief = Interleaved(Replaced(tasks, "1x64 stride", "1x1 stride"));
  EXPECT_NE(brief.find(whole), std::string::npos) << brief;
  // Only the second GEMM of that tile works on what is stored.
  const std::string other = "gemm k0 1x64 dst 0 1 src 0 1 wgt 0 0\n";
  const std::string later =
      Interleaved(Replaced(Replaced(tasks, other, "gemm k2 1x64 dst 0 1 src 0 1 wgt 0 0\n" + other),
                           "alu mul k0", "kernel k2 (64,0,0)\nalu mul k0"));
  EXPECT_NE(later.find(whole), std::string::npos) << later;
}

TEST(Banks, TasksKeepTheirOrderWhereNothingIsGained) {
  // The last ALU instruction hides both GEMM instructions of 20 micro-ops, 18 cycles later.
  const std::string few = Replaced(TwoTiles("1"), "gemm k1 1x64", "gemm k1 1x20");
  EXPECT_EQ(Interleaved(few), Kept(few));
  // Those of 10 micro-ops end before that.
  std::string brief = Replaced(TwoTiles("1"), "y[0] 1x64", "y[0] 1x1");
  for (const std::string op : {"mul k0", "add k3", "shr k0"})
    brief = Replaced(brief, op + " 1x64", op + " 1x10");
  EXPECT_EQ(Interleaved(brief), Kept(brief));
}

TEST(Banks, NothingMovesPastWhatItTouches) {
  // The tile's GEMM works on the rows of the ALU instruction before it; the next tile's input takes
  // the place of what it reads.
  const std::string own = Replaced(TwoTiles("4", StrCat(kMul, kOwn)), "k2 (64,", "k2 (0,");
  const std::string next = Replaced(own, "inp[0] <-", "inp[96] <-");
  const std::string load(kOwn, std::string_view(kOwn).find('\n') + 1);
  const std::string kept = Replaced(Kept(next), kMul + load, load + kMul);
  EXPECT_EQ(Interleaved(next), kept);
  EXPECT_NE(Interleaved(own), Replaced(kept, "inp[96] <-", "inp[0] <-"));
  // The tile's input takes that place.
  const std::string again = Replaced(own, "alu add", load + "alu add");
  EXPECT_NE(Interleaved(again).find("wgt 0 0\n" + load + "alu add"), std::string::npos);
  // The next tile lies in the same bank, or in both.
  for (const char* row : {"(512,", "(992,"}) {
    const std::string near = Replaced(TwoTiles("4"), "(1024,", row);
    EXPECT_EQ(Interleaved(near), Kept(near));
  }
}

/// Whether two tasks use a row that one of them writes.
bool Touch(RowSets* rows, const Task& a, const Task& b) {
  for (const Access& one : rows->All(a))
    for (const Access& other : rows->All(b))
      for (const RowRange& p : one.rows)
        for (const RowRange& q : other.rows)
          if (one.memory == other.memory && (one.write || other.write) && p.begin < q.end &&
              q.begin < p.end)
            return true;
  return false;
}

TEST(Banks, ConvolutionsKeepTheOrderOfWhatTouches) {
  isa::Config config = Banked();
  config.arch.acc_depth = 256;
  int64_t moved = 0, pieces = 0;
  for (const ConvShape& shape : Shapes()) {
    TaskProgram program = ConvTasks(config, shape, true);
    const std::vector<Task> before = program.tasks;
    TaskProgram cut = program;
    InterleaveTiles(config, &cut);
    pieces += std::ssize(cut.tasks) - std::ssize(before);
    isa::Config few = config;
    few.arch.uop_depth = 1;  // no room for the micro-ops of GEMMs that are cut
    InterleaveTiles(few, &program);
    ASSERT_EQ(program.tasks.size(), before.size());
    RowSets rows(config, program);
    // Where each task was: the first equal one that is not taken.
    std::vector<size_t> from;
    std::vector<bool> taken(before.size());
    for (const Task& task : program.tasks) {
      size_t at = 0;
      while (taken.at(at) || !(before[at] == task)) ++at;
      taken[at] = true;
      from.push_back(at);
    }
    for (size_t b = 0; b < from.size(); ++b)
      for (size_t a = 0; a < b; ++a) {
        if (from[a] < from[b]) continue;
        ++moved;
        EXPECT_FALSE(ModuleOf(program, before[from[a]]) == isa::Module::kLoad &&
                     ModuleOf(program, before[from[b]]) == isa::Module::kLoad);
        EXPECT_FALSE(Touch(&rows, before[from[a]], before[from[b]]))
            << PrintTask(program, before[from[a]]) << " before "
            << PrintTask(program, before[from[b]]);
      }
  }
  EXPECT_GT(moved, 20);
  EXPECT_GT(pieces, 0);
}

}  // namespace
}  // namespace vta::compiler::targets
