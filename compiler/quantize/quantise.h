// Post-training quantisation: a float graph and samples in, the graph in quantise-dequantise form
// out, whose layers the compiler makes integers of.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/quantize/insert.h"
#include "compiler/quantize/observe.h"
#include "compiler/quantize/range.h"
#include "isa/config.h"

namespace vta::compiler::quantize {

enum class Choice { kAuto, kOn, kOff };

struct Options {
  Method method = Method::kAuto;
  double percentile = kUsualPercentile;
  std::set<std::string> keep_float;  // nodes, as NodesNamed takes them
  bool correct_biases = true;
  Choice equalise = Choice::kAuto;  // auto: where it lowers the noise of the outputs
  bool unsigned_codes = false;      // of activations
  /// Whose factors the scales must be ones of; absent: exact requantisation's.
  std::optional<isa::Config> config;
};

struct Result {
  Graph real;  // simplified, its layers equalised: what was quantised
  Plan plan;
  std::set<std::string> kept;  // nodes in float: those asked for, left_float, and MixedOutputs
  Inserted quantised;
  std::vector<Observation> observed;    // by point
  std::vector<Method> methods;          // by point: how its range was chosen; kAuto: searched for
  std::vector<CodeScale> scales;        // by point
  std::vector<std::string> left_float;  // nodes that the compiler has no integers for
  int64_t equalised = 0;                // pairs of layers
};

/// What the compiler simplifies before it looks for integers: constants folded, normalisations and
/// biases in layers.
Graph Simplified(const Graph& imported);

/// Samples that the calibration holds back set no range; they help to decide between ways to do it.
/// Errors: throws Error as MakePlan, Observe and Insert.
Result Quantise(const Graph& imported, const Calibration& calibration, const Options& options);

}  // namespace vta::compiler::quantize
