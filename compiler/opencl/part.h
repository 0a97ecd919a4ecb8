// What a thread has of a buffer, without the gaps where those of the others are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "compiler/loop/arith.h"

namespace vta::compiler::opencl {

/// All indices are noted first; those that are sums of digits, each a variable by a factor of its
/// own as in a number of mixed radix, then lie one after the other.
class Part {
 public:
  /// `size_elems`: of the buffer, which the part has where its indices are no such sums.
  explicit Part(int64_t size_elems) : size_elems_(size_elems) {}

  void Note(const loop::Affine& index, const loop::Facts& facts);
  /// After all were noted.
  void Pack();
  int64_t size_elems() const { return size_elems_; }
  /// Where that element lies, of an index that was noted.
  loop::Affine Packed(const loop::Affine& index) const;

 private:
  /// The digit of each factor that the constant is; none where it is no such number.
  std::optional<std::map<int64_t, int64_t>> Digits(int64_t constant) const;

  struct Noted {
    std::map<int64_t, int64_t> most;  // by factor what its variable is at most
    int64_t constant;
  };
  int64_t size_elems_;
  bool fits_ = true;
  std::vector<Noted> noted_;
  std::map<int64_t, int64_t> packed_;  // by factor the one that takes its place
};

}  // namespace vta::compiler::opencl
