// Where it is seen what codes do to a network: in large tensors near its outputs. A dozen outputs
// tell two ranges apart by chance, thousands of values before them do not need many samples.
#pragma once

#include <vector>

#include "compiler/quantize/insert.h"
#include "compiler/quantize/plan.h"

namespace vta::compiler::quantize {

/// A point, or a graph's output: one of thousands of shares, or behind which no point lies.
struct Judge {
  int64_t point = kNone;
  size_t output = 0;
  bool operator==(const Judge&) const = default;
};

struct Judges {
  /// The last points of thousands of values before each output, or the output, where it has
  /// thousands of shares or there are no such points; then the heads, the last points of any size,
  /// that are not among them.
  std::vector<Judge> all;
  size_t large = 0;  // how many are of the first kind
  /// Outputs of thousands of values behind which more is computed: what a sigmoid makes of a head.
  std::vector<Judge> outputs;
};
Judges JudgesOf(const Graph& graph, const Plan& plan);

/// The value that is judged, in the float graph and in the quantised one.
ValueId RealValue(const Graph& real, const Plan& plan, const Judge& judge);
ValueId QuantisedValue(const Inserted& quantised, const Judge& judge);

}  // namespace vta::compiler::quantize
