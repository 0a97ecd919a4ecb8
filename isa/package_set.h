// Packages of one network for different targets may stand in one file, one behind the other: who
// loads it takes one of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/package.h"

namespace vta::isa {

/// All of a file, one at least. Errors: as ParsePackage; of several it says which.
std::vector<Package> ParsePackages(std::span<const uint8_t> bytes, const std::string& file);

/// Who runs its steps, in the order of --target: "vta", a GPU by its row, "cpu".
std::vector<std::string> TargetsOf(const Package& package);

}  // namespace vta::isa
