// Stands in for the vendor's header where the kernels are simulated: a FIFO as long as hardware has
// it, which refuses what does not fit. Without exceptions or threads; nothing here waits.
#pragma once

#include <stddef.h>

namespace hls {

template <typename T>
class stream {
 public:
  explicit stream(size_t depth) : words_(new T[depth]), depth_(depth) {}
  ~stream() { delete[] words_; }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  bool read_nb(T& word) {
    if (size_ == 0) return false;
    word = words_[first_];
    first_ = first_ + 1 == depth_ ? 0 : first_ + 1;
    --size_;
    return true;
  }
  bool write_nb(const T& word) {
    if (size_ == depth_) return false;
    const size_t last = first_ + size_;
    words_[last < depth_ ? last : last - depth_] = word;
    ++size_;
    return true;
  }

 private:
  T* words_;
  size_t depth_, first_ = 0, size_ = 0;
};

}  // namespace hls
