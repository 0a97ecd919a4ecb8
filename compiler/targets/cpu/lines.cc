#include "compiler/targets/cpu/lines.h"

#include <algorithm>
#include <utility>

#include "compiler/graph/ops.h"
#include "compiler/operators/lowering.h"
#include "compiler/targets/cpu/intrinsics.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

using Index = std::vector<Expr>;
struct Fold {
  te::Reduction (*all)(const Expr&, std::vector<te::ReduceAxis>);
  Expr (*two)(const Expr&, const Expr&);
};
constexpr Fold kSum{te::ReduceSum, [](const Expr& a, const Expr& b) { return a + b; }};
constexpr Fold kMost{te::ReduceMax, [](const Expr& a, const Expr& b) { return Max(a, b); }};
constexpr Fold kLeast{te::ReduceMin, [](const Expr& a, const Expr& b) { return Min(a, b); }};

/// One number of each line: lanes of whole vectors, then half of these with the other half, until
/// one is left, then what is left of the line.
te::Tensor FoldLines(const std::string& name, const Fold& fold, const te::Tensor& x, Lines* lines) {
  const int64_t rounds = x.shape().back() / kLanes, rest = x.shape().back() % kLanes;
  std::vector<te::Axis> line;
  for (size_t d = 0; d + 1 < x.shape().size(); ++d) line.emplace_back(x.shape()[d]);
  const te::ReduceAxis c("c", rounds), t("t", rest);
  std::vector<te::Axis> with_lanes = line;
  with_lanes.emplace_back(kLanes);
  const te::Tensor lanes = te::Compute(
      name + "_lanes", with_lanes,
      [&](Index at) {
        at.back() = c * Expr(kLanes) + at.back();
        return fold.all(x.At(at), {c});
      },
      "local");
  lines->in_lanes.push_back(lanes.name());
  std::vector<std::string> before{lanes.name()};
  te::Tensor whole = lanes;
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    std::vector<te::Axis> axes = line;
    if (half > 1) axes.emplace_back(half);
    whole = te::Compute(
        half > 1 ? StrCat(name, "_", half) : name, axes,
        [&](Index at) {
          if (half == 1) at.emplace_back(0);
          Index other = at;
          other.back() = other.back() + half;
          return te::Value(fold.two(whole.At(at), whole.At(other)));
        },
        "local");
    before.push_back(whole.name());
    if (half > 1) lines->in_vectors.push_back(whole.name());
  }
  std::vector<std::string>& all = lines->of_a_line;
  if (rest == 0) {
    all.insert(all.end(), before.rbegin(), before.rend());
    return whole;
  }
  const te::Tensor both = te::Compute(
      name + "_rest", line,
      [&](const Index& at) {
        Index last = at;
        last.push_back(t + Expr(rounds * kLanes));
        return te::From(whole.At(at), fold.all(x.At(last), {t}));
      },
      "local");
  all.push_back(both.name());
  all.insert(all.end(), before.rbegin(), before.rend());
  return both;
}

std::optional<Fold> FoldOf(Op op) {
  switch (op) {
    case Op::kReduceMean:
    case Op::kReduceSum:
      return kSum;
    case Op::kReduceMax:
      return kMost;
    case Op::kReduceMin:
      return kLeast;
    default:
      return std::nullopt;
  }
}

/// A line that expressions make, for several readers.
te::Tensor Kept(const te::Tensor& made, Lines* lines) {
  std::vector<te::Axis> axes;
  for (int64_t extent : made.shape()) axes.emplace_back(extent);
  lines->of_a_line.emplace_back("line");
  return te::Compute(
      "line", axes, [&](const Index& at) { return made.At(at); }, "local");
}

/// A softmax along an axis that is not the last.
bool ReducesColumns(const Graph& graph, const Node& node) {
  const TensorType& x = graph.type(node.inputs[0]);
  return node.op == Op::kSoftmax && x.dtype == DType::kFloat32 &&
         node.Int("axis") + 1 < std::ssize(x.shape) && x.shape[node.Int("axis")] > 1 &&
         x.shape.back() >= 2 * kLanes;
}

bool ReducesLines(const Graph& graph, const Node& node) {
  const bool all = node.op == Op::kSoftmax || node.op == Op::kNormalize;
  if (!all && !FoldOf(node.op)) return false;
  const TensorType& x = graph.type(node.inputs[0]);
  const auto last = static_cast<int64_t>(x.shape.size()) - 1;
  const bool adds =
      x.dtype == DType::kFloat32 || (x.dtype == DType::kInt32 && node.op == Op::kReduceSum);
  if (!adds || last < 1 || x.shape.back() < 2 * kLanes) return false;
  return all ? node.Int("axis") == last : node.Ints("axes") == std::vector<int64_t>{last};
}

/// Softmax of columns.
Lines DefineColumns(const Node& node, const te::Tensor& given, bool is_made,
                    const std::optional<te::Tensor>& weights) {
  const auto axis = static_cast<size_t>(node.Int("axis"));
  Lines lines{.dimensions = given.shape().size() - 1, .column = axis};
  const auto column = [axis](Index at) {
    at.erase(at.begin() + static_cast<int64_t>(axis));
    return at;
  };
  const te::ReduceAxis c("c", given.shape()[axis]);
  const auto at_c = [axis, c](Index at) {
    at.insert(at.begin() + static_cast<int64_t>(axis), Expr(c));
    return at;
  };
  std::vector<te::Axis> all, columns;
  for (size_t d = 0; d < given.shape().size(); ++d) {
    all.emplace_back(given.shape()[d]);
    if (d != axis) columns.emplace_back(given.shape()[d]);
  }
  Lines kept;
  const te::Tensor x = is_made ? Kept(given, &kept) : given;
  const te::Tensor most = te::Compute(
      "most", columns, [&](const Index& at) { return te::ReduceMax(x.At(at_c(at)), {c}); },
      "local");
  const te::Tensor powers = te::Compute(
      "powers", all,
      [&](const Index& at) {
        return loop::Apply(loop::Op::kExp, {x.At(at) - most.At(column(at))});
      },
      "local");
  const te::Tensor sums = te::Compute(
      "sums", columns, [&](const Index& at) { return te::ReduceSum(powers.At(at_c(at)), {c}); },
      "local");
  lines.of_a_line = {sums.name(), powers.name(), most.name()};
  lines.in_lanes = {sums.name(), most.name()};
  lines.Append(kept);
  if (!weights) {
    lines.value = te::View("value", given.shape(), x.dtype(),
                           [=](const Index& at) { return powers.At(at) / sums.At(column(at)); });
    return lines;
  }
  const te::Tensor weighted = te::Compute(
      "weighted", columns,
      [&](const Index& at) {
        const Expr zero(0);
        return te::ReduceSum(powers.At(at_c(at)) * weights->At({zero, Expr(c), zero, zero}), {c});
      },
      "local");
  lines.of_a_line.insert(lines.of_a_line.begin(), weighted.name());
  lines.in_lanes.push_back(weighted.name());
  lines.are_summed = true;
  Shape summed = given.shape();
  summed[axis] = 1;
  lines.value = te::View("value", summed, x.dtype(), [=](const Index& at) {
    return weighted.At(column(at)) / sums.At(column(at));
  });
  return lines;
}

}  // namespace

void Lines::Append(const Lines& before) {
  for (auto of : {&Lines::of_a_line, &Lines::in_lanes, &Lines::in_vectors})
    (this->*of).insert((this->*of).end(), (before.*of).begin(), (before.*of).end());
}

size_t FindLines(const Graph& graph, std::span<const NodeId> nodes, Arithmetic arithmetic) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = graph.nodes()[nodes[i]];
    const Op op = node.op;
    // Lanes add up in another order.
    if (arithmetic == Arithmetic::kFast && ReducesLines(graph, node)) return i;
    const auto is_elementwise = [&](NodeId id) {
      return Spec(graph.nodes()[id].op).traits.elementwise;
    };
    if (arithmetic == Arithmetic::kFast && ReducesColumns(graph, node)) {
      const bool weighs =
          i + 1 < nodes.size() && WeighsColumns(graph, node, graph.nodes()[nodes[i + 1]]);
      if (std::ranges::all_of(nodes.subspan(i + 1 + weighs), is_elementwise)) return i;
    }
    if (!Spec(op).traits.elementwise && !MovesData(op) && op != Op::kUnpack) break;
  }
  return nodes.size();
}

bool WeighsColumns(const Graph& graph, const Node& softmax, const Node& node) {
  if (node.op != Op::kConv2d || node.inputs.size() != 2 || node.inputs[0] != softmax.output ||
      softmax.Int("axis") != 1 || !ReducesColumns(graph, softmax))
    return false;
  const Shape &x = graph.shape(softmax.output), &w = graph.shape(node.inputs[1]);
  return graph.constant(node.inputs[1]) && w == Shape{1, x[1], 1, 1} &&
         graph.shape(node.output) == Shape{x[0], 1, x[2], x[3]};
}

Lines DefineLines(const Graph& graph, const Node& node, const te::Tensor& given, bool is_made,
                  const std::optional<te::Tensor>& weights) {
  if (ReducesColumns(graph, node)) return DefineColumns(node, given, is_made, weights);
  const Shape out = operators::LoopShape(graph.shape(node.output));
  Lines lines{.dimensions = given.shape().size() - 1};
  const auto line = [count = static_cast<int64_t>(lines.dimensions)](const Index& at) {
    return Index(at.begin(), at.begin() + count);
  };
  if (const std::optional<Fold> fold = FoldOf(node.op)) {
    const te::Tensor folded = FoldLines("folded", *fold, given, &lines);
    const double count = node.op == Op::kReduceMean ? static_cast<double>(given.shape().back()) : 1;
    lines.value = te::View("value", out, given.dtype(), [=](const Index& at) {
      const Expr value = folded.At(line(at));
      return count == 1 ? value : value / loop::FloatConst(count);
    });
    return lines;
  }
  std::vector<te::Axis> axes;
  for (int64_t extent : out) axes.emplace_back(extent);
  Lines before, kept;
  const bool once = node.op == Op::kNormalize && !node.Int("centred");
  const te::Tensor x = is_made && !once ? Kept(given, &kept) : given;
  if (node.op == Op::kNormalize) {
    const Expr count = loop::FloatConst(static_cast<double>(x.shape().back()));
    std::optional<te::Tensor> mean;
    if (!once) mean = FoldLines("mean", kSum, x, &before);
    const te::Tensor distances = te::Compute(
        "distances", axes,
        [&](const Index& at) { return mean ? x.At(at) - mean->At(line(at)) / count : x.At(at); },
        "local");
    const te::Tensor squares = te::Compute(
        "squares", axes, [&](const Index& at) { return distances.At(at) * distances.At(at); },
        "local");
    const te::Tensor sums = FoldLines("sums", kSum, squares, &lines);
    lines.of_a_line.insert(lines.of_a_line.end(), {squares.name(), distances.name()});
    lines.Append(before);
    lines.Append(kept);
    const Expr epsilon = loop::FloatConst(node.attributes.Double("epsilon"));
    lines.value = te::View("value", out, x.dtype(), [=](const Index& at) {
      return distances.At(at) / loop::Apply(loop::Op::kSqrt, {sums.At(line(at)) / count + epsilon});
    });
    return lines;
  }
  const te::Tensor most = FoldLines("most", kMost, x, &before);
  const te::Tensor powers = te::Compute(
      "powers", axes,
      [&](const Index& at) { return loop::Apply(loop::Op::kExp, {x.At(at) - most.At(line(at))}); },
      "local");
  const te::Tensor sums = FoldLines("sums", kSum, powers, &lines);
  lines.of_a_line.push_back(powers.name());
  lines.Append(before);
  lines.Append(kept);
  lines.value = te::View("value", out, x.dtype(),
                         [=](const Index& at) { return powers.At(at) / sums.At(line(at)); });
  return lines;
}

}  // namespace vta::compiler::targets
