// Converters of reductions over axes, softmax, and the places of the greatest.
#include <algorithm>

#include "compiler/frontend/indexing.h"
#include "compiler/frontend/math.h"
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

std::vector<int64_t> ReadAxes(TfliteNode& node) {
  std::vector<int64_t> axes;
  for (int64_t axis : node.ConstantInts(1, "input axes")) {
    const int64_t counted = node.Axis(axis, node.Rank(0));
    if (std::ranges::count(axes, counted) == 0) axes.push_back(counted);
  }
  return axes;
}

ValueId Reduced(TfliteNode& node, Op op, ValueId x) {
  const int64_t keep = node.Options<schema::ReducerOptions>().keep_dims();
  return node.Emit(op, {x}, {{"axes", ReadAxes(node)}, {"keepdims", keep}});
}

void Reduce(TfliteNode& node, Op op) { node.Result(Reduced(node, op, node.Real(0))); }

/// The greatest or the least of bools, which have no order of their own.
void ReduceBools(TfliteNode& node, Op op) {
  const ValueId codes = node.Emit(Op::kCast, {node.Stored(0)}, {{"to", "int8"}});
  node.ResultStored(node.Emit(Op::kCast, {Reduced(node, op, codes)}, {{"to", "bool"}}));
}

int64_t LastAxis(TfliteNode& node) { return node.Axis(-1, node.Rank(0)); }

/// x folded along the last axis, which stays as one element.
ValueId FoldLast(TfliteNode& node, Op op, ValueId x) {
  return node.Emit(op, {x},
                   {{"axes", std::vector<int64_t>{LastAxis(node)}}, {"keepdims", int64_t{1}}});
}

/// The first place of the greatest along an axis, or of the least: with the order turned round.
void ConvertArg(TfliteNode& node, bool greatest) {
  const int64_t axis = node.Axis(node.ConstantInt(1, "input axis"), node.Rank(0));
  ValueId x = node.Real(0);
  if (!greatest) x = node.Emit(Op::kMul, {x, node.Number(x, -1)});
  Shape shape = node.InputShape(0);
  shape.erase(shape.begin() + axis);
  const ValueId place = node.Emit(Op::kArgMax, {x}, {{"axis", axis}, {"last", int64_t{0}}});
  node.ResultStored(node.Emit(Op::kCast, {node.Reshape(place, shape)},
                              {{"to", std::string(Name(node.OutputType()))}}));
}

}  // namespace

void ConvertMean(TfliteNode& node) { Reduce(node, Op::kReduceMean); }
void ConvertSum(TfliteNode& node) { Reduce(node, Op::kReduceSum); }
void ConvertReduceMax(TfliteNode& node) { Reduce(node, Op::kReduceMax); }
void ConvertReduceMin(TfliteNode& node) { Reduce(node, Op::kReduceMin); }

void ConvertReduceAny(TfliteNode& node) { ReduceBools(node, Op::kReduceMax); }
void ConvertReduceAll(TfliteNode& node) { ReduceBools(node, Op::kReduceMin); }

void ConvertReduceProd(TfliteNode& node) {
  node.Result(ProductAlong(node, node.Real(0), ReadAxes(node),
                           node.Options<schema::ReducerOptions>().keep_dims()));
}

void ConvertCumsum(TfliteNode& node) {
  const auto& options = node.Options<schema::CumsumOptions>();
  const int64_t axis = node.Axis(node.ConstantInt(1, "input axis"), node.Rank(0));
  node.Result(CumulativeSum(node, node.Real(0), axis, options.exclusive(), options.reverse()));
}

/// The greatest along the last axis, in order, and their places.
void ConvertTopK(TfliteNode& node) {
  const int64_t axis = LastAxis(node), k = node.ConstantInt(1, "input k");
  const ValueId x = node.Stored(0);
  const ValueId places = node.Emit(Op::kTopK, {x}, {{"axis", axis}, {"k", k}});
  node.ResultStored(GatherAlong(node, x, places, axis));
  if (node.output_count() > 1)
    node.ResultStored(
        node.Emit(Op::kCast, {places}, {{"to", std::string(Name(node.OutputType(1)))}}), 1);
}

void ConvertSoftmax(TfliteNode& node) {
  const Math m{node, node.Real(0)};
  const double beta = node.Options<schema::SoftmaxOptions>().beta();
  const ValueId x = beta == 1 ? m.x : m(Op::kMul, m.x, beta);
  node.Result(node.Emit(Op::kSoftmax, {x}, {{"axis", LastAxis(node)}}));
}

void ConvertLogSoftmax(TfliteNode& node) {
  const Math m{node, node.Real(0)};
  const ValueId rest = m(Op::kSub, m.x, FoldLast(node, Op::kReduceMax, m.x));
  const ValueId sum = FoldLast(node, Op::kReduceSum, m(Op::kExp, rest));
  node.Result(m(Op::kSub, rest, m(Op::kLog, sum)));
}

void ConvertL2Normalization(TfliteNode& node) {
  const Math m{node, node.Real(0)};
  constexpr double kLeast = 1e-6;  // of the sum of squares
  const auto& options = node.Options<schema::L2NormOptions>();
  const ValueId sum = FoldLast(node, Op::kReduceSum, m(Op::kMul, m.x, m.x));
  const ValueId y = m(Op::kDiv, m.x, m(Op::kSqrt, m(Op::kMax, sum, kLeast)));
  node.Result(Activate(node, y, static_cast<int>(options.fused_activation_function())));
}

void ConvertArgMax(TfliteNode& node) { ConvertArg(node, true); }
void ConvertArgMin(TfliteNode& node) { ConvertArg(node, false); }

}  // namespace vta::compiler
