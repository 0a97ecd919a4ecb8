// A network in float and quantised, whoever quantised it, as vta eval compares them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/quantize/quantise.h"
#include "tools/shared/inferences.h"
#include "tools/vta/accuracy/eval_report.h"

namespace vta::tools {

struct Compared {
  compiler::Graph real;
  compiler::quantize::Inserted quantised;
  std::vector<compiler::quantize::Point> points;
  std::vector<compiler::CodeScale> scales;  // as int8 codes
  // How the range of each point was chosen here.
  std::vector<compiler::quantize::Method> methods;
  std::vector<std::string> in_float;  // nodes
  bool quantised_here = false;        // not by somebody before
  int64_t layers = 0;                 // quantised here
  int64_t equalised = 0;              // pairs of them
};

/// Of a network that has codes: itself and the same without them. Of one in float: what the
/// calibration makes of it. Errors: as quantize::FloatFormOf and quantize::Quantise.
Compared Compare(const compiler::Graph& imported,
                 const compiler::quantize::Calibration& calibration,
                 const compiler::quantize::Options& how);

/// Each layer's error on the data, worst first; `on_config` runs the
/// quantised network.
std::vector<LayerError> LayerErrors(const Compared& compared,
                                    const compiler::quantize::Calibration& data,
                                    const compiler::quantize::MakeRunner& on_config);

/// Runs the networks on samples, holds their classes against labels and against float.
class Accuracy {
 public:
  /// Errors: throws Error for labels that name no class, or where the files hold another number of
  /// samples.
  Accuracy(const compiler::Graph& graph, const compiler::quantize::Calibration& data,
           const std::string& labels, const Inputs& inputs);

  /// The first one that runs is float.
  EvalRun Run(const std::string& name, const compiler::Graph& graph,
              const compiler::quantize::MakeRunner& runner);

 private:
  const compiler::quantize::Calibration& data_;
  int64_t batch_ = 1;
  std::vector<int64_t> labels_;  // none: not known
  std::vector<std::vector<compiler::Tensor>> float_outputs_;
};

}  // namespace vta::tools
