#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "compiler/loop/schedule/schedule.h"
#include "compiler/te/te.h"
#include "tests/bench/kernel_conv.h"

namespace vta::compiler::bench {
namespace {

using loop::Expr;

/// x [C/16][Hi][Wi][16], w [O/16][C/16][K][K][16 i][16 o], bias [O/16][16] -> y [O/16][H][W][16].
loop::Function Expression(const Conv& c) {
  constexpr auto kF32 = loop::DType::kFloat32;
  const int64_t cbs = c.channels / 16, obs = c.outputs / 16;
  te::Tensor x = te::Placeholder("x", {cbs, c.Input(), c.Input(), 16}, kF32);
  te::Tensor w = te::Placeholder("w", {obs, cbs, c.kernel, c.kernel, 16, 16}, kF32);
  te::Tensor bias = te::Placeholder("bias", {obs, 16}, kF32);
  te::ReduceAxis cb("cb", cbs), p("p", c.kernel), q("q", c.kernel), i("i", 16);
  const std::vector<te::Axis> axes = {{"ob", obs}, {"h", c.size}, {"w", c.size}, {"o", 16}};
  te::Tensor s = te::Compute("s", axes, [&](Expr ob, Expr h, Expr v, Expr o) {
    return te::ReduceSum(x(cb, h * c.stride + p, v * c.stride + q, i) * w(ob, cb, p, q, i, o),
                         {cb, p, q, i});
  });
  te::Tensor y = te::Compute("y", axes, [&](Expr ob, Expr h, Expr v, Expr o) {
    return Max(s(ob, h, v, o) + bias(ob, o), loop::FloatConst(0));
  });
  return te::Lower("conv", {x, w, bias, y});
}

loop::Function Scheduled(const Conv& c) {
  loop::Schedule s(Expression(c));
  s.Do("set_scope", "s", "local");
  s.Do("split", "y", "ob", c.blocks);
  s.Do("split", "y", "w", c.columns);
  s.Do("reorder", "y", "obo", "h", "wo", "wi", "obi", "o");
  s.Do("compute_at", "s", "y", "wo");
  // Columns around blocks: an input is used up at once, and only the blocks' weights stay.
  s.Do("reorder", "s", "cb", "p", "q", "i", "w", "ob", "o");
  s.Do("decompose_reduction", "s", "cb");
  for (const auto& [block, columns, blocks] :
       {std::array{"s", "w", "ob"}, {"s_init", "w", "ob"}, {"y", "wi", "obi"}}) {
    s.Do("unroll", block, columns);
    if (c.blocks > 1) s.Do("unroll", block, blocks);
    s.Do("vectorize", block, "o");
  }
  s.Do("parallel", "y", "obo");
  return s.function();
}

void Require(const Conv& c, const Memory<float>& x, const Memory<float>& w,
             const Memory<float>& bias, const Memory<float>& y) {
  const int64_t n = c.Input(), k = c.kernel, cbs = c.channels / 16;
  for (int64_t at = 0; at < c.OutputElems(); at += 37) {
    const int64_t o = at % 16, v = at / 16 % c.size, h = at / 16 / c.size % c.size,
                  ob = at / 16 / c.size / c.size;
    double sum = bias[ob * 16 + o];
    for (int64_t cb = 0; cb < cbs; ++cb)
      for (int64_t p = 0; p < k; ++p)
        for (int64_t q = 0; q < k; ++q)
          for (int64_t i = 0; i < 16; ++i)
            sum += double{x[((cb * n + h * c.stride + p) * n + v * c.stride + q) * 16 + i]} *
                   w[((((ob * cbs + cb) * k + p) * k + q) * 16 + i) * 16 + o];
    sum = std::max(sum, 0.0);
    if (std::abs(sum - y[at]) > 1e-4 * std::max(1.0, std::abs(sum))) {
      std::printf("y[%ld] = %g, must be %g\n", at, y[at], sum);
      std::exit(1);
    }
  }
}

float Element(int64_t i) { return static_cast<float>(i * 7919 % 201 - 100) / 100; }

}  // namespace

void MeasureFloat(const Setting& setting, const std::string& name, const Conv& c, double peak) {
  const Memory<float> x(c.InputElems(), Element), w(c.WeightElems(), Element),
      bias(c.outputs, Element), y(c.OutputElems());
  Measure(setting, name, c, peak, Scheduled(c), {x.data(), w.data(), bias.data(), y.data()},
          [&] { Require(c, x, w, bias, y); });
}

}  // namespace vta::compiler::bench
