// prelu_i8 of codes that lie in the accumulators: two requantisations of them, one by the scale
// above the zero point and one by that below, of which one is right for each code.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/vta/kernels/epilogue.h"

namespace vta::compiler::targets {

/// What joins the two: the greater where no channel is steeper below than above, the less where
/// none is flatter; elsewhere both are the same beyond the zero point, and are added. Those above
/// may then be lower than they should be, so that 8 bits hold them: `correction` is added to the
/// sum.
struct Bend {
  enum class Join : uint8_t { kGreater, kLess, kSum } join = Join::kSum;
  int64_t correction = 0;

  /// Of the ALU, which copies the codes beside them, requantises both and joins them.
  int64_t AluPasses() const { return correction == 0 ? 4 : 5; }
  bool operator==(const Bend&) const = default;
};

/// Errors: throws Error at the node where they are to be added and the zero point is not in the
/// range of its codes, or where a parameter is not constant.
Bend BendOf(const Graph& graph, const Node& prelu);

/// The two sets of rows of parameters. Shape: of `lanes` channels, of which `place_of` says where
/// the node's lie -> two sets, as PackParameters makes one.
std::vector<int32_t> PackBend(const isa::Config& config, const Graph& graph, const Node& prelu,
                              int64_t lanes, const std::function<int64_t(int64_t)>& place_of);

/// How far codes, before they are rounded, may be from the node's, of codes that are `off` at most.
double ErrorOfBend(const isa::Config& config, const Graph& graph, const Node& prelu, int64_t off);

/// Of its passes that of GEMM, which resets rows beside the codes, and those of the ALU over two
/// rows.
inline constexpr int64_t kBendResets = 1, kBendTensors = 2;
/// Micro-ops of them, of a tile whose rows two loops reach.
inline constexpr int64_t kBendUops = 5;
/// The rows beside the codes.
inline constexpr std::string_view kBelowBlock = "below";

/// The stages on top of `codes`, which read the sets of parameters from `set` on. Shapes are as of
/// AddEpilogue.
te::Tensor AddBend(const Bend& bend, isa::Rounding rounding, const te::Tensor& codes,
                   const std::vector<te::Axis>& axes, const te::Tensor& parameters,
                   const std::function<loop::Expr(const std::vector<loop::Expr>&)>& block_of,
                   int64_t set, std::vector<Stage>* stages);

}  // namespace vta::compiler::targets
