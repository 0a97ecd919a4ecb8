#include "compiler/targets/vta/kernels/operators.h"

#include <algorithm>
#include <iterator>

#include "compiler/targets/vta/kernels/add.h"
#include "compiler/targets/vta/kernels/convolution.h"
#include "compiler/targets/vta/kernels/max_pool.h"
#include "compiler/targets/vta/kernels/mul.h"

namespace vta::compiler::targets {
namespace {

constexpr Op kAfterConvolution[] = {Op::kAddI8, Op::kDepthToSpace, Op::kMaxPoolI8};

// In the order of the op table.
constexpr Operator kOperators[] = {
    {.op = Op::kDepthToSpace,
     .refusal = "is done by the store of a convolution, and this one's is not its own"},
    {Op::kConv2dI8, RequireConvolution, ConvolutionLayouts, PlanConvolution, AskedOfConvolution,
     SpaceOfConvolution, kAfterConvolution},
    {Op::kDenseI8, RequireConvolution, ConvolutionLayouts, PlanConvolution, AskedOfConvolution,
     SpaceOfConvolution},
    {Op::kAddI8, RequireAdd, AddLayouts, PlanAdd},
    {.op = Op::kAddLookupI8,
     .refusal =
         "no multiples of the codes were found whose sum rounds as the kernels of mode double"},
    {Op::kMulI8, RequireMul, MulLayouts, PlanMul},
    {Op::kMaxPoolI8, RequireMaxPool, MaxPoolLayouts, PlanMaxPool},
    {Op::kAvgPoolI8, RequireConvolution, ConvolutionLayouts, PlanConvolution, nullptr,
     SpaceOfConvolution},
    {Op::kRequantI8, RequireConvolution, ConvolutionLayouts, PlanConvolution, nullptr,
     SpaceOfConvolution},
};

}  // namespace

Operator OperatorOf(Op op) {
  const auto* const row = std::ranges::find(kOperators, op, &Operator::op);
  return row == std::end(kOperators) ? Operator{.op = op, .refusal = "is none of the VTA target's"}
                                     : *row;
}

}  // namespace vta::compiler::targets
