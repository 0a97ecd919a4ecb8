// Chapter 3: instructions that compute a whole tile, declared in the same language.
#include "compiler/loop/schedule/schedule.h"
#include "compiler/te/te.h"
#include "compiler/tensorize/declare.h"
#include "compiler_writer/gemm8x8.h"
#include "compiler_writer/native.h"

using namespace vta::compiler;  // NOLINT: a program about it
using te::DType, te::Expr, te::ReduceAxis, te::ReduceSum, te::Tensor;

namespace {

Expr Int32(const Expr& value) { return Cast(DType::kInt32, value); }

void Matmul() {
  const loop::Function matmul = TensorizedMatmul();
  std::cout << Print(matmul);

  std::vector<int8_t> a = Random<int8_t>(kM * kK, 1), b = Random<int8_t>(kN * kK, 2);
  std::vector<int32_t> got(kM * kN), want(kM * kN);
  for (int i = 0; i < kM; ++i)
    for (int j = 0; j < kN; ++j)
      for (int k = 0; k < kK; ++k) want[i * kN + j] += a[i * kK + k] * b[j * kK + k];
  Run(matmul, a, b, got);
  ExpectSame("gemm8x8", got, want);
}

template <typename F>
void ExpectRefused(F step) {
  try {
    step();
  } catch (const vta::Error& error) {
    std::cout << error.what() << "\n";
    return;
  }
  throw vta::Error("tensorize", "", "", "was not refused");
}

void Refusals() {
  ExpectRefused([] { TiledMatmul().Do("tensorize", "c", "ji", "gemm8x8"); });  // a row, not a tile
  ExpectRefused([] {
    const Tensor a = te::Placeholder("a", {8, 8}), b = te::Placeholder("b", {8, 8});
    const ReduceAxis k("k", 8);
    const Tensor c = te::Compute("c", {{"i", 8}, {"j", 8}}, [&](Expr i, Expr j) {
      return ReduceSum(Int32(a(i, k)) * Int32(b(k, j)), {k});  // b as it lies, not transposed
    });
    loop::Schedule(te::Lower("matmul", {a, b, c}), {Gemm8x8()})
        .Do("tensorize", "c", "i", "gemm8x8");
  });
}

/// acc[o] += sum over i of x[i] * w[o, i].
tensorize::IntrinsicRef MultiplyAdd(int64_t group, const tensorize::Lowering& lowering) {
  const Tensor x = te::Placeholder("x", {group}, DType::kInt8, "");
  const Tensor w = te::Placeholder("w", {16, group}, DType::kInt8, "");
  const ReduceAxis i("i", group);
  const Tensor acc = te::Compute(
      "acc", {{"o", 16}}, [&](Expr o) { return ReduceSum(Int32(x(i)) * Int32(w(o, i)), {i}); }, "");
  return tensorize::Declare("multiply_add", acc, {x, w}, lowering);
}

constexpr int64_t kH = 6, kW = 5, kIn = 32, kOut = 16, kTaps = 3;

loop::Function ConvolutionBy(const tensorize::IntrinsicRef& instruction) {
  const Tensor data = te::Placeholder("data", {kH + kTaps - 1, kW + kTaps - 1, kIn});
  const Tensor w = te::Placeholder("w", {kTaps, kTaps, kOut, kIn});
  const ReduceAxis ky("ky", kTaps), kx("kx", kTaps), kc("kc", kIn);
  const Tensor conv =
      te::Compute("conv", {{"y", kH}, {"x", kW}, {"o", kOut}}, [&](Expr y, Expr x, Expr o) {
        return ReduceSum(Int32(data(y + ky, x + kx, kc)) * Int32(w(ky, kx, o, kc)), {ky, kx, kc});
      });
  const int64_t group = instruction->operands[1].shape[0];
  loop::Schedule schedule(te::Lower("conv", {data, w, conv}), {instruction});
  schedule.Do("split", "conv", "kc", group);
  schedule.Do("reorder", "conv", "y", "x", "ky", "kx", "kco", "o", "kci");
  schedule.Do("cache_read", "conv", "w", "local");
  schedule.Do("transform_layout", "w_local", "0", "1", vta::StrCat("3/", group), "2",
              vta::StrCat("3%", group));
  schedule.Do("tensorize", "conv", "o", instruction->name);
  return schedule.function();
}

void TwoInstructions() {
  std::vector<int8_t> x = Random<int8_t>((kH + kTaps - 1) * (kW + kTaps - 1) * kIn, 3);
  std::vector<int8_t> w = Random<int8_t>(kTaps * kTaps * kOut * kIn, 4);
  std::vector<int32_t> want(kH * kW * kOut);
  for (int i = 0; i < kH * kW * kOut; ++i)
    for (int t = 0; t < kTaps * kTaps; ++t)
      for (int c = 0; c < kIn; ++c) {
        const int y = i / (kW * kOut) + t / kTaps, v = i / kOut % kW + t % kTaps, o = i % kOut;
        want[i] += x[(y * (kW + kTaps - 1) + v) * kIn + c] * w[(t * kOut + o) * kIn + c];
      }
  const tensorize::IntrinsicRef dot = MultiplyAdd(4, {"dot", "zero", "dot"});   // of CPUs
  const tensorize::IntrinsicRef gemm = MultiplyAdd(16, {"", "reset", "gemm"});  // of VTA
  for (const tensorize::IntrinsicRef& instruction : {dot, gemm}) {
    const loop::Function conv = ConvolutionBy(instruction);
    const std::string text = Print(conv);
    const size_t call = text.find("call multiply_add.update");
    std::cout << text.substr(call, text.find('\n', call) - call) << "\n";
    std::vector<int32_t> got(want.size());
    Run(conv, x, w, got);
    ExpectSame("convolution", got, want);
  }
}

}  // namespace

int main() {
  return Chapter([] {
    Matmul();
    Refusals();
    TwoInstructions();
  });
}
