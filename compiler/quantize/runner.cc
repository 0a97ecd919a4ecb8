#include "compiler/quantize/runner.h"

#include "compiler/graph/rebuild.h"

namespace vta::compiler::quantize {

void Calibration::Run(const Graph& graph, std::string_view what,
                      const std::function<void(const std::vector<Tensor>&)>& take) const {
  const Runner run = make_runner(graph);
  for (size_t i = 0; i < samples.size(); ++i) {
    if (on_sample) on_sample(what, static_cast<int64_t>(i) + 1, std::ssize(samples));
    take(run(samples[i]));
  }
}

Graph WithOutputs(const Graph& graph, std::span<const ValueId> values) {
  Rebuild rebuild(graph);
  for (const Node& node : graph.nodes()) rebuild.Copy(node);
  for (ValueId value : values)
    rebuild.fresh().AddOutput(graph.value(value).name, rebuild.Map(value));
  return RemoveDead(rebuild.fresh());
}

}  // namespace vta::compiler::quantize
