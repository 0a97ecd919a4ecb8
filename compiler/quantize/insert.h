// A float graph in quantise-dequantise form: quantize and dequantize around what becomes integers,
// weights and biases as codes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/quantize/code_sum.h"
#include "compiler/quantize/plan.h"
#include "compiler/quantize/weights.h"

namespace vta::compiler::quantize {

struct Scheme {
  std::vector<CodeScale> points;  // int8 codes
  int64_t factor_bits = kExactFactorBits;
  bool unsigned_codes = false;  // of activations: uint8, zero points moved by 128
  std::map<NodeId, std::vector<float>> bias_added;  // by layer and channel
};

/// The same tensor in the float graph and in the quantised one, where it has passed through codes.
struct Pair {
  std::string layer;
  std::string real, quantised;  // values' names
};

struct Inserted {
  Graph graph;
  std::vector<Pair> pairs;  // one for each point
  std::map<NodeId, std::string>
      outputs;  // of layers by their node in the float graph: the name here
};

/// Errors: throws Error naming the layer whose scales are out of float32's range.
Inserted Insert(const Graph& graph, const Plan& plan, const Scheme& scheme);

/// The value of this name. Errors: aborts where there is none.
ValueId ValueNamed(const Graph& graph, const std::string& name);

/// The biases of a layer: a number for each channel, 0 where it has none.
std::vector<double> BiasOf(const Graph& graph, const Layer& layer);

}  // namespace vta::compiler::quantize
