// The kernels of a package that run on the host, whatever form they come in: compiled, or
// interpreted.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace vta::runtime {

class HostModule {
 public:
  virtual ~HostModule() = default;
  /// Whether a kernel of this name exists.
  virtual bool Has(const std::string& kernel) const = 0;
  /// Runs a kernel on its tensors' bytes: inputs, then outputs, in the step's order. It may write
  /// outputs only.
  virtual void Run(const std::string& kernel, std::span<const std::span<uint8_t>> arguments) = 0;
};

}  // namespace vta::runtime
