// Convolutions over blocks of 16 channels as native kernels, and how fast they run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/loop/ir.h"
#include "isa/spec/requant.h"

namespace vta::compiler::bench {

/// A convolution without padding, whose tiles stay in registers until they are stored.
struct Conv {
  int64_t channels, outputs, size, kernel, stride;  // `size` of the output
  int64_t columns, blocks;                          // of a tile
  int64_t Input() const { return (size - 1) * stride + kernel; }
  int64_t InputElems() const { return channels * Input() * Input(); }
  int64_t WeightElems() const { return channels * outputs * kernel * kernel; }
  int64_t OutputElems() const { return outputs * size * size; }
  /// Multiplications and additions.
  double Ops() const {
    return 2.0 * channels * kernel * kernel * static_cast<double>(OutputElems());
  }
};

/// What code is made for and where its texts go; `dump` may be nullptr.
struct Setting {
  std::string cpu;
  int64_t vector_bits;
  const char* dump;
};

/// An array on a cache line's border.
template <typename T>
class Memory {
 public:
  explicit Memory(int64_t size) : storage_(size * sizeof(T) + 64) {
    void* at = storage_.data();
    size_t space = storage_.size();
    data_ = static_cast<T*>(std::align(64, size * sizeof(T), at, space));
  }
  Memory(int64_t size, const std::function<T(int64_t)>& element) : Memory(size) {
    for (int64_t i = 0; i < size; ++i) data_[i] = element(i);
  }
  T* data() const { return data_; }
  T& operator[](int64_t i) const { return data_[i]; }

 private:
  std::vector<std::byte> storage_;
  T* data_;
};

/// Of many runs, since other work on the machine only slows one down.
double BestSeconds(int runs, const std::function<void()>& run);

/// Builds the function, runs it once, checks what it gave, measures it and prints a line.
void Measure(const Setting& setting, const std::string& name, const Conv& c, double peak_gops,
             const loop::Function& function, const std::vector<void*>& tensors,
             const std::function<void()>& check);

/// What 28 chains of multiply-adds of 16 lanes reach in registers, in 10^9 operations a second.
double FloatPeak();
double BytePeak();

void MeasureFloat(const Setting& setting, const std::string& name, const Conv& c, double peak);
/// uint8 activations, int8 weights, and requantisation to uint8 in the tile's store.
void MeasureBytes(const Setting& setting, const std::string& name, const Conv& c, double peak,
                  isa::Rounding rounding);

}  // namespace vta::compiler::bench
