// Independent pieces of work on several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace vta::compiler::tune {

/// Calls work(0) to work(count - 1), so many at once, in no order.
/// Errors: throws what one of the calls threw, when those that had begun are done.
void InParallel(int64_t jobs, size_t count, const std::function<void(size_t)>& work);

}  // namespace vta::compiler::tune
