#include "compiler/targets/vta/kernels/conv_search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/conv_tiling.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

constexpr int64_t kMostSlots = 3, kMostLoadSlots = 4;
constexpr int64_t kLineSlots = 2;  // in which lines that are kept lie

/// Which of the tile loops is the outer one, and what outlives the steps within it.
struct ConvOrder {
  bool channels_outer, keep_weights, keep_inputs;
};
constexpr ConvOrder kOrders[] = {
    {true, true, false}, {true, false, false}, {false, false, true}, {false, false, false}};

bool IsEven(int64_t extent, int64_t tile) { return CeilDiv(extent, CeilDiv(extent, tile)) == tile; }

bool HasEvenTiles(const ConvShape& s, const ConvTiling& t) {
  return IsEven(s.co, t.co) && IsEven(s.ci, t.ci) && IsEven(s.kh, t.kh) &&
         IsEven(s.result_h(), t.height) && IsEven(s.result_w(), t.width);
}

/// Whether a pair of threads can share an axis: two tiles along it at a time, in the inner loops.
bool CanThread(const ConvShape& s, const ConvTiling& t) {
  const auto pairs = [](int64_t extent, int64_t tile) { return CeilDiv(extent, tile) % 2 == 0; };
  switch (t.threads) {
    case ThreadAxis::kNone:
      return true;
    case ThreadAxis::kHeight:
      return t.channels_outer && pairs(s.result_h(), t.height);
    case ThreadAxis::kWidth:
      return t.channels_outer && pairs(s.result_w(), t.width);
    case ThreadAxis::kChannel:
      return !t.channels_outer && pairs(s.co, t.co);
  }
  VTA_CHECK(false, "an axis of threads");
}

/// What the sizes and the order of a tiling ask of the rest.
bool IsOrdered(const ConvShape& s, const ConvTiling& t) {
  const bool one_step = t.ci == s.ci && t.kh == s.kh;  // nothing else is left to outlive
  const bool keeps = t.keep_weights || t.keep_inputs;
  if (t.channels_outer ? t.keep_inputs : t.keep_weights) return false;
  if (one_step && !keeps) return false;
  // Tiles keep lines of those above them, not columns of those beside them.
  if (s.max && s.max->kept_columns() > 0 && t.width != s.result_w()) return false;
  return t.channels_outer || !KeepsLines(s, t);
}

/// Whether the program is not that of another tiling, too: threads have what they do not share
/// twice whatever the slots are, and around one tile of pixels the order of the loops is one.
bool IsCanonical(const ConvShape& s, const ConvTiling& t) {
  const bool keeps = t.keep_weights || t.keep_inputs;
  if (t.threads != ThreadAxis::kNone)
    return t.load_slots == t.slots && (t.channels_outer || keeps || t.slots == 1);
  const bool one_tile = t.height == s.result_h() && t.width == s.result_w();
  return t.channels_outer || keeps || !one_tile;
}

/// Keeps the cheapest of what is offered; of equals the first.
class ConvSearch {
 public:
  ConvSearch(const isa::Config& config, const ConvShape& shape, Hiding hiding, int64_t count)
      : config_(config),
        shape_(shape),
        hiding_(hiding),
        count_(count),
        blocks_(config, shape),
        constants_(config, shape),
        tiles_h_(TileCounts(shape.result_h())),
        tiles_w_(TileCounts(shape.result_w())) {}

  std::vector<ConvTiling> Run() {
    // Even tiles are few and good: what they cost bounds the search for the others.
    Visit(true);
    Visit(false);
    std::sort_heap(best_.begin(), best_.end());
    std::vector<ConvTiling> tilings;
    for (const Found& found : best_) tilings.push_back(found.tiling);
    return tilings;
  }

 private:
  struct Found {
    int64_t cycles, number;  // in the order in which they were found
    ConvTiling tiling;
    bool operator<(const Found& other) const {
      return std::tie(cycles, number) < std::tie(other.cycles, other.number);
    }
  };

  int64_t limit() const {
    return std::ssize(best_) < count_ ? std::numeric_limits<int64_t>::max() : best_.front().cycles;
  }

  void Visit(bool even) {
    const int64_t least_kh = shape_.padded() ? shape_.kh : 1;
    const int64_t least_width =
        shape_.max && shape_.max->kept_columns() > 0 ? shape_.result_w() : 1;
    ConvTiling t;
    for (t.kh = shape_.kh; t.kh >= least_kh; --t.kh)
      for (t.co = shape_.co; t.co >= 1; --t.co)
        for (t.ci = shape_.ci; t.ci >= 1; --t.ci) {
          const int64_t tiles_co = CeilDiv(shape_.co, t.co);
          const int64_t steps = CeilDiv(shape_.ci, t.ci) * CeilDiv(shape_.kh, t.kh);
          for (t.height = shape_.result_h(); t.height >= 1; --t.height)
            for (t.width = MostColumns(t); t.width >= least_width; --t.width) {
              const int64_t tiles = tiles_h_[t.height] * tiles_w_[t.width] * tiles_co;
              if (constants_.Least(tiles, steps) >= limit()) break;  // narrower ones are more
              if (HasEvenTiles(shape_, t) == even) TryOrders(t);
            }
        }
  }

  /// How many tiles of each size there are along an extent.
  static std::vector<int64_t> TileCounts(int64_t extent) {
    std::vector<int64_t> counts(extent + 1);
    for (int64_t size = 1; size <= extent; ++size) counts[size] = CeilDiv(extent, size);
    return counts;
  }

  /// Of tiles that may fit: one copy of what a step needs lies in the scratchpads.
  int64_t MostColumns(const ConvTiling& t) const {
    const int64_t phases = shape_.max ? shape_.max->stride_h * shape_.max->stride_w : 1;
    const int64_t pixels = std::min(config_.arch.acc_depth / (t.co * blocks_.out_parts),
                                    config_.arch.inp_depth / (t.ci * blocks_.in_parts));
    return std::min(pixels / (phases * t.height), shape_.result_w());
  }

  void TryOrders(ConvTiling t) {
    for (const ConvOrder& order : kOrders) {
      t.channels_outer = order.channels_outer;
      t.keep_weights = order.keep_weights, t.keep_inputs = order.keep_inputs;
      t.threads = ThreadAxis::kNone, t.slots = t.load_slots = 1;
      if (!IsOrdered(shape_, t) || LeastConvCycles(config_, shape_, constants_, t) >= limit())
        continue;
      for (t.threads = ThreadAxis::kNone;;
           t.threads = static_cast<ThreadAxis>(static_cast<int>(t.threads) + 1)) {
        TrySlots(t);
        if (t.threads == ThreadAxis::kChannel) break;
      }
    }
  }

  void TrySlots(ConvTiling t) {
    if (!CanThread(shape_, t)) return;
    const bool keeps_lines = KeepsLines(shape_, t);
    if (keeps_lines && t.threads != ThreadAxis::kNone) return;
    const int64_t most = keeps_lines ? kLineSlots : kMostSlots;
    for (t.slots = most; t.slots >= (keeps_lines ? kLineSlots : 1); --t.slots) TryLoadSlots(t);
  }

  /// With no fewer slots than the other buffers have for what steps load.
  void TryLoadSlots(ConvTiling t) {
    Found found{std::numeric_limits<int64_t>::max(), found_++, t};
    for (t.load_slots = t.slots; t.load_slots <= kMostLoadSlots; ++t.load_slots) {
      if (!Hides(t, hiding_)) break;  // nor do those with more slots
      if (!IsCanonical(shape_, t)) continue;
      const ConvEstimate e = EstimateConv(config_, shape_, t);
      if (!e.fits) break;  // nor do those
      if (e.cycles < found.cycles) found.cycles = e.cycles, found.tiling = t;
    }
    if (found.cycles >= limit()) return;  // or none was found
    if (std::ssize(best_) == count_) {
      std::pop_heap(best_.begin(), best_.end());
      best_.pop_back();
    }
    best_.push_back(found);
    std::push_heap(best_.begin(), best_.end());
  }

  const isa::Config& config_;
  const ConvShape& shape_;
  const Hiding hiding_;
  const int64_t count_;
  const ConvBlocks blocks_;
  const ConvConstants constants_;
  const std::vector<int64_t> tiles_h_, tiles_w_;
  std::vector<Found> best_;  // a heap, the worst at its front
  int64_t found_ = 0;
};

std::vector<int64_t> UpTo(int64_t last) {
  std::vector<int64_t> values(last);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

}  // namespace

bool Hides(const ConvTiling& t, Hiding hiding) {
  const bool threads = t.threads != ThreadAxis::kNone;
  switch (hiding) {
    case Hiding::kAny:
    case Hiding::kAlone:
      return true;
    case Hiding::kOneSlot:
      return !threads && t.slots == 1 && t.load_slots == 1;
    case Hiding::kSlots:
      return !threads;
    case Hiding::kThreads:
      return threads;
  }
  VTA_CHECK(false, "a way of hiding latency");
}

std::string Print(const ConvShape& s) {
  std::string text = StrCat("in=", s.batch, "x", s.groups, "x", s.ci, "x", s.in_h, "x", s.in_w,
                            " co=", s.co, " kernel=", s.kh, "x", s.kw);
  const auto add = [&](const std::string& name, auto value, decltype(value) usual) {
    if (value != usual) text += StrCat(" ", name, "=", value);
  };
  add("stride_h", s.stride_h, 1), add("stride_w", s.stride_w, 1);
  add("dilation_h", s.dilation_h, 1), add("dilation_w", s.dilation_w, 1);
  add("pad_top", s.pad_top, 0), add("pad_left", s.pad_left, 0);
  add("pad_bottom", s.pad_bottom, 0), add("pad_right", s.pad_right, 0);
  add("pads_by_value", s.padded() && s.pad_value != 0, false);
  add("border_rows", s.border_rows, false);
  add("weight_terms", s.weight_terms, 1), add("further_weights", s.further_weights, 0);
  add("phases_h", s.phases_h, 1), add("phases_w", s.phases_w, 1);
  add("absent_taps", s.absent_taps, false), add("absent_weights", s.absent_weights, 0);
  add("absent_products", s.absent_products, 0), add("wide_shift", s.wide_shift, false);
  add("shared_weights", s.shared_weights, false);
  if (const auto& r = s.residual)
    text += StrCat(" residual=", r->terms, r->beside() ? " beside" : "",
                   r->factor != 1 ? " scaled" : "", r->shift != 0 ? " shifted" : "");
  if (const auto& m = s.max)
    text += StrCat(" max=", m->kh, "x", m->kw, "/", m->stride_h, "x", m->stride_w);
  return text;
}

std::vector<tune::Choice> ConvChoices(const ConvShape& s) {
  const std::vector<int64_t> whether = {0, 1}, whole_kh = {s.kh};
  return {{"height", UpTo(s.result_h())},
          {"width", UpTo(s.result_w())},
          {"co", UpTo(s.co)},
          {"ci", UpTo(s.ci)},
          {"kh", s.padded() ? whole_kh : UpTo(s.kh)},
          {"channels_outer", whether},
          {"keep", whether},
          {"threads", {0, 1, 2, 3}},
          {"slots", UpTo(kMostSlots)},
          {"load_slots", UpTo(kMostLoadSlots)}};
}

tune::Point ToPoint(const ConvTiling& t) {
  return {t.height,
          t.width,
          t.co,
          t.ci,
          t.kh,
          t.channels_outer,
          t.keep_weights || t.keep_inputs,
          static_cast<int64_t>(t.threads),
          t.slots,
          t.load_slots};
}

ConvTiling ToTiling(const tune::Point& point) {
  VTA_CHECK(point.size() == 10, point.size());
  const bool outer = point[5] != 0, keep = point[6] != 0;
  return {.height = point[0],
          .width = point[1],
          .co = point[2],
          .ci = point[3],
          .kh = point[4],
          .channels_outer = outer,
          .keep_weights = outer && keep,
          .keep_inputs = !outer && keep,
          .threads = static_cast<ThreadAxis>(point[7]),
          .slots = point[8],
          .load_slots = point[9]};
}

bool IsInSpace(const isa::Config& config, const ConvShape& shape, Hiding hiding,
               const ConvTiling& t) {
  const bool lines_slots =
      !KeepsLines(shape, t) || (t.slots == kLineSlots && t.threads == ThreadAxis::kNone);
  return IsOrdered(shape, t) && CanThread(shape, t) && IsCanonical(shape, t) && lines_slots &&
         t.load_slots >= t.slots && Hides(t, hiding) && EstimateConv(config, shape, t).fits;
}

std::string Print(const ConvTiling& tiling) {
  return tune::Print(ConvChoices({}), ToPoint(tiling));
}

std::vector<ConvTiling> CheapestConvTilings(const isa::Config& config, const ConvShape& shape,
                                            Hiding hiding, int64_t count) {
  return ConvSearch(config, shape, hiding, count).Run();
}

std::vector<ConvTiling> KnownTilings::Cheapest(const isa::Config& config, const ConvShape& shape,
                                               Hiding hiding, int64_t count) {
  const std::pair key(Print(shape), hiding);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = found_.find(key);
        known != found_.end() && known->second.asked >= count) {
      const std::vector<ConvTiling>& all = known->second.tilings;
      return {all.begin(), all.begin() + std::min(std::ssize(all), count)};
    }
  }
  std::vector<ConvTiling> tilings = CheapestConvTilings(config, shape, hiding, count);
  const std::lock_guard lock(mutex_);
  found_[key] = {tilings, count};
  return tilings;
}

ConvTiling ChooseConvTiling(const isa::Config& config, const ConvShape& shape,
                            const std::string& name, const Searching& searching) {
  const auto& [hiding, known, for_cost] = searching;
  const std::vector<ConvTiling> best = known ? known->Cheapest(config, shape, hiding, 1)
                                             : CheapestConvTilings(config, shape, hiding, 1);
  if (best.empty())
    throw Error(name, "tile", "none",
                hiding == Hiding::kAny ? "the smallest must fit the scratchpads of the config"
                                       : "none that hides latency so fits the config");
  return best[0];
}

}  // namespace vta::compiler::targets
