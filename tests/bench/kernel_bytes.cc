#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/cpu/intrinsics.h"
#include "compiler/te/te.h"
#include "tests/bench/kernel_conv.h"

namespace vta::compiler::bench {
namespace {

using loop::DType;
using loop::Expr;

/// x [C/16][Hi][Wi][16], w [O/16][C/16][K][K][4][16 o][4 i], bias, multiplier and exponent
/// [O/16][16] -> y [O/16][H][W][16]: 128 more than the result of requant.
loop::Function Expression(const Conv& c, isa::Rounding rounding) {
  const int64_t cbs = c.channels / 16, obs = c.outputs / 16;
  te::Tensor x = te::Placeholder("x", {cbs, c.Input(), c.Input(), 16}, DType::kUint8);
  te::Tensor w = te::Placeholder("w", {obs, cbs, c.kernel, c.kernel, 4, 16, 4}, DType::kInt8);
  const auto channels = [&](const char* name) {
    return te::Placeholder(name, {obs, 16}, DType::kInt32);
  };
  te::Tensor bias = channels("bias"), multiplier = channels("multiplier"),
             exponent = channels("exponent");
  te::ReduceAxis cb("cb", cbs), p("p", c.kernel), q("q", c.kernel), g("g", 4), i("i", 4);
  const std::vector<te::Axis> axes = {{"ob", obs}, {"h", c.size}, {"w", c.size}, {"o", 16}};
  te::Tensor s = te::Compute("s", axes, [&](Expr ob, Expr h, Expr v, Expr o) {
    return te::ReduceSum(
        Cast(DType::kInt32, x(cb, h * c.stride + p, v * c.stride + q, g.expr() * 4 + i)) *
            Cast(DType::kInt32, w(ob, cb, p, q, g, o, i)),
        {cb, p, q, g, i});
  });
  const loop::Op requant =
      rounding == isa::Rounding::kSingle ? loop::Op::kRequantSingle : loop::Op::kRequantDouble;
  te::Tensor y = te::Compute("y", axes, [&](Expr ob, Expr h, Expr v, Expr o) {
    // As the operators write it: the exponent is the low byte, the rest is the same for all.
    const Expr packed = loop::IntConst(DType::kInt32, isa::PackRequant({})) +
                        FloorMod(exponent(ob, o), loop::IntConst(DType::kInt32, 256));
    return Cast(DType::kUint8,
                loop::Apply(requant, {s(ob, h, v, o), bias(ob, o), multiplier(ob, o), packed}) +
                    loop::IntConst(DType::kInt32, 128));
  });
  return te::Lower("conv", {x, w, bias, multiplier, exponent, y});
}

loop::Function Scheduled(const Conv& c, isa::Rounding rounding) {
  loop::Schedule s(Expression(c, rounding), targets::DotIntrinsics());
  s.Do("set_scope", "s", "local");
  s.Do("split", "y", "ob", c.blocks);
  s.Do("split", "y", "w", c.columns);
  s.Do("reorder", "y", "obo", "h", "wo", "wi", "obi", "o");
  s.Do("compute_at", "s", "y", "wo");
  s.Do("reorder", "s", "cb", "p", "q", "g", "w", "ob", "o", "i");
  s.Do("tensorize", "s", "o", "vpdpbusd");
  s.Do("decompose_reduction", "s", "cb");
  for (const auto& [block, columns, blocks] :
       {std::array{"s", "w", "ob"}, {"s_init", "w", "ob"}, {"y", "wi", "obi"}}) {
    s.Do("unroll", block, columns);
    if (c.blocks > 1) s.Do("unroll", block, blocks);
  }
  s.Do("vectorize", "y", "o");
  s.Do("parallel", "y", "obo");
  return s.function();
}

void Require(const Conv& c, isa::Rounding rounding, const Memory<uint8_t>& x,
             const Memory<int8_t>& w, const std::array<Memory<int32_t>, 3>& channels,
             const Memory<uint8_t>& y) {
  const int64_t n = c.Input(), k = c.kernel, cbs = c.channels / 16;
  for (int64_t at = 0; at < c.OutputElems(); at += 37) {
    const int64_t o = at % 16, v = at / 16 % c.size, h = at / 16 / c.size % c.size,
                  ob = at / 16 / c.size / c.size;
    int32_t sum = 0;
    for (int64_t cb = 0; cb < cbs; ++cb)
      for (int64_t p = 0; p < k; ++p)
        for (int64_t q = 0; q < k; ++q)
          for (int64_t i = 0; i < 16; ++i)
            sum += x[((cb * n + h * c.stride + p) * n + v * c.stride + q) * 16 + i] *
                   w[(((((ob * cbs + cb) * k + p) * k + q) * 4 + i / 4) * 16 + o) * 4 + i % 4];
    isa::RequantLane lane;
    lane.bias = channels[0][ob * 16 + o];
    lane.multiplier = channels[1][ob * 16 + o];
    lane.exponent = static_cast<int8_t>(channels[2][ob * 16 + o]);
    const int want = isa::Requant(sum, lane, rounding) + 128;
    if (y[at] != want) {
      std::printf("y[%ld] = %d, must be %d\n", at, y[at], want);
      std::exit(1);
    }
  }
}

}  // namespace

void MeasureBytes(const Setting& setting, const std::string& name, const Conv& c, double peak,
                  isa::Rounding rounding) {
  const Memory<uint8_t> x(c.InputElems(), [](int64_t i) { return i * 7919 % 256; }),
      y(c.OutputElems());
  const Memory<int8_t> w(c.WeightElems(), [](int64_t i) { return i * 7907 % 256 - 128; });
  const std::array channels = {
      Memory<int32_t>(c.outputs, [](int64_t i) { return i * 7919 % 20001 - 10000; }),
      Memory<int32_t>(c.outputs, [](int64_t i) { return (1 << 30) + i * 7919 % 1000 * 1000000; }),
      Memory<int32_t>(c.outputs, [](int64_t i) { return -7 - i % 6; })};
  Measure(
      setting, name, c, peak, Scheduled(c, rounding),
      {x.data(), w.data(), channels[0].data(), channels[1].data(), channels[2].data(), y.data()},
      [&] { Require(c, rounding, x, w, channels, y); });
}

}  // namespace vta::compiler::bench
