#include "compiler/targets/cpu/tile.h"

#include <algorithm>

#include "compiler/targets/cpu/keep.h"

namespace vta::compiler::targets {
namespace {

bool Has(const lower::CpuSpec& cpu, std::string_view feature) {
  return std::find(cpu.features.begin(), cpu.features.end(), feature) != cpu.features.end();
}

}  // namespace

Registers RegistersOf(const lower::CpuSpec& cpu) {
  if (Has(cpu, "avx512f")) return kWidest;
  if (Has(cpu, "avx2")) return {32, 16};
  if (cpu.arch == "aarch64") return {16, 32};
  return {16, 16};
}

Tile ChooseTile(const Tile& all, bool cold, const Registers& registers) {
  const int64_t vectors = std::max<int64_t>(kLanes * 4 / registers.bytes, 1);  // of a block
  // Twice the cycles of a step: a multiply-add of each vector, at least as many as wait for the one
  // before, beside the loads, which go one at a time; and the loop's own. Memory brings 4 bytes a
  // cycle.
  constexpr int64_t kInFlight = 8, kRound = 2, kFromMemory = 2 * kLanes * 4 / 4;
  const auto step = [&](int64_t outputs, int64_t b) {
    if (outputs == 0) return int64_t{0};
    return kRound +
           std::max({2 * outputs * b * vectors, 2 * kInFlight, 2 * (outputs + b * vectors)});
  };
  Tile best{1, 1, 1};
  int64_t least = INT64_MAX;
  const auto consider = [&](const Tile& t) {
    const int64_t outputs = t.rows * t.columns, full = step(outputs, t.blocks);
    if ((outputs + 1) * t.blocks * vectors + 1 > registers.count) return;
    int64_t cycles = all.columns / t.columns * full + step(all.columns % t.columns, t.blocks);
    cycles = all.rows / t.rows * cycles + step(all.rows % t.rows * t.columns, t.blocks);
    if (cold) cycles += std::max<int64_t>(kFromMemory * t.blocks - full, 0);
    cycles *= all.blocks / t.blocks;
    if (cycles > least ||
        (cycles == least && outputs + t.blocks >= best.rows * best.columns + best.blocks))
      return;
    least = cycles, best = t;
  };
  for (int64_t b = 1; b <= std::min<int64_t>(all.blocks, 8); ++b) {
    if (all.blocks % b != 0) continue;
    for (int64_t columns = std::min<int64_t>(all.columns, 28); columns >= 1; --columns)
      consider({1, columns, b});
    for (int64_t rows = 2; rows <= std::min<int64_t>(all.rows, 28); ++rows)
      consider({rows, all.columns, b});
  }
  return best;
}

}  // namespace vta::compiler::targets
