#include "compiler/targets/cpu/express.h"

#include <optional>

#include "compiler/graph/ops.h"
#include "compiler/operators/operators.h"
#include "compiler/targets/cpu/epilogue.h"
#include "compiler/targets/cpu/layout.h"

namespace vta::compiler::targets {
namespace {

/// Whether the anchor finds its input, and may leave its result, in the storage that it wants.
bool Suits(const Graph& graph, const Node& anchor, const Node& last, Arithmetic arithmetic) {
  const std::optional<Storage> needed = InputLayout(graph, anchor, arithmetic);
  const auto& in = graph.value(anchor.inputs[0]).storage;
  const auto& out = graph.value(last.output).storage;
  const int64_t channels = BlockedLayout(graph.type(anchor.output))->channels;
  return needed && in && in->Serves(*needed) && out && out->channels == channels;
}

/// Channels side by side: which operand an element is of is said of some lanes together, so that
/// none of them is asked. Absent where there are no such, or where the result, `made`, does not lie
/// so that they are together.
std::optional<te::Tensor> ConcatOfBlocks(const Graph& graph, const Node& node, ValueId made,
                                         const std::vector<te::Tensor>& inputs) {
  const int64_t lanes = LanesOfParts(graph, node);
  const auto& out = graph.value(made).storage;
  if (lanes < kFewestLanes || (lanes < kLanes && !(out && out->channels == kLanes)))
    return std::nullopt;
  std::vector<int64_t> ends;
  for (ValueId input : node.inputs)
    ends.push_back((ends.empty() ? 0 : ends.back()) + graph.shape(input)[1]);
  return te::View(
      "concat", graph.shape(node.output), inputs[0].dtype(), [=](const std::vector<te::Expr>& at) {
        te::Expr value;
        for (size_t i = inputs.size(); i-- > 0;) {
          std::vector<te::Expr> from = at;
          if (i > 0) from[1] = at[1] - ends[i - 1];
          const te::Expr element = inputs[i].At(from);
          value = value ? Select(FloorDiv(at[1], te::Expr(lanes)) < te::Expr(ends[i] / lanes),
                                 element, value)
                        : element;
        }
        return value;
      });
}

bool RowByRow(const Graph& graph, const Node& node) {
  bool kept = graph.value(node.output).storage.has_value();
  for (ValueId input : node.inputs) kept |= graph.value(input).storage.has_value();
  return !kept;
}

/// A tensor of what expressions make.
te::Tensor Made(const te::Tensor& value) {
  std::vector<te::Axis> axes;
  for (int64_t extent : value.shape()) axes.emplace_back(extent);
  return te::Compute("made", axes, [&](const std::vector<te::Expr>& at) { return value.At(at); });
}

}  // namespace

StepExpression Express(const Graph& graph, std::span<const NodeId> nodes, Arithmetic arithmetic) {
  const Node &first = graph.nodes()[nodes.front()], &last = graph.nodes()[nodes.back()];
  Operands operands(graph);
  StepExpression out;
  const bool in_rows = RowByRow(graph, first) && !graph.value(last.output).storage;
  const bool product = in_rows && IsProduct(graph, first);
  const size_t head = FindLines(graph, nodes, arithmetic);
  const bool lines = head < nodes.size() && !graph.value(last.output).storage;
  if (nodes.size() == 1 && RowByRow(graph, first) && !product && !lines) {
    out.function = operators::Lower(graph, first, std::string(Spec(first.op).name));
    out.inputs.assign(first.inputs.begin(), first.inputs.end());
    return out;
  }
  te::Tensor value = [&] {
    const Anchor* anchor = FindAnchor(graph, first, arithmetic);
    if (product || (anchor && Suits(graph, first, last, arithmetic))) {
      out.sums = (product ? DefineProduct : anchor->define)(graph, first, operands);
      return *std::exchange(out.sums.value, {});
    }
    if (lines && head == 0) return operands.Of(first.inputs[0]);
    std::vector<te::Tensor> inputs;
    for (ValueId input : first.inputs) inputs.push_back(operands.Of(input));
    if (const auto concat = ConcatOfBlocks(graph, first, last.output, inputs)) return *concat;
    const te::Tensor y = operators::Define(graph, first, inputs);
    return te::IsElementwise(y) ? te::Inlined(y) : y;
  }();
  std::span<const NodeId> behind = nodes;
  if (head < nodes.size() && (lines || head > 0)) {
    const Node& reduces = graph.nodes()[nodes[head]];
    if (head > 0) value = EpilogueValue(graph, nodes.first(head), value, operands);
    const Node* const next = head + 1 < nodes.size() ? &graph.nodes()[nodes[head + 1]] : nullptr;
    const bool weighs = lines && next && WeighsColumns(graph, reduces, *next);
    if (lines)
      out.lines = DefineLines(graph, reduces, value, head > 0,
                              weighs ? std::optional(operands.Of(next->inputs[1])) : std::nullopt);
    value = lines ? *std::exchange(out.lines.value, {})
                  : operators::Define(graph, reduces, {Made(value)});
    behind = nodes.subspan(head + weighs);
  }
  value = EpilogueValue(graph, behind, value, operands);
  std::vector<te::Tensor> params = operands.params();
  params.push_back(StoredResult(graph, nodes, value));
  out.function = te::Lower(std::string(Spec(first.op).name), params);
  out.inputs = operands.inputs();
  return out;
}

}  // namespace vta::compiler::targets
