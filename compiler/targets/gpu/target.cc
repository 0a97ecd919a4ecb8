#include "compiler/targets/gpu/target.h"

#include <algorithm>

#include "compiler/graph/ops.h"
#include "compiler/operators/chain.h"
#include "compiler/operators/operators.h"
#include "compiler/targets/codes.h"
#include "compiler/targets/gpu/conv.h"
#include "compiler/targets/gpu/express.h"
#include "compiler/targets/gpu/out_axes.h"
#include "compiler/targets/gpu/space.h"
#include "compiler/targets/gpu/words.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

/// Whether the kernel of the first node, a product, may store its result where moves behind it have
/// it.
bool GpuTarget::MovesBehind(const Graph& graph, std::span<const NodeId> group) const {
  for (size_t i = 1; i < group.size(); ++i) {
    const std::vector<ValueId>& inputs = graph.nodes()[group[i]].inputs;
    if (std::ranges::count(inputs, graph.nodes()[group[i - 1]].output) != 1) return false;
  }
  const std::optional<GpuProduct> product = ProductOfStep(graph, group, gpu_, precision_);
  return product && OutAxesOf(graph, group, *product) && ChooseGpuTile(*product, gpu_);
}

bool GpuTarget::CanTake(const Graph& graph, std::span<const NodeId> group, std::string* why) const {
  std::string broken;
  bool moves = false;
  for (size_t i = 1; i < group.size() && broken.empty(); ++i) {
    const Node& node = graph.nodes()[group[i]];
    const bool move = node.op == Op::kReshape || node.op == Op::kTranspose;
    moves |= move;
    if (moves && !MovesBehind(graph, group.first(i + 1)))
      broken = "moves what is made elsewhere, or reads that";
    else if (!move)
      broken = operators::WhyNotBehind(graph, node, graph.nodes()[group[i - 1]]);
  }
  try {
    for (NodeId node : group) operators::Lower(graph, graph.nodes()[node], "kernel");
  } catch (const Error& error) {
    broken = Error("", error.subject(), error.value(), error.rule()).what();
  }
  if (why && !broken.empty()) *why = broken;
  return broken.empty();
}

/// Whether it is a convolution that multiplies what words hold.
bool GpuTarget::ReadsWords(const Graph& graph, const Node& node) const {
  if (node.op == Op::kConv2dI8) return node.Int("groups") == 1;
  if (node.op != Op::kConv2d || precision_ != isa::Precision::kFp16) return false;
  const std::optional<GpuProduct> product = ProductOfTaps(graph, node, gpu_, precision_);
  return product && product->has_tensor();
}

std::optional<Storage> GpuTarget::BlockedLayout(const TensorType& type) const {
  if (type.shape.size() != 4) return {};
  if (type.dtype == DType::kInt8) return Storage{.channels = kCodesOfWord, .biased = true};
  if (type.dtype == DType::kFloat32 && precision_ == isa::Precision::kFp16)
    return Storage{.channels = kHalvesOfWord, .halves = true};
  return {};
}

std::optional<Storage> GpuTarget::InputLayout(const Graph& graph, const Node& node) const {
  if (!ReadsWords(graph, node)) return {};
  const Value& input = graph.value(node.inputs[0]);
  // A product brings floats as well: nothing is made of what is given as such.
  if (input.producer == kNone && input.type.dtype == DType::kFloat32) return {};
  return BlockedLayout(input.type);
}

Written GpuTarget::WrittenAs(const Graph& graph, const Node& node) const {
  if (node.op == Op::kDenseI8 || node.op == Op::kGemm || node.op == Op::kMatMul ||
      ThreadsOfLines(graph, node) > 0)
    return Written::kRows;
  return ReadsWords(graph, node) ? Written::kRatherBlocks : Written::kEither;
}

std::unique_ptr<tune::Space> GpuTarget::SpaceOf(const Graph& graph, const Step& step) const {
  const std::optional<GpuProduct> product = ProductOfStep(graph, step.nodes, gpu_, precision_);
  if (!product || !ChooseGpuTile(*product, gpu_)) return nullptr;
  return std::make_unique<GpuSpace>(graph, step, *product, gpu_);
}

StepCode GpuTarget::Compile(const Graph& graph, const Step& step, const StepAddresses&,
                            const tune::Decision& decision) const {
  if (decision.trace) throw Error("", "target", Name(), "traces are of steps on vta");
  return GpuKernelOf(graph, step, gpu_, precision_,
                     decision.point ? std::optional(GpuTileAt(*decision.point)) : std::nullopt);
}

}  // namespace vta::compiler::targets
