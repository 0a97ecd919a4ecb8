#include "compiler/targets/cuda/tile.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/lower/kernel.h"
#include "compiler/place_lives.h"
#include "isa/spec/cpu.h"

namespace vta::compiler::targets {
namespace {

// Processors; warps of each that begin an instruction in a cycle; what one has for all its blocks.
constexpr int64_t kProcessors = 132, kSchedulers = 4;
constexpr int64_t kResidentThreads = 1024, kResidentBlocks = 16, kResidentShared = 192 * 1024;
// Cycles: of a load from far away, of one that waits for shared memory, of a block's begin and end,
// and of what a team's last block finds of the others.
constexpr double kFar = 700, kNear = 30, kBlock = 2000, kMeet = 2500;
// Instructions that bring an element that is looked for, and four that lie side by side.
constexpr double kBringPlace = 9, kBringQuad = 6;

int64_t Ceil(int64_t a, int64_t b) { return (a + b - 1) / b; }

std::vector<int64_t> Divisors(int64_t of, int64_t most) {
  std::vector<int64_t> all;
  for (int64_t d = 1; d <= std::min(of, most); ++d)
    if (of % d == 0) all.push_back(d);
  return all;
}

int64_t SharedBytes(const GpuProduct& p, const GpuTile& t) {
  const auto aligned = [&](int64_t elements) {
    return AlignUp(elements * p.element_bytes, lower::kWorkspaceAlignment);
  };
  const int64_t steps = t.channels * p.taps;
  return aligned(steps * t.places) + aligned(steps * t.outputs);
}

/// Cycles that the product takes, in the tile.
double CostOf(const GpuProduct& p, const GpuTile& t) {
  const auto real = [](int64_t value) { return static_cast<double>(value); };
  const int64_t tiles = p.batch * Ceil(p.outputs, t.outputs) * Ceil(p.places, t.places);
  const int64_t blocks = tiles * t.team, threads = t.threads(), warps = Ceil(threads, kWarp);
  const int64_t fit =
      std::max<int64_t>(1, std::min({kResidentThreads / (warps * kWarp), kResidentBlocks,
                                     kResidentShared / SharedBytes(p, t)}));
  const int64_t each = Ceil(blocks, kProcessors);  // blocks of the busiest processor
  const int64_t together = std::min(fit, each);
  // Of a step of the sum, a warp: products, and loads of four from shared memory.
  const double loads = real(Ceil(t.thread_outputs, kQuad) + Ceil(t.thread_places, kQuad));
  const double issue = real(t.thread_outputs * t.thread_places) + loads + 1;
  const double steps = real(t.channels * p.taps);
  // Of a chunk, a thread: what brings its factors.
  const double columns = real(Ceil(t.places * t.channels * p.taps, threads));
  const double quads = real(Ceil(t.outputs * t.channels * p.taps, kQuad * threads));
  const double bring = columns * kBringPlace + quads * kBringQuad;
  const double waits = kFar * (1 + (columns + quads) / real(2 * kLoadsAtOnce));
  const double chunks = real(p.channels / t.team / t.channels);
  const double alone = chunks * (steps * (issue + kNear / 9) + bring + waits) + kBlock;
  const double busy = chunks * real(warps) * (steps * issue + bring) / kSchedulers;
  const double rounds = real(Ceil(each, together));
  double cost = std::max(rounds * alone, real(each) * busy);
  if (t.team > 1)
    cost += kMeet + kFar * real(t.team * t.thread_outputs * t.thread_places) / (4 * kLoadsAtOnce);
  return cost;
}

}  // namespace

std::optional<GpuTile> ChooseGpuTile(const GpuProduct& p, int64_t most_shared_bytes) {
  GpuTile best;
  double least = -1;
  const std::vector<int64_t> channels = Divisors(p.channels, 32);
  const auto offer = [&](GpuTile t) {
    if (t.threads() > kMostBlockThreads) return;
    const int64_t tiles = p.batch * Ceil(p.outputs, t.outputs) * Ceil(p.places, t.places);
    for (t.team = 1; t.team <= std::min<int64_t>(p.channels, 64); ++t.team) {
      if (p.channels % t.team != 0 || (t.team > 1 && tiles > isa::kMostGpuTeams)) continue;
      for (const int64_t c : channels) {
        t.channels = c;
        if (p.channels / t.team % c != 0 || SharedBytes(p, t) > most_shared_bytes) continue;
        const double cost = CostOf(p, t);
        if (least >= 0 && cost >= least) continue;
        least = cost;
        best = t;
      }
    }
  };
  for (const int64_t own_outputs : {1, 2, 4, 8})
    for (const int64_t own_places : {1, 2, 4, 8})
      for (int64_t size = own_outputs; size <= 128; size *= 2) {
        const int64_t outputs = std::min(size, AlignUp(p.outputs, own_outputs));
        for (int64_t places = own_places; places <= 128; places += own_places) {
          if (places >= p.places + own_places) break;
          // Few tile sizes that leave little undone.
          if (Ceil(p.places, places) * places - p.places >= places / 4 + own_places) continue;
          offer({outputs, places, 1, own_outputs, own_places});
        }
        if (outputs < size) break;
      }
  return least < 0 ? std::nullopt : std::optional(best);
}

}  // namespace vta::compiler::targets
