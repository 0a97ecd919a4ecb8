// Reads the text that the printer writes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/loop/ir.h"
#include "compiler/tensorize/intrinsic.h"

namespace vta::compiler::loop {

// What a text may have, so that a hostile one ends in an error and not in a full stack.
inline constexpr int kMaxDepth = 256;  // operators, or loops and blocks, in each other
inline constexpr int64_t kMaxTensors = 1024;
inline constexpr int64_t kMaxExtent = int64_t{1} << 40;  // and elements of a tensor

/// Reads a function. `intrinsics` are those that its calls may name.
/// Errors: throws Error with the line where the text is wrong.
Function Parse(std::string_view text, std::span<const tensorize::IntrinsicRef> intrinsics = {});

}  // namespace vta::compiler::loop
