// How the quantiser runs a graph: it makes graphs whose outputs are what it wants to see, and is
// given something that computes them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"

namespace vta::compiler::quantize {

/// The outputs of one sample, in the graph's order.
using Runner = std::function<std::vector<Tensor>(std::span<const Tensor> inputs)>;
/// Makes what runs a graph. Errors: those of compiling it.
using MakeRunner = std::function<Runner(const Graph& graph)>;

/// The inputs of each sample, in the graph's order.
using Samples = std::span<const std::vector<Tensor>>;

/// Is told how many of how many samples are done, of what.
using OnSample = std::function<void(std::string_view what, int64_t done, int64_t all)>;

/// What all steps need to run graphs on the calibration data.
struct Calibration {
  Samples samples;
  MakeRunner make_runner;
  OnSample on_sample = {};
  /// The last of every so many samples is held back: it sets no range, and judges those that
  /// others set. 0: every sample does both.
  int64_t hold_back = 0;
  bool held = false;  // whether the samples that count are those held back

  /// The samples that count, by their place.
  std::vector<size_t> Chosen() const;
  /// The same with those held back.
  Calibration Held() const;
  /// Runs the graph on every sample that counts and hands its outputs over.
  void Run(const Graph& graph, std::string_view what,
           const std::function<void(const std::vector<Tensor>&)>& take) const;
};

/// Of so many samples the last of how many is held back: of every four, or of all where there are
/// fewer; a sample by itself is not.
int64_t HoldBackOf(int64_t samples);

/// The graph with these of its values as its only outputs, named as they are.
Graph WithOutputs(const Graph& graph, std::span<const ValueId> values);

}  // namespace vta::compiler::quantize
