// Recognises a loop nest as a tensor intrinsic: by what it accesses and computes, not by how it is
// written.
#pragma once

#include <vector>

#include "compiler/loop/analysis.h"
#include "compiler/tensorize/intrinsic.h"

namespace vta::compiler::tensorize {

/// The block that calls `intrinsic` in place of the nest of `site` from its loop number `from`
/// inwards. The order of loops and of commutative operands, unit loops and the form of affine
/// indices do not matter. Errors: throws Error with the first difference in extents, shape, index,
/// type, scope or operation.
loop::Block Match(const loop::Site& site, size_t from, const IntrinsicRef& intrinsic);

}  // namespace vta::compiler::tensorize
