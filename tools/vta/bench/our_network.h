// Our side of a benchmark beside a peer: a network that is compiled here, on inputs of its own.
#pragma once

#include <string>
#include <vector>

#include "tools/vta/bench/compare.h"
#include "tools/vta/common/session.h"

namespace vta::tools {

class OurNetwork {
 public:
  /// Errors: as OpenModel and EngineSession.
  OurNetwork(const ModelOptions& model, const EngineOptions& engine);

  std::vector<isa::PackageTensor> InputTensors() const;
  NamedTensors Inputs() const { return Named(session_.package().inputs, inputs_); }
  /// Runs from inputs to outputs.
  OurSide Side();
  /// Runs with inputs and outputs where the kernels have them.
  OurSide SideInPlace();
  /// Whole inferences. Errors: as runtime::MeasureInference.
  runtime::Timing Time(const runtime::TimerOptions& options);
  /// Of each step the least time of so many runs. Units: ns.
  std::vector<int64_t> StepTimes(int64_t runs);
  const isa::Package& package() const { return session_.package(); }
  int64_t Macs() const;
  int64_t Steps() const { return std::ssize(session_.package().steps); }

 private:
  NamedTensors Named(const std::vector<int64_t>& list,
                     const std::vector<std::vector<uint8_t>>& bytes) const;

  EngineSession session_;
  std::vector<std::vector<uint8_t>> inputs_, outputs_;
};

/// The least time of those steps of a graph that do more than lay tensors out, on one thread of the
/// CPU. Units: ns. Errors: as OurNetwork.
int64_t TimeOfCompute(const compiler::Graph& graph, int64_t runs);

}  // namespace vta::tools
