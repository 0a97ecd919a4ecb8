// How a pass works: it walks the old graph in order and emits a new one, dropping, copying or
// replacing each node. Constants are carried over when first used; what nothing reads is left out.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace vta::compiler {

class Rebuild {
 public:
  /// Starts a graph with the old one's name, rounding and inputs.
  explicit Rebuild(const Graph& old);

  const Graph& old() const { return old_; }
  Graph& fresh() { return fresh_; }

  /// The new value that stands for an old one.
  ValueId Map(ValueId old_value);
  std::vector<ValueId> MapInputs(const Node& node);
  /// From now on `fresh_value` stands for what `node` made.
  void Replace(const Node& node, ValueId fresh_value) { Stand(node.output, fresh_value); }
  void Stand(ValueId old_value, ValueId fresh_value) { map_.at(old_value) = fresh_value; }
  /// Emits the node with other inputs, attributes kept; placement is carried over.
  ValueId Copy(const Node& node);
  ValueId CopyWith(const Node& node, std::vector<ValueId> inputs, Attributes attributes);

  /// Adds the outputs and removes what nothing reads.
  Graph Finish();

 private:
  const Graph& old_;
  Graph fresh_;
  std::vector<ValueId> map_;
};

/// The value in another shape of as many elements: a reshape of this name, where it has another
/// one.
ValueId Reshaped(Graph& graph, ValueId value, const Shape& shape, const std::string& name);

/// The graph without the nodes and constants that no output depends on. Inputs stay.
Graph RemoveDead(const Graph& graph);

}  // namespace vta::compiler
