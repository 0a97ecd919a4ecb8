// What a thread has of a buffer, without the gaps where those of the others are.
#pragma once

#include <cstdint>
#include <map>

#include "compiler/loop/arith.h"

namespace vta::compiler::opencl {

/// All indices are noted first. Where they are numbers of one mixed radix, whose digits are the
/// variables, the elements then lie one after the other.
class Part {
 public:
  /// `size_elems`: of the buffer, which the part has where the indices are no such numbers.
  explicit Part(int64_t size_elems) : size_elems_(size_elems) {}

  void Note(const loop::Affine& index, const loop::Facts& facts);
  /// After all were noted.
  void Pack();
  int64_t size_elems() const { return size_elems_; }
  /// Where that element lies, of an index that was noted.
  loop::Affine Packed(const loop::Affine& index) const;

 private:
  struct Digit {
    int64_t most = 0, packed = 0;
  };
  int64_t size_elems_;
  bool fits_ = true;
  std::map<int64_t, Digit> digits_;  // by what a variable is multiplied with
};

}  // namespace vta::compiler::opencl
