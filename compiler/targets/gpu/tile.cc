#include "compiler/targets/gpu/tile.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compiler/lower/kernel.h"
#include "compiler/memory_planner.h"
#include "compiler/targets/codes.h"
#include "isa/spec/cpu.h"

namespace vta::compiler::targets {
namespace {

// An H100: processors; warps of each that begin an instruction in a cycle; what one has for all its
// blocks.
constexpr int64_t kProcessors = 132, kSchedulers = 4;
constexpr int64_t kResidentThreads = 2048, kResidentBlocks = 32;
constexpr int64_t kResidentShared = 227 * 1024, kSharedOfBlock = 1024;
constexpr int64_t kRegisters = 65536, kRegistersOfThread = 112;
// Cycles, as they fit 1,570 kernels of 32 layers that were measured there, of threads: of a launch;
// of a block's begin and end; until what is far is there; of a team's meeting, and of 16 of its
// sums.
constexpr double kLaunch = 2390, kBlock = 980, kFar = 420, kMeet = 2170, kSums = 490;
// Instructions: of a step of the sum beside its products, and more of each output where these are
// not loaded four at once; of bringing an element that is looked for, and four side by side.
constexpr double kStep = 9.8, kOutput = 2.3, kBringPlace = 4, kBringQuad = 11.5;
// By how much a warp that is alone is slower than its instructions.
constexpr double kAlone = 1.12;

int64_t Ceil(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// What a channel has in shared memory of the lines that a tile needs.
int64_t ColumnsOfLines(const GpuProduct& p, const GpuTile& t) {
  const LinesOfTile lines = LinesOf(p, t);
  return p.lines->lines_for(lines.lines) * p.lines->stride * p.lines->places_for(lines.beside);
}

/// How far apart a channel's columns are from the next one's: of a warp's threads each has a bank
/// to itself.
int64_t ColumnsApart(const GpuProduct& p, const GpuTile& t) {
  if (!t.tensor && p.rows) return t.places + (kBanks + kQuad - t.places % kBanks) % kBanks;
  if (!t.tensor) return t.places * p.taps;
  const int64_t own = p.lines ? ColumnsOfLines(p, t) : t.places;
  const int64_t apart = own + (kBanks + kTensorRows - own % kBanks) % kBanks;
  return p.lines ? apart : apart * p.taps;
}

int64_t WeightBytes(const GpuProduct& p, const GpuTile& t) {
  return t.tensor && p.precision == isa::Precision::kFp16 ? 2 : p.element_bytes;
}

/// Of a column's channel in shared memory.
int64_t ColumnBytes(const GpuProduct& p, const GpuTile& t) {
  constexpr int64_t kWordBytes = 4;
  return t.tensor ? kWordBytes / p.in_word : p.element_bytes;
}

int64_t SharedBytes(const GpuProduct& p, const GpuTile& t) {
  const int64_t channels = t.channels * std::min(t.stages, p.channels / (t.channels * t.team));
  const auto aligned = [](int64_t bytes) { return AlignUp(bytes, lower::kWorkspaceAlignment); };
  return aligned(channels * ColumnsApart(p, t) * ColumnBytes(p, t)) +
         aligned(channels * p.taps * t.outputs * WeightBytes(p, t));
}

/// Machines without warps' products of floats need not have more than code says itself.
int64_t MostSharedBytes(const GpuProduct& p, const GpuTile& t, const isa::GpuRow& gpu) {
  const bool more = t.tensor && p.precision != isa::Precision::kFp32;
  return more ? gpu.most_shared_bytes : std::min(gpu.most_shared_bytes, isa::kMostStaticBytes);
}

int64_t MostStages(const isa::GpuRow& gpu) {
  return gpu.copies_aside ? kMostStages : kFewestStages;
}

int64_t TilesOf(const GpuProduct& p, const GpuTile& t) {
  int64_t places = Ceil(p.places, t.places);
  if (t.tensor && p.lines) {
    const LinesOfTile lines = LinesOf(p, t);
    places = Ceil(p.lines->height, lines.lines) * Ceil(p.lines->width, lines.beside);
  }
  return p.batch * Ceil(p.outputs, t.outputs) * places;
}

double Real(int64_t value) { return static_cast<double>(value); }

/// What threads bring together: so many units of so many channels.
struct Bringing {
  Bringing(int64_t units, int64_t times, int64_t channels, int64_t threads) {
    const int64_t across = std::min(units, threads);
    const int64_t rows = std::clamp<int64_t>(threads / across, 1, channels);
    each = Real(Ceil(channels, rows) * times * Ceil(units, across));
    busy = std::min(1.0, Real(across * rows) / Real(threads));
  }
  double each;  // of a thread that brings the most
  double busy;  // which share of them bring some
};

/// Blocks of a processor: at the same time at most `fit`, of the busiest one `each`.
struct Blocks {
  Blocks(const GpuProduct& p, const GpuTile& t, int64_t registers) {
    const int64_t threads = AlignUp(t.threads(), kWarp);
    fit = std::max<int64_t>(
        1, std::min({kRegisters / (registers * threads), kResidentThreads / threads,
                     kResidentBlocks, kResidentShared / (SharedBytes(p, t) + kSharedOfBlock)}));
    each = Ceil(TilesOf(p, t) * t.team, kProcessors);
    together = std::min(fit, each);
  }
  int64_t fit, each, together;
  double rounds() const { return Real(each) / Real(together); }
};

/// Cycles that the product takes, in a tile of threads.
double CostOfThreads(const GpuProduct& p, const GpuTile& t) {
  const Blocks blocks(p, t, kRegistersOfThread);
  const int64_t threads = t.threads(), warps = Ceil(threads, kWarp), steps = t.channels * p.taps;
  const double products = Real(t.thread_outputs * t.thread_places);
  const double issue =
      products + kStep + (t.thread_outputs % kQuad ? kOutput * Real(t.thread_outputs) : 0);
  const Bringing places(t.places, p.taps, t.channels, threads);
  const double columns = kBringPlace * places.each;
  const double quads = kBringQuad * Real(Ceil(t.outputs * steps, kQuad * threads));
  const double all = Real(blocks.together * warps) *
                     (Real(steps) * issue + columns * places.busy + quads) / Real(kSchedulers);
  const double alone = kFar + kAlone * Real(steps) * products + columns + quads;
  const double chunks = Real(p.channels / t.team / t.channels);
  double cost = kLaunch + blocks.rounds() * (chunks * std::max(all, alone) + kBlock + kFar);
  if (t.team > 1) cost += kMeet + kSums * Real(t.team) * products / 16;
  return cost;
}

/// The same of warps.
double CostOfWarps(const GpuProduct& p, const GpuTile& t) {
  // Cycles, as they fit 5,900 kernels of 32 layers that were measured.
  constexpr double kBlock = 3051, kFar = 347, kMeet = 2715, kSums = 734;
  // Instructions: of a step, of each of its matrices of weights, and of its places; of bringing an
  // element of columns, of lines, of taps that are channels where threads do not all have one
  // channel at a time, four side by side, and 16 bytes of weights.
  constexpr double kStep = 9.8, kWeights = 6.2, kPlaces = 2.5;
  constexpr double kColumn = 17.4, kLine = 19.4, kTapApart = 52, kQuadOfPlaces = 53.6,
                   kBringWeights = 33.8;
  // By how much what is brought is slower, or quicker, in a block that is alone.
  constexpr double kColumnsAlone = 1.9, kWeightsAlone = 0.25;
  constexpr double kBytesOfCycle = 4223;  // that all processors are brought
  constexpr double kMoreStages = 0.97;    // what more stages than the fewest leave of it
  constexpr double kLeastRegisters = 25, kRegistersOfSum = 10;
  constexpr int64_t kRegistersAtOnce = 8;
  const TensorStep step = TensorStepOf(p);
  const int64_t own = t.thread_outputs * t.thread_places, threads = t.threads();
  const auto registers = static_cast<int64_t>(kLeastRegisters + kRegistersOfSum * Real(own));
  const Blocks blocks(p, t, std::min(AlignUp(registers, kRegistersAtOnce), isa::kMostGpuRegisters));
  const double steps = Real(t.channels / step.channels() * p.taps);
  const double issue = kStep + kWeights * Real(t.thread_outputs) / 2 +
                       kPlaces * Real(t.thread_places / 2 * step.pairs * step.beside / p.in_word);
  const bool quads = p.quads && t.places % kQuad == 0;
  const int64_t units = p.lines ? ColumnsOfLines(p, t) : quads ? t.places / kQuad : t.places;
  const Bringing places(units, p.lines ? 1 : p.taps, t.channels / p.in_word, threads);
  const bool apart = p.of_tap > 0 && (t.places < threads || t.channels > kLoadsAtOnce * p.in_word);
  const double column = p.lines ? kLine : apart ? kTapApart : quads ? kQuadOfPlaces : kColumn;
  const double columns = column * places.each;
  const int64_t weight_bytes = t.channels * p.taps * t.outputs * WeightBytes(p, t);
  const double weights = kBringWeights * Real(Ceil(weight_bytes, isa::kGpuAccessBytes * threads));
  const double all = Real(blocks.together * threads / kWarp) *
                     (steps * issue + columns * places.busy + weights) / Real(kSchedulers);
  const double alone = kFar + kColumnsAlone * columns + kWeightsAlone * weights;
  const double chunks = Real(p.channels / t.team / t.channels);
  const double brought =
      Real(TilesOf(p, t) * t.team) * chunks *
      Real(weight_bytes + t.channels * ColumnBytes(p, t) * (p.lines ? units : t.places * p.taps)) /
      kBytesOfCycle;
  double cost =
      std::max(blocks.rounds() * (chunks * std::max(all, alone) + kBlock + kFar), brought);
  if (t.stages > kFewestStages) cost *= kMoreStages;
  if (t.team > 1) cost += kMeet + kSums * Real(t.team * own) / 16;
  return cost;
}

double CostOf(const GpuProduct& p, const GpuTile& t) {
  return t.tensor ? CostOfWarps(p, t) : CostOfThreads(p, t);
}

constexpr int64_t kMostTeam = 64, kMostChannels = 64, kMostTensorChannels = 256;
constexpr int64_t kMostOwn = 64;  // elements that a thread makes

/// What a thread makes: outputs and places.
using Own = std::pair<int64_t, int64_t>;
constexpr Own kOwn[] = {{4, 4}, {8, 4}, {4, 2}, {8, 8}, {2, 4}, {4, 1}, {8, 2}};
constexpr Own kOwnOfFew[] = {{1, 1}, {2, 1}, {4, 1}, {1, 2}, {2, 2}, {4, 2}};

constexpr int64_t kTensorOwn[] = {2, 4, 8}, kTensorOwnPlaces[] = {2, 4, 8, 16};
constexpr int64_t kMostWarps = 8;

/// Teams and chunks of channels beside a tile's sides: the quickest of all that were offered.
class Offers {
 public:
  Offers(const GpuProduct& p, const isa::GpuRow& gpu, int64_t most_channels,
         std::vector<int64_t> stages)
      : p_(p),
        gpu_(gpu),
        stages_(std::move(stages)),
        teams_(DivisorsUpTo(p.channels, gpu.has_teams ? kMostTeam : 1)),
        chunks_(DivisorsUpTo(p.channels, most_channels)) {}

  void Offer(GpuTile t) {
    for (const int64_t team : teams_)
      for (const int64_t channels : chunks_)
        for (const int64_t stages : stages_) {
          t.team = team;
          t.channels = channels;
          t.stages = stages;
          if (!HasGpuTile(p_, t, gpu_)) break;
          const double cost = CostOf(p_, t);
          if (best_ && cost >= least_) continue;
          least_ = cost;
          best_ = t;
        }
  }
  const std::optional<GpuTile>& best() const { return best_; }
  double least() const { return least_; }

 private:
  const GpuProduct& p_;
  const isa::GpuRow& gpu_;
  const std::vector<int64_t> stages_, teams_, chunks_;
  std::optional<GpuTile> best_;
  double least_ = 0;
};

/// Of those that warps make.
void OfferTensors(Offers& offers) {
  for (const int64_t own_outputs : kTensorOwn)
    for (const int64_t own_places : kTensorOwnPlaces)
      for (int64_t along = 1; along <= kMostWarps; along *= 2)
        for (int64_t across = 1; along * across <= kMostWarps; ++across)
          offers.Offer({.outputs = along * own_outputs * kTensorRows,
                        .places = across * own_places * kTensorThreads,
                        .thread_outputs = own_outputs,
                        .thread_places = own_places,
                        .tensor = true});
}

/// Of those that threads make, with `whole` of whole warps.
void OfferThreads(const GpuProduct& p, bool whole, Offers& offers) {
  const bool few = p.places < kQuad;
  for (const auto& [own_outputs, own_places] :
       few ? std::span<const Own>(kOwnOfFew) : std::span<const Own>(kOwn))
    for (const int64_t size : {8, 16, 32, 64, 128}) {
      const int64_t outputs = std::min(size, AlignUp(p.outputs, own_outputs));
      for (const int64_t places : {1, 2, 3, 4, 8, 16, 24, 28, 32, 64}) {
        if (places % own_places != 0 || places >= p.places + own_places) continue;
        // Few tile sizes that leave little undone.
        if (AlignUp(p.places, places) - p.places > p.places / 8 + own_places) continue;
        const GpuTile tile{outputs, places, 1, own_outputs, own_places};
        if (outputs % own_outputs == 0 && (!whole || tile.threads() % kWarp == 0))
          offers.Offer(tile);
      }
      if (outputs < size) break;
    }
}

}  // namespace

std::vector<int64_t> StagesOf(const isa::GpuRow& gpu) {
  std::vector<int64_t> stages = {kFewestStages};
  while (stages.back() < MostStages(gpu)) stages.push_back(2 * stages.back());
  return stages;
}

std::vector<int64_t> DivisorsUpTo(int64_t of, int64_t most) {
  std::vector<int64_t> all;
  for (int64_t d = 1; d <= std::min(of, most); ++d)
    if (of % d == 0) all.push_back(d);
  return all;
}

bool GpuProduct::has_tensor() const {
  return in_warps && outputs >= kTensorOutputs && places >= kTensorPlaces &&
         channels % TensorStepOf(*this).channels() == 0;
}

TensorStep TensorStepOf(const GpuProduct& product) {
  const bool codes = product.element_bytes == 1;
  if (!codes && product.precision != isa::Precision::kFp16) return {2, 1};
  const int64_t beside = codes ? 4 : 2;
  return {product.channels % TensorStep{2, beside}.channels() == 0 ? 2 : 1, beside};
}

LinesOfTile LinesOf(const GpuProduct& p, const GpuTile& t) {
  const int64_t width = AlignUp(p.lines->width, kTensorPlaces);
  LinesOfTile lines{std::max<int64_t>(t.places / width, 1), std::min(t.places, width), 1, 1};
  const int64_t steps = t.thread_places * kTensorThreads / kTensorPlaces;
  lines.own_steps = std::gcd(steps, lines.beside / kTensorPlaces);
  lines.own_lines = steps / lines.own_steps;
  return lines;
}

namespace {
/// Whether lines are cut into whole parts.
bool HasLines(const GpuProduct& p, const GpuTile& t) {
  const LinesOfTile lines = LinesOf(p, t);
  return lines.lines * lines.beside == t.places && lines.lines % lines.own_lines == 0 &&
         lines.lines < p.lines->height + lines.own_lines;
}

bool HasTensorTile(const GpuProduct& p, const GpuTile& t) {
  const auto divides = [](int64_t part, int64_t whole) { return whole % part == 0; };
  return p.has_tensor() && divides(kTensorOutputs / kTensorRows, t.thread_outputs) &&
         divides(kTensorPlaces / kTensorThreads, t.thread_places) &&
         divides(t.outputs_step(), t.outputs) && divides(t.places_step(), t.places) &&
         (!p.lines || HasLines(p, t)) && divides(TensorStepOf(p).channels(), t.channels);
}
}  // namespace

bool HasGpuTile(const GpuProduct& p, const GpuTile& t, const isa::GpuRow& gpu) {
  const auto divides = [](int64_t part, int64_t whole) { return part > 0 && whole % part == 0; };
  if (!divides(t.thread_outputs, t.outputs) || !divides(t.thread_places, t.places)) return false;
  if (t.threads() > kMostBlockThreads || t.thread_outputs * t.thread_places > kMostOwn)
    return false;
  if (t.tensor && !HasTensorTile(p, t)) return false;
  if (p.of_tap > 0 && !t.tensor) return false;
  if (!divides(p.out_word, t.thread_outputs)) return false;
  if (p.together > 0 && !divides(t.outputs, p.together)) return false;
  // Whole tiles beyond the end are nobody's.
  if (t.outputs >= p.outputs + t.outputs_step()) return false;
  if (!(t.tensor && p.lines) && t.places >= p.places + t.places_step()) return false;
  if (!divides(t.team, p.channels) || !divides(t.channels, p.channels / t.team)) return false;
  const int64_t chunks = p.channels / (t.channels * t.team);
  if (t.stages < kFewestStages ||
      t.stages > std::max(std::min(MostStages(gpu), chunks), kFewestStages))
    return false;
  const int64_t tiles = TilesOf(p, t);
  return (t.team == 1 || (gpu.has_teams && tiles <= isa::kMostGpuTeams)) &&
         SharedBytes(p, t) <= MostSharedBytes(p, t, gpu);
}

int64_t EstimateNs(const GpuProduct& product, const GpuTile& tile) {
  constexpr double kCyclesOfNs = 1.755;
  return static_cast<int64_t>(CostOf(product, tile) / kCyclesOfNs);
}

std::optional<GpuTile> ChooseGpuTile(const GpuProduct& product, const isa::GpuRow& gpu) {
  Offers offers(product, gpu, kMostChannels, {kFewestStages});
  for (const bool whole : {true, false})
    if (!offers.best()) OfferThreads(product, whole, offers);
  if (!product.has_tensor()) return offers.best();
  Offers tensors(product, gpu, kMostTensorChannels, StagesOf(gpu));
  OfferTensors(tensors);
  return tensors.best() && (!offers.best() || tensors.least() < offers.least()) ? tensors.best()
                                                                                : offers.best();
}

}  // namespace vta::compiler::targets
