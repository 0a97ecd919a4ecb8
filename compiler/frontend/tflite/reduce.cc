// Converters of reductions over axes, and softmax.
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

void Reduce(TfliteNode& node, Op op) {
  std::vector<int64_t> axes;
  for (int64_t axis : node.ConstantInts(1, "input axes")) {
    const int64_t counted = node.Axis(axis, node.Rank(0));
    if (std::find(axes.begin(), axes.end(), counted) == axes.end()) axes.push_back(counted);
  }
  const int64_t keep = node.Options<schema::ReducerOptions>().keep_dims();
  node.Result(node.Emit(op, {node.Real(0)}, {{"axes", axes}, {"keepdims", keep}}));
}

}  // namespace

void ConvertMean(TfliteNode& node) { Reduce(node, Op::kReduceMean); }

void ConvertSoftmax(TfliteNode& node) {
  const double beta = node.Options<schema::SoftmaxOptions>().beta();
  ValueId x = node.Real(0);
  if (beta != 1) x = node.Emit(Op::kMul, {x, node.Number(x, beta)});
  node.Result(node.Emit(Op::kSoftmax, {x}, {{"axis", node.Rank(0) - 1}}));
}

}  // namespace vta::compiler
