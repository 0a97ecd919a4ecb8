// Data of programs that the tool writes as assembly text.
#pragma once

#include <cstdint>
#include <string>

namespace vta::tools {

/// A line of `.byte` with so many values, which `state` chooses and goes on from.
std::string RandomBytes(uint64_t& state, int64_t count);

}  // namespace vta::tools
