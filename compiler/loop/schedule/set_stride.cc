// set_stride: the elements of a buffer lie with gaps or in another order, a stride a dimension:
// rows that begin apart from each other in a cache, columns that lie together.
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

std::vector<std::string> SetStride(Application& a) {
  const Buffer buffer = FindOwnBuffer(a.function, a.args[0]);
  std::vector<int64_t> strides;
  std::string text;
  for (size_t i = 1; i < a.args.size(); ++i) {
    strides.push_back(a.Int(i, "stride", 1, int64_t{1} << 40));
    text += (i > 1 ? " " : "") + a.args[i];
  }
  if (std::string why = WhyNotStrides(buffer->shape, strides); !why.empty())
    throw Error("", "strides of " + buffer->name, text, std::move(why));
  a.function.body = ReplaceBuffer(
      a.function.body, buffer,
      MakeBuffer(buffer->name, buffer->dtype, buffer->shape, buffer->scope, std::move(strides)));
  return {};
}

}  // namespace vta::compiler::loop
