#include "compiler/targets/cuda/tile.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compiler/lower/kernel.h"
#include "compiler/place_lives.h"
#include "isa/spec/cpu.h"

namespace vta::compiler::targets {
namespace {

// An H100: processors; warps of each that begin an instruction in a cycle; what one has for all its
// blocks.
constexpr int64_t kProcessors = 132, kSchedulers = 4;
constexpr int64_t kResidentThreads = 2048, kResidentBlocks = 32;
constexpr int64_t kResidentShared = 227 * 1024, kSharedOfBlock = 1024;
constexpr int64_t kRegisters = 65536, kRegistersOfThread = 112;
// Cycles, as they fit 1,570 kernels of 32 layers that were measured there: of a launch; of a
// block's begin and end; until what is far is there; of a team's meeting, and of 16 of its sums.
constexpr double kLaunch = 2390, kBlock = 980, kFar = 420, kMeet = 2170, kSums = 490;
// Instructions: of a step of the sum beside its products, and more of each output where these are
// not loaded four at once; of bringing an element that is looked for, and four side by side.
constexpr double kStep = 9.8, kOutput = 2.3, kBringPlace = 4, kBringQuad = 11.5;
// By how much a warp that is alone is slower than its instructions.
constexpr double kAlone = 1.12;

int64_t Ceil(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t SharedBytes(const GpuProduct& p, const GpuTile& t) {
  const int64_t steps = t.channels * p.taps * (p.channels > t.channels * t.team ? 2 : 1);
  const auto aligned = [&](int64_t elements) {
    return AlignUp(elements * p.element_bytes, lower::kWorkspaceAlignment);
  };
  return aligned(steps * t.places) + aligned(steps * t.outputs);
}

/// Cycles that the product takes, in the tile.
double CostOf(const GpuProduct& p, const GpuTile& t) {
  const auto real = [](int64_t value) { return static_cast<double>(value); };
  const int64_t tiles = p.batch * Ceil(p.outputs, t.outputs) * Ceil(p.places, t.places);
  const int64_t threads = t.threads(), warps = Ceil(threads, kWarp), steps = t.channels * p.taps;
  const int64_t fit =
      std::max<int64_t>(1, std::min({kRegisters / (kRegistersOfThread * warps * kWarp),
                                     kResidentThreads / (warps * kWarp), kResidentBlocks,
                                     kResidentShared / (SharedBytes(p, t) + kSharedOfBlock)}));
  const int64_t each = Ceil(tiles * t.team, kProcessors);  // blocks of the busiest processor
  const int64_t together = std::min(fit, each);
  const double products = real(t.thread_outputs * t.thread_places);
  const double issue =
      products + kStep + (t.thread_outputs % kQuad ? kOutput * real(t.thread_outputs) : 0);
  // Of a chunk: what brings its factors, of which some threads may have none.
  const int64_t across = std::min(t.places, threads);
  const int64_t rows = std::clamp<int64_t>(threads / across, 1, t.channels);
  const double columns =
      kBringPlace * real(Ceil(t.channels, rows) * p.taps * Ceil(t.places, across));
  const double quads = kBringQuad * real(Ceil(t.outputs * steps, kQuad * threads));
  const double busy = std::min(1.0, real(across * rows) / real(threads));
  const double all =
      real(together * warps) * (real(steps) * issue + columns * busy + quads) / real(kSchedulers);
  const double alone = kFar + kAlone * real(steps) * products + columns + quads;
  const double chunks = real(p.channels / t.team / t.channels);
  double cost =
      kLaunch + real(each) / real(together) * (chunks * std::max(all, alone) + kBlock + kFar);
  if (t.team > 1) cost += kMeet + kSums * real(t.team) * products / 16;
  return cost;
}

constexpr int64_t kMostTeam = 64, kMostChannels = 64;
constexpr int64_t kMostOwn = 64;  // elements that a thread makes

/// What a thread makes: outputs and places.
using Own = std::pair<int64_t, int64_t>;
constexpr Own kOwn[] = {{4, 4}, {8, 4}, {4, 2}, {8, 8}, {2, 4}, {4, 1}, {8, 2}};
constexpr Own kOwnOfFew[] = {{1, 1}, {2, 1}, {4, 1}, {1, 2}, {2, 2}, {4, 2}};

/// The quickest; with `whole` among those whose threads are whole warps.
std::optional<GpuTile> Quickest(const GpuProduct& p, const isa::GpuRow& gpu, bool whole) {
  std::optional<GpuTile> best;
  double least = 0;
  const std::vector<int64_t> teams = DivisorsUpTo(p.channels, gpu.has_teams ? kMostTeam : 1),
                             chunks = DivisorsUpTo(p.channels, kMostChannels);
  const auto offer = [&](GpuTile t) {
    if (whole && t.threads() % kWarp != 0) return;
    for (const int64_t team : teams)
      for (const int64_t channels : chunks) {
        t.team = team;
        t.channels = channels;
        if (!HasGpuTile(p, t, gpu)) continue;
        const double cost = CostOf(p, t);
        if (best && cost >= least) continue;
        least = cost;
        best = t;
      }
  };
  const bool few = p.places < kQuad;
  for (const auto& [own_outputs, own_places] :
       few ? std::span<const Own>(kOwnOfFew) : std::span<const Own>(kOwn))
    for (const int64_t size : {8, 16, 32, 64, 128}) {
      const int64_t outputs = std::min(size, AlignUp(p.outputs, own_outputs));
      for (const int64_t places : {1, 2, 3, 4, 8, 16, 24, 28, 32, 64}) {
        if (places % own_places != 0 || places >= p.places + own_places) continue;
        // Few tile sizes that leave little undone.
        if (AlignUp(p.places, places) - p.places > p.places / 8 + own_places) continue;
        if (outputs % own_outputs == 0) offer({outputs, places, 1, own_outputs, own_places});
      }
      if (outputs < size) break;
    }
  return best;
}

}  // namespace

std::vector<int64_t> DivisorsUpTo(int64_t of, int64_t most) {
  std::vector<int64_t> all;
  for (int64_t d = 1; d <= std::min(of, most); ++d)
    if (of % d == 0) all.push_back(d);
  return all;
}

bool HasGpuTile(const GpuProduct& p, const GpuTile& t, const isa::GpuRow& gpu) {
  const auto divides = [](int64_t part, int64_t whole) { return part > 0 && whole % part == 0; };
  if (!divides(t.thread_outputs, t.outputs) || !divides(t.thread_places, t.places)) return false;
  if (t.threads() > kMostBlockThreads || t.thread_outputs * t.thread_places > kMostOwn)
    return false;
  // Whole tiles beyond the end are nobody's.
  if (t.outputs >= p.outputs + t.thread_outputs || t.places >= p.places + t.thread_places)
    return false;
  if (!divides(t.team, p.channels) || !divides(t.channels, p.channels / t.team)) return false;
  const int64_t tiles = p.batch * Ceil(p.outputs, t.outputs) * Ceil(p.places, t.places);
  return (t.team == 1 || (gpu.has_teams && tiles <= isa::kMostGpuTeams)) &&
         SharedBytes(p, t) <= gpu.most_shared_bytes;
}

int64_t EstimateNs(const GpuProduct& product, const GpuTile& tile) {
  constexpr double kCyclesOfNs = 1.755;
  return static_cast<int64_t>(CostOf(product, tile) / kCyclesOfNs);
}

std::optional<GpuTile> ChooseGpuTile(const GpuProduct& product, const isa::GpuRow& gpu) {
  const std::optional<GpuTile> whole = Quickest(product, gpu, true);
  return whole ? whole : Quickest(product, gpu, false);
}

}  // namespace vta::compiler::targets
