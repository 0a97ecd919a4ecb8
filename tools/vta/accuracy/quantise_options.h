// What quantize and eval share: a model, data for it, and how it is quantised.
#pragma once

#include <string>
#include <vector>

#include "compiler/quantize/quantise.h"
#include "tools/shared/encoding.h"
#include "tools/shared/inferences.h"
#include "tools/vta/common/progress.h"

namespace CLI {
class App;
}  // namespace CLI

namespace vta::tools {

struct QuantiseOptions {
  std::string model;
  std::vector<std::string> dims;
  std::string rounding;  // "": the model's
  std::string config = "default";
  std::vector<std::string> data;
  Encoding encoding;
  int64_t samples = kAllSamples;  // of the data
  std::string method = "auto", equalise = "auto", type = "int8", keep_float;
  double percentile = compiler::quantize::kUsualPercentile;
  bool keep_biases = false;
  const CLI::App* command = nullptr;  // borrowed; of AddTo

  void AddTo(CLI::App& app);

  /// The model's graph. Errors: as ImportOnnxFile; throws Error for a package.
  compiler::Graph Import() const;
  /// Errors: as FindConfig.
  compiler::quantize::Options Parsed() const;
};

/// Samples of a graph's inputs, and what else the files of them say.
struct Samples {
  std::vector<std::vector<compiler::Tensor>> tensors;  // of each sample, one for each input
  Inputs from;                                         // without its samples
};

/// The first `most` samples of files, one for each input of the graph. Errors: as ReadInputs.
Samples ReadSamples(const compiler::Graph& graph, const std::string& option,
                    const std::vector<std::string>& files, const Encoding& encoding, int64_t most);

/// Samples that run on this CPU, none held back; `progress` is borrowed. `threads`: as
/// runtime::SessionOptions.
compiler::quantize::Calibration OnSamples(const std::vector<std::vector<compiler::Tensor>>& samples,
                                          Progress* progress, int64_t threads = 0);

}  // namespace vta::tools
