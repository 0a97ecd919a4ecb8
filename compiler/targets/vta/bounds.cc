#include "compiler/targets/vta/bounds.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/graph/facts.h"
#include "compiler/targets/vta/kernels/add.h"
#include "compiler/targets/vta/kernels/conv/tiling.h"
#include "compiler/targets/vta/kernels/max_pool.h"
#include "compiler/targets/vta/kernels/mul.h"
#include "compiler/targets/vta/kernels/resize.h"
#include "compiler/targets/vta/kernels/upsample.h"
#include "compiler/targets/vta/plan.h"

namespace vta::compiler::targets {
namespace {

constexpr double kWellAbove = 1.3;

/// Of what the machine does beyond the ideal, which takes so many cycles of the array, the most.
std::string LostTo(const isa::Config& config, const Asked& asked, int64_t array_cycles,
                   const Work& work) {
  if (work.BusCycles(config) > work.ComputeCycles(config))
    return asked.is_grouped ? "bytes of block diagonals of grouped weights"
                            : "bytes of channels that do not fill their blocks";
  const char* const products = asked.is_grouped         ? "block diagonals of grouped weights"
                               : asked.has_wide_weights ? "weights of more than 8 bits"
                                                        : "channels that do not fill their blocks";
  std::vector<std::pair<int64_t, const char*>> parts;
  const bool both = config.uarch.acc_banks == 1, gemm = work.gemm_passes() >= work.alu_passes();
  if (both || gemm) {
    parts.emplace_back(work.products - array_cycles, products);
    parts.emplace_back(work.widenings, "diagonals that widen codes");
    parts.emplace_back(work.resets, "resets of accumulators");
  }
  if (both || !gemm) {
    parts.emplace_back(work.alu + work.second_reads, "passes of the ALU");
    parts.emplace_back(work.border, "what pads add to borders");
  }
  return std::ranges::max(parts, {}, &decltype(parts)::value_type::first).second;
}

}  // namespace

std::vector<OperatorPasses> PassesOf(const isa::Config& config) {
  const auto per_vector = [](const char* name, const Work& work, int64_t vectors) {
    const auto share = [&](int64_t passes) {
      return static_cast<double>(passes) / static_cast<double>(vectors);
    };
    return OperatorPasses{name, true, share(work.gemm_passes()), share(work.alu_passes())};
  };
  const int64_t parts = ChannelBlocks(config).out_parts;
  const EpilogueKind epilogue = EpilogueOf(config);
  const ConvShape window{.in_h = 3, .in_w = 3, .kh = 3, .kw = 3};
  const Work conv = ConvWork(config, window);
  ConvShape joined = window;
  joined.residual = Residual{.factor = epilogue == EpilogueKind::kShift ? 1 : 2};
  Work residual = ConvWork(config, joined);
  residual.products -= conv.products;
  residual.resets -= conv.resets;
  residual.alu -= conv.alu;
  residual.second_reads -= conv.second_reads;
  const ConvShape pool{.in_h = 112,
                       .in_w = 112,
                       .kh = 3,
                       .kw = 3,
                       .stride_h = 2,
                       .stride_w = 2,
                       .pad_top = 1,
                       .pad_left = 1};
  ConvShape largest = window;
  largest.in_h = largest.in_w = 114, largest.max = JoinedMax{3, 3, 2, 2};
  Work maximum = ConvWork(config, largest);
  ConvShape pixels = largest;
  pixels.max.reset();
  const Work before = ConvWork(config, pixels);
  maximum.products -= before.products;
  maximum.resets -= before.resets;
  maximum.alu -= before.alu;
  maximum.second_reads -= before.second_reads;
  const ConvShape average{.in_h = 7, .in_w = 7, .kh = 7, .kw = 7, .shared_weights = true};
  const UpsampleShape repeated{.in_h = 56, .in_w = 56, .scale_h = 2, .scale_w = 2};
  const ResizeShape linear{.in_h = 56, .in_w = 56, .height = {2, true}, .width = {2, true}};
  const int64_t places = 112 * 112 * parts;  // of either
  std::vector<OperatorPasses> rows = {
      per_vector("3x3 of a block", conv, parts),
      per_vector("joined residual", residual, parts),
      per_vector("joined max 3x3/2", maximum, largest.result_h() * largest.result_w() * parts),
      per_vector("sum", AddWork(config, {}), parts),
      per_vector("product", MulWork(config, {}), parts),
      per_vector("max 3x3/2", MaxPoolWork(config, pool), pool.out_h() * pool.out_w() * parts),
      per_vector("average 7x7", ConvWork(config, average), parts),
      per_vector("nearest by 2x2", UpsampleWork(config, repeated), places),
      per_vector("linear by 2x2", ResizeWork(config, linear), places)};
  rows[1].possible = config.arch.mul || epilogue == EpilogueKind::kShift;
  rows[4].possible = config.arch.mul;
  rows[5].possible = config.arch.pad_value;
  rows[8].possible = epilogue == EpilogueKind::kRequant;
  return rows;
}

isa::LayerBounds BoundsOf(const isa::Config& config, const Graph& graph, const Step& step) {
  const std::vector<Work> layouts = LayoutsOf(config, graph, step.nodes);
  const Work& work =
      std::ranges::min(layouts, {}, [&](const Work& one) { return one.Cycles(config); });
  const int64_t macs = FactsOf(graph, step).macs;
  // Of a network whose channels no weights tell, whole blocks.
  const Asked asked = AskedOf(config, graph, step.nodes, macs).value_or(Asked{work.bytes});
  const int64_t array_cycles = CeilDiv(macs, config.macs_per_cycle());
  isa::LayerBounds bounds;
  bounds.machine = work.Cycles(config);
  bounds.ideal = std::max(array_cycles, CeilDiv(asked.bytes, BusBytes(config)));
  if (static_cast<double>(bounds.machine) > kWellAbove * static_cast<double>(bounds.ideal))
    bounds.lost_to = LostTo(config, asked, array_cycles, work);
  return bounds;
}

}  // namespace vta::compiler::targets
