#include "compiler/quantize/observe.h"

#include <algorithm>
#include <cmath>

namespace vta::compiler::quantize {
namespace {

void RequireFinite(const Tensor& tensor, const Graph& graph, const Point& point) {
  for (const float value : tensor.data<float>())
    if (!std::isfinite(value))
      throw Error(graph.name(), StrCat("values of \"", point.layer, "\""), StrCat(value),
                  "must be finite on the calibration data");
}

void AddTo(const Tensor& tensor, Observation* to) {
  const auto values = tensor.data<float>();
  to->values.Add(values);
  const Shape& shape = tensor.shape();
  if (shape.size() < 2) return;
  to->channels.resize(shape[1]);
  const int64_t each = Elements(shape) / (shape[0] * shape[1]);
  for (int64_t i = 0; i < std::ssize(values); ++i) {
    float& largest = to->channels[i / each % shape[1]];
    largest = std::max(largest, std::abs(values[i]));
  }
}

}  // namespace

std::vector<Observation> Observe(const Graph& graph, std::span<const Point> points,
                                 const Calibration& calibration) {
  if (calibration.samples.empty())
    throw Error(graph.name(), "calibration samples", "0", "there must be one at least");
  std::vector<ValueId> values;
  for (const Point& point : points) values.push_back(point.value);
  std::vector<Observation> all(values.size());
  calibration.Run(WithOutputs(graph, values), "observing", [&](const std::vector<Tensor>& made) {
    for (size_t i = 0; i < made.size(); ++i) {
      RequireFinite(made[i], graph, points[i]);
      AddTo(made[i], &all[i]);
    }
  });
  for (size_t i = 0; i < all.size(); ++i) {
    const bool is_input = !graph.Producer(points[i].value);
    if (const Histogram& seen = all[i].values; is_input && seen.min() == seen.max())
      throw Error(graph.name(), StrCat("calibration data of \"", points[i].layer, "\""),
                  StrCat(seen.min()), "is every value of every sample: no range to choose from");
  }
  return all;
}

}  // namespace vta::compiler::quantize
