// Shared by the tests of the quantiser: graphs run by the graph's own evaluator.
#pragma once

#include <random>
#include <vector>

#include "compiler/graph/evaluate.h"
#include "compiler/quantize/quantise.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler::quantize {

inline MakeRunner Evaluator() {
  return [](const Graph& graph) -> Runner {
    Verify(graph);
    return [graph](std::span<const Tensor> inputs) {
      return Evaluate(graph, {inputs.begin(), inputs.end()});
    };
  };
}

inline Calibration On(Samples samples) { return {samples, Evaluator()}; }

/// Samples of one input, of normal values around `mean`.
inline std::vector<std::vector<Tensor>> NormalSamples(const Graph& graph, int count, float mean,
                                                      uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(mean, 1);
  std::vector<std::vector<Tensor>> samples(count);
  for (auto& sample : samples)
    for (ValueId input : graph.inputs()) {
      Tensor tensor(graph.type(input));
      for (float& value : tensor.mutable_data<float>()) value = normal(random);
      sample.push_back(std::move(tensor));
    }
  return samples;
}

inline Tensor RandomTensor(const Shape& shape, float deviation, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  Tensor tensor(TensorType{DType::kFloat32, shape});
  for (float& value : tensor.mutable_data<float>()) value = normal(random);
  return tensor;
}

}  // namespace vta::compiler::quantize
