// Declares a tensor intrinsic in the expression language.
//   Tensor a = Placeholder("a", {8, 8}, DType::kInt8, "inp"), b = ...;
//   Tensor c = Compute("c", {{"i", 8}, {"j", 8}}, [&](Expr i, Expr j) { return ReduceSum(...); },
//   "acc"); IntrinsicRef gemm = Declare("gemm8x8", c, {a, b}, {"", "fill_zero",
//   "fuse_gemm8x8_add"}, 8);
#pragma once

#include "compiler/te/te.h"
#include "compiler/tensorize/intrinsic.h"

namespace vta::compiler::tensorize {

/// The operands take type, shape and scope of the tensors; scope "" stands for any, kImmediate for
/// a value in the instruction (its tensor has no dimension). Errors: throws Error if the result is
/// not one compute over the inputs.
IntrinsicRef Declare(const std::string& name, const te::Tensor& result,
                     const std::vector<te::Tensor>& inputs, Lowering lowering,
                     int64_t cost_cycles = 0);

}  // namespace vta::compiler::tensorize
