// The kernels of a package that run on the host, whatever form they come in: compiled, or
// interpreted.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace vta::runtime {

class HostModule {
 public:
  using Deadline = std::chrono::steady_clock::time_point;  // max(): none

  virtual ~HostModule() = default;
  /// Whether a kernel of this name exists.
  virtual bool Has(const std::string& kernel) const = 0;
  /// Runs a kernel on its tensors' bytes: inputs, then outputs, in the step's order. It may write
  /// outputs only. False where it was stopped at the deadline, or soon after: then outputs hold
  /// anything.
  virtual bool Run(const std::string& kernel, std::span<const std::span<uint8_t>> arguments,
                   Deadline deadline) = 0;
};

}  // namespace vta::runtime
