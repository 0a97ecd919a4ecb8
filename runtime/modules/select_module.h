// Which of a package's modules a CPU runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/package.h"
#include "runtime/cpu_features.h"

namespace vta::runtime {

/// The index of the first module in ELF whose architecture and features `cpu` has: the package
/// lists them in order of preference.
/// Errors: throws Error naming `file`, all modules, what the CPU lacks for the nearest of them, and
/// the --cpu to compile the network with.
int64_t SelectModule(std::span<const isa::PackageModule> modules, const Cpu& cpu,
                     const std::string& file);

}  // namespace vta::runtime
