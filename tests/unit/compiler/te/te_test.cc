// Tensor expressions, lowered and run by the interpreter, against plain C++.
#include "compiler/te/te.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "compiler/loop/parser.h"
#include "compiler/loop/schedule/schedule.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/loop/run.h"

namespace vta::compiler::te {
namespace {

using loop::Random;
using loop::RunOn;
using testing::HasSubstr;

Expr Wide(const Expr& e) { return Cast(DType::kInt32, e); }

TEST(Te, MatmulText) {
  Tensor a = Placeholder("a", {5, 7}), b = Placeholder("b", {3, 7});
  ReduceAxis k("k", 7);
  Tensor c = Compute("c", {{"i", 5}, {"j", 3}},
                     [&](Expr i, Expr j) { return ReduceSum(Wide(a(i, k)) * Wide(b(j, k)), {k}); });
  const loop::Function f = Lower("dense", {a, b, c});
  EXPECT_EQ(Print(f), R"(func dense(
    a: int8[5, 7],
    b: int8[3, 7],
    c: int32[5, 3]) {
  for i in 5 {
    for j in 3 {
      for k in 7 {
        block c(vi: 5 = i, vj: 3 = j, reduce vk: 7 = k) {
          init c[vi, vj] = 0i32
          c[vi, vj] = c[vi, vj] + int32(a[vi, vk]) * int32(b[vj, vk])
        }
      }
    }
  }
}
)");
  EXPECT_EQ(Print(loop::Parse(Print(f))), Print(f));
  auto av = Random<int8_t>(35, 1), bv = Random<int8_t>(21, 2);
  std::vector<int32_t> cv(15), want(15);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 3; ++j)
      for (int x = 0; x < 7; ++x) want[i * 3 + j] += av[i * 7 + x] * bv[j * 7 + x];
  RunOn(f, av, bv, cv);
  EXPECT_EQ(cv, want);
}

TEST(Te, StridedPaddedConvolution) {
  constexpr int kC = 3, kH = 9, kW = 8, kO = 5, kK = 3, kS = 2, kOH = 5, kOW = 4;
  Tensor x = Placeholder("x", {kC, kH, kW}), w = Placeholder("w", {kO, kC, kK, kK});
  Tensor p = Pad("p", x, {0, 1, 1}, {0, 1, 1}, 3);
  ReduceAxis c("c", kC), ky("ky", kK), kx("kx", kK);
  Tensor y = Compute("y", {{"o", kO}, {"h", kOH}, {"w", kOW}}, [&](Expr o, Expr h, Expr v) {
    return ReduceSum(Wide(p(c, h * kS + ky, v * kS + kx)) * Wide(w(o, c, ky, kx)), {c, ky, kx});
  });
  auto xv = Random<int8_t>(kC * kH * kW, 3), wv = Random<int8_t>(kO * kC * kK * kK, 4);
  std::vector<int32_t> yv(kO * kOH * kOW), want(yv.size());
  for (int o = 0; o < kO; ++o)
    for (int h = 0; h < kOH; ++h)
      for (int v = 0; v < kOW; ++v)
        for (int i = 0; i < kC * kK * kK; ++i) {
          const int ci = i / 9, r = h * kS + i / 3 % 3 - 1, q = v * kS + i % 3 - 1;
          const int in = r < 0 || r >= kH || q < 0 || q >= kW ? 3 : xv[(ci * kH + r) * kW + q];
          want[(o * kOH + h) * kOW + v] += in * wv[o * 27 + i];
        }
  RunOn(Lower("conv", {x, w, y}), xv, wv, yv);
  EXPECT_EQ(yv, want);
}

TEST(Te, SoftmaxWithTwoReductions) {
  Tensor x = Placeholder("x", {4, 70}, DType::kFloat32);
  ReduceAxis k("k", 70), j("j", 70);
  Tensor top = Compute("top", {{"r", 4}}, [&](Expr r) { return ReduceMax(x(r, k), {k}); });
  Tensor e = Compute("e", {{"r", 4}, {"c", 70}},
                     [&](Expr r, Expr c) { return Apply(loop::Op::kExp, {x(r, c) - top(r)}); });
  Tensor sum = Compute("sum", {{"r", 4}}, [&](Expr r) { return ReduceSum(e(r, j), {j}); });
  Tensor y = Compute("y", {{"r", 4}, {"c", 70}}, [&](Expr r, Expr c) { return e(r, c) / sum(r); });
  std::vector<float> xv, yv(280), want(280);
  for (int8_t v : Random<int8_t>(280, 5)) xv.push_back(v / 16.0f);
  for (int r = 0; r < 4; ++r) {
    const float most = *std::max_element(&xv[r * 70], &xv[r * 70] + 70);
    float total = 0;
    for (int c = 0; c < 70; ++c) total += want[r * 70 + c] = std::exp(xv[r * 70 + c] - most);
    for (int c = 0; c < 70; ++c) want[r * 70 + c] /= total;
  }
  RunOn(Lower("softmax", {x, y}), xv, yv);
  EXPECT_EQ(yv, want);  // the same operations in the same order: the same bits
}

TEST(Te, PackToTiles) {
  // NCHW with 5 channels -> N C/4 H W 1 4, the missing channels 0.
  Tensor x = Placeholder("x", {1, 5, 3, 2});
  Tensor p = Pad("p", x, {0, 0, 0, 0}, {0, 3, 0, 0}, 0);
  Tensor y =
      Compute("y", {1, 2, 3, 2, 1, 4}, [&](Expr n, Expr co, Expr h, Expr w, Expr b, Expr ci) {
        return p(n + b, co * 4 + ci, h, w);
      });
  auto xv = Random<int8_t>(30, 6);
  std::vector<int8_t> yv(48, 77), want(48);
  for (int c = 0; c < 5; ++c)
    for (int i = 0; i < 6; ++i) want[((c / 4) * 6 + i) * 4 + c % 4] = xv[c * 6 + i];
  RunOn(Lower("pack", {x, y}), xv, yv);
  EXPECT_EQ(yv, want);
}

TEST(Te, ConcatTransposeAndTable) {
  Tensor a = Placeholder("a", {2, 3}, DType::kUint8), b = Placeholder("b", {4, 3}, DType::kUint8);
  Tensor table = Placeholder("table", {256}, DType::kInt16);
  Tensor cat =
      Compute("cat", {6, 3}, [&](Expr i, Expr j) { return Select(i < 2, a(i, j), b(i - 2, j)); });
  Tensor y =
      Compute("y", {3, 6}, [&](Expr i, Expr j) { return table(Cast(DType::kInt64, cat(j, i))); });
  auto av = Random<uint8_t>(6, 7, 0, 255), bv = Random<uint8_t>(12, 8, 0, 255);
  auto tv = Random<int16_t>(256, 9, -30000, 30000);
  std::vector<int16_t> yv(18), want(18);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 6; ++j) want[i * 6 + j] = tv[j < 2 ? av[j * 3 + i] : bv[(j - 2) * 3 + i]];
  RunOn(Lower("cat", {a, b, table, y}), av, bv, tv, yv);
  EXPECT_EQ(yv, want);
}

void ExpectError(const std::function<void()>& action, const std::string& message) {
  try {
    action();
    ADD_FAILURE() << "no error: " << message;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

TEST(Te, SumsThatStartAsAnotherTensor) {
  Tensor x = Placeholder("x", {4, 6}), a = Placeholder("a", {4}, DType::kInt32);
  ReduceAxis k("k", 6);
  Tensor twice = Compute("twice", {{"i", 4}}, [&](Expr i) { return a(i) * 2; });
  // The sum starts as `start` says and adds what `value` says.
  auto lowered = [&](auto start, auto value) {
    Tensor sum = Compute("sum", {{"i", 4}},
                         [&](Expr i) { return From(start(i), ReduceSum(value(i), {k})); });
    Tensor y = Compute("y", {{"i", 4}}, [&](Expr i) { return sum(i) + 1; });
    return Lower("f", {x, a, y});
  };
  auto own = [&](Expr i) { return twice(i); };
  auto row = [&](Expr i) { return Wide(x(i, k)); };
  loop::Schedule s(lowered(own, row), {});
  EXPECT_THAT(Print(s.function()), HasSubstr("init sum[vi] = twice[vi]"));
  auto xv = Random<int8_t>(24, 5);
  auto av = Random<int32_t>(4, 6, -99, 99);
  std::vector<int32_t> want, got(4), in_place(4);
  for (int i = 0; i < 4; ++i)
    want.push_back(std::accumulate(&xv[i * 6], &xv[i * 6] + 6, 2 * av[i] + 1));
  RunOn(s.function(), xv, av, got);
  EXPECT_EQ(got, want);
  s.Replay("inplace sum twice\n");
  const std::string text = Print(s.function());
  EXPECT_THAT(text, HasSubstr("twice[vi] = twice[vi] + int32(x[vi, vk])"));
  EXPECT_EQ(text.find("init"), std::string::npos) << text;
  RunOn(s.function(), xv, av, in_place);
  EXPECT_EQ(in_place, want);

  auto refused = [&](auto start, auto value) {
    loop::Schedule schedule(lowered(start, value), {});
    try {
      schedule.Replay("inplace sum twice\n");
      return std::string("nothing");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refused([&](Expr i) { return twice(3 - i); }, row),
              HasSubstr("reads it at other elements than it writes"));
  EXPECT_THAT(refused([&](Expr i) { return twice(i) + 1; }, row), HasSubstr("is accumulated into"));
  EXPECT_THAT(refused(own, [&](Expr i) { return Wide(x(i, k)) * twice(i); }),
              HasSubstr("reads it as it sums up"));
}

TEST(Te, Errors) {
  Tensor a = Placeholder("a", {5, 7});
  ReduceAxis k("k", 7);
  ExpectError([&] { a(1); }, "tensor a: indices = 1: must be 2, one a dimension");
  ExpectError([&] { Compute("c", {5}, [&](Expr i, Expr j) { return a(i, j); }); },
              "tensor c: axes = 1: its function takes 2 indices");
  ExpectError([&] { Compute("c", {0}, [&](Expr i) { return a(i, i); }); },
              "axis i0 = 0: must be at least 1");
  ExpectError(
      [&] {
        Compute("c", {{"k", 5}}, [&](Expr i) { return ReduceSum(a(i, k), {k}); });
      },
      "tensor c: axis = k: occurs twice");
  ExpectError([&] { ReduceSum(a(0, 0), {}); }, "must run over at least one axis");
  ExpectError([&] { Pad("p", a, {1}, {1}, 0); }, "tensor p: padding = 1 and 1: must be 2 numbers");
  Tensor c = Compute("c", {5}, [&](Expr i) { return a(i, 0); });
  ExpectError([&] { Lower("f", {c}); }, "func f: input = a: must be among the parameters");
  ExpectError([&] { Lower("f", {a}); }, "something must be computed");
  Tensor twin = Compute("a", {5}, [&](Expr i) { return a(i, 0); });
  ExpectError([&] { Lower("f", {a, twin}); }, "func f: tensor = a: two tensors have this name");
  loop::Schedule schedule(Lower("f", {a, c}));
  ExpectError([&] { schedule.Do("annotate", "c", "i0", "", 1); }, "must be of lower-case letters");
  std::vector<Tensor> many = {a};
  for (int i = 0; i < 1024; ++i)
    many.push_back(Compute(StrCat("t", i), {5}, [&](Expr j) { return a(j, 0); }));
  ExpectError([&] { Lower("f", many); }, "func f: tensors = 1025: must be 1024 at most");
}

}  // namespace
}  // namespace vta::compiler::te
