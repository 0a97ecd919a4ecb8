// The numpy broadcasting rule.
#include <algorithm>

#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {

Shape BroadcastShape(const OpView& view, const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {  // i counts from the last dimension
    const int64_t da = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t db = i < b.size() ? b[b.size() - 1 - i] : 1;
    view.Require(da == db || da == 1 || db == 1, "input shapes",
                 StrCat(ToText(a), " and ", ToText(b)),
                 "must be equal or 1 in each dimension, counted from the last");
    out[out.size() - 1 - i] = std::max(da, db);
  }
  return out;
}

std::vector<int64_t> BroadcastIndices(const Shape& in, const Shape& out) {
  const Shape in_strides = Strides(in);
  Shape step(out.size(), 0);  // 0 where the operand is repeated
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i] != 1) step[out.size() - in.size() + i] = in_strides[i];
  }
  std::vector<int64_t> indices(Elements(out));
  Shape position(out.size(), 0);
  int64_t index = 0;
  for (int64_t& slot : indices) {
    slot = index;
    for (size_t d = out.size(); d-- > 0;) {
      index += step[d];
      if (++position[d] < out[d]) break;
      index -= step[d] * out[d];
      position[d] = 0;
    }
  }
  return indices;
}

}  // namespace vta::compiler::ops
