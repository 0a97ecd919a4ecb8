// Linear resizing as the graph's own ops have it.
#pragma once

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"

namespace vta::compiler {

/// A real value as `factor` times the planes of another, resized by whole factors.
struct ResizedPlanes {
  ValueId of = kNone;
  Shape scales{1, 1};  // of height and width
  bool half_pixel = false;
  double factor = 1;
};
/// Nothing for other values, and where something else reads what lies between.
/// Shape: uses [values], how often each is read.
std::optional<ResizedPlanes> AsResized(const Graph& graph, ValueId real,
                                       const std::vector<int64_t>& uses);

}  // namespace vta::compiler
