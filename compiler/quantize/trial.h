// The quantised network in float arithmetic, with scales and biases that change from run to run:
// how the outputs like other scales, without a network to compile for each.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/quantize/error.h"
#include "compiler/quantize/insert.h"
#include "compiler/quantize/runner.h"

namespace vta::compiler::quantize {

struct Setting {
  /// By point; nothing: the tensor is not rounded.
  std::vector<std::optional<CodeScale>> scales;
  /// What the codes of biases stand for, of layers that have one, by node.
  std::map<NodeId, std::vector<float>> biases;
};
/// What a quantised graph has.
Setting SettingOf(const Plan& plan, const Inserted& quantised);

/// How much less noise one outcome has than another, and the error of that were other samples
/// drawn (jackknife), which one sample does not tell. Units: dB.
struct Gain {
  double mean = 0, error = 0;
};
Gain GainOf(const Outcome& now, const Outcome& before);

class Trial {
 public:
  /// Weights stay as `quantised` has them. The first `most` samples that count are run; what they
  /// give in float is remembered. `calibration` is borrowed.
  Trial(const Graph& real, const Plan& plan, const Inserted& quantised,
        const Calibration& calibration, int64_t most);

  int64_t samples() const { return static_cast<int64_t>(want_.size()); }
  Outcome Run(const Setting& setting) const;
  double Decibels(const Setting& setting) const { return quantize::Decibels(Run(setting)); }

 private:
  const Calibration& calibration_;
  // Layers whose biases are inputs, in order, behind the scales.
  std::vector<std::pair<NodeId, Shape>> bias_inputs_;
  std::vector<size_t> chosen_;
  std::vector<std::vector<Tensor>> want_;  // by sample and output
  Runner run_;
};

}  // namespace vta::compiler::quantize
