// A graph of a model, the outermost or one inside a node: its operators, initializers and nodes.
#pragma once

#include <string>
#include <vector>

#include "compiler/frontend/onnx/absent.h"
#include "compiler/frontend/onnx/node.h"

namespace onnx {
class GraphProto;
}

namespace vta::compiler {

/// The name of a domain; ONNX's own has two, of which this one is "".
std::string OnnxDomain(const std::string& name);

/// Names all operators of the graph, and of graphs inside it, that are not supported, so that one
/// look says whether a model is near.
/// Errors: throws Error where there are any.
void CheckOnnxOperators(const onnx::GraphProto& proto);

/// Binds the graph's initializers; `absent`, where given, makes up what no file has.
/// Errors: throws Error naming the tensor.
void ReadOnnxInitializers(const onnx::GraphProto& proto, OnnxScope& scope,
                          const AbsentWeights* absent = nullptr);

/// Emits the graph's nodes, in an order in which they can be computed, and binds what they make.
/// Errors: throws Error naming the node.
void ReadOnnxNodes(const onnx::GraphProto& proto, OnnxScope& scope);

/// A graph inside a node, which sees the names around it. It is read once for each time it runs.
class OnnxSubgraph {
 public:
  /// Errors: throws Error naming the tensor of a broken initializer.
  OnnxSubgraph(const onnx::GraphProto& proto, OnnxScope& scope);

  int64_t input_count() const;
  int64_t output_count() const;
  /// What its outputs are where its inputs are these.
  /// Errors: throws Error naming the node inside, or the output that nothing makes.
  std::vector<OnnxBinding> Run(const std::vector<OnnxBinding>& inputs);

 private:
  const onnx::GraphProto& proto_;
  OnnxScope& scope_;
  OnnxNames constants_;
};

}  // namespace vta::compiler
