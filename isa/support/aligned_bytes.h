// Bytes that begin at a line of a CPU's cache, where vectors of the machine do not lie over two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace vta {

inline constexpr size_t kCacheLineBytes = 64;

template <typename T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{kCacheLineBytes};

  LineAllocator() = default;
  template <typename U>
  LineAllocator(const LineAllocator<U>&) {}
  T* allocate(size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* memory, size_t count) {
    ::operator delete(memory, count * sizeof(T), kAlignment);
  }
  template <typename U>
  bool operator==(const LineAllocator<U>&) const {
    return true;
  }
};

using AlignedBytes = std::vector<uint8_t, LineAllocator<uint8_t>>;

}  // namespace vta
