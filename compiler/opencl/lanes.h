// Vectorised loops as operations on OpenCL's vectors.
#pragma once

#include <vector>

#include "compiler/opencl/values.h"

namespace vta::compiler::opencl {

/// How many lanes vectors have in a loop of so many iterations; 0 where none divides them.
int LanesFor(int64_t extent);

/// Whether what is inside of the loop of around.lane can be written with vectors: stores of floats,
/// or of what they are converted to, of elements that lie one after the other, made of such by
/// operations on floats. `loops`: those around `body`, the last is that loop.
bool FitsLanes(const loop::Stmt& body, const std::vector<loop::Stmt>& loops,
               const Surroundings& around);

}  // namespace vta::compiler::opencl
