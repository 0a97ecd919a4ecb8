// What makes codes on the target, for tests of what may follow in the same step.
#pragma once

#include <functional>
#include <string>

#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {

inline void AddDense(Case& c) {
  c.graph().Emit(
      Op::kDenseI8, "dense",
      {c.Input("x", 3, 50, 1, 1), c.Constant<int8_t>("w", {21, 50}, -128, 127),
       c.Constant<int32_t>("b", {21}, -999, 999),
       c.Constant<int32_t>("m", {21}, 1 << 30, INT32_MAX), c.Constant<int32_t>("e", {21}, -11, -9)},
      {{"zero_point", int64_t{4}}, {"low", int64_t{-128}}, {"high", int64_t{127}}});
}

inline void AddInterleaved(Case& c) {
  AddConv(&c, 16, 4 * 32, 1, 2, 1);
  c.graph().Emit(Op::kDepthToSpace, "interleave", {c.graph().nodes().back().output},
                 {{"blocks", Shape{2, 2}}, {"crops", Shape{1, 0, 0, 1}}, {"groups", int64_t{1}}});
}

inline void AddAdd(Case& c) {
  Attributes attributes = c.Requant();
  attributes.Set("multiplier_a", int64_t{77});
  attributes.Set("multiplier_b", int64_t{-1234});
  attributes.Set("exponent", int64_t{-11});
  c.graph().Emit(Op::kAddI8, "add", {c.Input("a", 1, 33, 6, 4), c.Input("b", 1, 33, 6, 4)},
                 attributes);
}

inline void AddMul(Case& c) {
  c.graph().Emit(Op::kMulI8, "mul", {c.Input("a", 1, 33, 6, 4), c.Input("b", 1, 33, 6, 4)},
                 {{"zero_a", int64_t{-3}},
                  {"zero_b", int64_t{90}},
                  {"multiplier", int64_t{1} << 30},
                  {"exponent", int64_t{-7}},
                  {"zero_point", int64_t{9}},
                  {"low", int64_t{-128}},
                  {"high", int64_t{127}}});
}

inline void AddPool(Case& c) {
  Attributes attributes = c.Requant();
  attributes.Set("kernel", Shape{3, 3});
  attributes.Set("pad_value", int64_t{0});
  Case::SetWindow(&attributes, {1, 2}, {0, 0, 0, 0});
  attributes.Set("factor", int64_t{0});
  attributes.Set("divisor", int64_t{0});
  c.graph().Emit(Op::kAvgPoolI8, "pool", {c.Input("x", 1, 40, 9, 9)}, attributes);
}

inline void AddRequant(Case& c) {
  Attributes attributes = c.Requant();
  attributes.Set("exponent", int64_t{-1});
  c.graph().Emit(Op::kRequantI8, "requant", {c.Input("x", 1, 33, 6, 4)}, attributes);
}

/// Operators behind which a function of codes may be their last act.
struct Maker {
  std::string name;
  std::function<void(Case&)> add;  // no node: the function is all
  bool needs_mul = false, takes_prelu = true;
};
inline const Maker kMakers[] = {{"conv", [](Case& c) { AddConv(&c, 40, 24, 1, 3, 1); }},
                                {"depthwise", [](Case& c) { AddConv(&c, 32, 32, 32, 3, 1); }},
                                {"conv and sum",
                                 [](Case& c) {
                                   AddConv(&c, 16, 48, 1, 1, 1);
                                   AddSum(&c, 48, 3, 2, true);
                                 },
                                 true},
                                {"conv and wide sum",
                                 [](Case& c) {
                                   AddConv(&c, 16, 16, 1, 1, 1);
                                   AddSum(&c, 16, 300, 9000, false);
                                 },
                                 true},
                                {"phases", AddInterleaved, false, false},
                                {"dense", AddDense},
                                {"sum", AddAdd, false, false},
                                {"product", AddMul, true, false},
                                {"average", AddPool},
                                {"requant", AddRequant},
                                {"nothing", [](Case&) {}}};

/// Slopes below 0 as shares of that above, of 2^-10.
struct Slopes {
  int64_t least, most;
  int64_t zero_point;
};
/// Puts a prelu_i8 behind all that is there.
inline void AddPrelu(Case* c, const Slopes& slopes, int64_t zero_in, int64_t low = -128) {
  constexpr int64_t kAbove = 700;
  const ValueId x =
      c->graph().nodes().empty() ? c->Input("x", 2, 40, 5, 7) : c->graph().nodes().back().output;
  const Shape& packed = c->graph().shape(x);
  const Shape shape{1, packed[1] * packed[5] - c->Draw(0, packed[5] - 1), 1, 1};
  constexpr int64_t kUnit = 1 << 10;  // a share of 1 is the scale above
  c->graph().Emit(Op::kPreluI8, "prelu",
                  {x,
                   c->Constant<int32_t>("below", shape, slopes.least * kAbove * kUnit,
                                        slopes.most * kAbove * kUnit),
                   c->Constant<int32_t>("exponents", shape, 0, 0)},
                  {{"bias", -zero_in},
                   {"multiplier", kAbove * kUnit * kUnit},
                   {"exponent", int64_t{0}},
                   {"zero_point", slopes.zero_point},
                   {"low", low},
                   {"high", int64_t{127}}});
}

}  // namespace vta::compiler::targets
