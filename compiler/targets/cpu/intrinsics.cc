#include "compiler/targets/cpu/intrinsics.h"

#include "compiler/llvm/intrinsics.h"
#include "compiler/te/te.h"
#include "compiler/tensorize/declare.h"

namespace vta::compiler::targets {

using loop::DType;
using loop::Expr;
using te::Tensor;

tensorize::IntrinsicRef DotIntrinsic(const DotRow& row) {
  const std::vector<int64_t> shared{row.group}, own{row.group, kLanes};
  const Tensor x = te::Placeholder("x", row.by_lane ? own : shared, row.x, "");
  const Tensor w = te::Placeholder("w", {kLanes, row.group}, row.w, "");
  const te::ReduceAxis i("i", row.group);
  const Tensor acc = te::Compute(
      "acc", {{"o", kLanes}},
      [&](Expr o) {
        const Expr factor = row.by_lane ? x(i, o) : x(i);
        return te::ReduceSum(Cast(DType::kInt32, factor) * Cast(DType::kInt32, w(o, i)), {i});
      },
      "");
  return tensorize::Declare(std::string(row.name), acc, {x, w},
                            {llvm::kDot, llvm::kZero, llvm::kDot}, 1);
}

std::vector<tensorize::IntrinsicRef> DotIntrinsics() {
  std::vector<tensorize::IntrinsicRef> all;
  for (const DotRow& row : kDots) all.push_back(DotIntrinsic(row));
  return all;
}

}  // namespace vta::compiler::targets
