// A package's host section: loop-IR functions that the interpreter runs.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/loop/interpret.h"
#include "isa/package.h"
#include "runtime/host_module.h"

namespace vta::tools {

/// The functions of a host section: each starts with "func " at the start of a line.
std::vector<std::string_view> SplitFunctions(std::span<const uint8_t> host);

class HostKernels : public runtime::HostModule {
 public:
  /// Errors: throws Error naming `file` where the section is in another format or is no loop IR
  /// that verifies.
  HostKernels(const isa::Package& package, const std::string& file);

  bool Has(const std::string& kernel) const override;
  bool Run(const std::string& kernel, std::span<const std::span<uint8_t>> arguments,
           Deadline deadline) override;

 private:
  std::map<std::string, compiler::loop::Interpreter, std::less<>> kernels_;
};

}  // namespace vta::tools
