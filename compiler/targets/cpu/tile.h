// How many outputs a kernel keeps in registers at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/lower/cpu.h"
#include "compiler/targets/cpu/intrinsics.h"

namespace vta::compiler::targets {

/// The vector registers of a CPU, and how many lanes of a block of channels lie in them.
struct Registers {
  int64_t bytes, count;
  int64_t lanes = kLanes;

  Registers With(int64_t other_lanes) const { return {bytes, count, other_lanes}; }
  /// That hold a block's lanes, of 4 bytes each.
  int64_t vectors() const { return std::max<int64_t>(lanes * 4 / bytes, 1); }
};
/// Those of the widest CPU: what tasks are cut for, so that a function fits every CPU.
inline constexpr Registers kWidest{64, 32};
Registers RegistersOf(const lower::CpuSpec& cpu);

inline constexpr int64_t kMostTileSide = 28, kMostTileBlocks = 8;

/// Outputs that lie together: `columns` neighbours of each of `rows` rows, of `blocks` blocks of 16
/// channels, of 4 bytes each.
struct Tile {
  int64_t rows, columns, blocks;
};

/// Whether a tile lies in `all` and its sums fit the registers: several rows are whole ones, blocks
/// divide those of `all`.
bool HasTile(const Tile& all, const Tile& tile, const Registers& registers);
/// Whether it makes a difference if other blocks of `all` come before other pixels.
bool HasOrder(const Tile& all, const Tile& tile);
/// What `all` takes in tiles. Units: half cycles.
int64_t TileCost(const Tile& all, const Tile& tile, bool cold, const Registers& registers);
/// Calls visit(tile) for each that there is.
void ForEachTile(const Tile& all, const Registers& registers,
                 const std::function<void(const Tile&)>& visit);

/// The tile that takes the fewest cycles for `all`: each step of the reduction reads one weight
/// vector a block and one input a column of a row, and multiplies them all. Several rows are whole
/// ones. `cold` says that the weights come from memory for the first tile. Its blocks divide those
/// of `all`; it fits the registers.
/// `whole`: its rows divide those of `all`.
Tile ChooseTile(const Tile& all, bool cold, const Registers& registers, bool whole = false);
/// Of one row: whole tiles where they cost little more, or `surely`.
Tile ChooseEven(const Tile& all, const Registers& registers, bool surely = false);

}  // namespace vta::compiler::targets
