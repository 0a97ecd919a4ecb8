// Reads the text that the printer writes.
#pragma once

#include <span>
#include <string_view>

#include "compiler/loop/ir.h"
#include "compiler/tensorize/intrinsic.h"

namespace vta::compiler::loop {

/// Reads a function. `intrinsics` are those that its calls may name.
/// Errors: throws Error with the line where the text is wrong.
Function Parse(std::string_view text, std::span<const tensorize::IntrinsicRef> intrinsics = {});

}  // namespace vta::compiler::loop
