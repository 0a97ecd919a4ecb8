#include "compiler/targets/gpu/lines.h"

#include <functional>
#include <limits>

#include "compiler/graph/ops.h"
#include "compiler/targets/gpu/tile.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

using Index = std::vector<Expr>;
using Fold = te::Reduction (*)(const Expr&, std::vector<te::ReduceAxis>);
using Element = std::function<Expr(const Index&)>;

/// Numbers of lines of a shape, each as its threads find them.
class Folds {
 public:
  Folds(std::vector<int64_t> shape, GpuLines* lines) : shape_(std::move(shape)), lines_(*lines) {
    for (size_t d = 0; d + 1 < shape_.size(); ++d) line_.emplace_back(shape_[d]);
  }

  /// Of each thread's elements one number; `none` changes none. Its name is the reader's of what
  /// the elements need.
  te::Tensor Lanes(const std::string& name, Fold fold, double none, const Element& element) {
    const int64_t length = shape_.back(), threads = lines_.threads;
    const te::ReduceAxis c("c", (length + threads - 1) / threads);
    std::vector<te::Axis> axes = line_;
    axes.emplace_back("t", threads);
    lines_.blocks.push_back({name, ""});
    return te::Compute(
        name, axes,
        [&](Index at) {
          at.back() = c * Expr(threads) + at.back();
          const Expr value = element(at);
          return fold(length % threads == 0
                          ? value
                          : Select(at.back() < Expr(length), value, loop::FloatConst(none)),
                      {c});
        },
        "shared");
  }

  /// Of all threads' numbers one, for a reader.
  te::Tensor Whole(const std::string& reader, Fold fold, const te::Tensor& lanes) {
    const te::ReduceAxis k("k", lines_.threads);
    const std::string name = StrCat(lanes.name(), "_of_", reader);
    lines_.blocks.push_back({name, reader});
    return te::Compute(
        name, line_,
        [&](Index at) {
          at.push_back(k);
          return fold(lanes.At(at), {k});
        },
        "local");
  }

 private:
  const std::vector<int64_t> shape_;
  std::vector<te::Axis> line_;
  GpuLines& lines_;
};

Expr OfLine(const te::Tensor& number, const Index& at) {
  return number.At(Index(at.begin(), at.end() - 1));
}

}  // namespace

int64_t ThreadsOfLines(const Graph& graph, const Node& node) {
  if (node.op != Op::kSoftmax && node.op != Op::kNormalize) return 0;
  const TensorType& x = graph.type(node.inputs[0]);
  const int64_t length = x.shape.back();
  if (x.dtype != DType::kFloat32 || std::ssize(x.shape) < 2 || length < kWarp ||
      node.Int("axis") + 1 != std::ssize(x.shape))
    return 0;
  int64_t threads = kWarp;
  while (2 * threads <= kMostBlockThreads && 4 * threads <= length) threads *= 2;
  return threads;
}

te::Tensor DefineGpuLines(const Node& node, const te::Tensor& x, GpuLines* lines) {
  Folds folds(x.shape(), lines);
  const std::string out = "out";
  const Element element = [&](const Index& at) { return x.At(at); };
  if (node.op == Op::kSoftmax) {
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    const te::Tensor most = folds.Lanes("most", te::ReduceMax, kNone, element);
    const auto power = [x](const te::Tensor& most, const Index& at) {
      return loop::Apply(loop::Op::kExp, {x.At(at) - OfLine(most, at)});
    };
    const te::Tensor most_of_sum = folds.Whole("sum", te::ReduceMax, most);
    const te::Tensor sum = folds.Lanes("sum", te::ReduceSum, 0,
                                       [&](const Index& at) { return power(most_of_sum, at); });
    const te::Tensor most_of_out = folds.Whole(out, te::ReduceMax, most);
    const te::Tensor whole = folds.Whole(out, te::ReduceSum, sum);
    return te::View("value", x.shape(), x.dtype(),
                    [=](const Index& at) { return power(most_of_out, at) / OfLine(whole, at); });
  }
  const Expr count = loop::FloatConst(static_cast<double>(x.shape().back()));
  const Expr epsilon = loop::FloatConst(node.attributes.Double("epsilon"));
  const bool centred = node.Int("centred") != 0;
  const auto distance = [=](const std::optional<te::Tensor>& sum, const Index& at) {
    return sum ? x.At(at) - OfLine(*sum, at) / count : x.At(at);
  };
  std::optional<te::Tensor> sum, sum_of_squares, sum_of_out;
  if (centred) {
    sum = folds.Lanes("sum", te::ReduceSum, 0, element);
    sum_of_squares = folds.Whole("squares", te::ReduceSum, *sum);
  }
  const te::Tensor squares = folds.Lanes("squares", te::ReduceSum, 0, [&](const Index& at) {
    const Expr d = distance(sum_of_squares, at);
    return d * d;
  });
  if (centred) sum_of_out = folds.Whole(out, te::ReduceSum, *sum);
  const te::Tensor whole = folds.Whole(out, te::ReduceSum, squares);
  return te::View("value", x.shape(), x.dtype(), [=](const Index& at) {
    return distance(sum_of_out, at) /
           loop::Apply(loop::Op::kSqrt, {OfLine(whole, at) / count + epsilon});
  });
}

}  // namespace vta::compiler::targets
