// Two functions as one, so that a schedule goes across them.
#pragma once

#include <string>
#include <vector>

#include "compiler/loop/ir.h"

namespace vta::compiler::loop {

/// A parameter of the first function that is one of the second's: it is passed from one to the
/// other. Where nothing else needs it, it is no parameter of both together, but a buffer of theirs.
struct Passed {
  std::string from, to;  // names
  bool is_internal = true;
};

/// A function named `name` that does what `first` does and then what `second` does. Its parameters
/// are those of the first and then those of the second, without what is passed to that. Blocks and
/// buffers of the second whose names are taken get others.
/// Errors: throws Error naming the parameter where there is none of that name, it is passed twice,
/// or both have other types, shapes or strides; or where the second one writes what is passed to
/// it.
Function Merge(const std::string& name, const Function& first, const Function& second,
               const std::vector<Passed>& passed);

}  // namespace vta::compiler::loop
