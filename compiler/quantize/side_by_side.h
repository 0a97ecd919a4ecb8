// A float graph and its quantised form in one graph, in which each quantised layer reads what the
// float graph computes, through codes: what a layer does wrong by itself.
#pragma once

#include <span>
#include <string>

#include "compiler/graph/graph.h"
#include "compiler/quantize/insert.h"

namespace vta::compiler::quantize {

class SideBySide {
 public:
  /// `quantised` has the inputs of `real`; the pairs are values of both.
  SideBySide(const Graph& real, const Graph& quantised, std::span<const Pair> pairs);

  /// The value of a name in either graph, in the common one; codes' values as they come from the
  /// quantised layer itself.
  ValueId Real(const std::string& name) const;
  ValueId Quantised(const std::string& name) const;

  /// Adds an output: the mean of a value over axes, which stay with size 1.
  void OutputMean(const std::string& name, ValueId value, std::vector<int64_t> axes);
  ValueId Difference(ValueId a, ValueId b);
  ValueId Square(ValueId value);
  /// The graph of what the outputs need.
  Graph Finish() const;

  const TensorType& type(ValueId value) const { return graph_.type(value); }

 private:
  void AddReal(const Graph& real);
  void AddQuantised(const Graph& quantised, std::span<const Pair> pairs);

  Graph graph_;
  std::map<std::string, ValueId> real_, quantised_;
};

}  // namespace vta::compiler::quantize
