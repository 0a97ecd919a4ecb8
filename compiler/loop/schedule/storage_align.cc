// storage_align: the elements of a dimension lie a multiple of a factor apart, and an offset: lines
// that begin in other banks, or at the same place of a line of the cache.
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

std::vector<std::string> StorageAlign(Application& a) {
  const Buffer buffer = FindOwnBuffer(a.function, a.args[0]);
  if (!buffer->strides.empty())
    throw Error("", "buffer", buffer->name, "has strides: set_stride says all of them");
  constexpr int64_t kMost = int64_t{1} << 30;
  const auto rank = std::ssize(buffer->shape);
  const int64_t dim = a.Int(1, "dimension", 0, rank - 1);
  const int64_t factor = a.Int(2, "factor", 1, kMost);
  const int64_t offset = a.Int(3, "offset", 0, factor - 1);
  std::vector<int64_t> strides(rank, 1);
  int64_t next = 1;
  for (int64_t d = rank - 1; d >= 0; --d) {
    strides[d] = next;
    if (d == dim) strides[d] += (offset + factor - next % factor) % factor;
    if (__builtin_mul_overflow(strides[d], buffer->shape[d], &next))
      throw Error("", "strides of " + buffer->name, a.args[2], "must lie within 2^40 elements");
  }
  if (std::string why = WhyNotStrides(buffer->shape, strides); !why.empty())
    throw Error("", "strides of " + buffer->name, a.args[2], std::move(why));
  a.function.body = ReplaceBuffer(
      a.function.body, buffer,
      MakeBuffer(buffer->name, buffer->dtype, buffer->shape, buffer->scope, std::move(strides)));
  return {};
}

}  // namespace vta::compiler::loop
