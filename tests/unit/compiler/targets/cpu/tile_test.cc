// Tiles of outputs: known ones, against all others, and that all fits the registers.
#include "compiler/targets/cpu/tile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace vta::compiler::targets {
namespace {

constexpr Registers kZmm{64, 32}, kYmm{32, 16}, kNeon{16, 32}, kXmm{16, 16};

int64_t VectorsOf(const Tile& tile, const Registers& registers) {
  return tile.blocks * 64 / registers.bytes;
}

/// Registers of a tile: its sums, a weight for each of its vectors of channels, and an input.
int64_t Needed(const Tile& tile, const Registers& registers) {
  return (tile.rows * tile.columns + 1) * VectorsOf(tile, registers) + 1;
}

/// Cycles, twice, of all in such tiles: products go two at a time, loads one, eight sums are on
/// their way at once, and a round costs one.
int64_t Cycles(const Tile& all, const Tile& tile, const Registers& registers) {
  const int64_t vectors = VectorsOf(tile, registers);
  int64_t cycles = 0;
  for (int64_t row = 0; row < all.rows; row += tile.rows)
    for (int64_t column = 0; column < all.columns; column += tile.columns) {
      const int64_t outputs =
          std::min(tile.rows, all.rows - row) * std::min(tile.columns, all.columns - column);
      cycles += 2 + std::max({2 * outputs * vectors, int64_t{16}, 2 * (outputs + vectors)});
    }
  return cycles * (all.blocks / tile.blocks);
}

TEST(ChooseTile, KnownOnes) {
  using Sides = std::array<int64_t, 3>;
  const auto tile = [](const Tile& all, const Registers& registers) {
    const Tile chosen = ChooseTile(all, false, registers);
    return Sides{chosen.rows, chosen.columns, chosen.blocks};
  };
  // 14 columns of 2 blocks: 28 sums, 2 weights, an input.
  EXPECT_EQ(tile({1, 56, 4}, kZmm), (Sides{1, 14, 2}));
  EXPECT_EQ(tile({1, 28, 1}, kZmm), (Sides{1, 28, 1}));
  // A block is two registers of 32 bytes, four of 16.
  EXPECT_EQ(tile({1, 6, 1}, kYmm), (Sides{1, 6, 1}));
  // Of half a block a register holds all.
  EXPECT_EQ(tile({1, 24, 1}, kYmm.With(8)), (Sides{1, 12, 1}));
  EXPECT_EQ(tile({1, 1, 1}, kXmm), (Sides{1, 1, 1}));
  EXPECT_EQ(tile({1, 1, 1}, kZmm), (Sides{1, 1, 1}));
  // Several whole rows where one does not fill the registers.
  EXPECT_EQ(tile({4, 7, 1}, kZmm), (Sides{4, 7, 1}));
}

TEST(ChooseTile, NoTileThatFitsIsFaster) {
  for (const Registers& registers : {kZmm, kYmm, kNeon, kXmm})
    for (int64_t rows : {1, 2, 3, 7})
      for (int64_t width = 1; width <= 40; ++width)
        for (int64_t blocks = 1; blocks <= 8; ++blocks) {
          const Tile all{rows, width, blocks}, chosen = ChooseTile(all, false, registers);
          SCOPED_TRACE(testing::Message() << rows << " rows of " << width << ", " << blocks
                                          << " blocks; registers of " << registers.bytes);
          ASSERT_LE(Needed(chosen, registers), registers.count);
          ASSERT_LE(Needed(ChooseTile(all, true, registers), registers), registers.count);
          ASSERT_EQ(blocks % chosen.blocks, 0);
          ASSERT_TRUE(chosen.rows == 1 || chosen.columns == width);
          const int64_t cycles = Cycles(all, chosen, registers);
          for (int64_t b = 1; b <= blocks; ++b)
            for (int64_t r = 1; r <= rows; ++r)
              for (int64_t columns = r > 1 ? width : 1; columns <= std::min<int64_t>(width, 28);
                   ++columns) {
                const Tile other{r, columns, b};
                if (blocks % b == 0 && Needed(other, registers) <= registers.count) {
                  ASSERT_LE(cycles, Cycles(all, other, registers))
                      << r << "x" << columns << "x" << b;
                }
              }
        }
}

}  // namespace
}  // namespace vta::compiler::targets
