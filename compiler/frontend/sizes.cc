#include "compiler/frontend/sizes.h"

#include <algorithm>

namespace vta::compiler {

int64_t Sizes::Open() {
  is_.push_back(-1 - std::ssize(is_));
  return is_.back();
}

Shape Sizes::OpenShape(int64_t rank) {
  Shape shape(rank);
  for (int64_t& dim : shape) dim = Open();
  return shape;
}

int64_t Sizes::Of(int64_t dim) const {
  while (dim < 0 && is_[-1 - dim] != dim) dim = is_[-1 - dim];
  return dim;
}

void Sizes::Equal(int64_t a, int64_t b) {
  a = Of(a), b = Of(b);
  if (a == b || (a >= 0 && b >= 0)) return;
  if (a > b) std::swap(a, b);  // the first of open ones, or a size, stands for both
  is_[-1 - a] = b;
}

void Sizes::Equal(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) return;
  for (size_t i = 0; i < a.size(); ++i) Equal(a[i], b[i]);
}

int64_t Sizes::Product(const Shape& dims) {
  int64_t product = 1;
  int64_t open = 0;
  for (int64_t dim : dims) {
    const int64_t size = Of(dim);
    if (size < 0 && open == 0)
      open = size;
    else if (size < 0 || __builtin_mul_overflow(product, size, &product) || product > kMostElements)
      return Open();
  }
  if (open == 0) return product;
  return product == 1 ? open : Open();
}

int64_t Sizes::Broadcast(int64_t a, int64_t b) {
  a = Of(a), b = Of(b);
  if (a == b || b == 1) return a;
  if (a == 1) return b;
  if (broadcasts_are_equal_) Equal(a, b);
  if (a >= 0 || b >= 0) return std::max(a, b);
  return broadcasts_are_equal_ ? Of(a) : Open();
}

Shape Sizes::Broadcast(Shape a, Shape b) {
  if (a.size() < b.size()) std::swap(a, b);
  const size_t skipped = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) a[skipped + i] = Broadcast(a[skipped + i], b[i]);
  return a;
}

void Sizes::EqualElements(const Shape& x, const Shape& y) {
  Shape open;
  int64_t of_x = 1, of_y = 1;
  for (const auto& [shape, product] : {std::pair(&x, &of_x), std::pair(&y, &of_y)})
    for (int64_t dim : *shape) {
      const int64_t size = Of(dim);
      if (size == 0) return;
      if (size > 0 && (__builtin_mul_overflow(*product, size, product) || *product > kMostElements))
        return;
      if (size < 0) open.push_back(shape == &x ? size : -size);
    }
  for (auto x_open = open.begin(); x_open != open.end();) {  // the same on both sides goes out
    const auto y_open = *x_open < 0 ? std::ranges::find(open, -*x_open) : open.end();
    if (y_open == open.end()) {
      ++x_open;
      continue;
    }
    open.erase(std::max(x_open, y_open)), open.erase(std::min(x_open, y_open));
    x_open = open.begin();
  }
  if (open.size() == 2 && of_x == of_y && open[0] < 0 && open[1] > 0) Equal(open[0], -open[1]);
  if (open.size() != 1) return;
  const bool in_x = open[0] < 0;
  const int64_t whole = in_x ? of_y : of_x, part = in_x ? of_x : of_y;
  if (whole % part == 0) Equal(in_x ? open[0] : -open[0], whole / part);
}

}  // namespace vta::compiler
