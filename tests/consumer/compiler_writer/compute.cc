// Chapter 1: what is computed. Four tensor expressions, lowered to loops and run as native code.
#include "compiler/te/te.h"
#include "compiler_writer/native.h"

using namespace vta::compiler;  // NOLINT: a program about it
using te::DType, te::Expr, te::ReduceAxis, te::ReduceSum, te::Tensor;

namespace {

Expr Int32(const Expr& value) { return Cast(DType::kInt32, value); }

void Matmul() {
  constexpr int64_t kM = 5, kN = 3, kH = 7;
  const Tensor a = te::Placeholder("a", {kM, kH}), b = te::Placeholder("b", {kN, kH});
  const ReduceAxis k("k", kH);
  const Tensor c = te::Compute("c", {{"i", kM}, {"j", kN}}, [&](Expr i, Expr j) {
    return ReduceSum(Int32(a(i, k)) * Int32(b(j, k)), {k});
  });
  const loop::Function matmul = te::Lower("matmul", {a, b, c});
  std::cout << Print(matmul);

  std::vector<int8_t> x = Random<int8_t>(kM * kH, 1), y = Random<int8_t>(kN * kH, 2);
  std::vector<int32_t> got(kM * kN), want(kM * kN);
  for (int i = 0; i < kM; ++i)
    for (int j = 0; j < kN; ++j)
      for (int h = 0; h < kH; ++h) want[i * kN + j] += x[i * kH + h] * y[j * kH + h];
  Run(matmul, x, y, got);
  ExpectSame("matmul", got, want);
}

void Affine() {
  constexpr int64_t kN = 6, kM = 4, kH = 9;
  const Tensor data = te::Placeholder("data", {kN, kH}), w = te::Placeholder("w", {kM, kH});
  const Tensor bias = te::Placeholder("bias", {kN}, DType::kInt32);
  const ReduceAxis k("k", kH);
  const Tensor product = te::Compute("product", {kN, kM}, [&](Expr i, Expr j) {
    return ReduceSum(Int32(data(i, k)) * Int32(w(j, k)), {k});
  });
  const Tensor out =
      te::Compute("out", {kN, kM}, [&](Expr i, Expr j) { return product(i, j) + bias(i); });

  std::vector<int8_t> x = Random<int8_t>(kN * kH, 3), y = Random<int8_t>(kM * kH, 4);
  std::vector<int32_t> z = Random<int32_t>(kN, 5), got(kN * kM), want(kN * kM);
  for (int i = 0; i < kN; ++i)
    for (int j = 0; j < kM; ++j) {
      want[i * kM + j] = z[i];
      for (int h = 0; h < kH; ++h) want[i * kM + j] += x[i * kH + h] * y[j * kH + h];
    }
  Run(te::Lower("affine", {data, w, bias, out}), x, y, z, got);
  ExpectSame("affine", got, want);
}

void Convolution() {
  constexpr int64_t kIn = 3, kOut = 4, kH = 6, kW = 5, kK = 3;
  const Tensor data = te::Placeholder("data", {kIn, kH + kK - 1, kW + kK - 1});
  const Tensor w = te::Placeholder("w", {kOut, kIn, kK, kK});
  const ReduceAxis kc("kc", kIn), ky("ky", kK), kx("kx", kK);
  const Tensor conv =
      te::Compute("conv", {{"c", kOut}, {"y", kH}, {"x", kW}}, [&](Expr c, Expr y, Expr x) {
        return ReduceSum(Int32(data(kc, y + ky, x + kx)) * Int32(w(c, kc, ky, kx)), {kc, ky, kx});
      });
  // Any number of indices: relu is the same for every shape.
  const Tensor relu = te::Compute("relu", {{"c", kOut}, {"y", kH}, {"x", kW}},
                                  [&](const std::vector<Expr>& at) { return Max(conv.At(at), 0); });

  std::vector<int8_t> x = Random<int8_t>(kIn * (kH + kK - 1) * (kW + kK - 1), 6);
  std::vector<int8_t> y = Random<int8_t>(kOut * kIn * kK * kK, 7);
  std::vector<int32_t> got(kOut * kH * kW), want(kOut * kH * kW);
  for (int c = 0; c < kOut; ++c)
    for (int i = 0; i < kH; ++i)
      for (int j = 0; j < kW; ++j) {
        int32_t& sum = want[(c * kH + i) * kW + j];
        for (int r = 0; r < kIn * kK * kK; ++r) {
          const int in = r / (kK * kK), v = r / kK % kK, h = r % kK;
          sum += x[(in * (kH + kK - 1) + i + v) * (kW + kK - 1) + j + h] * y[c * kIn * kK * kK + r];
        }
        sum = std::max(sum, 0);
      }
  Run(te::Lower("conv", {data, w, relu}), x, y, got);
  ExpectSame("convolution and relu", got, want);
}

}  // namespace

int main() {
  return Chapter([] {
    Matmul();
    Affine();
    Convolution();
  });
}
