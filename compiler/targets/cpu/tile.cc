#include "compiler/targets/cpu/tile.h"

#include <algorithm>

#include "compiler/targets/cpu/layout.h"

namespace vta::compiler::targets {
namespace {

bool Has(const lower::CpuSpec& cpu, std::string_view feature) {
  return std::find(cpu.features.begin(), cpu.features.end(), feature) != cpu.features.end();
}

/// The tile of the fewest cycles, of such the one of the fewest loads.
struct Cheapest {
  const Tile& all;
  bool cold;
  const Registers& registers;
  Tile tile{1, 1, 1};
  int64_t cycles = INT64_MAX;

  void Consider(const Tile& t) {
    const auto loads = [](const Tile& of) { return of.rows * of.columns + of.blocks; };
    const int64_t mine = TileCost(all, t, cold, registers);
    if (mine > cycles || (mine == cycles && loads(t) >= loads(tile))) return;
    cycles = mine, tile = t;
  }
};

}  // namespace

Registers RegistersOf(const lower::CpuSpec& cpu) {
  if (Has(cpu, "avx512f")) return kWidest;
  if (Has(cpu, "avx2")) return {32, 16};
  if (cpu.arch == "aarch64") return {16, 32};
  return {16, 16};
}

bool HasTile(const Tile& all, const Tile& t, const Registers& registers) {
  return t.rows <= all.rows && t.columns <= all.columns && t.blocks <= all.blocks &&
         all.blocks % t.blocks == 0 && (t.rows == 1 || t.columns == all.columns) &&
         (t.rows * t.columns + 1) * t.blocks * registers.vectors() + 1 <= registers.count;
}

bool HasOrder(const Tile& all, const Tile& tile) {
  return all.blocks > tile.blocks && (all.rows > tile.rows || all.columns > tile.columns);
}

int64_t TileCost(const Tile& all, const Tile& t, bool cold, const Registers& registers) {
  const int64_t vectors = registers.vectors();
  // Twice the cycles of a step: a multiply-add of each vector, at least as many as wait for the one
  // before, beside the loads, which go one at a time; and the loop's own. Memory brings 4 bytes a
  // cycle.
  constexpr int64_t kInFlight = 8, kRound = 2;
  const int64_t from_memory = 2 * registers.lanes * 4 / 4;
  const auto step = [&](int64_t outputs, int64_t b) {
    if (outputs == 0) return int64_t{0};
    return kRound +
           std::max({2 * outputs * b * vectors, 2 * kInFlight, 2 * (outputs + b * vectors)});
  };
  const int64_t full = step(t.rows * t.columns, t.blocks);
  int64_t cycles = all.columns / t.columns * full + step(all.columns % t.columns, t.blocks);
  cycles = all.rows / t.rows * cycles + step(all.rows % t.rows * t.columns, t.blocks);
  if (cold) cycles += std::max<int64_t>(from_memory * t.blocks - full, 0);
  return cycles * (all.blocks / t.blocks);
}

void ForEachTile(const Tile& all, const Registers& registers,
                 const std::function<void(const Tile&)>& visit) {
  const auto consider = [&](const Tile& t) {
    if (HasTile(all, t, registers)) visit(t);
  };
  for (int64_t b = 1; b <= std::min(all.blocks, kMostTileBlocks); ++b) {
    for (int64_t columns = std::min(all.columns, kMostTileSide); columns >= 1; --columns)
      consider({1, columns, b});
    for (int64_t rows = 2; rows <= std::min(all.rows, kMostTileSide); ++rows)
      consider({rows, all.columns, b});
  }
}

Tile ChooseTile(const Tile& all, bool cold, const Registers& registers, bool whole) {
  Cheapest cheapest{all, cold, registers};
  ForEachTile(all, registers, [&](const Tile& t) {
    if (!whole || all.rows % t.rows == 0) cheapest.Consider(t);
  });
  return cheapest.tile;
}

Tile ChooseEven(const Tile& all, const Registers& registers, bool surely) {
  constexpr int64_t kWorthPercent = 25;  // what a step takes that asks of each row if it is there
  Cheapest even{all, false, registers};
  ForEachTile(all, registers, [&](const Tile& t) {
    if (t.rows == 1 && all.columns % t.columns == 0) even.Consider(t);
  });
  if (surely) return even.tile;
  const Tile any = ChooseTile(all, false, registers);
  const int64_t least = TileCost(all, any, false, registers);
  return 100 * even.cycles > (100 + kWorthPercent) * least ? any : even.tile;
}

}  // namespace vta::compiler::targets
