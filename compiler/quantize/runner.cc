#include "compiler/quantize/runner.h"

#include <algorithm>

#include "compiler/graph/rebuild.h"

namespace vta::compiler::quantize {

std::vector<size_t> Calibration::Chosen() const {
  std::vector<size_t> chosen;
  for (size_t i = 0; i < samples.size(); ++i) {
    const bool is_held = hold_back > 0 && (static_cast<int64_t>(i) + 1) % hold_back == 0;
    if (hold_back == 0 || is_held == held) chosen.push_back(i);
  }
  return chosen;
}

Calibration Calibration::Held() const {
  Calibration other = *this;
  other.held = true;
  return other;
}

void Calibration::Run(const Graph& graph, std::string_view what,
                      const std::function<void(const std::vector<Tensor>&)>& take) const {
  const Runner run = make_runner(graph);
  const std::vector<size_t> chosen = Chosen();
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (on_sample) on_sample(what, static_cast<int64_t>(i) + 1, std::ssize(chosen));
    take(run(samples[chosen[i]]));
  }
}

int64_t HoldBackOf(int64_t samples) { return samples < 2 ? 0 : std::min<int64_t>(samples, 4); }

Graph WithOutputs(const Graph& graph, std::span<const ValueId> values) {
  Rebuild rebuild(graph);
  for (const Node& node : graph.nodes()) rebuild.Copy(node);
  for (ValueId value : values)
    rebuild.fresh().AddOutput(graph.value(value).name, rebuild.Map(value));
  return RemoveDead(rebuild.fresh());
}

}  // namespace vta::compiler::quantize
