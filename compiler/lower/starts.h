// The starts of reductions where they run once.
#pragma once

#include "compiler/loop/ir.h"

namespace vta::compiler::lower {

/// The same function with the starts of reductions each before the outermost loop that reduces,
/// where that is possible.
loop::Function WithStartsApart(const loop::Function& function);

}  // namespace vta::compiler::lower
