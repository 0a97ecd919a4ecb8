// What the parser and the verifier refuse, and what the interpreter catches when it runs a wrong
// program anyway.
#include "compiler/loop/verify.h"

#include <gmock/gmock.h>

#include "compiler/loop/parser.h"
#include "isa/support/error.h"
#include "tests/support/dot4.h"
#include "tests/support/error_of.h"
#include "tests/unit/compiler/loop/run.h"

namespace vta::compiler::loop {
namespace {

using testing::HasSubstr;

/// A function of a: int32[8], y: int32[8] with this body.
std::string Text(const std::string& body) {
  return "func f(a: int32[8], y: int32[8]) {\n" + body + "}\n";
}
std::string Refusal(const std::string& body) {
  return ErrorOf([&] { Verify(Parse(Text(body))); });
}
std::string Nest(const std::string& loops, const std::string& block) {
  std::string out, end;
  for (char c : loops) {
    out += std::string("for ") + c + " in " + (c < 'm' ? "8" : "3") + " {\n";
    end += "}\n";
  }
  return out + block + end;
}

TEST(LoopVerify, AcceptsGuardsThatMakeAccessesSafe) {
  EXPECT_EQ(Refusal(Nest("i", "block b(v: 8 = i) { y[v] = a[v] }\n")), "no error");
  EXPECT_EQ(Refusal(Nest("i", "block b(v: 8 = i) { y[v] = select(v < 7, a[v + 1], 0i32) }\n")),
            "no error");
  EXPECT_EQ(
      Refusal(Nest("om", "block b(v: 8 = o * 3 + m) where o * 3 + m < 8 { y[v] = a[7 - v] }\n")),
      "no error");
  EXPECT_EQ(Refusal(Nest("i", "block b(v: 8 = i) { y[v] = a[(v * 5 + 3) % 8] + a[v // 2 * 2] }\n")),
            "no error");
}

TEST(LoopVerify, RefusesAccessesOutside) {
  EXPECT_EQ(Refusal(Nest("i", "block b(v: 8 = i) { y[v] = a[v + 1] }\n")),
            "func f: block b: index 0 of a = v + 1: must be in [0, 8), which the loops and guards "
            "do not show");
  EXPECT_THAT(Refusal(Nest("i", "block b(v: 8 = i) { y[v - 1] = a[v] }\n")),
              HasSubstr("index 0 of y = v - 1"));
  EXPECT_THAT(Refusal(Nest("i", "block b(v: 8 = i) { y[v] = select(v < 8, a[v + 1], 0i32) }\n")),
              HasSubstr("index 0 of a"));
  EXPECT_THAT(Refusal(Nest("i", "block b(v: 8 = i) { y[v] = select(v < 7, 0i32, a[v + 1]) }\n")),
              HasSubstr("index 0 of a"));
  EXPECT_THAT(
      Refusal(Nest("om", "block b(v: 9 = o * 3 + m) where o * 3 + m < 9 { y[v] = 0i32 }\n")),
      HasSubstr("index 0 of y = v"));
  EXPECT_THAT(Refusal(Nest("om", "block b(v: 8 = o * 3 + m) { y[v] = 0i32 }\n")),
              HasSubstr("binding of v = o * 3 + m: must be in [0, 8)"));
}

TEST(LoopVerify, RefusesBadStructure) {
  EXPECT_THAT(Refusal(Nest("i", "for i in 2 { block b(v: 8 = i) { y[v] = 0i32 } }\n")),
              HasSubstr("loop = i: a loop around it has the same name"));
  EXPECT_THAT(Refusal(Nest("i", "block b(i: 8 = i) { y[i] = 0i32 }\n")),
              HasSubstr("iterator = i: a loop or iterator around it has the same name"));
  const std::string b = "block b(v: 8 = i) { y[v] = 0i32 }\n",
                    c = "block c(v: 8 = i) { y[v] = 1i32 }\n";
  EXPECT_THAT(Refusal(Nest("i", b) + Nest("i", b)),
              HasSubstr("block b: name = b: another block has the same"));
  EXPECT_THAT(Refusal(Nest("i", b) + Nest("i", c)),
              HasSubstr("block c = y: overwrites what block b writes"));
  EXPECT_THAT(Refusal("y[0] = 1i32\n"), HasSubstr("must be inside a block"));
  EXPECT_THAT(Refusal(Nest("i", "block b(v: 8 = i) { y[v] = 0i8 }\n")),
              HasSubstr("value stored in y = int8: must be int32"));
  EXPECT_THAT(Refusal(Nest("i", "block b(v: 8 = i) { y[v] = a[v, v] }\n")),
              HasSubstr("indices of a = 2: must be 1"));
  EXPECT_THAT(Refusal(Nest("i", "block b(v: 8 = i) { y[v] = a[0i32] }\n")),
              HasSubstr("index of a = 0i32: must be int64"));
  EXPECT_THAT(Refusal(Nest("i", "block b(v: 8 = i) where a[0] < 1i32 { y[v] = 0i32 }\n")),
              HasSubstr("must not read memory"));
  EXPECT_THAT(Refusal(Nest("i", "block b(v: 8 = i) { init a[v] = 0i32\n y[v] = 0i32 }\n")),
              HasSubstr("init = a[v] = 0i32: must write the elements that the body writes"));
}

TEST(LoopVerify, HoldsEveryStoreOfABlock) {
  auto refusal = [](const std::string& stores) {
    return Refusal(Nest("i", "block b(v: 8 = i) {\n" + stores + "}\n"));
  };
  EXPECT_EQ(refusal("y[v] = a[v]\na[v] = y[v]\n"), "no error");
  EXPECT_EQ(refusal("y[v] = a[v]\na[v] = y[v]\ny[7 - v] = 0i32\n"),
            "func f: block b: store = y[7 - v] = 0i32: another one writes y");
  EXPECT_THAT(refusal("y[v] = a[v]\na[v + 1] = 0i32\n"),
              HasSubstr("block b: index 0 of a = v + 1: must be in [0, 8)"));
  EXPECT_THAT(refusal("y[v] = a[v]\na[v] = y[v - 1]\n"), HasSubstr("index 0 of y = v - 1"));
  EXPECT_THAT(refusal("y[v] = a[v]\na[v] = 0i8\n"),
              HasSubstr("value stored in a = int8: must be int32"));
  EXPECT_EQ(refusal("init a[v] = 0i32\ninit y[v] = 0i32\ny[v] = 1i32\na[v] = 1i32\n"), "no error");
  EXPECT_EQ(refusal("init y[v] = 0i32\ny[v] = 1i32\na[v] = 1i32\n"),
            "func f: block b: init = y[v] = 0i32: must write the elements that the body writes");
  EXPECT_THAT(refusal("init y[v] = 0i32\ninit a[v] = 0i32\ny[v] = 1i32\n"),
              HasSubstr("init = y[v] = 0i32 a[v] = 0i32: must write the elements"));
  EXPECT_THAT(refusal("init y[v] = 0i32\ninit a[7 - v] = 0i32\ny[v] = 1i32\na[v] = 1i32\n"),
              HasSubstr("must write the elements that the body writes"));
  // Writers of one buffer are told apart, and accumulation is counted, whichever store it is.
  EXPECT_THAT(Refusal(Nest("i", "block b(v: 8 = i) { a[v] = 0i32 }\n") +
                      Nest("i", "block c(v: 8 = i) { y[v] = 0i32\na[v] = 1i32 }\n")),
              HasSubstr("block c = a: overwrites what block b writes"));
  EXPECT_THAT(Refusal(Nest("in", "block b(v: 8 = i) { y[v] = 0i32\na[v] = a[v] + 1i32 }\n")),
              HasSubstr("loop n = unused: must be bound to an iterator, or a is accumulated"));
}

/// Two copies that iterations take in turn have their first one from before the loop; no others
/// are written twice.
TEST(LoopVerify, TellsCopiesInTurnFromWhatIsOverwritten) {
  const auto refusal = [](const std::string& first, const std::string& then) {
    return ErrorOf([&] {
      Verify(
          Parse("func f(x: int32[4, 8], y: int32[2, 8]) {\nalloc s: int32[2, 8]\n"
                "for j in 8 { block first(vj: 8 = j) { " +
                first + " } }\nfor k in 4 {\nfor j in 8 { block then(vk: 4 = k, vj: 8 = j) { " +
                then + " } }\n}\n}\n"));
    });
  };
  const std::string first = "s[0, vj] = x[0, vj]";
  EXPECT_EQ(refusal(first, "s[(vk + 1) % 2, vj] = x[vk, vj]"), "no error");
  for (const char* then : {"s[vk * 0, vj] = x[vk, vj]", "s[vk // 2, vj] = x[vk, vj]"})
    EXPECT_THAT(refusal(first, then), HasSubstr("overwrites what block first writes")) << then;
  EXPECT_THAT(refusal("y[0, vj] = x[0, vj]", "y[(vk + 1) % 2, vj] = x[vk, vj]"),
              HasSubstr("overwrites what block first writes"));
  EXPECT_THAT(refusal("s[vj % 2, vj] = x[0, vj]", "s[(vk + 1) % 2, vj] = x[vk, vj]"),
              HasSubstr("overwrites what block first writes"));
}

TEST(LoopVerify, RefusesACallBesideAStore) {
  const std::string text =
      "func f(w: int8[4, 4], x: int8[4], y: int32[4], z: int32[1]) {\nblock b() {\n"
      "call dot4.compute(y[0 : 4], w[0 : 4, 0 : 4], x[0 : 4])\nz[0] = 1i32\n}\n}\n";
  EXPECT_THAT(ErrorOf([&] { Verify(Parse(text, std::vector{Dot4()})); }),
              HasSubstr("block b: statement = call dot4.compute(y[0 : 4], w[0 : 4, 0 : 4], "
                        "x[0 : 4]): must be alone"));
}

TEST(LoopVerify, RefusesStridesThatOverlap) {
  const std::string body = "block b(v: 1 = 0) {\ny[v] = 1i32\n}\n";
  EXPECT_THAT(Refusal("alloc s: int32[4, 2] strides [1, 1]\n" + body),
              HasSubstr("strides of s = 'block': must not let elements overlap"));
  Function f = Parse(Text(body));
  f.params.push_back(MakeBuffer("z", DType::kInt32, {4, 2}, "global", {1, 1}));
  EXPECT_THAT(ErrorOf([&] { Verify(f); }), HasSubstr("strides = z: must not let"));
}

TEST(LoopVerify, RefusesAccumulatingTwice) {
  EXPECT_EQ(Refusal(Nest("in", "block b(v: 8 = i) { y[v] = y[v] + a[v] }\n")),
            "func f: block b: loop n = unused: must be bound to an iterator, or y is accumulated "
            "into more than once");
  // A reduction that starts itself may run again as a whole, but not step by step.
  const std::string block =
      "block b(v: 8 = i, reduce r: 8 = k) { init y[v] = 0i32\n y[v] = y[v] + a[r] }\n";
  EXPECT_EQ(Refusal(Nest("nik", block)), "no error");
  EXPECT_THAT(Refusal(Nest("ikn", block)), HasSubstr("loop n = unused"));
}

TEST(LoopParser, Errors) {
  auto refusal = [](const std::string& text) { return ErrorOf([&] { Parse(text); }); };
  const std::string ok = Nest("i", "block b(v: 8 = i) { y[v] = a[v] }\n");
  EXPECT_EQ(refusal(Text(ok)), "no error");
  EXPECT_EQ(refusal("func f(a: int9[8]) {}"), "line 1: type = 'int9': must be an element type");
  EXPECT_EQ(refusal("func f(a: int8[0]) {}"), "line 1: extent = 0: must be in [1, 1099511627776]");
  EXPECT_EQ(refusal("func f(a: int8[9999999999999999999]) {}"),
            "line 1: extent = '9999999999999999999': must be a whole number of 64 bits");
  EXPECT_EQ(refusal("func f(a: int8[1000000, 1000000, 1000000]) {}"),
            "line 1: buffer a = ']': is too large");
  EXPECT_EQ(refusal("func f(a: int8[8], a: int8[8]) {}"),
            "line 1: buffer a = ':': is declared twice");
  EXPECT_EQ(refusal(Text("")), "line 2: text = '}': a statement is expected here");
  EXPECT_EQ(refusal(Text(ok) + "x"), "line 6: text = 'x': nothing may follow the function");
  EXPECT_EQ(refusal(Text("for i in 8 {")), "line 2: text = '}': a statement is expected here");
  auto value = [&](const std::string& v) {
    return refusal(Text(Nest("i", "block b(v: 8 = i) {\n y[v] = " + v + " }\n")));
  };
  EXPECT_EQ(value("z[v]"), "line 4: buffer z = '[': is not declared");
  EXPECT_EQ(value("int32(z)"), "line 4: variable z = ')': is not declared");
  EXPECT_EQ(value("cosh(v)"), "line 4: function cosh = '(': is not known");
  EXPECT_EQ(value("1000i8"), "line 4: constant = '1000i8': must be a number of type int8");
  EXPECT_EQ(value("1x"), "line 4: constant = '1x': must be a number");
  EXPECT_EQ(value("1i32 + 1i8"),
            "line 4: operation + = int32, int8: takes operands of one numeric type");
  EXPECT_EQ(value("min(1i32)"), "line 4: operation min = int32: takes 2 operands");
  EXPECT_THAT(value(std::string(1000, '(')), HasSubstr("nesting = '(': at most 256 levels"));
  std::string sum = "a[0]";
  for (int i = 0; i < 1000; ++i) sum += " + a[0]";
  EXPECT_THAT(value(sum), HasSubstr("at most 256 operators, one over the other"));
  // Sums in sums, none of which is long.
  const auto nested = [](int sums) {
    std::string text = "a[0]";
    for (int s = 0; s < sums; ++s) {
      text = "(" + text;
      for (int i = 0; i < 100; ++i) text += " + a[0]";
      text += ")";
    }
    return text;
  };
  EXPECT_EQ(value(nested(2)), "no error");
  EXPECT_THAT(value(nested(3)), HasSubstr("at most 256 operators, one over the other"));
  EXPECT_THAT(value("a[0] + " + nested(3)), HasSubstr("one over the other"));
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += StrCat("alloc t", i, ": int8[1]\n");
  EXPECT_THAT(refusal(Text(many)), HasSubstr("at most 1024 are declared"));
}

TEST(LoopParser, StoresOfABlockStandOneALine) {
  const std::string text = R"(func f(
    x: int8[3, 5],
    best: int8[3],
    init: int64[3]) {
  for n in 3 {
    for k in 5 {
      block best(vn: 3 = n, reduce vk: 5 = k) {
        init init[vn] = -1
        init best[vn] = -128i8
        init[vn] = select(best[vn] < x[vn, vk], vk, init[vn])
        best[vn] = max(best[vn], x[vn, vk])
      }
    }
  }
}
)";
  const Function f = Parse(text);
  EXPECT_EQ(Print(f), text);
  EXPECT_EQ(ErrorOf([&] { Verify(f); }), "no error");
  EXPECT_EQ(ErrorOf([&] { Parse(Text(Nest("i", "block b(v: 8 = i) { init y[v] = 0i32 }\n"))); }),
            "line 3: buffer = '}': must be a name");
}

TEST(LoopInterpreter, StoresOfABlockAreSimultaneous) {
  const std::vector<int32_t> order = {3, 1, 4, 0, 5, 7, 2, 6}, zero(8);
  std::vector<int32_t> a = order, y = {0, 10, 20, 30, 40, 50, 60, 70};
  auto run = [&](const std::string& nest) { RunOn(Parse(Text(nest)), a, y); };
  // Values, in lanes: an exchange.
  run(Nest("i", "block b(v: 8 = i) {\ny[v] = a[v]\na[v] = y[v]\n}\n"));
  EXPECT_EQ(y, order);
  EXPECT_EQ(a, (std::vector{0, 10, 20, 30, 40, 50, 60, 70}));
  // Indices: y leads to the place in a, and is gone.
  run(Nest("i", "block b(v: 8 = i) {\ny[v] = 0i32\na[int64(y[v]) % 8] = int32(v)\n}\n"));
  EXPECT_EQ(y, zero);
  EXPECT_EQ(a, (std::vector{3, 1, 6, 0, 2, 4, 7, 5}));
  // One point after the other: Fibonacci's numbers.
  a[0] = 0, y[0] = 1;
  run(Nest("i", "block b(reduce v: 8 = i) {\ny[0] = y[0] + a[0]\na[0] = y[0]\n}\n"));
  EXPECT_EQ(y[0], 34);
  EXPECT_EQ(a[0], 21);
}

TEST(LoopInterpreter, ChecksWhatIsNotProved) {
  auto a = Random<int32_t>(8, 1), y = a;
  auto run = [&](const std::string& body) {
    return ErrorOf([&] { RunOn(Parse(Text(body)), a, y); });
  };
  EXPECT_EQ(run(Nest("i", "block b(v: 8 = i) { y[v] = a[v + 1] }\n")),
            "block b: index 0 of a = 8: must be in [0, 8)");
  EXPECT_EQ(run(Nest("i", "block b(v: 8 = i) { y[7 - v * 2] = 0i32 }\n")),
            "block b: index 0 of y = -7: must be in [0, 8)");
  EXPECT_EQ(
      run(Nest("i", "block b(v: 8 = i) { y[v] = a[int64(a[v]) * 1000 + 500] }\n")).substr(0, 24),
      "block b: index 0 of a = ");
  // A stride that wraps around 2^64 between the ends of a chunk.
  EXPECT_EQ(run(Nest("i", "block b(v: 8 = i) { y[v] = a[v * 4611686018427387904] }\n")),
            "block b: index 0 of a = 4611686018427387904: must be in [0, 8)");
  EXPECT_EQ(run(Nest("i",
                     "block b(v: 8 = i) { y[v] = select(v == 3, a[v + 4], select(v < 7, 1i32, a[v "
                     "+ 1])) }\n")),
            "block b: index 0 of a = 8: must be in [0, 8)");
  EXPECT_EQ(
      ErrorOf([&] { RunOn(Parse(Text(Nest("i", "block b(v: 8 = i) { y[v] = 0i32 }\n"))), a); }),
      "func f: arguments = 1: must be 2");
  std::vector<int32_t> small(7);
  EXPECT_EQ(ErrorOf([&] {
              RunOn(Parse(Text(Nest("i", "block b(v: 8 = i) { y[v] = 0i32 }\n"))), small, y);
            }),
            "func f: bytes of a = 28: must be 32");
}

TEST(LoopInterpreter, KeepsTheOrderWhereItMatters) {
  // Iterations of i meet in y[i + k]: i may not become the lanes with k inside.
  std::vector<int32_t> a(8), y(8, 1), want(8, 1);
  RunOn(Parse(Text("for i in 6 {\nfor k in 3 {\nblock b(v: 6 = i, w: 3 = k) {\n"
                   "y[v + w] = y[v + w] * 3i32 + int32(v)\n}\n}\n}\n")),
        a, y);
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 3; ++k) want[i + k] = want[i + k] * 3 + i;
  EXPECT_EQ(y, want);
  // Each element depends on the one before.
  RunOn(Parse(Text("for i in 7 {\nblock b(v: 7 = i) {\ny[v + 1] = y[v] + y[v + 1]\n}\n}\n")), a, y);
  for (int i = 0; i < 7; ++i) want[i + 1] += want[i];
  EXPECT_EQ(y, want);
}

TEST(LoopInterpreter, ArithmeticOfEachType) {
  auto eval = [](const std::string& type, const std::string& value) {
    std::vector<int32_t> a(8), y(8);
    RunOn(Parse(Text(Nest("i", "block b(v: 8 = i) { y[v] = int32(" +
                                   (type.empty() ? value : type + "(" + value + ")") + ") }\n"))),
          a, y);
    return y[3];
  };
  EXPECT_EQ(eval("", "int8(a[v] + 100i32) + 100i8"), -56);  // wraps in int8
  EXPECT_EQ(eval("", "uint8(a[v] + 100i32) - 101u8"), 255);
  EXPECT_EQ(eval("", "(a[v] + 2147483647i32) + 1i32"), -2147483647 - 1);
  EXPECT_EQ(eval("", "(a[v] - 7i32) // 2i32"), -4);
  EXPECT_EQ(eval("", "(a[v] - 7i32) % 4i32"), 1);
  EXPECT_EQ(eval("", "(a[v] + 7i32) // a[v]"), 0);
  EXPECT_EQ(eval("", "shr(a[v] - 9i32, 1i32)"), -5);
  EXPECT_EQ(eval("", "shr(a[v] - 9i32, -1i32)"), -18);
  EXPECT_EQ(eval("int8", "float32(a[v]) + 300.0f"), 127);
  EXPECT_EQ(eval("int8", "float32(a[v]) - 3.9f"), -3);
  EXPECT_EQ(eval("int32", "float32(a[v]) + nanf"), 0);
  EXPECT_EQ(eval("int32", "round_even(float32(a[v]) + 2.5f)"), 2);
  EXPECT_EQ(eval("int32", "round_even(float32(a[v]) - 3.5f)"), -4);
  EXPECT_EQ(eval("int32", "1000.0f * exp(log(sqrt(float32(a[v]) + 4.0f)))"), 2000);
  // 2 * 0.75 * 2^-1, ties up; and doubly rounded, ties away from zero.
  EXPECT_EQ(eval("", "rescale_single(a[v] + 2i32, 1610612736i32, -1i32)"), 1);
  EXPECT_EQ(eval("", "rescale_single(a[v] - 1i32, 1073741824i32, 0i32)"), 0);
  EXPECT_EQ(eval("", "rescale_double(a[v] - 3i32, 2147483647i32, -1i32)"), -2);
  // bias 10, multiplier 1/2, zero point 3, low -128, high 20 (0x14).
  EXPECT_EQ(eval("", "requant_single(a[v] + 6i32, 10i32, 1073741824i32, 343933696i32)"), 11);
  EXPECT_EQ(eval("", "requant_single(a[v] + 600i32, 10i32, 1073741824i32, 343933696i32)"), 20);
}

}  // namespace
}  // namespace vta::compiler::loop
