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

  /// Runs the graph on every sample and hands its outputs over.
  void Run(const Graph& graph, std::string_view what,
           const std::function<void(const std::vector<Tensor>&)>& take) const;
};

/// The graph with these of its values as its only outputs, named as they are.
Graph WithOutputs(const Graph& graph, std::span<const ValueId> values);

}  // namespace vta::compiler::quantize
