// What vta eval found: accuracies, the error of each layer and its cause, and what changes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/quantize/error.h"
#include "compiler/quantize/observe.h"
#include "compiler/quantize/range.h"
#include "isa/package.h"
#include "isa/support/json.h"
#include "tools/vta/common/run_cost.h"

namespace vta::tools {

/// One way of running the network.
struct EvalRun {
  std::string name;                // "float", "int8", "int8 on vta_0.0.2 (functional)"
  std::optional<double> accuracy;  // percent, where there are labels
  double agreement = 100;          // percent of the samples in which float has the same class
  double decibels = 0;             // of the outputs against float
};

struct LayerError {
  std::string layer;
  compiler::quantize::Noise own, whole;
  compiler::quantize::Range range;  // of the values
  double clipped = 0;               // percent of the values that lie outside what codes cover
  double clipping_share = 0;        // of its own noise, that they make
  double codes_share = 0;           // of its own noise, that the codes of its output make in all
  double spread = 1;                // the largest channel's range by the middle one's
  bool is_node = true;              // otherwise an input of the network
  std::string advice;
};

/// Another way to quantise, tried: what it does to the outputs.
struct Trial {
  std::string change;  // options of the command line
  double decibels = 0;
};

struct EvalReport {
  std::string model, config;
  int64_t samples = 0;
  std::vector<std::string> in_float;  // nodes
  std::vector<EvalRun> runs;
  std::optional<isa::Inexactness> inexact;  // the same as of a package
  std::optional<RunCost> cost;              // of the quantised network on the config
  std::vector<LayerError> layers;           // worst first
  int64_t trial_samples = 0;
  double trial_base = 0;  // dB of the outputs without a change
  std::vector<Trial> trials;
};

/// What a layer's error can be answered with.
struct Remedies {
  bool quantised_here = true;  // not by somebody before, with options of his own
  bool equalised = false;
  compiler::quantize::Method method = compiler::quantize::Method::kMse;
};

/// The cause of a layer's error in numbers, and what to do about it. `scale` has int8 codes.
void Explain(const compiler::quantize::Observation& seen, const compiler::CodeScale& scale,
             const Remedies& remedies, LayerError* error);

std::string EvalText(const EvalReport& report);
Json EvalJson(const EvalReport& report);

}  // namespace vta::tools
