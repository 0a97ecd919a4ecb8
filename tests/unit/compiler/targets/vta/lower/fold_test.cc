// Folding: random loop nests and copies, folded and expanded again.
#include "compiler/targets/vta/lower/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "compiler/targets/vta/lower/dma_fold.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

using Point = std::tuple<int64_t, int64_t, int64_t>;

std::vector<Point> Expand(const NestSpace& space) {
  std::vector<Point> points;
  for (const isa::Uop& uop : space.kernel)
    points.emplace_back(space.first.dst + uop.dst, space.first.src + uop.src,
                        space.first.wgt + uop.wgt);
  for (const NestLoop& loop : space.loops) {
    std::vector<Point> wider;
    for (const auto& [dst, src, wgt] : points)
      for (int64_t i = 0; i < loop.extent; ++i)
        wider.emplace_back(dst + i * loop.dst, src + i * loop.src, wgt + i * loop.wgt);
    points = wider;
  }
  std::sort(points.begin(), points.end());
  return points;
}

std::vector<Point> Expand(const TaskProgram& program, const std::vector<LoopNest>& nests) {
  std::vector<Point> points;
  for (const LoopNest& nest : nests)
    for (int64_t o = 0; o < nest.iter_out; ++o)
      for (int64_t i = 0; i < nest.iter_in; ++i)
        for (const isa::Uop& uop : program.kernels[nest.kernel])
          points.emplace_back(uop.dst + o * nest.dst_out + i * nest.dst_in,
                              uop.src + o * nest.src_out + i * nest.src_in,
                              uop.wgt + o * nest.wgt_out + i * nest.wgt_in);
  std::sort(points.begin(), points.end());
  return points;
}

TEST(FoldNest, RandomNestsKeepTheirPoints) {
  std::mt19937 random(1);
  isa::Config config;
  for (int round = 0; round < 300; ++round) {
    config.arch.uop_depth = round % 3 == 0 ? 16 : 8192;
    NestSpace space;
    space.first = {int64_t(random() % 9), int64_t(random() % 9), int64_t(random() % 9)};
    for (int loops = random() % 6; loops > 0; --loops)
      space.loops.push_back({1 + int64_t(random() % 5), int64_t(random() % 20),
                             int64_t(random() % 2000), int64_t(random() % 1500)});
    for (int uops = random() % 3 ? 0 : random() % 40; uops > 0; --uops)
      space.kernel.push_back(
          {int64_t(random() % 20), int64_t(random() % 20), int64_t(random() % 20)});
    TaskBuilder builder("fold");
    const std::vector<LoopNest> nests = FoldNest(config, space, Neighbours::kAny, &builder);
    EXPECT_EQ(Expand(builder.program(), nests), Expand(space)) << "round " << round;
    for (const LoopNest& nest : nests) {
      EXPECT_LE(builder.program().kernels[nest.kernel].size(), config.arch.uop_depth);
      EXPECT_LT(std::max(nest.wgt_out, nest.wgt_in), 1024);
    }
  }
}

TEST(FoldNest, ConvolutionTileTakesOneMicroOpATapAndBlock) {
  // co 2, ci 1, kh 3, kw 3, h 8, w 8 over an input tile of 10 x 10: h and w become loops.
  NestSpace space;
  space.loops = {{2, 64, 0, 9}, {3, 0, 10, 3}, {3, 0, 1, 1}, {8, 8, 10, 0}, {8, 1, 1, 0}};
  TaskBuilder builder("conv");
  const std::vector<LoopNest> nests = FoldNest(isa::Config(), space, Neighbours::kAny, &builder);
  ASSERT_EQ(nests.size(), 1u);
  EXPECT_EQ(builder.program().kernels[nests[0].kernel].size(), 18u);
  EXPECT_EQ(nests[0].iter_out * nests[0].iter_in, 64);
}

TEST(FoldNest, ParametersStayInTheInnermostLoop) {
  // requant of 4 channel blocks of 64 rows: one micro-op; src changes in the outer loop only.
  NestSpace space;
  space.loops = {{8, 8, 0, 0}, {4, 64, 3, 0}, {8, 1, 0, 0}};
  TaskBuilder builder("requant");
  const std::vector<LoopNest> nests = FoldNest(isa::Config(), space, Neighbours::kAny, &builder);
  ASSERT_EQ(nests.size(), 1u);
  EXPECT_EQ(builder.program().kernels[nests[0].kernel].size(), 1u);
  EXPECT_EQ(nests[0].src_in, 0);
  EXPECT_EQ(nests[0].src_out, 3);
  EXPECT_EQ(nests[0].iter_in, 64);
}

TEST(FoldNest, NeighboursWithOtherRows) {
  std::mt19937 random(2);
  isa::Config config;
  int64_t several = 0;
  for (int round = 0; round < 500; ++round) {
    // Loops that step dst reach every row once, as those of a buffer do; the others reduce.
    NestSpace space;
    int64_t rows = 1, source = 1;
    for (int loops = random() % 6; loops > 0; --loops) {
      const int64_t extent = 1 + random() % 4;
      const bool reduces = random() % 2;
      space.loops.push_back({extent, reduces ? 0 : rows, source, 0});
      if (!reduces) rows *= extent;
      source *= extent;
    }
    std::shuffle(space.loops.begin(), space.loops.end(), random);
    TaskBuilder builder("fold");
    const std::vector<LoopNest> nests = FoldNest(config, space, Neighbours::kOtherRows, &builder);
    EXPECT_EQ(Expand(builder.program(), nests), Expand(space)) << "round " << round;
    EXPECT_TRUE(nests.size() == 1 || rows == 1) << "round " << round;
    several += nests.size() > 1;
    for (const LoopNest& nest : nests) {
      int64_t before = -1;
      for (int64_t o = 0; o < nest.iter_out; ++o)
        for (int64_t i = 0; i < nest.iter_in; ++i)
          for (const isa::Uop& uop : builder.program().kernels[nest.kernel]) {
            const int64_t dst = uop.dst + o * nest.dst_out + i * nest.dst_in;
            EXPECT_NE(dst, before) << "round " << round;
            before = dst;
          }
    }
  }
  EXPECT_GT(several, 20);
}

// A tile's requantisation: src steps with some of the loops over its rows, and each value is met in
// one go.
TEST(FoldNest, NeighboursWithTheSameSource) {
  std::mt19937 random(3);
  int64_t several = 0, kernels = 0;
  for (int round = 0; round < 500; ++round) {
    NestSpace space;
    int64_t rows = 1, sources = 1;
    for (int loops = random() % 6; loops > 0; --loops) {
      const int64_t extent = 1 + int64_t(random() % (loops > 3 ? 3 : 20));
      if (rows * extent > 2048) break;  // what there is of accumulators
      const bool steps = random() % 2;
      space.loops.push_back({extent, rows, steps ? 3 * sources : 0, 0});
      // Some loops leave rows between theirs, as a tile's at the border do.
      rows *= extent + int64_t(random() % 2);
      if (steps) sources *= extent;
    }
    std::shuffle(space.loops.begin(), space.loops.end(), random);
    TaskBuilder builder("fold");
    const std::vector<LoopNest> nests =
        FoldNest(isa::Config(), space, Neighbours::kSameSource, &builder);
    EXPECT_EQ(Expand(builder.program(), nests), Expand(space)) << "round " << round;
    std::vector<int64_t> met;
    for (const LoopNest& nest : nests) {
      const UopKernel& kernel = builder.program().kernels[nest.kernel];
      const bool steps = nest.src_out != 0 || kernel.front().src != kernel.back().src;
      EXPECT_TRUE(kernel.size() <= 16 || !steps) << "round " << round;
      for (int64_t o = 0; o < nest.iter_out; ++o)
        for (int64_t i = 0; i < nest.iter_in; ++i)
          for (const isa::Uop& uop : kernel) {
            const int64_t src = uop.src + o * nest.src_out + i * nest.src_in;
            if (met.empty() || met.back() != src) met.push_back(src);
          }
      kernels += kernel.size() > 1;
    }
    EXPECT_EQ(std::ssize(met), sources) << "round " << round;
    several += nests.size() > 1;
  }
  EXPECT_GT(several, 10);
  EXPECT_GT(kernels, 50);
}

TEST(FoldNest, PublishedMicroOpMemoryIsSmaller) {
  // Nine loops of 3, two of them the hardware's: 3^7 = 2187 micro-ops, more than the published
  // 2048.
  isa::Config config;
  NestSpace space;
  for (int64_t i = 0, step = 1; i < 9; ++i, step *= 2) space.loops.push_back({3, 0, 0, step});
  for (const auto& [version, nests] :
       {std::pair(isa::Version::k002, 2), std::pair(isa::Version::k100, 1)}) {
    config.version = version;
    TaskBuilder builder("fold");
    EXPECT_EQ(FoldNest(config, space, Neighbours::kAny, &builder).size(), nests);
  }
}

/// What loads leave in each row: the element, or kPad.
std::map<int64_t, int64_t> Replay(const std::vector<Dma>& loads) {
  std::map<int64_t, int64_t> rows;
  for (const Dma& dma : loads) {
    int64_t row = dma.sram;
    for (int64_t y = -dma.y_pad_top; y < dma.y_size + dma.y_pad_bottom; ++y)
      for (int64_t x = -dma.x_pad_left; x < dma.x_size + dma.x_pad_right; ++x) {
        const bool inside = y >= 0 && y < dma.y_size && x >= 0 && x < dma.x_size;
        rows[row++] = inside ? dma.dram + y * dma.x_stride + x : RowTable::kPad;
      }
  }
  return rows;
}

/// A window of a [c][h][w] tensor that reaches past its borders; rows past `known` do not matter.
RowTable Window(std::mt19937& random) {
  const int64_t height = 1 + random() % 9, width = 1 + random() % 9, channels = 1 + random() % 3;
  const int64_t rows = 1 + random() % 9, cols = 1 + random() % 9;
  const int64_t top = int64_t(random() % (height + 3)) - 3;
  const int64_t left = int64_t(random() % (width + 3)) - 3;
  const int64_t step = random() % 4 == 0 ? 2 : 1;
  const int64_t known_rows = 1 + random() % rows, known_cols = 1 + random() % cols;
  RowTable table;
  table.sram = random() % 50;
  table.line = cols;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < cols; ++x) {
        const int64_t h = top + y * step, w = left + x * step;
        const bool inside = h >= 0 && h < height && w >= 0 && w < width;
        const bool known = y < known_rows && x < known_cols;
        table.source.push_back(!known   ? RowTable::kFree
                               : inside ? (c * height + h) * width + w
                                        : RowTable::kPad);
      }
  return table;
}

TEST(FoldLoad, RandomWindowsArriveWhereTheyBelong) {
  std::mt19937 random(2);
  int folded = 0;
  for (int round = 0; round < 2000; ++round) {
    const RowTable table = Window(random);
    std::vector<Dma> loads;
    try {
      loads = FoldLoad(table, 0, true, "window");
    } catch (const Error&) {
      continue;  // a window without an element, or with a line of its own that has none
    }
    ++folded;
    const std::map<int64_t, int64_t> rows = Replay(loads);
    for (size_t i = 0; i < table.source.size(); ++i) {
      if (table.source[i] == RowTable::kFree) continue;
      const auto found = rows.find(table.sram + static_cast<int64_t>(i));
      ASSERT_TRUE(found != rows.end()) << "round " << round << " row " << i;
      ASSERT_EQ(found->second, table.source[i]) << "round " << round << " row " << i;
    }
    for (const auto& [row, source] : rows) {
      ASSERT_GE(row, table.sram);
      ASSERT_LT(row, table.sram + static_cast<int64_t>(table.source.size()));
    }
  }
  EXPECT_GT(folded, 1000);
}

TEST(FoldLoad, OneLoadForAPaddedTile) {
  RowTable table{7, 4, {}};
  for (int64_t y = -1; y < 3; ++y)
    for (int64_t x = -1; x < 3; ++x)
      table.source.push_back(y < 0 || x < 0 ? RowTable::kPad : y * 56 + x);
  const std::vector<Dma> loads = FoldLoad(table, 0, true, "tile");
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(loads[0], (Dma{false, 0, 7, 0, 3, 3, 56, 1, 0, 1, 0, true}));
}

TEST(FoldLoad, PadsAboveWholeRows) {
  const std::vector<Dma> loads =
      FoldLoad({0, 2, {RowTable::kPad, RowTable::kPad, 10, 11, 12, 13}}, 0, false, "tile");
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(loads[0], (Dma{false, 0, 0, 10, 2, 2, 2, 1, 0, 0, 0, false}));
}

TEST(FoldLoad, PadRowsAsWideAsTheirTile) {
  RowTable table{0, 20, std::vector<int64_t>(20, RowTable::kPad)};
  for (int64_t x = 0; x < 19; ++x) table.source.push_back(x);
  table.source.push_back(RowTable::kFree);
  table.source[19] = RowTable::kFree;
  const std::vector<Dma> loads = FoldLoad(table, 0, false, "tile");
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(loads[0].SramRows(), 40);
}

TEST(FoldLoad, WholeRowsJoin) {
  RowTable table{0, 3, {}};
  for (int64_t i = 0; i < 9; ++i) table.source.push_back(100 + i);
  const std::vector<Dma> loads = FoldLoad(table, 0, false, "tile");
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(loads[0].x_size, 9);
}

TEST(FillFreeRows, LoadsWhatLiesBesideInsteadOfPads) {
  constexpr int64_t kFree = RowTable::kFree;
  // Three lines of three of six elements each; the last tap of each is not needed.
  const RowTable wanted{8, 3, {0, 1, kFree, 6, 7, kFree, 12, 13, kFree}};
  EXPECT_EQ(FoldLoad(wanted, 0, false, "tile")[0].x_pad_right, 1);
  RowTable table = wanted;
  FillFreeRows(18, &table);
  std::vector<Dma> loads = FoldLoad(table, 0, false, "tile");
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(std::tie(loads[0].x_size, loads[0].x_pad_right, loads[0].y_size, loads[0].x_stride),
            std::make_tuple(3, 0, 3, 6));
  // Past the tensor's end there is nothing to load: the row is left alone.
  table = wanted;
  FillFreeRows(14, &table);
  loads = FoldLoad(table, 0, false, "tile");
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_EQ(loads[0].y_size, 2);
  EXPECT_EQ(loads[1].SramRows(), 2);
  // Before its start, and where a line has nothing of its own, neither.
  table = {0, 2, {kFree, 0, kFree, kFree, 4, kFree}};
  FillFreeRows(9, &table);
  EXPECT_EQ(table.source,
            (std::vector<int64_t>{RowTable::kKeep, 0, RowTable::kKeep, RowTable::kKeep, 4, 5}));
}

TEST(FillFreeRows, RandomTablesHaveNoPads) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    RowTable wanted{0, 1 + int64_t(random() % 5), {}};
    const int64_t elems = 25, stride = wanted.line + random() % 3;
    for (int64_t line = 0; line < 6; ++line)
      for (int64_t x = 0; x < wanted.line; ++x) {
        const int64_t element = int64_t(random() % 2) + line * stride + x;
        wanted.source.push_back(random() % 3 == 0 || element >= elems ? RowTable::kFree : element);
      }
    RowTable table = wanted;
    FillFreeRows(elems, &table);
    const auto left = Replay(FoldLoad(table, 0, false, "tile"));
    for (const Dma& load : FoldLoad(table, 0, false, "tile")) {
      EXPECT_EQ(load.SramRows(), load.y_size * load.x_size);
      EXPECT_LE(load.dram + (load.y_size - 1) * load.x_stride + load.x_size, elems);
    }
    for (size_t row = 0; row < wanted.source.size(); ++row)
      if (wanted.source[row] >= 0) {
        EXPECT_EQ(left.at(row), wanted.source[row]) << round;
      }
  }
}

TEST(FoldLoad, RowsOfOthersStay) {
  const RowTable table{0, 2, {10, RowTable::kKeep, 20, RowTable::kKeep}};
  const std::vector<Dma> loads = FoldLoad(table, 0, false, "tile");
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_EQ(loads[0].SramRows() + loads[1].SramRows(), 2);
}

TEST(FoldLoad, RefusesPadsThatStandAlone) {
  RowTable table{0, 2, {RowTable::kPad, RowTable::kPad}};
  try {
    FoldLoad(table, 0, false, "tile");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "tile: pad rows = 2: a load pads at most 15 on a side of at least one element");
  }
}

TEST(FoldStore, RandomTilesLeaveExactlyTheirRows) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    RowTable table = Window(random);
    for (int64_t& source : table.source)
      if (source == RowTable::kPad) source = RowTable::kFree;
    std::map<int64_t, int64_t> written;
    for (const Dma& dma : FoldStore(table, 0)) {
      EXPECT_EQ(dma.SramRow(), dma.x_size);
      for (const auto& [row, element] : Replay({dma})) {
        EXPECT_EQ(table.source.at(row - table.sram), element);
        EXPECT_TRUE(written.emplace(row, element).second);
      }
    }
    const int64_t wanted = std::count_if(table.source.begin(), table.source.end(),
                                         [](int64_t source) { return source >= 0; });
    EXPECT_EQ(static_cast<int64_t>(written.size()), wanted);
  }
}

}  // namespace
}  // namespace vta::compiler::targets
