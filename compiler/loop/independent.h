// Whether the iterations of a loop may run in any order, or at once.
#pragma once

#include <string>
#include <vector>

#include "compiler/loop/ir.h"

namespace vta::compiler::loop {

/// Empty where no iteration of the loop touches what another one writes, buffers that are
/// allocated inside the loop apart; else a phrase that says why that is not seen. `outside` = the
/// loops around it.
std::string WhyNotIndependent(const Stmt& loop, const std::vector<Stmt>& outside);

/// The same for iterations that run as the lanes of vectors, step by step together: nothing may be
/// allocated inside, and all blocks must store elements.
std::string WhyNotLanes(const Stmt& loop, const std::vector<Stmt>& outside);

}  // namespace vta::compiler::loop
