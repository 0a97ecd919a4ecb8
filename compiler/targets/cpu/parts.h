// A loop as several, one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/loop/ir.h"

namespace vta::compiler::targets {

/// The function with the loop `loop` around `block` in parts that begin at its start and at
/// `begins`, ascending: what a condition of its variable says is then known in each. The blocks of
/// further parts, and what they allocate, are named block_1, ...
loop::Function InParts(const loop::Function& function, const std::string& block,
                       const std::string& loop, const std::vector<int64_t>& begins);

}  // namespace vta::compiler::targets
