#include "compiler/quantize/assume.h"

#include <cmath>

#include "compiler/frontend/random_weights.h"
#include "compiler/quantize/float_form.h"

namespace vta::compiler::quantize {
namespace {

/// One for each input.
std::vector<Tensor> RandomSample(const Graph& graph, uint64_t seed) {
  const double reach = std::sqrt(3.0);  // of deviation 1
  std::vector<Tensor> sample;
  for (const ValueId input : graph.inputs()) {
    const TensorType& type = graph.type(input);
    const bool is_real = type.dtype == DType::kFloat32 || type.dtype == DType::kFloat64;
    sample.push_back(is_real ? RandomTensor(type, {-reach, reach}, seed, graph.value(input).name)
                             : Tensor(type));
  }
  return sample;
}

}  // namespace

Graph Assume(const Graph& imported, uint64_t seed, const std::optional<isa::Config>& config,
             const MakeRunner& make_runner) {
  if (IsQuantised(imported))
    throw Error(imported.name(), "", "", "is quantised already: it has codes and scales");
  const std::vector<std::vector<Tensor>> samples = {RandomSample(imported, seed)};
  Options options;
  options.method = Method::kMinMax;
  options.correct_biases = false;
  options.equalise = Choice::kOff;
  options.config = config;
  return Quantise(imported, {samples, make_runner}, options).quantised.graph;
}

}  // namespace vta::compiler::quantize
