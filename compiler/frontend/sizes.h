// Sizes of dimensions, of which some are not known yet, and what makes them equal.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/tensor.h"

namespace vta::compiler {

/// No tensor has more: sums and products of sizes do not overflow.
inline constexpr int64_t kMostElements = int64_t{1} << 40;

/// A dimension is its size, or a number below 0 that stands for one that is open.
class Sizes {
 public:
  /// A new open dimension.
  int64_t Open();
  Shape OpenShape(int64_t rank);
  /// The size; of an open one the number that stands for it and for all that are equal to it.
  int64_t Of(int64_t dim) const;
  bool IsOpen(int64_t dim) const { return Of(dim) < 0; }
  /// Where both are known and differ, they stay so: who computes with them refuses them.
  void Equal(int64_t a, int64_t b);
  void Equal(const Shape& a, const Shape& b);  // of as many dimensions, or nothing is said
  /// The product; open where one of them is.
  int64_t Product(const Shape& dims);
  /// What two dimensions become that broadcast against each other. An open one may be 1 there,
  /// unless it is taken to be the other's size.
  int64_t Broadcast(int64_t a, int64_t b);
  Shape Broadcast(Shape a, Shape b);  // axes counted from the end
  /// Where shapes have as many elements and one dimension of either is open alone, that is known.
  void EqualElements(const Shape& a, const Shape& b);
  void TakeBroadcastsForEqual() { broadcasts_are_equal_ = true; }

 private:
  std::vector<int64_t> is_;  // of each open one: what it is equal to
  bool broadcasts_are_equal_ = false;
};

}  // namespace vta::compiler
