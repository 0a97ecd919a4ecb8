// The shared library that searches: pagmo and XGBoost take time to load, so what searches loads it,
// and nothing else. Both sides are built from the same sources.
#pragma once

#include "compiler/tune/cost_model.h"
#include "tools/search/evolve.h"

namespace vta::tools {

inline constexpr char kSearchFile[] = "libvta_search.so";
inline constexpr char kEvolveSymbol[] = "vta_evolve", kTreesSymbol[] = "vta_make_trees";

/// As Evolve.
using EvolveFunction = void(const Breeding& breeding, const std::vector<Genes>& first,
                            const GenerationValues& values, const std::function<bool()>& goes_on);
/// What BoostedTrees is; the caller's own.
using MakeTreesFunction = compiler::tune::CostModel*();

}  // namespace vta::tools
