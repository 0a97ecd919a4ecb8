// Sums of codes against a second implementation, from TFLite's text, of its arithmetic in mode
// double: every pair of codes, by the functions and through the integer form of a quantised
// addition.
#include "compiler/quantize/code_sum.h"

#include <cmath>
#include <limits>
#include <map>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/targets/vta/kernels/add.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

/// gemmlowp's and TFLite's functions, named and written as theirs are.
int32_t SaturatingRoundingDoublingHighMul(int32_t a, int32_t b) {
  if (a == b && a == std::numeric_limits<int32_t>::min())
    return std::numeric_limits<int32_t>::max();
  const int64_t ab = int64_t{a} * b;
  const int32_t nudge = ab >= 0 ? 1 << 30 : 1 - (1 << 30);
  return static_cast<int32_t>((ab + nudge) / (int64_t{1} << 31));
}
int32_t RoundingDivideByPOT(int32_t x, int exponent) {
  const int32_t mask = static_cast<int32_t>((int64_t{1} << exponent) - 1);
  const int32_t remainder = x & mask, threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}
struct Multiplier {
  int32_t quantized = 0;
  int left_shift = 0;

  explicit Multiplier(double real) {
    int64_t fixed = std::llround(std::frexp(real, &left_shift) * (int64_t{1} << 31));
    if (fixed == int64_t{1} << 31) fixed /= 2, ++left_shift;
    if (left_shift < -31) fixed = 0, left_shift = 0;
    quantized = static_cast<int32_t>(fixed);
  }
  int32_t SmallerThanOneExp(int32_t x) const {
    return RoundingDivideByPOT(SaturatingRoundingDoublingHighMul(x, quantized), -left_shift);
  }
};

struct Scales {
  float a, b, y;
  int32_t zero_a, zero_b, zero_y;
};

/// The codes of all pairs, b's fastest.
std::vector<int8_t> TfliteAdd(const Scales& s, int32_t low = -128, int32_t high = 127) {
  const double twice_max_input_scale = 2 * std::max(s.a, s.b);
  const Multiplier input1(s.a / twice_max_input_scale), input2(s.b / twice_max_input_scale);
  const Multiplier output(twice_max_input_scale / ((1 << 20) * s.y));
  std::vector<int8_t> codes;
  for (int32_t a = -128; a <= 127; ++a)
    for (int32_t b = -128; b <= 127; ++b) {
      const int32_t raw_sum = input1.SmallerThanOneExp((a - s.zero_a) * (1 << 20)) +
                              input2.SmallerThanOneExp((b - s.zero_b) * (1 << 20));
      const int32_t raw_output = output.SmallerThanOneExp(raw_sum) + s.zero_y;
      codes.push_back(static_cast<int8_t>(std::min(std::max(raw_output, low), high)));
    }
  return codes;
}

/// One scale, powers of two and small ratios (full of ties), scales of trained networks, decimal
/// ones, for which no multiples do, and far ones.
constexpr Scales kScales[] = {
    {0.5f, 0.5f, 0.5f, 0, 0, 0},
    {0.05f, 0.05f, 0.1f, -3, 17, 5},
    {0.05f, 0.05f, 0.0737f, -128, -128, -128},
    {0.25f, 0.125f, 0.5f, 7, -9, 1},
    {0.03125f, 0.5f, 0.25f, 100, -100, 0},
    {0.1f, 0.3f, 0.4f, 0, 0, 0},
    {0.236137688f, 0.186332762f, 0.279516309f, -4, 3, -6},
    {0.0235294122f, 0.0312741175f, 0.0298039224f, -128, 12, -128},
    {0.0817245245f, 0.0427863672f, 0.0913477987f, 3, -1, -12},
    {0.337f, 0.223f, 0.6f, -21, 116, 87},
    {0.052f, 0.347f, 0.67f, -117, 99, -14},
    {0.9f, 0.0011f, 0.7f, 20, -20, 0},
};

TEST(CodeSum, IsTflitesForAllPairs) {
  std::map<bool, int> found;
  for (const Scales& s : kScales) {
    const CodeScale a{s.a, s.zero_a}, b{s.b, s.zero_b}, y{s.y, s.zero_y};
    const std::vector<int8_t> wanted = TfliteAdd(s);
    const CodeSum sum(a, b, y);
    const std::optional<MultipleSum> multiples = AsMultiples(sum, a, b, y);
    ++found[multiples.has_value()];
    size_t pair = 0;
    for (int64_t i = -128; i <= 127; ++i)
      for (int64_t k = -128; k <= 127; ++k, ++pair) {
        ASSERT_EQ(sum(i, k), wanted[pair]) << s.a << " " << s.b << ": " << i << ", " << k;
        if (!multiples) continue;
        const int64_t total = multiples->a * i + multiples->b * k;
        ASSERT_LT(std::abs(total + multiples->lane.bias), int64_t{1} << 31);
        ASSERT_EQ(
            isa::Requant(static_cast<int32_t>(total), multiples->lane, isa::Rounding::kDouble),
            wanted[pair])
            << s.a << " " << s.b << ": " << i << ", " << k;
      }
    if (!multiples) continue;
    const targets::SumFactors factors = targets::TakeOutShift(multiples->a, multiples->b);
    EXPECT_LE(std::max(factors.a, factors.b), targets::kMostMultiplier);
  }
  EXPECT_EQ(found[true], 10);
  EXPECT_EQ(found[false], 2);
}

TEST(CodeSum, QuantisedAdditionsBecomeIt) {
  std::map<Op, int> ops;
  std::vector<int8_t> rows, columns;
  for (int i = 0; i < 1 << 16; ++i) {
    rows.push_back(static_cast<int8_t>((i >> 8) - 128));
    columns.push_back(static_cast<int8_t>((i & 255) - 128));
  }
  const std::vector<Tensor> inputs = {Tensor::Of<int8_t>({1, 256, 16, 16}, rows),
                                      Tensor::Of<int8_t>({1, 256, 16, 16}, columns)};
  for (const Scales& s : kScales) {
    Graph g("sum", isa::Rounding::kDouble);
    const TensorType type = inputs[0].type();
    auto dequantized = [&](const std::string& name, float scale, int32_t zero) {
      return g.Emit(Op::kDequantize, name,
                    {g.AddInput(name, type), g.AddConstant("s", Tensor::Scalar(scale)),
                     g.AddConstant("z", Tensor::Scalar(static_cast<int8_t>(zero)))},
                    {{"axis", int64_t{0}}});
    };
    const ValueId a = dequantized("a", s.a, s.zero_a), b = dequantized("b", s.b, s.zero_b);
    const ValueId sum = g.Emit(Op::kAdd, "add", {a, b}, {});
    const ValueId relu = g.Emit(Op::kRelu, "relu", {sum}, {});
    g.AddOutput("y", g.Emit(Op::kQuantize, "q",
                            {relu, g.AddConstant("s", Tensor::Scalar(s.y)),
                             g.AddConstant("z", Tensor::Scalar(static_cast<int8_t>(s.zero_y)))},
                            {{"axis", int64_t{0}}}));
    const Graph integers = Integerize(g, {});
    ASSERT_EQ(integers.nodes().size(), 1u) << Print(integers);
    ++ops[integers.nodes()[0].op];
    const std::vector<int8_t> wanted = TfliteAdd(s, s.zero_y);
    const Tensor y = Evaluate(integers, inputs)[0];
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), y.data<int8_t>().begin()))
        << s.a << " + " << s.b << " -> " << s.y;
  }
  EXPECT_EQ(ops[Op::kAddI8], 10);
  EXPECT_EQ(ops[Op::kAddLookupI8], 2);
}

}  // namespace
}  // namespace vta::compiler
