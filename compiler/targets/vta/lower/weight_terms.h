// Weights of more than 8 bits: each is the sum of int8 terms, the second and the further ones 0
// where the first is the weight. Elements of such terms that are all 0 are not there: neither
// stored nor loaded nor multiplied.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace vta::compiler::targets {

/// What is left of a weight after its first term, which is as near to it as int8 comes.
inline int64_t AfterTerm(int64_t weight) {
  using Int8 = std::numeric_limits<int8_t>;
  return weight - std::clamp<int64_t>(weight, Int8::min(), Int8::max());
}

/// Which elements of a constant are stored: all before `whole`, of the others those that are not 0.
class StoredElements {
 public:
  static constexpr int64_t kAbsent = -1;

  /// Units: `whole` counts elements of `element_bytes`.
  StoredElements(std::span<const uint8_t> bytes, int64_t element_bytes, int64_t whole);

  bool IsWhole(int64_t element) const { return element < whole_; }
  /// The place of an element among those stored, or kAbsent.
  int64_t PlaceOf(int64_t element) const;
  int64_t count() const;
  /// How many of the elements after the whole ones are stored.
  int64_t extra() const { return count() - whole_; }
  /// The elements that are stored, one after the other.
  std::vector<uint8_t> Pack(std::span<const uint8_t> bytes) const;

 private:
  int64_t element_bytes_, whole_;
  std::vector<int64_t> sparse_;  // those stored of the others, in order
};

/// By the name of the DRAM tensor.
using SparseConstants = std::map<std::string, StoredElements>;

}  // namespace vta::compiler::targets
