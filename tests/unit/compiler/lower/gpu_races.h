// Whether threads of a GPU meet: a kernel's statements walked thread by thread.
#pragma once

#include <string>

#include "compiler/lower/kernel.h"

namespace vta::compiler::lower {

/// The first element that one thread of a block writes and another one touches with no barrier
/// between, or one block of a team and another one before they meet, of the first and the last
/// task; "" where there is none. Indices must not be loaded.
std::string FirstRace(const Kernel& kernel);

/// How many barriers a kernel has, and the kernel without one of them.
int64_t Barriers(const Kernel& kernel);
Kernel WithoutBarrier(const Kernel& kernel, int64_t which);

}  // namespace vta::compiler::lower
