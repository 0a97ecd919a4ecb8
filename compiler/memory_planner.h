// Where things lie that live for a while and may share memory.
#pragma once

#include <cstdint>
#include <span>

namespace vta::compiler {

/// Something of a size, alive from `first` to `last`, both included.
struct Lifetime {
  int64_t size_bytes = 0, first = -1, last = -1, offset_bytes = 0;
};

/// The next multiple of `alignment`, a power of two. Errors: throws Error where it is 2^63 or more.
int64_t AlignUp(int64_t bytes, int64_t alignment);

/// Gives each an offset: the largest first, at the lowest multiple of `alignment` that is free for
/// its whole life. Returns how many bytes they take. Errors: throws Error where these are 2^63 or
/// more.
int64_t AssignOffsets(std::span<Lifetime* const> lives, int64_t alignment);

}  // namespace vta::compiler
