// Speed of the loop-IR interpreter: scalar operations (multiply-adds count as two) a second on one
// core.
#include <cstdio>
#include <ctime>
#include <vector>

#include "compiler/loop/analysis.h"
#include "compiler/te/te.h"
#include "tests/support/interpreter/interpret.h"

using namespace vta::compiler;
using loop::DType;
using loop::Expr;
using te::Compute;
using te::Lower;
using te::Placeholder;
using te::ReduceAxis;
using te::ReduceSum;
using te::Tensor;

namespace {

Expr Wide(const Expr& e) { return Cast(DType::kInt32, e); }

/// Time of this process, so that what else the machine does counts less.
double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void Measure(const char* name, const loop::Function& f, double ops) {
  std::vector<std::vector<std::byte>> memory;
  std::vector<std::span<std::byte>> args;
  for (const loop::Buffer& p : f.params)
    memory.emplace_back(p->SizeElems() * loop::SizeBytes(p->dtype), std::byte{3});
  for (auto& m : memory) args.push_back(m);
  const double start = CpuSeconds();
  loop::Interpreter interpreter(f);
  const double compiled = CpuSeconds();
  int runs = 0;
  while (CpuSeconds() - compiled < 0.3) {
    interpreter.Run(args);
    ++runs;
  }
  const double spent = CpuSeconds() - compiled;
  std::printf("%-28s %9.1f Mops/s   compile %6.2f ms, run %8.2f ms\n", name,
              ops * runs / spent * 1e-6, (compiled - start) * 1e3, spent / runs * 1e3);
}

loop::Function Convolution(int64_t c, int64_t size, int64_t o) {
  Tensor x = Placeholder("x", {c, size, size}), w = Placeholder("w", {o, c, 3, 3});
  Tensor p = te::Pad("p", x, {0, 1, 1}, {0, 1, 1}, 0);
  ReduceAxis ci("ci", c), ky("ky", 3), kx("kx", 3);
  Tensor y = Compute("y", {o, size, size}, [&](Expr k, Expr i, Expr j) {
    return ReduceSum(Wide(p(ci, i + ky, j + kx)) * Wide(w(k, ci, ky, kx)), {ci, ky, kx});
  });
  return Lower("conv", {x, w, y});
}

loop::Function PackedConvolution() {
  Tensor x = Placeholder("x", {4, 16, 16, 16}), w = Placeholder("w", {4, 4, 3, 3, 16, 16});
  ReduceAxis ci("ci", 4), ky("ky", 3), kx("kx", 3), i("i", 16);
  Tensor y = Compute("y", {4, 14, 14, 16}, [&](Expr co, Expr h, Expr v, Expr o) {
    return ReduceSum(Wide(x(ci, h + ky, v + kx, i)) * Wide(w(co, ci, ky, kx, o, i)),
                     {ci, ky, kx, i});
  });
  return Lower("packed", {x, w, y});
}

loop::Function Requantize(int64_t n) {
  Tensor acc = Placeholder("acc", {n, 64}, DType::kInt32),
         scale = Placeholder("scale", {64}, DType::kFloat32);
  Tensor y = Compute("y", {n, 64}, [&](Expr i, Expr j) {
    const Expr real = Apply(loop::Op::kRoundEven, {Cast(DType::kFloat32, acc(i, j)) * scale(j)});
    return Cast(DType::kInt8, Min(Max(real + loop::FloatConst(3), loop::FloatConst(-128)),
                                  loop::FloatConst(127)));
  });
  return Lower("requantize", {acc, scale, y});
}

loop::Function Softmax() {
  Tensor x = Placeholder("x", {256, 1000}, DType::kFloat32);
  ReduceAxis k("k", 1000), j("j", 1000);
  Tensor top = Compute("top", {256}, [&](Expr r) { return te::ReduceMax(x(r, k), {k}); });
  Tensor e = Compute("e", {256, 1000},
                     [&](Expr r, Expr c) { return Apply(loop::Op::kExp, {x(r, c) - top(r)}); });
  Tensor sum = Compute("sum", {256}, [&](Expr r) { return ReduceSum(e(r, j), {j}); });
  Tensor y = Compute("y", {256, 1000}, [&](Expr r, Expr c) { return e(r, c) / sum(r); });
  return Lower("softmax", {x, y});
}

loop::Function DotProduct() {
  Tensor a = Placeholder("a", {1 << 18}), b = Placeholder("b", {1 << 18});
  ReduceAxis k("k", 1 << 18);
  Tensor y = Compute("y", {1}, [&](Expr) { return ReduceSum(Wide(a(k)) * Wide(b(k)), {k}); });
  return Lower("dot", {a, b, y});
}

loop::Function Pack() {
  Tensor x = Placeholder("x", {1, 64, 56, 56});
  Tensor y = Compute(
      "y", {1, 4, 56, 56, 1, 16},
      [&](Expr n, Expr c, Expr h, Expr w, Expr b, Expr i) { return x(n + b, c * 16 + i, h, w); });
  return Lower("pack", {x, y});
}

}  // namespace

int main() {
  Measure("conv 3x3 32x28x28 int8", Convolution(32, 28, 32), 2.0 * 32 * 32 * 9 * 28 * 28);
  Measure("packed conv 16x16 blocks", PackedConvolution(), 2.0 * 4 * 4 * 9 * 14 * 14 * 256);
  Measure("requantize (7 ops)", Requantize(4096), 7.0 * 4096 * 64);
  Measure("softmax 256x1000 (5 ops)", Softmax(), 5.0 * 256000);
  Measure("dot product, one sum", DotProduct(), 2.0 * (1 << 18));
  Measure("pack NCHW to tiles (copy)", Pack(), 64.0 * 56 * 56);
}
