// A queue in one array, which grows.
#pragma once

#include <cstddef>
#include <vector>

namespace vta::sim::cycle {

template <typename T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return items_[(first_ + i) & (items_.size() - 1)]; }
  const T& operator[](size_t i) const { return items_[(first_ + i) & (items_.size() - 1)]; }
  T& front() { return items_[first_]; }
  const T& front() const { return items_[first_]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }
  void push_back(const T& item) {
    if (size_ == items_.size()) Grow();
    ++size_;
    back() = item;
  }
  void pop_front() {
    first_ = (first_ + 1) & (items_.size() - 1);
    --size_;
  }

 private:
  void Grow() {
    std::vector<T> items(2 * items_.size());
    for (size_t i = 0; i < size_; ++i) items[i] = (*this)[i];
    items_.swap(items);
    first_ = 0;
  }

  std::vector<T> items_ = std::vector<T>(8);  // a power of two of them
  size_t first_ = 0, size_ = 0;
};

}  // namespace vta::sim::cycle
