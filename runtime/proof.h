// The proof before anything runs: each program of a package is free of deadlock, race and bad
// address on any device of the package's arch, takes what was made for it and leaves the rest of
// the arena alone.
#pragma once

#include <functional>
#include <string>

#include "isa/check/check.h"
#include "isa/package.h"

namespace vta::runtime {

/// Calls `use` with the launch of a step's program, as the executor launches it: all base registers
/// at the arena, the instructions outside it; known are the constants, which no STORE may touch.
void WithLaunch(const isa::Package& package, const isa::PackageStep& step,
                const std::function<void(const isa::Launch&)>& use);

/// The checker's report on that launch.
isa::Report ProveStep(const isa::Package& package, const isa::PackageStep& step);

/// Errors: throws Error naming `file`, the step, the first finding and its rule.
void ProvePackage(const isa::Package& package, const std::string& file);

}  // namespace vta::runtime
