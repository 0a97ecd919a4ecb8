// A C library that may change errno where a call succeeds, as it may.
#pragma once

#include <atomic>

namespace vta::serve {

/// How many of the next connections that are under way are followed by a call that changes errno.
inline std::atomic<int> changed_connections = 0;

}  // namespace vta::serve
