// An ONNX node before its graph is read, where sizes are looked for: shapes with open dimensions,
// and the rules of operators.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/node.h"
#include "compiler/frontend/sizes.h"

namespace vta::compiler {

/// What is known while a graph is gone through. Tensors whose rank is open have no shape.
struct SizedGraph {
  const OnnxNames& constants;
  std::map<std::string, Shape> shapes;
  std::map<std::string, Tensor> made;  // by nodes named Constant
  Sizes& sizes;
};

class SizedNode {
 public:
  SizedNode(const onnx::NodeProto& proto, SizedGraph& graph) : proto_(proto), graph_(graph) {}

  Sizes& sizes() { return graph_.sizes; }
  const onnx::NodeProto& proto() const { return proto_; }
  int input_count() const;
  int output_count() const;
  bool Has(int input) const;
  /// Nothing where the input is not given, or its rank is open.
  std::optional<Shape> ShapeOf(int input) const;
  /// Nothing where it is not known.
  const Tensor* Constant(int input) const;

  const onnx::AttributeProto* Attribute(std::string_view name) const;
  int64_t Int(std::string_view name, int64_t otherwise) const;
  /// Of an attribute or, in later opsets, of a constant input; nothing where it is not known, or
  /// larger than a window or a cut can be.
  std::optional<std::vector<int64_t>> Ints(std::string_view name, int input = -1) const;

  /// Counted from the end where it is negative; nothing where it lies outside.
  static std::optional<size_t> Axis(int64_t axis, size_t rank);

  void Set(Shape shape, int output = 0);
  void SetConstant(Tensor tensor);

 private:
  const onnx::NodeProto& proto_;
  SizedGraph& graph_;
};

/// Says what an operator makes equal, and the shapes of its outputs as far as they are known.
using SizeRule = void (*)(SizedNode&);

void FollowSame(SizedNode& node);         // the first output is as the first input
void FollowElementwise(SizedNode& node);  // all inputs broadcast
void FollowMatMul(SizedNode& node);
void FollowQLinearMatMul(SizedNode& node);
void FollowGemm(SizedNode& node);
void FollowConv(SizedNode& node);
void FollowQLinearConv(SizedNode& node);
void FollowConvTranspose(SizedNode& node);
void FollowPool(SizedNode& node);
void FollowGlobalPool(SizedNode& node);
void FollowChannelNorm(SizedNode& node);
void FollowLastNorm(SizedNode& node);
void FollowRecurrent(SizedNode& node);
void FollowReduce(SizedNode& node);
void FollowConcat(SizedNode& node);
void FollowConstant(SizedNode& node);
void FollowReshape(SizedNode& node);
void FollowFlatten(SizedNode& node);
void FollowTranspose(SizedNode& node);
void FollowSqueeze(SizedNode& node);
void FollowUnsqueeze(SizedNode& node);
void FollowGather(SizedNode& node);
void FollowSplit(SizedNode& node);
void FollowSlice(SizedNode& node);
void FollowPad(SizedNode& node);
void FollowResize(SizedNode& node);

}  // namespace vta::compiler
