// The quantised network in float arithmetic, with scales and biases that change from run to run:
// what other scales do to it, without a network to compile for each.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/quantize/error.h"
#include "compiler/quantize/insert.h"
#include "compiler/quantize/judges.h"
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

/// Nothing is rounded.
Setting Unrounded(Setting setting);

/// Tensors by sample and judge.
using Judged = std::vector<std::vector<Tensor>>;
/// The noise of one against the other.
Outcome NoiseBetween(const Judged& want, const Judged& have);

class Trial {
 public:
  /// Weights stay as `quantised` has them. The first `most` samples that count are run.
  /// `calibration` is borrowed.
  Trial(const Plan& plan, const Inserted& quantised, const std::vector<Judge>& judges,
        const Calibration& calibration, int64_t most);

  int64_t samples() const { return static_cast<int64_t>(chosen_.size()); }
  const Setting& setting() const { return setting_; }  // the quantised graph's
  Judged Run(const Setting& setting) const;
  /// Of one of the samples.
  std::vector<Tensor> RunOn(size_t sample, const Setting& setting) const;
  /// What another graph of the same inputs gives: its outputs.
  Judged RunOther(const Graph& graph) const;

 private:
  const Calibration& calibration_;
  const Setting setting_;
  // Layers whose biases are inputs, in order, behind the scales.
  std::vector<std::pair<NodeId, Shape>> bias_inputs_;
  std::vector<size_t> chosen_;
  Runner run_;
};

}  // namespace vta::compiler::quantize
