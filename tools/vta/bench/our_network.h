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
  int64_t Macs() const;
  int64_t Steps() const { return std::ssize(session_.package().steps); }

 private:
  NamedTensors Named(const std::vector<int64_t>& list,
                     const std::vector<std::vector<uint8_t>>& bytes) const;

  EngineSession session_;
  std::vector<std::vector<uint8_t>> inputs_, outputs_;
};

}  // namespace vta::tools
