// Functions of floats against the C library's in double, over floats of all sizes, or all of them
// where $VTA_TEST_WHOLE is 1: how far they are off, and that every machine gives the same bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "isa/support/error.h"
#include "tests/unit/compiler/llvm/native.h"

namespace vta::compiler::llvm {
namespace {

using loop::DType;
using loop::Op;

constexpr int64_t kBlock = 1 << 16;

/// y = op(x) over kBlock floats.
loop::Function FunctionOf(Op op) {
  loop::Function f{"k", {}, {}};
  const loop::Var i = loop::MakeVar("i"), vi = loop::MakeVar("vi");
  const loop::Buffer x = loop::MakeBuffer("x", DType::kFloat32, {kBlock});
  const loop::Buffer y = loop::MakeBuffer("y", DType::kFloat32, {kBlock});
  f.params = {x, y};
  loop::Block block{.name = "y"};
  block.iters.push_back({vi, kBlock, loop::IterKind::kSpatial, loop::Expr(i)});
  block.body = MakeStmt(loop::Store{y, {loop::Expr(vi)}, loop::Apply(op, {Load(x, {vi})})});
  f.body = MakeStmt(loop::For{.var = i,
                              .extent = kBlock,
                              .kind = loop::ForKind::kVectorize,
                              .body = MakeStmt(std::move(block))});
  return f;
}

struct Function {
  const char* name;
  Op op;
  double (*exact)(double);
  double ulps;       // units in the last place, of normal and subnormal results
  double small = 0;  // or so much, where the result is smaller than 2^-10
};
std::ostream& operator<<(std::ostream& out, const Function& f) { return out << f.name; }

double ErrorInUlps(float got, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(got) ? 0 : HUGE_VAL;
  if (std::isinf(nearest) || std::isinf(got)) return got == nearest ? 0 : HUGE_VAL;
  int exponent;
  std::frexp(std::abs(exact), &exponent);
  return std::abs(got - exact) / std::ldexp(1.0, std::max(exponent, -125) - 24);
}

double ExactGelu(double x) {
  return x == -HUGE_VAL ? 0 : 0.5 * x * std::erfc(x * -0.70710678118654752);
}

bool IsSmall(float got, double exact, double most) {
  return std::abs(exact) < 0x1p-10 && std::abs(got - exact) <= most;
}

class FloatFunction : public testing::TestWithParam<Function> {};

TEST_P(FloatFunction, IsNearTheExactOneAndTheSameOnEveryMachine) {
  const char* whole = std::getenv("VTA_TEST_WHOLE");
  const uint64_t step = whole && std::string_view(whole) == "1" ? 1 : 4001;
  std::vector<NativeModule> modules;
  for (const Machine& machine : {HostMachine(), BaselineMachine()})
    modules.emplace_back(std::vector{FunctionOf(GetParam().op)}, machine);
  std::vector<float> x(kBlock), y[2] = {x, x};
  double worst = 0;
  float at = 0;
  for (uint64_t bits = 0; bits >> 32 == 0;) {
    for (float& value : x) {
      value = std::bit_cast<float>(static_cast<uint32_t>(bits));
      bits += step;
    }
    for (size_t m = 0; m < modules.size(); ++m) {
      const std::span<std::byte> args[] = {std::as_writable_bytes(std::span(x)),
                                           std::as_writable_bytes(std::span(y[m]))};
      modules[m].Run(0, args);
    }
    for (int64_t i = 0; i < kBlock; ++i) {
      const double error = ErrorInUlps(y[0][i], GetParam().exact(x[i]));
      if (error > worst && !IsSmall(y[0][i], GetParam().exact(x[i]), GetParam().small))
        worst = error, at = x[i];
      if (!std::isnan(x[i]))
        ASSERT_EQ(std::bit_cast<uint32_t>(y[0][i]), std::bit_cast<uint32_t>(y[1][i])) << x[i];
    }
  }
  EXPECT_LE(worst, GetParam().ulps) << "at " << at;
}

// Its sign is that of x, to the last zero.
TEST(Math, GeluOfLittleAndOfMuch) {
  const NativeModule module({FunctionOf(Op::kGelu)}, HostMachine());
  std::vector<float> x(kBlock), y(kBlock);
  const float given[] = {0.0f,     -0.0f,      1e-45f,  -1e-45f,  -14,
                         -3.4e38f, -HUGE_VALF, 3.4e38f, HUGE_VALF};
  const float wanted[] = {0.0f, -0.0f, 0, -0.0f, -0.0f, -0.0f, -0.0f, 3.4e38f, HUGE_VALF};
  std::copy(std::begin(given), std::end(given), x.begin());
  const std::span<std::byte> args[] = {std::as_writable_bytes(std::span(x)),
                                       std::as_writable_bytes(std::span(y))};
  module.Run(0, args);
  for (size_t i = 0; i < std::size(given); ++i) {
    EXPECT_FLOAT_EQ(y[i], wanted[i]) << given[i];
    EXPECT_EQ(std::signbit(y[i]), std::signbit(wanted[i])) << given[i];
  }
}

INSTANTIATE_TEST_SUITE_P(
    Math, FloatFunction,
    testing::Values(Function{"Exp", Op::kExp, [](double x) { return std::exp(x); }, 1},
                    Function{"Log", Op::kLog, [](double x) { return std::log(x); }, 1},
                    Function{"Tanh", Op::kTanh, [](double x) { return std::tanh(x); }, 3},
                    Function{"Erf", Op::kErf, [](double x) { return std::erf(x); }, 4},
                    Function{"Gelu", Op::kGelu, ExactGelu, 4, 0x1p-25}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace vta::compiler::llvm
