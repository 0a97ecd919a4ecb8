// The proof before anything runs: each program of a package is free of deadlock, race and bad
// address on any device of the package's arch, takes what was made for it and leaves the rest of
// the arena alone.
#pragma once

#include <functional>
#include <string>

#include "isa/check/check.h"
#include "isa/package.h"

namespace vta::runtime {

/// Calls `use` with the launch of a step alone, as the executor launches it: all base registers at
/// the arena, the instructions outside it; known are the constants, which no STORE may touch.
void WithLaunch(const isa::Package& package, const isa::PackageStep& step,
                const std::function<void(const isa::Launch&)>& use);
/// The same of a launch of several steps.
void WithLaunch(const isa::Package& package, const isa::PackageLaunch& launch,
                const std::function<void(const isa::Launch&)>& use);

/// The checker's report on such a launch.
isa::Report ProveStep(const isa::Package& package, const isa::PackageStep& step);
isa::Report ProveLaunch(const isa::Package& package, const isa::PackageLaunch& launch);

/// Of every step alone, and of every launch of several.
/// Errors: throws Error naming `file`, the step, the first finding and its rule.
void ProvePackage(const isa::Package& package, const std::string& file);

}  // namespace vta::runtime
