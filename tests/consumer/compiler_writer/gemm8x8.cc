#include "compiler_writer/gemm8x8.h"

#include "compiler/te/te.h"
#include "compiler/tensorize/declare.h"

using namespace vta::compiler;  // NOLINT: a program about it
using te::DType, te::Expr, te::ReduceAxis, te::ReduceSum, te::Tensor;

namespace {

Expr Int32(const Expr& value) { return Cast(DType::kInt32, value); }

}  // namespace

tensorize::IntrinsicRef Gemm8x8() {
  const Tensor w = te::Placeholder("w", {8, 8}), x = te::Placeholder("x", {8, 8});
  const ReduceAxis k("k", 8);
  const Tensor y = te::Compute("y", {{"i", 8}, {"j", 8}}, [&](Expr i, Expr j) {
    return ReduceSum(Int32(w(i, k)) * Int32(x(j, k)), {k});
  });
  return tensorize::Declare(
      "gemm8x8", y, {w, x},
      {.compute = "gemm8x8", .reset = "fill_zero", .update = "fuse_gemm8x8_add"});
}

loop::Schedule TiledMatmul() {
  const Tensor a = te::Placeholder("a", {kM, kK}), b = te::Placeholder("b", {kN, kK});
  const ReduceAxis k("k", kK);
  const Tensor c = te::Compute("c", {{"i", kM}, {"j", kN}}, [&](Expr i, Expr j) {
    return ReduceSum(Int32(a(i, k)) * Int32(b(j, k)), {k});
  });
  loop::Schedule schedule(te::Lower("matmul", {a, b, c}), {Gemm8x8()});
  schedule.Replay("tile c i j 8 8\nsplit c k 8\nreorder c io jo ko ii ji ki");
  return schedule;
}

loop::Function TensorizedMatmul() {
  loop::Schedule schedule = TiledMatmul();
  schedule.Do("tensorize", "c", "ii", "gemm8x8");
  schedule.Do("decompose_reduction", "c", "ko");
  return schedule.function();
}
