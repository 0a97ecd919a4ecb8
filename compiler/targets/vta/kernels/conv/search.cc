#include "compiler/targets/vta/kernels/conv/search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/conv/tiling.h"
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

/// The sizes of a tiling, in the order in which they are looked at.
constexpr int64_t ConvTiling::*kSizes[] = {&ConvTiling::kh, &ConvTiling::co, &ConvTiling::ci,
                                           &ConvTiling::height, &ConvTiling::width};
constexpr size_t kSizeCount = std::size(kSizes);

/// Of equals the first is taken: the largest sizes, and then orders, threads and slots as they are
/// tried.
auto PlaceOf(const ConvTiling& t) {
  return std::tuple(-t.kh, -t.co, -t.ci, -t.height, -t.width, !t.channels_outer,
                    !(t.keep_weights || t.keep_inputs), t.threads, -t.slots);
}

/// Sizes along an extent that make as many tiles of it. The least of them is even.
struct AlikeSizes {
  int64_t least, most;
};
/// All of them, the largest first.
std::vector<AlikeSizes> SizesOf(int64_t extent) {
  std::vector<AlikeSizes> sizes;
  for (int64_t most = extent; most >= 1; most = sizes.back().least - 1)
    sizes.push_back({CeilDiv(extent, CeilDiv(extent, most)), most});
  return sizes;
}
std::vector<AlikeSizes> WholeOf(int64_t extent) { return {{extent, extent}}; }

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
        constants_(config, shape),
        sizes_{shape.padded() ? WholeOf(shape.kh) : SizesOf(shape.kh), SizesOf(shape.co),
               SizesOf(shape.ci), SizesOf(shape.result_h()),
               shape.max && shape.max->kept_columns() > 0 ? WholeOf(shape.result_w())
                                                          : SizesOf(shape.result_w())} {}

  std::vector<ConvTiling> Run() {
    // Even tiles are few and good: what they cost bounds the search for the others.
    ForEachEven([&](const ConvTiling& even, const ConvTiling&) {
      if (MayFit(even)) TryOrders(even, even, true);
    });
    pass_ = 1;
    ForEachEven([&](const ConvTiling& even, const ConvTiling& largest) {
      TryOthers(even, largest, even, 0);
    });
    std::sort_heap(best_.begin(), best_.end());
    std::vector<ConvTiling> tilings;
    for (const Found& found : best_) tilings.push_back(found.tiling);
    return tilings;
  }

 private:
  struct Found {
    int64_t cycles;
    int pass;
    ConvTiling tiling;
    bool operator<(const Found& other) const {
      return std::tuple(cycles, pass, PlaceOf(tiling)) <
             std::tuple(other.cycles, other.pass, PlaceOf(other.tiling));
    }
  };

  int64_t limit() const {
    return std::ssize(best_) < count_ ? std::numeric_limits<int64_t>::max() : best_.front().cycles;
  }

  /// Visits even sizes, with the largest of those of as many tiles and steps.
  template <typename F>
  void ForEachEven(const F& visit, ConvTiling even = {}, ConvTiling largest = {},
                   size_t size = 0) const {
    if (size == kSizeCount) return visit(even, largest);
    for (const AlikeSizes& alike : sizes_[size]) {
      even.*kSizes[size] = alike.least, largest.*kSizes[size] = alike.most;
      ForEachEven(visit, even, largest, size + 1);
    }
  }

  /// Tries all sizes from the even ones up to the largest, but those themselves, of which the first
  /// are decided. Where the first of them cannot be among the cheapest, nor can the others: each
  /// costs no less, and needs as much. Returns whether it can.
  bool TryOthers(const ConvTiling& even, const ConvTiling& largest, ConvTiling t, size_t decided) {
    if (decided == kSizeCount) return MayFit(t) && TryOrders(t, largest, t != even);
    int64_t& size = t.*kSizes[decided];
    for (const int64_t first = size; size <= largest.*kSizes[decided]; ++size)
      if (!TryOthers(even, largest, t, decided + 1)) return size > first;
    return true;
  }

  /// One copy of what a step needs lies in the scratchpads.
  bool MayFit(const ConvTiling& t) const {
    const int64_t phases = shape_.max ? shape_.max->stride_h * shape_.max->stride_w : 1;
    const int64_t pixels = phases * t.height * t.width;
    return pixels * t.co * constants_.blocks.out_parts <= config_.arch.acc_depth &&
           pixels * t.ci * constants_.blocks.in_parts <= config_.arch.inp_depth;
  }

  /// Whether tilings of sizes from these up to the largest, which make as many tiles and steps, may
  /// be among the cheapest. If so, and if wanted, those of these are tried.
  bool TryOrders(ConvTiling t, const ConvTiling& largest, bool wanted) {
    bool may_be = false;
    for (const ConvOrder& order : kOrders) {
      t.channels_outer = order.channels_outer;
      t.keep_weights = order.keep_weights, t.keep_inputs = order.keep_inputs;
      if (!IsOrdered(shape_, t) ||
          LeastConvCycles(config_, shape_, constants_, t, largest) > limit())
        continue;
      may_be = true;
      if (!wanted) break;
      for (t.threads = ThreadAxis::kNone;;
           t.threads = static_cast<ThreadAxis>(static_cast<int>(t.threads) + 1)) {
        TrySlots(t);
        if (t.threads == ThreadAxis::kChannel) break;
      }
    }
    return may_be;
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
    Found found{std::numeric_limits<int64_t>::max(), pass_, t};
    for (t.load_slots = t.slots; t.load_slots <= kMostLoadSlots; ++t.load_slots) {
      if (!Hides(t, hiding_)) break;  // nor do those with more slots
      if (!IsCanonical(shape_, t)) continue;
      const ConvEstimate e = EstimateConv(config_, shape_, constants_, t);
      if (!e.fits) break;  // nor do those
      if (e.cycles < found.cycles) found.cycles = e.cycles, found.tiling = t;
    }
    if (found.cycles == std::numeric_limits<int64_t>::max()) return;
    if (std::ssize(best_) == count_) {
      if (!(found < best_.front())) return;
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
  const ConvConstants constants_;
  const std::vector<AlikeSizes> sizes_[kSizeCount];  // as kSizes
  int pass_ = 0;                                     // of even sizes, of others
  std::vector<Found> best_;                          // a heap, the worst at its front
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
  add("border_rows", s.border_rows, false), add("border_scales", s.border_scales, false);
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
  if (s.bend)
    text +=
        StrCat(" bend=", static_cast<int>(s.bend->join), s.bend->correction ? " corrected" : "");
  add("table", s.table, false);
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
