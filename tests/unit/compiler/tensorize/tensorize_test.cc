// Tensor intrinsics: declaration, matching, refusals, and a whole accelerator schedule of a
// convolution.
#include <gmock/gmock.h>

#include "compiler/loop/analysis.h"
#include "compiler/loop/parser.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/loop/verify.h"
#include "compiler/te/te.h"
#include "compiler/tensorize/declare.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/loop/run.h"

namespace vta::compiler::tensorize {
namespace {

using loop::DType;
using loop::Expr;
using loop::Function;
using loop::Random;
using loop::RunOn;
using loop::Schedule;
using te::Compute;
using te::Lower;
using te::Placeholder;
using te::ReduceAxis;
using te::ReduceSum;
using te::Tensor;
using testing::HasSubstr;

Expr Wide(const Expr& e) { return Cast(DType::kInt32, e); }

IntrinsicRef Gemm8x8(const Lowering& lowering = {"", "fill_zero", "fuse_gemm8x8_add"}) {
  Tensor a = Placeholder("a", {8, 8}), b = Placeholder("b", {8, 8});
  ReduceAxis k("k", 8);
  Tensor c = Compute("c", {{"i", 8}, {"j", 8}},
                     [&](Expr i, Expr j) { return ReduceSum(Wide(a(i, k)) * Wide(b(j, k)), {k}); });
  return Declare("gemm8x8", c, {a, b}, lowering, 8);
}

/// y[i, j] = sum_k b[j, k] * a[i, k]: the operands in the other order than the intrinsic's.
Function Matmul(int64_t m, int64_t n, int64_t k_extent) {
  Tensor a = Placeholder("a", {m, k_extent}), b = Placeholder("b", {n, k_extent});
  ReduceAxis k("k", k_extent);
  Tensor y = Compute("y", {{"i", m}, {"j", n}},
                     [&](Expr i, Expr j) { return ReduceSum(Wide(b(j, k)) * Wide(a(i, k)), {k}); });
  return Lower("matmul", {a, b, y});
}

/// Tiles to 8x8x8 with the loops inside in an unusual order.
void Tile8(Schedule& s) { s.Replay("tile y i j 8 8\nsplit y k 8\nreorder y io jo ko ki ji ii\n"); }

TEST(Tensorize, Gemm8x8) {
  const IntrinsicRef gemm = Gemm8x8();
  Schedule s(Matmul(16, 24, 32), {gemm});
  Tile8(s);
  s.Do("tensorize", "y", "ki", "gemm8x8");
  s.Do("decompose_reduction", "y", "ko");
  const std::string text = R"(func matmul(
    b: int8[24, 32],
    a: int8[16, 32],
    y: int32[16, 24]) {
  for io in 2 {
    for jo in 3 {
      block y_init(vi: 16 = io * 8, vj: 24 = jo * 8) {
        call gemm8x8.reset(y[vi : 8, vj : 8])
      }
      for ko in 4 {
        block y(vi: 16 = io * 8, vj: 24 = jo * 8, reduce vk: 32 = ko * 8) {
          call gemm8x8.update(y[vi : 8, vj : 8], a[vi : 8, vk : 8], b[vj : 8, vk : 8])
        }
      }
    }
  }
}
)";
  std::string printed = Print(s.function());
  EXPECT_EQ(printed.substr(printed.find("  for")), text.substr(text.find("  for")));
  const IntrinsicRef all[] = {gemm};
  EXPECT_EQ(Print(loop::Parse(printed, all)), printed);

  auto av = Random<int8_t>(16 * 32, 1), bv = Random<int8_t>(24 * 32, 2);
  std::vector<int32_t> got(16 * 24), want(16 * 24);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 24; ++j)
      for (int k = 0; k < 32; ++k) want[i * 24 + j] += av[i * 32 + k] * bv[j * 32 + k];
  RunOn(loop::Parse(printed, all), av, bv, got);
  EXPECT_EQ(got, want);
}

TEST(Tensorize, WholeReductionUsesComputeWhereTheTargetHasIt) {
  Schedule s(Matmul(8, 16, 8), {Gemm8x8({"gemm8x8", "", ""})});
  s.Replay("split y j 8\nreorder y jo i ji k\ntensorize y i gemm8x8\n");
  EXPECT_THAT(
      Print(s.function()),
      HasSubstr("call gemm8x8.compute(y[0 : 8, vj : 8], a[0 : 8, 0 : 8], b[vj : 8, 0 : 8])"));
  auto av = Random<int8_t>(64, 1), bv = Random<int8_t>(128, 2);
  std::vector<int32_t> got(128), want(128);
  RunOn(s.function(), av, bv, got);
  RunOn(Matmul(8, 16, 8), av, bv, want);
  EXPECT_EQ(got, want);
}

void ExpectRefused(Schedule& s, const loop::Step& step, const std::string& message) {
  const std::string before = Print(s.function());
  try {
    s.Apply(step);
    ADD_FAILURE() << "not refused: " << message;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
  EXPECT_EQ(Print(s.function()), before);
}

TEST(Tensorize, SaysTheFirstDifference) {
  const loop::Step step{"tensorize", {"y", "ii", "gemm8x8"}};
  {  // extents
    Schedule s(Matmul(16, 24, 32), {Gemm8x8()});
    s.Replay("tile y i j 8 4\nsplit y k 8\nreorder y io jo ko ii ji ki\n");
    ExpectRefused(
        s, step,
        "tensorize y ii gemm8x8: intrinsic gemm8x8: loops = (ii: 8, ji: 4, reduce ki: 8): "
        "must be the intrinsic's (vi: 8, vj: 8, reduce vk: 8)");
    ExpectRefused(s, {"tensorize", {"y", "ii", "gemm9"}},
                  "intrinsic = gemm9: the target has no such intrinsic");
  }
  {  // a tail inside the tile
    Schedule s(Matmul(15, 24, 32), {Gemm8x8()});
    s.Replay("tile y i j 8 8\nsplit y k 8\nreorder y io jo ko ii ji ki\n");
    ExpectRefused(
        s, step,
        "guard = io * 8 + ii < 15: must not depend on loop ii, which the intrinsic covers");
  }
  auto refuse = [&](auto element, DType type, const std::string& scope,
                    const std::string& message) {
    Tensor a = Placeholder("a", {8, 8}, type, scope), b = Placeholder("b", {8, 8});
    ReduceAxis k("k", 8);
    Tensor y = Compute("y", {{"ii", 8}, {"j", 8}}, [&](Expr i, Expr j) {
      return ReduceSum(element(a, b, i, j, Expr(k)), {k});
    });
    Schedule s(Lower("f", {a, b, y}), {Gemm8x8()});
    ExpectRefused(s, step, message);
  };
  auto product = [](auto& a, auto& b, Expr i, Expr j, Expr k) {
    return Wide(a(i, k)) * Wide(b(j, k));
  };
  refuse([](auto& a, auto& b, Expr i, Expr j, Expr k) { return Wide(a(i, k)) * Wide(b(k, j)); },
         DType::kInt8, "global", "operand b: index 0 of b = k: must be j");
  refuse(product, DType::kUint8, "global", "operand a: type of a = uint8: must be int8");
  refuse([](auto& a, auto& b, Expr i, Expr j, Expr k) { return Wide(a(i, k)) + Wide(b(j, k)); },
         DType::kInt8, "global",
         "expression = int32(a[vii, vk]) + int32(b[vj, vk]): must be int32(a[vi, vk]) * "
         "int32(b[vj, vk])");
}

TEST(Tensorize, ScopeAndMissingReset) {
  Tensor a = Placeholder("a", {8}, DType::kInt32, "acc"),
         imm = Placeholder("imm", {}, DType::kInt32, std::string(kImmediate));
  Tensor c = Compute(
      "c", {{"i", 8}}, [&](Expr i) { return Max(a(i), imm()); }, "acc");
  const IntrinsicRef row = Declare("row_max", c, {a, imm}, {"max", "", ""}, 1);

  Tensor x = Placeholder("x", {4, 8}, DType::kInt32);
  Tensor s0 = Compute("s0", {{"r", 4}, {"l", 8}}, [&](Expr r, Expr l) { return x(r, l) + 1; });
  Tensor s1 = Compute("s1", {{"r", 4}, {"l", 8}}, [&](Expr r, Expr l) { return Max(7, s0(r, l)); });
  Tensor y = Compute("y", {{"r", 4}, {"l", 8}}, [&](Expr r, Expr l) { return s1(r, l); });
  Schedule s(Lower("f", {x, y}), {row});
  ExpectRefused(s, {"tensorize", {"s1", "l", "row_max"}},
                "operand c: scope of s1 = global: must be acc");
  s.Replay("set_scope s0 acc\nset_scope s1 acc\ninplace s1 s0\ntensorize s1 l row_max\n");
  EXPECT_THAT(Print(s.function()),
              HasSubstr("call row_max.compute(s0[vr, 0 : 8], s0[vr, 0 : 8], 7i32)"));
  const IntrinsicRef all[] = {row};
  EXPECT_EQ(Print(loop::Parse(Print(s.function()), all)), Print(s.function()));
  auto xv = Random<int32_t>(32, 3, -20, 20);
  std::vector<int32_t> got(32), want;
  for (int32_t v : xv) want.push_back(std::max(v + 1, 7));
  RunOn(s.function(), xv, got);
  EXPECT_EQ(got, want);

  Schedule m(Matmul(8, 8, 8), {Gemm8x8({"", "", "step"})});
  ExpectRefused(m, {"tensorize", {"y", "i", "gemm8x8"}},
                "block = y: starts a reduction, and the intrinsic has no reset");
}

/// The packed convolution of the accelerator: 1x4x4 blocks, stride 1, padding 1, 3x3, epilogue of
/// bias, shift, clip.
struct PackedConv {
  static constexpr int kCi = 3, kCo = 4, kH = 7, kW = 6, kB = 4;
  Function function;
  std::vector<IntrinsicRef> intrinsics;
  std::vector<int8_t> x, w, want;
  std::vector<int32_t> bias;

  PackedConv() {
    Tensor tx = Placeholder("x", {1, kCi, kH, kW, 1, kB}),
           tw = Placeholder("w", {kCo, kCi, 3, 3, kB, kB});
    Tensor tb = Placeholder("bias", {kCo, 1, kB}, DType::kInt32);
    Tensor pad = te::Pad("pad", tx, {0, 0, 1, 1, 0, 0}, {0, 0, 1, 1, 0, 0}, 0);
    ReduceAxis ci("ci", kCi), ky("ky", 3), kx("kx", 3), i("i", kB);
    const std::vector<te::Axis> axes = {{"n", 1},  {"co", kCo}, {"y", kH},
                                        {"x", kW}, {"b", 1},    {"o", kB}};
    Tensor conv = Compute("conv", axes, [&](Expr n, Expr co, Expr y, Expr x, Expr b, Expr o) {
      return ReduceSum(Wide(pad(n, ci, y + ky, x + kx, b, i)) * Wide(tw(co, ci, ky, kx, o, i)),
                       {ci, ky, kx, i});
    });
    Tensor added = Compute("added", axes, [&](Expr n, Expr co, Expr y, Expr x, Expr b, Expr o) {
      return conv(n, co, y, x, b, o) + tb(co, b, o);
    });
    Tensor shifted = Compute("shifted", axes, [&](const std::vector<Expr>& v) {
      return Apply(loop::Op::kShr, {added.At(v), 6});
    });
    Tensor clipped = Compute("clipped", axes, [&](const std::vector<Expr>& v) {
      return Min(Max(shifted.At(v), 0), 127);
    });
    Tensor out = Compute(
        "out", axes, [&](const std::vector<Expr>& v) { return Cast(DType::kInt8, clipped.At(v)); });
    function = Lower("conv2d", {tx, tw, tb, out});

    Tensor gi = Placeholder("inp", {1, kB}, DType::kInt8, "inp"),
           gw = Placeholder("wgt", {kB, kB}, DType::kInt8, "wgt");
    ReduceAxis gk("k", kB);
    Tensor ga = Compute(
        "acc", {{"b", 1}, {"o", kB}},
        [&](Expr b, Expr o) { return ReduceSum(Wide(gi(b, gk)) * Wide(gw(o, gk)), {gk}); }, "acc");
    intrinsics.push_back(Declare("gemm", ga, {gi, gw}, {"", "reset", "gemm"}, 1));
    Tensor aa = Placeholder("a", {1, kB}, DType::kInt32, "acc"),
           ab = Placeholder("b", {1, kB}, DType::kInt32, "acc");
    Tensor ac = Compute(
        "c", {1, kB}, [&](Expr b, Expr o) { return aa(b, o) + ab(b, o); }, "acc");
    intrinsics.push_back(Declare("add", ac, {aa, ab}, {"add", "", ""}, 1));

    x = Random<int8_t>(kCi * kH * kW * kB, 11);
    w = Random<int8_t>(kCo * kCi * 9 * kB * kB, 12);
    bias = Random<int32_t>(kCo * kB, 13, -500, 500);
    for (int co = 0; co < kCo; ++co)
      for (int y = 0; y < kH; ++y)
        for (int v = 0; v < kW; ++v)
          for (int o = 0; o < kB; ++o) {
            int32_t sum = bias[co * kB + o];
            for (int c = 0; c < kCi; ++c)
              for (int t = 0; t < 9; ++t)
                for (int k = 0; k < kB; ++k) {
                  const int r = y + t / 3 - 1, q = v + t % 3 - 1;
                  if (r < 0 || r >= kH || q < 0 || q >= kW) continue;
                  sum += x[((c * kH + r) * kW + q) * kB + k] *
                         w[(((co * kCi + c) * 9 + t) * kB + o) * kB + k];
                }
            want.push_back(static_cast<int8_t>(std::clamp(sum >> 6, 0, 127)));
          }
  }
};

TEST(Tensorize, PackedConvolutionWithVirtualThreadsAndTails) {
  PackedConv c;
  Schedule s(c.function, c.intrinsics);
  // 7 x 6 in tiles of 4 x 4: both tails are short; output channels in two threads of pairs.
  s.Replay(R"(
cache_write out out
tile out_copy y x 4 4
split out_copy co 2
reorder out_copy coo yo xo coi yi xi
split out_copy coo 2
compute_at out out_copy xo
compute_at clipped out_copy xo
compute_at shifted out_copy xo
compute_at added out_copy xo
compute_at conv out_copy xo
set_scope conv acc
set_scope added acc
set_scope shifted acc
set_scope clipped acc
cache_read added bias acc
compute_at bias_acc out_copy xo
inplace added conv
inplace shifted conv
inplace clipped conv
reorder conv ci n_1 co ky kx y x b o i
set_scope pad inp
compute_at pad conv ci
cache_read conv w wgt
compute_at w_wgt conv ci
tensorize conv b gemm
decompose_reduction conv ci
tensorize added b add
virtual_thread out_copy cooi
)");
  const std::string text = Print(s.function());
  SCOPED_TRACE(text);
  EXPECT_THAT(text,
              HasSubstr("alloc pad: int8[2, 1, 1, 6, 6, 1, 4] @inp"));  // slot, then halo of 4 + 2
  EXPECT_THAT(text, HasSubstr("alloc w_wgt: int8[2, 2, 1, 3, 3, 4, 4] @wgt"));
  EXPECT_THAT(text, HasSubstr("alloc conv: int32[2, 1, 2, 4, 4, 1, 4] @acc"));
  EXPECT_THAT(text, HasSubstr("call gemm.update("));
  EXPECT_THAT(text, HasSubstr("call gemm.reset("));
  EXPECT_THAT(text, HasSubstr("call add.compute("));
  EXPECT_EQ(Print(loop::Parse(text, c.intrinsics)), text);
  std::vector<int8_t> got(c.want.size());
  RunOn(s.function(), c.x, c.w, c.bias, got);
  EXPECT_EQ(got, c.want);

  Schedule again(c.function, c.intrinsics);
  again.Replay(s.TraceText());
  EXPECT_EQ(Print(again.function()), text);
}

}  // namespace
}  // namespace vta::compiler::tensorize
