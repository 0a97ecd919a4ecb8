// How many taps of a window are put side by side for a convolution of few channels.
#include <tuple>

#include "compiler/graph/ops.h"
#include "compiler/targets/vta/kernels/conv_tiling.h"
#include "compiler/targets/vta/kernels/plan_conv.h"
#include "compiler/targets/vta/target.h"

namespace vta::compiler::targets {
namespace {

/// Blocks of input that are packed, pads included.
int64_t PackedBlocks(const ConvShape& s) {
  return s.batch * s.ci * (s.in_h + s.pad_top + s.pad_bottom) * (s.in_w + s.pad_left + s.pad_right);
}

}  // namespace

/// The cheapest fold by the bound on its cycles, of those for which no more is packed than without.
WindowFold VtaTarget::ChooseFold(const Graph& graph, const Node& conv) const {
  try {
    const ConvShape whole = ConvWorkloadOf(config_, graph, conv).shape;
    WindowFold best;
    std::tuple<int64_t, int64_t> least(ConvWork(config_, whole).Cycles(config_),
                                       0);  // cycles, blocks
    for (int64_t rows = 1; rows <= whole.kh; ++rows)
      for (int64_t columns = 1; columns <= whole.kw; ++columns) {
        const Graph alone = FoldedAlone(graph, conv, {rows, columns});
        const ConvShape s = ConvWorkloadOf(config_, alone, alone.nodes().back()).shape;
        const std::tuple<int64_t, int64_t> cost(ConvWork(config_, s).Cycles(config_),
                                                PackedBlocks(s));
        if (PackedBlocks(s) > PackedBlocks(whole) || cost >= least) continue;
        best = {rows, columns};
        least = cost;
      }
    return best;
  } catch (const Error&) {
    return {};  // pads that the target cannot make, for instance
  }
}

}  // namespace vta::compiler::targets
