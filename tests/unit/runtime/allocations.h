// Counts what this test program takes from the heap.
#pragma once

#include <cstdint>

namespace vta::test {

/// How often operator new was called so far, on all threads.
int64_t Allocations();

}  // namespace vta::test
