// The on-chip memories, as bytes that survive from launch to launch.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "isa/config.h"
#include "sim/trace/trace.h"

namespace vta::sim {

/// A zeroed array on a cache line boundary. Pages that are never touched cost nothing.
template <typename T>
class AlignedArray {
 public:
  explicit AlignedArray(int64_t size);
  T* data() { return data_; }
  const T* data() const { return data_; }
  int64_t size() const { return size_; }
  std::span<const uint8_t> bytes() const {
    return {reinterpret_cast<const uint8_t*>(data_), static_cast<size_t>(size_) * sizeof(T)};
  }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  T* data_;
  int64_t size_;
};

/// A decoded micro-op.
struct UopIndices {
  int32_t dst, src, wgt;
};

struct Scratchpads {
  explicit Scratchpads(const isa::Config& config);

  // Elements of one row (scratchpad element) and rows.
  int64_t inp_row, wgt_row, acc_row;
  int64_t uop_depth, inp_depth, wgt_depth, acc_depth;

  AlignedArray<uint32_t> uop;
  AlignedArray<int8_t> inp, wgt;
  AlignedArray<int32_t> acc;
  AlignedArray<int8_t> out;             // rows of acc_row bytes
  AlignedArray<int8_t> lut;             // one row
  std::vector<UopIndices> decoded_uop;  // always the decoded `uop`

  /// Bytes of one row, and the whole memory.
  int64_t RowBytes(Space space) const;
  std::span<const uint8_t> Bytes(Space space) const;
};

template <typename T>
AlignedArray<T>::AlignedArray(int64_t size) : size_(size) {
  constexpr uintptr_t kLine = 64;
  memory_.reset(std::calloc(static_cast<size_t>(size) * sizeof(T) + kLine, 1));
  if (!memory_) throw std::bad_alloc();
  const uintptr_t address = reinterpret_cast<uintptr_t>(memory_.get());
  data_ = reinterpret_cast<T*>((address + kLine - 1) / kLine * kLine);
}

}  // namespace vta::sim
