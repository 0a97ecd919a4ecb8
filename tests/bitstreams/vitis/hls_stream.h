// Stands in for the vendor's header in its C simulation: streams that never refuse a word.
#pragma once

#include <deque>

namespace hls {

template <typename T>
class stream {
 public:
  bool empty() const { return words_.empty(); }
  bool read_nb(T& word) {
    if (words_.empty()) return false;
    word = words_.front();
    words_.pop_front();
    return true;
  }
  bool write_nb(const T& word) {
    words_.push_back(word);
    return true;
  }

 private:
  std::deque<T> words_;
};

}  // namespace hls
