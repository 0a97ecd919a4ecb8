#include "compiler/targets/cuda/tile.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/lower/kernel.h"
#include "compiler/place_lives.h"

namespace vta::compiler::targets {
namespace {

// Processors, and what each does in a cycle: products, and words of a warp from shared memory.
constexpr int64_t kProcessors = 132, kProducts = 128;
constexpr double kWarpsToHide = 4;  // each other's latency
constexpr double kBringCycles = 600, kBringInstructions = 10;

std::vector<int64_t> Divisors(int64_t of, int64_t most) {
  std::vector<int64_t> all;
  for (int64_t d = 1; d <= std::min(of, most); ++d)
    if (of % d == 0) all.push_back(d);
  return all;
}

/// Of some channels of a tile: columns, and weights whose rows begin in different banks.
int64_t SharedBytes(const GpuProduct& p, int64_t outputs, int64_t places, int64_t channels) {
  const auto aligned = [](int64_t bytes) { return AlignUp(bytes, lower::kWorkspaceAlignment); };
  const int64_t steps = channels * p.taps, row = steps + kWarp;
  return aligned(places * steps * p.element_bytes) + aligned(outputs * row * p.element_bytes);
}

/// Cycles that the product takes, in the tile.
double CostOf(const GpuProduct& p, const GpuTile& t) {
  const auto ceil = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  const int64_t blocks = p.batch * (p.outputs / t.outputs) * (p.places / t.places);
  const int64_t warps = ceil(t.threads(), kWarp);
  const double resident = static_cast<double>(warps) *
                          static_cast<double>(std::clamp<int64_t>(ceil(blocks, kProcessors), 1, 4));
  const double together = resident / static_cast<double>(warps);
  // Of a step of the sum: products beside loads from shared memory.
  const double products =
      static_cast<double>(warps * kWarp * t.thread_outputs * t.thread_places) / kProducts;
  const double loads = static_cast<double>(warps * (t.thread_outputs + t.thread_places));
  const double step = std::max(products, loads) * std::max(1.0, kWarpsToHide / resident);
  // Of some steps together: what brings their factors, and until it is there.
  const auto steps = static_cast<double>(t.channels * p.taps);
  const double waits =
      static_cast<double>(ceil(ceil(t.outputs * t.channels * p.taps, t.threads()), kLoadsAtOnce));
  const double bring =
      kBringCycles * (waits + 1) / together +
      kBringInstructions * static_cast<double>(t.outputs + t.places) * steps / kProducts;
  return static_cast<double>(ceil(blocks, kProcessors)) *
         (static_cast<double>(p.channels * p.taps) * (step + bring / steps));
}

}  // namespace

std::optional<GpuTile> ChooseGpuTile(const GpuProduct& p) {
  GpuTile best;
  double least = -1;
  for (const int64_t outputs : Divisors(p.outputs, 64))
    for (const int64_t places : Divisors(p.places, 128))
      for (const int64_t own_outputs : Divisors(outputs, 8))
        for (const int64_t own_places : Divisors(places, 8)) {
          GpuTile t{outputs, places, 1, own_outputs, own_places};
          if (t.threads() > kMostBlockThreads || places > t.threads() ||
              own_outputs * own_places > 64)
            continue;
          t.channels = 0;
          for (const int64_t channels : Divisors(p.channels, 32))
            if (SharedBytes(p, outputs, places, channels) <= p.most_shared_bytes)
              t.channels = channels;
          if (t.channels == 0) continue;
          const double cost = CostOf(p, t);
          if (least >= 0 && cost >= least) continue;
          least = cost;
          best = t;
        }
  return least < 0 ? std::nullopt : std::optional(best);
}

}  // namespace vta::compiler::targets
