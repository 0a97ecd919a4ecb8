// How many taps of a window are put side by side for a convolution of few channels: by the cycles
// of its program and the time in which the host packs its input.
#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/graph/ops.h"
#include "compiler/targets/vta/kernels/conv/search.h"
#include "compiler/targets/vta/kernels/conv/tiling.h"
#include "compiler/targets/vta/kernels/conv/workload.h"
#include "compiler/targets/vta/target.h"
#include "isa/support/plural.h"

namespace vta::compiler::targets {
namespace {

/// What a core of a board packs, whichever board: that of a Cortex-A53 at 1.2 GHz, for which
/// llvm-mca counts 0.83 bytes a cycle in the kernel of ResNet-18's first window.
constexpr int64_t kHostBytesPerMicrosecond = 1000;

/// A fold, what it makes the host write, and the cycles of the program, where they are known: a
/// bound before.
struct Candidate {
  WindowFold fold;
  ConvShape shape;
  int64_t bytes = 0, cycles = 0;

  int64_t Nanoseconds(const isa::Config& config) const {
    return cycles * 1000 / config.uarch.clock_mhz + bytes * 1000 / kHostBytesPerMicrosecond;
  }
  std::string Costs(const isa::Config& config) const {
    return StrCat(CountedWithCommas(cycles, "cycle"), " and ", CountedWithCommas(bytes, "byte"),
                  " to pack, ", WithCommas(Nanoseconds(config) / 1000), " us");
  }
};

/// Of what the host packs, pads included.
int64_t PackedBytes(const isa::Config& config, const ConvShape& s) {
  return s.batch * s.ci * (s.in_h + s.pad_top + s.pad_bottom) *
         (s.in_w + s.pad_left + s.pad_right) * ChannelBlocks(config).in_parts * config.inp_bytes();
}

class FoldSearch {
 public:
  FoldSearch(const isa::Config& config, const Graph& graph, const Node& conv,
             const Searching& searching)
      : config_(config),
        name_(conv.name),
        searching_(searching),
        whole_(ConvWorkloadOf(config, graph, conv).shape) {
    Add({}, whole_);
    for (int64_t rows = 1; rows <= whole_.kh; ++rows)
      for (int64_t columns = 1; columns <= whole_.kw; ++columns) {
        const Graph alone = FoldedAlone(graph, conv, {rows, columns});
        const ConvShape shape = ConvWorkloadOf(config, alone, alone.nodes().back()).shape;
        if (ProductsOf(config, shape) < ProductsOf(config, whole_)) Add({rows, columns}, shape);
      }
  }

  /// Of the folds that save products the cheapest that takes no more cycles than any for which no
  /// more is packed than without: the host packs one sample while the accelerator computes another.
  FoldChoice Run() {
    const int64_t most_bytes = PackedBytes(config_, whole_);
    const std::optional<Candidate> least = Cheapest([&](const Candidate& c) {
      return c.bytes <= most_bytes ? std::optional(std::pair(c.cycles, c.bytes)) : std::nullopt;
    });
    if (!least) return {};
    const std::optional<Candidate> found = Cheapest([&](const Candidate& c) {
      return c.cycles <= least->cycles ? std::optional(std::pair(c.Nanoseconds(config_), c.bytes))
                                       : std::nullopt;
    });
    const Candidate& best = found ? *found : *least;  // whose bound may be above its estimate
    return {best.fold, best.fold == WindowFold{} ? "" : Why(best)};
  }

 private:
  void Add(const WindowFold& fold, const ConvShape& shape) {
    candidates_.push_back(
        {fold, shape, PackedBytes(config_, shape), ConvWork(config_, shape).Cycles(config_)});
  }

  /// With the cycles of its tiling; nothing where none fits.
  std::optional<Candidate> Estimated(Candidate c) const {
    try {
      const ConvTiling tiling = ChooseConvTiling(config_, c.shape, name_, searching_);
      c.cycles = EstimateConv(config_, c.shape, tiling).cycles;
      return c;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  /// The first of those whose cost is least, which is nothing for those that are out of the
  /// question. Costs by bounds say which need no tiling.
  template <typename F>
  std::optional<Candidate> Cheapest(const F& cost) const {
    std::optional<Candidate> best;
    std::vector<Candidate> order = candidates_;
    std::erase_if(order, [&](const Candidate& c) { return !cost(c); });
    std::ranges::stable_sort(order, {}, [&](const Candidate& c) { return *cost(c); });
    for (const Candidate& bound : order) {
      if (best && *cost(bound) >= *cost(*best)) break;
      const std::optional<Candidate> c = Estimated(bound);
      if (c && cost(*c) && (!best || *cost(*c) < *cost(*best))) best = c;
    }
    return best;
  }

  std::string Why(const Candidate& best) const {
    const std::string window = StrCat(whole_.kh, "x", whole_.kw), costs = best.Costs(config_);
    const WindowFold all{whole_.kh, whole_.kw};
    if (best.fold == all)
      return StrCat("puts the next layer's ", window, " taps side by side as channels: ", costs);
    const auto found = std::ranges::find(candidates_, all, &Candidate::fold);
    const std::optional<Candidate> other =
        found == candidates_.end() ? std::nullopt : Estimated(*found);
    return StrCat("puts ", best.fold.rows, "x", best.fold.columns, " of the next layer's ", window,
                  " taps side by side as channels: ", costs,
                  other ? StrCat("; all ", window, ": ", other->Costs(config_)) : "");
  }

  const isa::Config& config_;
  const std::string name_;
  const Searching searching_;
  const ConvShape whole_;
  std::vector<Candidate> candidates_;  // with bounds of their cycles
};

}  // namespace

FoldChoice VtaTarget::ChooseFold(const Graph& graph, const Node& conv) const {
  try {
    return FoldSearch(config_, graph, conv, {.known = known_.get()}).Run();
  } catch (const Error&) {
    return {};  // pads that the target cannot make, for instance
  }
}

}  // namespace vta::compiler::targets
