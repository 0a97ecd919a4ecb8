// Bounds inference: which part of a buffer the blocks under a loop read in one iteration.
#pragma once

#include <vector>

#include "compiler/loop/analysis.h"

namespace vta::compiler::loop {

/// The elements [low, low + extent) of a dimension; low is in the loops outside.
struct NeededDim {
  Expr low;
  int64_t extent;
};

/// What the blocks in `body` read of `buffer`, a hull a dimension. `outer` = the loops around
/// `body`. A dimension whose accesses have no common affine base is needed whole.
std::vector<NeededDim> NeededRegion(const Stmt& body, const std::vector<Stmt>& outer,
                                    const Buffer& buffer);

}  // namespace vta::compiler::loop
