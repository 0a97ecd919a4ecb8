// The ops of the graph IR: one table, a row an op (name, arity, attributes, shape rule, evaluator).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/graph/graph.h"

namespace vta::compiler {

/// Of upsample_i8 and resize_i8, along an axis.
inline constexpr int64_t kMostUpsampling = 4096;

enum class Op : uint8_t {
  // Products.
  kConv2d,
  kGemm,
  kMatMul,
  // Element-wise, on any number type where not said otherwise.
  kAdd,
  kSub,
  kMul,
  kDiv,  // of integers towards zero; by 0 it is 0
  kMod,  // integers: a less the multiple of b that is rounded down to
  kMin,
  kMax,
  kPow,  // float
  kEqual,
  kLess,
  kLessEqual,
  kAnd,  // bool
  kOr,
  kNot,
  kWhere,
  kRelu,
  kClip,
  kAbs,
  kSign,
  kFloor,  // float, as those after it
  kRound,  // ties to even
  kExp,
  kLog,
  kSqrt,
  kTanh,
  kErf,
  kGelu,  // x * (1 + erf(x / sqrt(2))) / 2
  kSigmoid,
  kSin,
  kCos,
  // Over windows and axes.
  kMaxPool,
  kAvgPool,
  kReduceMean,
  kReduceSum,
  kReduceMax,
  kReduceMin,
  kArgMax,  // the place of the greatest along an axis, the first of several, or the last
  kTopK,    // the places of the k greatest, in order, the first of equals first
  kSoftmax,
  // Between types.
  kCast,
  kQuantize,
  kDequantize,
  // Data movement.
  kIdentity,
  kReshape,
  kTranspose,
  kConcat,
  kPad,
  kSlice,   // y[i] = x[starts + i * steps]
  kGather,  // along an axis, at indices known when it runs
  kExpand,  // repeats axes of size 1
  /// y[n, g, c, s * blocks + p - crops] = x[n, g, p, c, s], of x and y [N,C,...] with the channels
  /// in groups and p the place in a block, row by row.
  kDepthToSpace,
  kIm2Col,
  /// y = (x - m) / sqrt(v + epsilon) of lines along an axis: m is their mean and v their variance,
  /// or 0 and the mean of their squares.
  kNormalize,
  // Integer normal form: what accelerators take.
  kConv2dI8,
  kDenseI8,
  /// y[1, g * N + n, h, w] of the pixels x[1, g * K + k, h, w], the matrices m[g * N + n, k], which
  /// are made when it runs, and a bias of each n: products of two activations. Of a group's N and K
  /// `outputs` and `depth` count, the others fill blocks.
  kMatMulI8,
  kAddI8,
  kAddLookupI8,
  kMulI8,
  kMaxPoolI8,
  kUpsampleI8,
  /// upsample_i8 with linear interpolation (ops/linear_taps.h), of one tensor or of the sum of two,
  /// each times a number for each channel.
  kResizeI8,
  kAvgPoolI8,
  kRequantI8,
  kLookupI8,  // y = table[x + 128]
  /// requant_i8 whose scale below the zero point is one for each channel.
  kPreluI8,
  kFlipSign,
  // Layout of accelerators.
  kPack,
  kUnpack,
  // Between the memories of targets.
  kCopy,
};

/// What the rules of a row see of a node.
struct OpView {
  const Node& node;
  std::vector<const TensorType*> inputs;

  const Shape& shape(int64_t input) const { return inputs[input]->shape; }
  DType dtype(int64_t input) const { return inputs[input]->dtype; }
  bool Has(int64_t input) const { return input < static_cast<int64_t>(inputs.size()); }
  int64_t Int(std::string_view name) const { return node.Int(name); }
  const std::vector<int64_t>& Ints(std::string_view name) const { return node.Ints(name); }
  /// An error at this node.
  Error Fail(std::string what, std::string value, std::string rule) const;
  /// Throws Fail(what, value, rule) unless `holds`.
  void Require(bool holds, std::string_view what, std::string_view value,
               std::string_view rule) const;
};

struct EvalView : OpView {
  std::vector<const Tensor*> tensors;
  TensorType output;
  isa::Rounding rounding;

  const Tensor& tensor(int64_t input) const { return *tensors[input]; }
};

struct AttributeSpec {
  std::string_view name;
  AttributeKind kind;
};

struct OpTraits {
  bool fold;         // cheap enough to compute at compile time when all inputs are constant
  bool elementwise;  // an element of the output needs only those of the inputs that broadcast to it
};

struct OpSpec {
  Op op;
  std::string_view name;
  int min_inputs, max_inputs;
  std::span<const AttributeSpec> attributes;  // all required, no others allowed
  OpTraits traits;
  TensorType (*infer)(const OpView&);
  Tensor (*evaluate)(const EvalView&);
};

const OpSpec& Spec(Op op);
std::span<const OpSpec> AllOps();
/// Whether the op only puts its operands' elements elsewhere, perhaps with one number between them.
bool MovesData(Op op);
/// nullptr when there is no such op.
const OpSpec* FindOp(std::string_view name);

/// The type of the value that `node` makes.
/// Errors: throws Error naming the node if arity, attributes or input types break the op's row.
TensorType InferType(const Graph& graph, const Node& node);

}  // namespace vta::compiler
