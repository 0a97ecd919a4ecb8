// Packages with something wrong, or only different.
#pragma once

#include <string>

#include "isa/package.h"
#include "tests/network/random_network.h"

namespace vta::test {

/// Changes one thing: a tensor's place, a step's tensors or its place, an instruction, a constant,
/// a program's range, the model's inputs or outputs. What is done says `description`.
void MutatePackage(Draws& draw, isa::Package& package, std::string& description);

}  // namespace vta::test
