// What vta eval does once it has read its files.
#pragma once

#include <string>
#include <vector>

#include "compiler/quantize/quantise.h"
#include "tools/vta/accuracy/eval_report.h"
#include "tools/vta/accuracy/quantise_options.h"
#include "tools/vta/common/engines.h"

namespace vta::tools {

struct Evaluation {
  std::string model;  // in errors
  Samples data;
  std::string labels = {};  // a file of them; where it is none, those that came with the samples
  std::vector<std::vector<compiler::Tensor>> calibration = {};  // empty: the samples
  const EngineOptions* engine = nullptr;  // that was asked for, borrowed; null: the usual one
  int64_t threads = 0;                    // of what runs on this CPU, as runtime::SessionOptions
  bool trials = true;                     // what other options of the quantiser would do
};

/// Quantises the network, unless it is, and says what that costs.
/// Errors: as Accuracy, quantize::Quantise and what runs the networks.
EvalReport Evaluate(const Evaluation& evaluation, const compiler::Graph& graph,
                    const compiler::quantize::Options& how, Progress* progress);

}  // namespace vta::tools
