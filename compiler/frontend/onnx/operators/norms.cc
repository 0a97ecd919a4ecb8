// Converters of operators that divide by a deviation.
#include "compiler/frontend/onnx/operators.h"
#include "isa/support/plural.h"

namespace vta::compiler {
namespace {

std::vector<int64_t> AxesFrom(int64_t first, int64_t rank) {
  std::vector<int64_t> axes;
  for (int64_t i = first; i < rank; ++i) axes.push_back(i);
  return axes;
}

/// 1 / sqrt(the mean of the squares over the axes + epsilon).
ValueId InverseSize(OnnxNode& node, ValueId x, const std::vector<int64_t>& axes, double epsilon) {
  const Attributes kept{{"axes", axes}, {"keepdims", int64_t{1}}};
  const ValueId mean = node.Emit(Op::kReduceMean, {node.Emit(Op::kMul, {x, x})}, kept);
  const ValueId sum = node.Emit(Op::kAdd, {mean, node.Number(x, epsilon)});
  return node.Emit(Op::kDiv, {node.Number(x, 1), node.Emit(Op::kSqrt, {sum})});
}

/// x less its mean over the axes, that mean, and 1 / sqrt(variance + epsilon).
struct Centred {
  ValueId rest, mean, inverse;
};
Centred Centre(OnnxNode& node, ValueId x, const std::vector<int64_t>& axes, double epsilon) {
  const Attributes kept{{"axes", axes}, {"keepdims", int64_t{1}}};
  const ValueId mean = node.Emit(Op::kReduceMean, {x}, kept);
  const ValueId rest = node.Emit(Op::kSub, {x, mean});
  return {rest, mean, InverseSize(node, rest, axes, epsilon)};
}

/// The inputs named must have a number for a channel.
void RequireNumberAChannel(OnnxNode& node, const char* what, std::initializer_list<int64_t> inputs,
                           int64_t channels) {
  for (int64_t input : inputs)
    if (node.InputShape(input) != Shape{channels})
      throw node.Fail(StrCat(what, " shape"), ToText(node.InputShape(input)),
                      StrCat("must be [", channels, "]"));
}

/// y * scale + bias, each of which has a number for a channel.
ValueId ScaleChannels(OnnxNode& node, ValueId y, ValueId scale, ValueId bias) {
  Shape channels(node.type(y).shape.size(), 1);
  channels[1] = node.type(y).shape[1];
  for (ValueId numbers : {scale, bias})
    if (node.type(numbers).shape != Shape{channels[1]})
      throw node.Fail("scale and bias shape", ToText(node.type(numbers).shape),
                      StrCat("must be [", channels[1], "]"));
  y = node.Emit(Op::kMul, {y, node.Reshape(scale, channels)});
  return node.Emit(Op::kAdd, {y, node.Reshape(bias, channels)});
}

void RequireChannels(OnnxNode& node) {
  if (node.InputShape(0).size() < 3)
    throw node.Fail("input shape", ToText(node.InputShape(0)), "must be [N,C,...]");
}

/// Of x along the axes: scaled by that input, and the next one, if there is one, added.
void Normalise(OnnxNode& node, ValueId x, const std::vector<int64_t>& axes, float epsilon,
               int64_t scale) {
  const Centred c = Centre(node, x, axes, node.Float("epsilon", epsilon));
  ValueId y = node.Emit(Op::kMul, {node.Emit(Op::kMul, {c.rest, c.inverse}), node.Input(scale)});
  if (node.Has(scale + 1)) y = node.Emit(Op::kAdd, {y, node.Input(scale + 1)});
  node.Result(y);
  node.Result(c.mean, 1);
  node.Result(c.inverse, 2);
}

}  // namespace

/// x * factor + rest, where factor = scale / sqrt(variance + epsilon) and rest = bias - mean *
/// factor: constants, as a rule, which the layer before takes.
void ConvertBatchNormalization(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  if (x.size() < 2) throw node.Fail("input shape", ToText(x), "must be [N,C,...]");
  node.Ignore("momentum");  // is for training
  if (const int64_t training = node.Int("training_mode", 0); training != 0)
    throw node.Fail("attribute training_mode", StrCat(training), "must be 0");
  if (const int64_t spatial = node.Int("spatial", 1); spatial != 1)
    throw node.Fail("attribute spatial", StrCat(spatial), "must be 1");
  RequireNumberAChannel(node, "scale, bias, mean and variance", {1, 2, 3, 4}, x[1]);
  const ValueId variance = node.Input(4),
                epsilon = node.Number(variance, node.Float("epsilon", 1e-5f));
  const ValueId deviation = node.Emit(Op::kSqrt, {node.Emit(Op::kAdd, {variance, epsilon})});
  const ValueId factor = node.Emit(Op::kDiv, {node.Input(1), deviation});
  const ValueId moved = node.Emit(Op::kMul, {node.Input(3), factor});
  const ValueId rest = node.Emit(Op::kSub, {node.Input(2), moved});
  Shape channels(x.size() - 1, 1);
  channels[0] = x[1];
  const ValueId scaled = node.Emit(Op::kMul, {node.Input(0), node.Reshape(factor, channels)});
  node.Result(node.Emit(Op::kAdd, {scaled, node.Reshape(rest, channels)}));
}

void ConvertInstanceNormalization(OnnxNode& node) {
  RequireChannels(node);
  const int64_t rank = static_cast<int64_t>(node.InputShape(0).size());
  const Centred c = Centre(node, node.Input(0), AxesFrom(2, rank), node.Float("epsilon", 1e-5f));
  const ValueId y = node.Emit(Op::kMul, {c.rest, c.inverse});
  node.Result(ScaleChannels(node, y, node.Input(1), node.Input(2)));
}

void ConvertGroupNormalization(OnnxNode& node) {
  RequireChannels(node);
  const Shape x = node.InputShape(0);
  const int64_t groups = node.Int("num_groups", 0);
  node.Ignore("stash_type");
  if (groups < 1 || x[1] % groups != 0)
    throw node.Fail("attribute num_groups", StrCat(groups),
                    StrCat("must divide ", Counted(x[1], "channel")));
  const ValueId apart = node.Reshape(node.Input(0), {x[0], groups, Elements(x) / x[0] / groups});
  const Centred c = Centre(node, apart, {2}, node.Float("epsilon", 1e-5f));
  const ValueId y = node.Reshape(node.Emit(Op::kMul, {c.rest, c.inverse}), x);
  constexpr int64_t kByChannel = 21;  // before, scale and bias have a number for a group
  if (node.opset() >= kByChannel) {
    node.Result(ScaleChannels(node, y, node.Input(1), node.Input(2)));
    return;
  }
  RequireNumberAChannel(node, "scale and bias", {1, 2}, groups);
  const auto for_channels = [&](int64_t input) {
    const ValueId apart = node.Reshape(node.Input(input), {groups, 1});
    return node.Reshape(node.Emit(Op::kExpand, {apart}, {{"shape", Shape{groups, x[1] / groups}}}),
                        {x[1]});
  };
  node.Result(ScaleChannels(node, y, for_channels(1), for_channels(2)));
}

void ConvertLayerNormalization(OnnxNode& node) {
  const int64_t rank = node.Rank(0), axis = node.Axis(node.Int("axis", -1), rank);
  node.Ignore("stash_type");
  Normalise(node, node.Input(0), AxesFrom(axis, rank), 1e-5f, 1);
}

/// What is left of a layer normalisation without the mean and the bias.
void ConvertRMSNormalization(OnnxNode& node) {
  const int64_t rank = node.Rank(0), axis = node.Axis(node.Int("axis", -1), rank);
  node.Ignore("stash_type");
  const ValueId x = node.Input(0);
  const ValueId inverse = InverseSize(node, x, AxesFrom(axis, rank), node.Float("epsilon", 1e-5f));
  node.Result(node.Emit(Op::kMul, {node.Emit(Op::kMul, {x, inverse}), node.Input(1)}));
}

namespace {

/// Of ONNX Runtime: the sum of the first two inputs and of a bias, the last output.
ValueId SkipSum(OnnxNode& node, int64_t bias) {
  ValueId sum = node.Emit(Op::kAdd, {node.Input(0), node.Input(1)});
  if (node.Has(bias)) sum = node.Emit(Op::kAdd, {sum, node.Input(bias)});
  node.Result(sum, 3);
  return sum;
}

int64_t LastAxis(OnnxNode& node, ValueId x) {
  return node.Axis(-1, std::ssize(node.type(x).shape));
}

}  // namespace

void ConvertSkipLayerNormalization(OnnxNode& node) {
  const ValueId sum = SkipSum(node, 4);
  Normalise(node, sum, {LastAxis(node, sum)}, 1e-12f, 2);
}

void ConvertSkipSimplifiedLayerNormalization(OnnxNode& node) {
  const ValueId sum = SkipSum(node, 3);
  const ValueId inverse =
      InverseSize(node, sum, {LastAxis(node, sum)}, node.Float("epsilon", 1e-12f));
  node.Result(node.Emit(Op::kMul, {node.Emit(Op::kMul, {sum, inverse}), node.Input(2)}));
  node.Result(inverse, 2);
}

/// x / (sum of |x|^p)^(1/p) along the axis; 0 where all are 0.
void ConvertLpNormalization(OnnxNode& node) {
  const int64_t axis = node.Axis(node.Int("axis", -1), node.Rank(0)), p = node.Int("p", 2);
  if (p != 1 && p != 2) throw node.Fail("attribute p", StrCat(p), "must be 1 or 2");
  const ValueId x = node.Input(0);
  const ValueId powers = p == 1 ? node.Emit(Op::kAbs, {x}) : node.Emit(Op::kMul, {x, x});
  ValueId norm = node.Emit(Op::kReduceSum, {powers},
                           {{"axes", std::vector<int64_t>{axis}}, {"keepdims", int64_t{1}}});
  if (p == 2) norm = node.Emit(Op::kSqrt, {norm});
  const ValueId zero = node.Number(x, 0), none = node.Emit(Op::kEqual, {norm, zero});
  node.Result(node.Emit(Op::kWhere, {none, zero, node.Emit(Op::kDiv, {x, norm})}));
}

void ConvertMeanVarianceNormalization(OnnxNode& node) {
  std::vector<int64_t> axes = node.Ints("axes").value_or(std::vector<int64_t>{0, 2, 3});
  for (int64_t& axis : axes)
    axis = node.Axis(axis, static_cast<int64_t>(node.InputShape(0).size()));
  constexpr double kEpsilon = 1e-9;  // what the operator's own definition adds
  const Centred c = Centre(node, node.Input(0), axes, kEpsilon);
  node.Result(node.Emit(Op::kMul, {c.rest, c.inverse}));
}

/// x / (bias + alpha * mean of the squares of neighbouring channels)^beta. The mean is an average
/// pool over channels; those before the first and after the last are 0.
void ConvertLRN(OnnxNode& node) {
  RequireChannels(node);
  const Shape x = node.InputShape(0);
  const int64_t size = node.Int("size", 0);
  if (size < 1) throw node.Fail("attribute size", StrCat(size), "must be at least 1");
  const ValueId value = node.Input(0);
  const auto number = [&](const char* name, double otherwise) {
    return node.Number(value, node.Float(name, otherwise));
  };
  const ValueId squares = node.Emit(Op::kMul, {value, value});
  const ValueId plane = node.Reshape(squares, {x[0], 1, x[1], Elements(x) / x[0] / x[1]});
  const ValueId mean = node.Emit(Op::kAvgPool, {plane},
                                 {{"kernel", std::vector<int64_t>{size, 1}},
                                  {"strides", std::vector<int64_t>{1, 1}},
                                  {"pads", std::vector<int64_t>{(size - 1) / 2, 0, size / 2, 0}},
                                  {"count_include_pad", int64_t{1}}});
  const ValueId scaled = node.Emit(Op::kMul, {mean, number("alpha", 1e-4f)});
  const ValueId sum = node.Emit(Op::kAdd, {scaled, number("bias", 1)});
  const ValueId power = node.Emit(Op::kPow, {sum, number("beta", 0.75)});
  node.Result(node.Emit(Op::kDiv, {value, node.Reshape(power, x)}));
}

}  // namespace vta::compiler
