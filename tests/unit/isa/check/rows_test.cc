// Row sets found without unrolling against the same sets unrolled, and the geometry of DRAM tiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "isa/check/dram.h"
#include "isa/check/kernels.h"
#include "isa/check/ranges.h"
#include "isa/codec.h"
#include "tests/support/random_kernels.h"

namespace vta::isa {
namespace {

using test::Draw;
using testing::ElementsAre;

std::set<int64_t> RowsOf(const Runs& runs) {
  std::set<int64_t> rows;
  for (const RowRun& run : runs)
    for (int64_t row = run.begin; row < run.end; ++row) rows.insert(row);
  return rows;
}

TEST(RowsTest, RunsAcrossWords) {
  RowBits bits(200);
  for (int64_t row : {0, 1, 5, 62, 63, 64, 65, 127, 128, 199}) bits.Insert(row);
  EXPECT_THAT(bits.ToRuns(), ElementsAre(RowRun{0, 2}, RowRun{5, 6}, RowRun{62, 66},
                                         RowRun{127, 129}, RowRun{199, 200}));
  RowBits full(192);
  full.Insert(0);
  full.Repeat(192, 1);
  EXPECT_THAT(full.ToRuns(), ElementsAre(RowRun{0, 192}));
}

TEST(RowsTest, OperandRowsAreThoseOfTheUnrolledLoops) {
  Draw draw(1);
  Config config;
  config.arch.uop_depth = 1024;
  config.arch.inp_depth = config.arch.wgt_depth = config.arch.acc_depth = 1024;
  const Layout layout(config);
  Kernels kernels(layout);
  int past = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<uint32_t> words;
    std::vector<Uop> uops(1 + draw.UpTo(5));
    for (Uop& uop : uops) {
      uop = {draw.UpTo(300), draw.UpTo(300), draw.UpTo(300)};
      words.push_back(EncodeUop(layout, uop));
    }
    const Loops loops{1 + draw.UpTo(20), 1 + draw.UpTo(20), draw.UpTo(25), draw.UpTo(25)};
    const auto operand = static_cast<Operand>(draw.UpTo(4));
    std::set<int64_t> rows;
    for (const Uop& uop : uops)
      for (int64_t o = 0; o < loops.iter_out; ++o)
        for (int64_t i = 0; i < loops.iter_in; ++i)
          for (int64_t r = 0; r < (operand == Operand::kRequantSrc ? 3 : 1); ++r)
            rows.insert((operand == Operand::kDst   ? uop.dst
                         : operand == Operand::kWgt ? uop.wgt
                                                    : uop.src) +
                        o * loops.factor_out + i * loops.factor_in + r);
    const OperandRows& found = kernels.Rows(kernels.Intern(words), operand, loops);
    ASSERT_EQ(found.last, *rows.rbegin()) << "round " << round;
    ASSERT_EQ(found.in_range(), *rows.rbegin() < 1024);
    if (!found.in_range()) rows.clear();
    ASSERT_EQ(RowsOf(found.runs), rows) << "round " << round;
    past += !found.in_range();
  }
  EXPECT_GT(past, 5);
}

TEST(RowsTest, DeepestLoopsTakeNoTime) {
  const Layout layout{Config{}};
  Kernels kernels(layout);
  const std::vector<uint32_t> words(8192, 0);
  const int64_t kernel = kernels.Intern(words);
  const OperandRows& rows = kernels.Rows(kernel, Operand::kDst, {16383, 16383, 0, 0});
  EXPECT_THAT(rows.runs, ElementsAre(RowRun{0, 1}));
  const OperandRows& past = kernels.Rows(kernel, Operand::kDst, {16383, 16383, 2047, 2047});
  EXPECT_EQ(past.last, 2 * 16382 * 2047);
}

TEST(RowsTest, KernelsBeyondWhatIsRememberedHaveTheSameRows) {
  const Layout layout{Config{}};
  Kernels kernels(layout);
  UopMemory memory(8192);
  const std::span<uint32_t> words = memory.Load(0, 8192);
  for (int64_t i = 0; i < 8192; ++i) words[i] = EncodeUop(layout, {i % 1024 * 2, 0, 0});
  for (int64_t round = 0; round < 1000; ++round) {
    // Odd rows take the place of even ones, one more in each round.
    memory.Load(round, 1)[0] = EncodeUop(layout, {round * 2 + 1, 0, 0});
    const OperandRows& found =
        kernels.Rows(memory.Kernel(0, 1024, kernels), Operand::kDst, {1, 1, 0, 0});
    ASSERT_EQ(RowsOf(found.runs).size(), 1024);
    ASSERT_TRUE(RowsOf(found.runs).contains(round * 2 + 1)) << round;
    ASSERT_FALSE(RowsOf(found.runs).contains(round * 2)) << round;
    // What did not change since has kept its number, unless everything was forgotten.
    const int64_t whole = memory.Kernel(1024, 8192, kernels);
    ASSERT_EQ(kernels.Rows(whole, Operand::kDst, {1, 1, 0, 0}).runs.size(), 1024);
  }
  EXPECT_EQ(kernels.count(), 1001);
}

TEST(RowsTest, RangesHoldWhatTheyHold) {
  Draw draw(7);
  for (int round = 0; round < 500; ++round) {
    RangeSet set;
    std::set<int64_t> bytes;
    for (int64_t n = draw.UpTo(6); n > 0; --n) {
      const DramTile tile{draw.UpTo(60), draw.UpTo(20), draw.UpTo(30), draw.UpTo(2)};
      set.Add(tile);
      for (int64_t y = 0; y < tile.rows; ++y)
        for (int64_t x = 0; x < tile.row_bytes; ++x)
          bytes.insert(tile.address + y * tile.stride_bytes + x);
    }
    for (int tries = 0; tries < 20; ++tries) {
      const DramTile tile{draw.UpTo(60), 1 + draw.UpTo(8), draw.UpTo(12), draw.UpTo(4)};
      int64_t outside = -1;
      for (int64_t y = 0; y < tile.rows && outside < 0; ++y)
        for (int64_t x = 0; x < tile.row_bytes && outside < 0; ++x)
          if (!bytes.contains(tile.address + y * tile.stride_bytes + x))
            outside = tile.address + y * tile.stride_bytes + x;
      ASSERT_EQ(set.FirstOutside(tile), outside) << "round " << round;
    }
  }
}

TEST(RowsTest, KernelsAreKnownByTheirContent) {
  UopMemory memory(64);
  Kernels kernels(Layout{Config{}});
  auto load = [&](int64_t begin, std::vector<uint32_t> words) {
    std::ranges::copy(words, memory.Load(begin, std::ssize(words)).begin());
  };
  load(0, {1, 2, 3});
  load(10, {2, 3});
  const int64_t kernel = memory.Kernel(1, 3, kernels);
  EXPECT_EQ(memory.Kernel(10, 12, kernels), kernel);
  EXPECT_NE(memory.Kernel(0, 3, kernels), kernel);
  load(2, {7});
  EXPECT_NE(memory.Kernel(1, 3, kernels), kernel) << "loaded anew";
  load(2, {3});
  EXPECT_EQ(memory.Kernel(1, 3, kernels), kernel) << "and back";
  EXPECT_EQ(memory.FirstUnloaded(0, 12), 3);
  EXPECT_EQ(memory.FirstUnloaded(10, 12), 12);
}

TEST(RowsTest, FirstByteOfATileInARange) {
  Draw draw(2);
  for (int round = 0; round < 20000; ++round) {
    const DramTile tile{draw.UpTo(20), 1 + draw.UpTo(6), draw.UpTo(9), 1 + draw.UpTo(4)};
    const int64_t begin = draw.UpTo(60), end = begin + draw.UpTo(8);
    int64_t first = -1;
    for (int64_t y = tile.rows - 1; y >= 0; --y)
      for (int64_t x = tile.row_bytes - 1; x >= 0; --x) {
        const int64_t byte = tile.address + y * tile.stride_bytes + x;
        if (byte >= begin && byte < end && (first < 0 || byte < first)) first = byte;
      }
    ASSERT_EQ(tile.FirstIn(begin, end), first)
        << tile.address << " " << tile.row_bytes << " " << tile.stride_bytes << " " << tile.rows
        << " in " << begin << " " << end;
  }
}

/// A step that loads or stores a tile.
Step Moves(bool store, const DramTile& tile) {
  Step step;
  step.store = store;
  step.dram = tile;
  return step;
}

TEST(RowsTest, OnlySharedBytesAreIndexed) {
  const std::vector<Step> steps = {Moves(false, {0, 64, 0, 1}), Moves(true, {32, 16, 32, 3}),
                                   Moves(false, {1 << 20, 64, 0, 1}),
                                   Moves(true, {1 << 21, 64, 0, 1})};
  SharedDram dram(steps);
  EXPECT_EQ(dram.granules(), 2) << "bytes 32..63 by 16";
  EXPECT_THAT(dram.Find(steps[0].dram), ElementsAre(RowRun{0, 2}));
  EXPECT_THAT(dram.Find(steps[1].dram), ElementsAre(RowRun{0, 1}));
  EXPECT_THAT(dram.Find(steps[2].dram), ElementsAre());
  EXPECT_EQ(dram.BytesOf({1, 2}).address, 48);
  EXPECT_EQ(dram.BytesOf({1, 2}).end(), 64);
}

TEST(RowsTest, GranulesCutNoAccess) {
  SharedDram dram(std::vector{Moves(false, {4, 8, 0, 1}), Moves(true, {8, 4, 0, 1}),
                              Moves(true, {1001, 8, 0, 1}), Moves(false, {2001, 8, 0, 1})});
  EXPECT_EQ(dram.granules(), 1) << "the odd addresses are not shared";
}

TEST(RowsTest, SharedTilesMeetAsTheirBytesDo) {
  Draw draw(3);
  for (int round = 0; round < 3000; ++round) {
    std::vector<Step> steps;
    for (int i = 0; i < 6; ++i)
      steps.push_back(
          Moves(draw.OneIn(2), {draw.UpTo(40), 1 + draw.UpTo(5), draw.UpTo(9), 1 + draw.UpTo(3)}));
    SharedDram dram(steps);
    auto bytes = [](const DramTile& tile) {
      std::set<int64_t> out;
      for (int64_t y = 0; y < tile.rows; ++y)
        for (int64_t x = 0; x < tile.row_bytes; ++x)
          out.insert(tile.address + y * tile.stride_bytes + x);
      return out;
    };
    for (const Step& a : steps)
      for (const Step& b : steps) {
        if (a.store == b.store) continue;
        const std::span<const RowRun> found = dram.Find(a.dram);
        const std::set<int64_t> in_a = RowsOf(Runs(found.begin(), found.end()));
        const std::span<const RowRun> other = dram.Find(b.dram);
        bool meet = false, bytes_meet = false;
        for (int64_t row : RowsOf(Runs(other.begin(), other.end()))) meet |= in_a.contains(row);
        for (int64_t byte : bytes(b.dram)) bytes_meet |= bytes(a.dram).contains(byte);
        ASSERT_EQ(meet, bytes_meet) << "round " << round;
      }
  }
}

TEST(RowsTest, HugeSharedRangesAreCoarse) {
  // A gibibyte cut at odd addresses: granules of one byte would not do.
  SharedDram dram(std::vector{Moves(false, {1, int64_t{1} << 30, 0, 1}),
                              Moves(true, {3, int64_t{1} << 30, 0, 1})});
  EXPECT_LE(dram.granules(), (int64_t{1} << 23) + 1);
  EXPECT_EQ(dram.Find({1, 2, 0, 1}).size(), 1) << "the first granule reaches below byte 3";
  EXPECT_EQ(dram.Find({int64_t{1} << 31, 2, 0, 1}).size(), 0);
}

}  // namespace
}  // namespace vta::isa
