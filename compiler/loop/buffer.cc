// Where the elements of a buffer lie.
#include <algorithm>
#include <numeric>

#include "compiler/loop/expr.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

constexpr int64_t kMostElems = int64_t{1} << 40;

bool IsDense(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
  int64_t inside = 1;
  for (size_t d = shape.size(); d-- > 0;)
    if (strides[d] != inside || __builtin_mul_overflow(inside, shape[d], &inside)) return false;
  return true;
}

}  // namespace

Buffer MakeBuffer(std::string name, DType dtype, std::vector<int64_t> shape, std::string scope,
                  std::vector<int64_t> strides) {
  if (strides.size() == shape.size() && IsDense(shape, strides)) strides.clear();
  return std::make_shared<const BufferNode>(BufferNode{.name = std::move(name),
                                                       .dtype = dtype,
                                                       .shape = std::move(shape),
                                                       .scope = std::move(scope),
                                                       .strides = std::move(strides)});
}

std::string WhyNotStrides(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
  if (strides.size() != shape.size()) return StrCat("must be ", shape.size(), ", one a dimension");
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return strides[a] < strides[b]; });
  int64_t inside = 1;
  for (const size_t d : order) {
    if (strides[d] < 1) return "must each be at least 1";
    if (shape[d] > 1 && strides[d] < inside)
      return StrCat("must not let elements overlap: that of dimension ", d, " must be at least ",
                    inside);
    int64_t more;
    if (__builtin_mul_overflow(shape[d] - 1, strides[d], &more) || more > kMostElems - inside)
      return "must keep all elements within 2^40";
    inside += more;
  }
  return "";
}

int64_t BufferNode::Stride(size_t dim) const {
  if (!strides.empty()) return strides[dim];
  int64_t inside = 1;
  for (size_t d = dim + 1; d < shape.size(); ++d) inside *= shape[d];
  return inside;
}

int64_t BufferNode::SizeElems() const {
  int64_t size = 1;
  for (size_t d = 0; d < shape.size(); ++d)
    size = strides.empty() ? size * shape[d] : size + (shape[d] - 1) * strides[d];
  return size;
}

Expr FlatIndex(const Buffer& buffer, const std::vector<Expr>& indices) {
  Expr flat = 0;
  for (size_t d = 0; d < indices.size(); ++d) flat = flat + indices[d] * buffer->Stride(d);
  return flat;
}

}  // namespace vta::compiler::loop
