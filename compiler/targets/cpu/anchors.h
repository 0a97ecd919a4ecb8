// The ops that kernels of the CPU begin with, computed in tiles of outputs that stay in registers:
// 16 channels are lanes. Every other op begins a kernel of plain loops.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/targets/cpu/intrinsics.h"
#include "compiler/targets/cpu/operands.h"

namespace vta::compiler::targets {

/// What a window reads around its input.
struct WindowPads {
  std::array<int64_t, 4> sides = {};  // top, left, bottom, right
  double fill = 0;
};

/// What an anchor computes: the result as the graph sees it, of "sums", a reduction
/// [N, C/16, H, W, 16] over the named axes, or one [N, 1, H, W, lanes] of no more channels.
struct Sums {
  std::optional<te::Tensor> value;
  std::vector<std::string> reduce;  // outermost first
  bool shares = false;              // an input serves all channels, a weight all columns
  std::string dot = {};             // the intrinsic that computes lanes and the innermost axis
  bool winograd = false;            // they are as winograd.h has them
  bool narrow = false;              // they are as narrow.cc has them, and reduce is empty
  int64_t lanes = kLanes;           // of a block that are summed; the others are 0
};

struct Anchor {
  bool (*takes)(const Graph& graph, const Node& node);
  WindowPads (*border)(const Graph& graph, const Node& node);
  Sums (*define)(const Graph& graph, const Node& node, Operands& operands);
};

/// Which sums of float32 there may be: in order alone, or others that are quicker and as good.
enum class Arithmetic : uint8_t { kExact, kFast };

/// That kernels are cut for where nothing is known of what runs them.
inline constexpr int64_t kSomeThreads = 4;

/// The anchor of an op, or nullptr. Only nodes of rank-4 activations have one; whatever the
/// arithmetic those that are kept in blocks of 16.
const Anchor* FindAnchor(const Graph& graph, const Node& node, Arithmetic arithmetic);

// contraction.cc: convolutions over all channels
Sums DefineContraction(const Graph& graph, const Node& node, Operands& operands);
// narrow.cc: convolutions to few channels
bool IsNarrow(const Graph& graph, const Node& node);
WindowPads NarrowBorder(const Graph& graph, const Node& node);
Sums DefineNarrow(const Graph& graph, const Node& node, Operands& operands);
// window_anchors.cc: what computes each channel by itself
Sums DefineDepthwise(const Graph& graph, const Node& node, Operands& operands);
/// Columns that a depthwise convolution sums up together: of int8 kDot, which lie one beside the
/// other. The window has more columns then, of weights that are 0, up to a multiple.
int64_t ColumnsTogether(const Graph& graph, const Node& node);
Sums DefineMaxPool(const Graph& graph, const Node& node, Operands& operands);
Sums DefineAvgPool(const Graph& graph, const Node& node, Operands& operands);
Sums DefineMean(const Graph& graph, const Node& node, Operands& operands);

// product.cc: matrix products, row by row
/// What is packed of a right side that is computed, and the left side's codes as they are summed.
inline constexpr std::string_view kPackedSide = "side", kBiasedRows = "rows";
bool IsProduct(const Graph& graph, const Node& node);
Sums DefineProduct(const Graph& graph, const Node& node, Operands& operands);

/// The result of sums at the graph's indices.
te::Expr SumAt(const te::Tensor& sums, const std::vector<te::Expr>& at);
/// The axes [N, C/16, H, W, 16] of a node's output.
std::vector<te::Axis> BlockAxes(const Graph& graph, const Node& node);
te::Tensor ConvolvedValue(const Graph& graph, const Node& node, Operands& operands,
                          const te::Tensor& sums);
/// Codes of sums [N, channels, ..] of codes that are 128 higher, by int8 weights [channels, ..].
te::Tensor RequantizedValue(const Graph& graph, const Node& node, Operands& operands,
                            const te::Tensor& sums, te::Tensor::Element sum_at);

}  // namespace vta::compiler::targets
