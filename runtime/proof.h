// The proof before anything runs: each program of a package is free of deadlock, race and bad
// address.
#pragma once

#include <string>

#include "isa/check/check.h"
#include "isa/package.h"

namespace vta::runtime {

/// The checker's report on one program, as the executor will launch it: all base registers at the
/// arena.
isa::Report ProveProgram(const isa::Package& package, const isa::PackageProgram& program);

/// Errors: throws Error naming `file`, the program, the first finding and its rule.
void ProvePrograms(const isa::Package& package, const std::string& file);

}  // namespace vta::runtime
