// A small tensor intrinsic for tests of the loop IR.
#pragma once

#include "compiler/te/te.h"
#include "compiler/tensorize/declare.h"

namespace vta {

/// dot4: y[o] += sum over 4 of a[i] * w[o, i].
inline compiler::tensorize::IntrinsicRef Dot4() {
  using namespace compiler;
  using loop::DType;
  te::Tensor a = te::Placeholder("a", {4}, DType::kInt8, "inp"),
             w = te::Placeholder("w", {4, 4}, DType::kInt8, "wgt");
  te::ReduceAxis i("i", 4);
  te::Tensor y = te::Compute(
      "y", {{"o", 4}},
      [&](te::Expr o) {
        return te::ReduceSum(Cast(DType::kInt32, a(i)) * Cast(DType::kInt32, w(o, i)), {i});
      },
      "acc");
  return tensorize::Declare("dot4", y, {a, w}, {"", "clear", "dot"}, 1);
}

}  // namespace vta
