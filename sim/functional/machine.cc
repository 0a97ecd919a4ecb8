#include "sim/functional/machine.h"

#include "sim/functional/execution.h"

namespace vta::sim {

Machine::Machine(const isa::Config& config, const MachineOptions& options)
    : layout_(config), options_(options), pads_(config) {
  if (const Kernels* kernels = FindKernels(options.simd)) simd_.emplace(config, *kernels, pads_);
}

isa::LaunchResult Machine::Run(const isa::LaunchRequest& launch, std::span<uint8_t> dram) {
  return Execution(layout_, options_, launch, dram, pads_, simd_ ? &*simd_ : nullptr).Run();
}

}  // namespace vta::sim
