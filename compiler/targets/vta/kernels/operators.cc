#include "compiler/targets/vta/kernels/operators.h"

#include <algorithm>
#include <iterator>

#include "compiler/targets/vta/kernels/add.h"
#include "compiler/targets/vta/kernels/conv/convolution.h"
#include "compiler/targets/vta/kernels/max_pool.h"
#include "compiler/targets/vta/kernels/mul.h"
#include "compiler/targets/vta/kernels/resize.h"
#include "compiler/targets/vta/kernels/upsample.h"

namespace vta::compiler::targets {
namespace {

constexpr Op kAfterConvolution[] = {Op::kAddI8, Op::kDepthToSpace, Op::kMaxPoolI8};

/// What one workload computes: with weights, or for the sums that it makes without.
constexpr Operator AsConvolution(Op op, bool has_weights, bool takes_function) {
  return {.op = op,
          .require = RequireConvolution,
          .layouts = ConvolutionLayouts,
          .plan = PlanConvolution,
          .asked = has_weights ? AskedOfConvolution : nullptr,
          .error = ErrorOfConvolution,
          .space = SpaceOfConvolution,
          .seconds =
              op == Op::kConv2dI8 ? std::span<const Op>(kAfterConvolution) : std::span<const Op>(),
          .takes_lookup = takes_function,
          .takes_prelu = takes_function && op != Op::kMatMulI8};
}

// In the order of the op table.
constexpr Operator kOperators[] = {
    {.op = Op::kDepthToSpace,
     .refusal = "is done by the store of a convolution, and this one's is not its own"},
    AsConvolution(Op::kConv2dI8, true, true),
    AsConvolution(Op::kDenseI8, true, true),
    AsConvolution(Op::kMatMulI8, true, true),
    {.op = Op::kAddI8,
     .require = RequireAdd,
     .layouts = AddLayouts,
     .plan = PlanAdd,
     .error = ErrorOfAdd,
     .takes_lookup = true},
    {.op = Op::kAddLookupI8,
     .refusal =
         "no multiples of the codes were found whose sum rounds as the kernels of mode double"},
    {.op = Op::kMulI8,
     .require = RequireMul,
     .layouts = MulLayouts,
     .plan = PlanMul,
     .error = ErrorOfMul,
     .takes_lookup = true},
    {.op = Op::kMaxPoolI8,
     .require = RequireMaxPool,
     .layouts = MaxPoolLayouts,
     .plan = PlanMaxPool},
    {.op = Op::kUpsampleI8,
     .require = RequireUpsample,
     .layouts = UpsampleLayouts,
     .plan = PlanUpsample},
    {.op = Op::kResizeI8,
     .require = RequireResize,
     .layouts = ResizeLayouts,
     .plan = PlanResize,
     .error = ErrorOfResize},
    AsConvolution(Op::kAvgPoolI8, false, true),
    AsConvolution(Op::kRequantI8, false, true),
    AsConvolution(Op::kLookupI8, false, false),
    AsConvolution(Op::kPreluI8, false, false),
};

}  // namespace

Operator OperatorOf(Op op) {
  const auto* const row = std::ranges::find(kOperators, op, &Operator::op);
  return row == std::end(kOperators) ? Operator{.op = op, .refusal = "is none of the VTA target's"}
                                     : *row;
}

}  // namespace vta::compiler::targets
