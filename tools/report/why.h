// Why a launch took as long as it did, in words.
#pragma once

#include <cstdint>
#include <string>

#include "isa/launch.h"

namespace vta::tools {

/// The largest shares of the critical path, at most so many, in percent of all of it:
/// "compute 97, load contention 2"; a unit alone was busy. What is less than half a percent is left
/// out.
std::string PathText(const isa::Causes& causes, size_t most);

/// Of a launch of more cycles than its bound: what most of those went into, in percent of all. "2 %
/// load contention"; "5 % more passes", or "more bytes", where what is most of the path, passes of
/// compute or moving, is longer than the bound. Empty where that is less than half a percent.
std::string BeyondText(const isa::Causes& causes, int64_t bound);

}  // namespace vta::tools
