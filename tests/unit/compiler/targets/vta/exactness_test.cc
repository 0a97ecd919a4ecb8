// By how much steps may be off where a config's arithmetic is not the graph's: what that says, and
// what the linked program on the functional simulator does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "tests/unit/compiler/targets/vta/behind.h"

namespace vta::compiler::targets {
namespace {

/// Whose codes may be off, but by no more than it says.
class CaseOffBy : public Case {
 public:
  using Case::Case;
  int64_t most() const { return most_; }

 private:
  void Compare(const Tensor& wanted, const std::vector<uint8_t>& found) override {
    for (size_t i = 0; i < found.size(); ++i)
      most_ = std::max<int64_t>(
          most_, std::abs(static_cast<int8_t>(wanted.bytes()[i]) - static_cast<int8_t>(found[i])));
    EXPECT_LE(most_, off_by());
  }
  int64_t most_ = 0;
};

void AddDenseLayer(Case& c, int64_t channels = 48) {
  c.graph().Emit(
      Op::kDenseI8, "dense",
      {c.Input("x", 3, channels, 1, 1), c.Constant<int8_t>("w", {channels, channels}, -128, 127),
       c.Constant<int32_t>("b", {channels}, -999, 999),
       c.Constant<int32_t>("m", {channels}, 1 << 30, INT32_MAX),
       c.Constant<int32_t>("e", {channels}, -11, -9)},
      {{"zero_point", int64_t{4}}, {"low", int64_t{-128}}, {"high", int64_t{127}}});
}

void AddSumOf(Case& c) {
  Attributes attributes = c.Requant();
  attributes.Set("multiplier_a", int64_t{77});
  attributes.Set("multiplier_b", int64_t{-61});
  attributes.Set("exponent", int64_t{-6});
  c.graph().Emit(Op::kAddI8, "add", {c.Input("a", 1, 32, 16, 14), c.Input("b", 1, 32, 16, 14)},
                 attributes);
}

void AddProduct(Case& c) {
  c.graph().Emit(Op::kMulI8, "mul", {c.Input("a", 1, 32, 16, 14), c.Input("b", 1, 32, 16, 14)},
                 {{"zero_a", int64_t{-3}},
                  {"zero_b", int64_t{90}},
                  {"multiplier", int64_t{1500000007}},
                  {"exponent", int64_t{-7}},
                  {"zero_point", int64_t{9}},
                  {"low", int64_t{-128}},
                  {"high", int64_t{127}}});
}

void AddAverage(Case& c) {
  Attributes attributes = c.Requant();
  attributes.Set("kernel", Shape{3, 3});
  attributes.Set("pad_value", int64_t{0});
  Case::SetWindow(&attributes, {1, 2}, {0, 0, 0, 0});
  attributes.Set("factor", int64_t{0});
  attributes.Set("divisor", int64_t{0});
  c.graph().Emit(Op::kAvgPoolI8, "pool", {c.Input("x", 1, 32, 19, 19)}, attributes);
}

void AddRescaling(Case& c) {
  Attributes attributes = c.Requant();
  attributes.Set("exponent", int64_t{-1});
  c.graph().Emit(Op::kRequantI8, "requant", {c.Input("x", 1, 32, 16, 14)}, attributes);
}

const std::function<void(Case&)> kSteps[] = {[](Case& c) { AddConv(&c, 32, 32, 1, 3, 1); },
                                             [](Case& c) { AddConv(&c, 32, 32, 32, 3, 1); },
                                             [](Case& c) {
                                               AddConv(&c, 16, 32, 1, 1, 1);
                                               AddSum(&c, 32, 3, 2, true);
                                             },
                                             [](Case& c) { AddDenseLayer(c); },
                                             AddSumOf,
                                             AddProduct,
                                             AddAverage,
                                             AddRescaling};

bool Takes(const isa::Config& config, const std::function<void(Case&)>& add) {
  Case c(config, isa::Rounding::kSingle, 10);
  add(c);
  return VtaTarget(config).CanTake(c.graph(), c.Nodes(), nullptr);
}

TEST(Exactness, NoStepIsOffByMoreThanItSays) {
  uint32_t seed = 40;
  for (const char* name : {"pynq", "vta_0.0.2", "only_mul", "only_requant", "default"}) {
    const isa::Config config = ConfigNamed(name);
    int64_t most = 0, said = 0, steps = 0;
    for (const auto& add : kSteps) {
      if (!Takes(config, add)) continue;
      for (int trial = 0; trial < 4; ++trial) {
        SCOPED_TRACE(StrCat("seed ", ++seed, ": ", &add - kSteps, " on ", name));
        CaseOffBy c(config, trial % 2 ? isa::Rounding::kDouble : isa::Rounding::kSingle, seed);
        add(c);
        c.Run();
        most = std::max(most, c.most());
        said = std::max(said, c.off_by());
        ++steps;
      }
    }
    EXPECT_GE(steps, 20) << name;
    const bool is_exact = config.arch.requant && config.arch.requant_multiplier_bits == 32;
    EXPECT_EQ(said == 0, is_exact) << name;
    EXPECT_EQ(most == 0, is_exact) << name;
  }
}

/// A dense layer of one input channel that counts: y = round(x * factor / 2^31 * 2^-7).
int64_t OffByOf(const char* config, int64_t weight, int32_t multiplier) {
  Case c(ConfigNamed(config), isa::Rounding::kSingle, 1);
  std::vector<int8_t> weights(16 * 16);
  for (int64_t channel = 0; channel < 16; ++channel)
    weights[channel * 17] = static_cast<int8_t>(weight);
  c.graph().Emit(
      Op::kDenseI8, "dense",
      {c.Input("x", 1, 16, 1, 1), c.graph().AddConstant("w", Tensor::Of<int8_t>({16, 16}, weights)),
       c.Constant<int32_t>("b", {16}, 0, 0), c.Constant<int32_t>("m", {16}, multiplier, multiplier),
       c.Constant<int32_t>("e", {16}, -6, -6)},
      {{"zero_point", int64_t{0}}, {"low", int64_t{-128}}, {"high", int64_t{127}}});
  c.Compile();
  return c.off_by();
}

TEST(Exactness, IsOfTheConstants) {
  EXPECT_EQ(OffByOf("pynq", 100, 0x60000000), 0);  // two bits are enough
  EXPECT_EQ(OffByOf("pynq", 100, 0x60000001), 1);
  EXPECT_EQ(OffByOf("default", 100, 0x60000001), 0);
  EXPECT_EQ(OffByOf("vta_0.0.2", 127, 1 << 30), 0);    // a power of two is a shift
  EXPECT_EQ(OffByOf("vta_0.0.2", 50, 0x60000000), 0);  // 50 * 0.75 * 2^-6 is 75 * 2^-7
  // 51 * 0.75 * 2^-6 is 76.5 * 2^-7: weights of 77, and of -1 and 1 in turn for the 15 zeros behind
  // it, which pass the half on. Each is a code off at the end of its range: 0.5 + 8 * 127/128 + 7.
  EXPECT_EQ(OffByOf("vta_0.0.2", 51, 0x60000000), 16);
}

/// A convolution that only shifts, and its sum with another tensor, both rounded twice.
void AddShiftsAndSum(Case* c, int64_t exponent, int64_t own, int64_t other, int64_t sum_exponent) {
  const ValueId x = c->Input("x", 2, 16, 24, 24);
  Attributes attributes{{"groups", int64_t{1}},     {"pad_value", int64_t{0}},
                        {"zero_point", int64_t{0}}, {"low", int64_t{-128}},
                        {"high", int64_t{127}},     {"dilations", Shape{1, 1}}};
  Case::SetWindow(&attributes, {1, 1}, {0, 0, 0, 0});
  c->graph().Emit(
      Op::kConv2dI8, "conv",
      {x, c->Constant<int8_t>("w", {16, 16, 1, 1}, 1, 1), c->Constant<int32_t>("b", {16}, 0, 0),
       c->Constant<int32_t>("m", {16}, 1 << 30, 1 << 30),
       c->Constant<int32_t>("e", {16}, static_cast<int32_t>(exponent),
                            static_cast<int32_t>(exponent))},
      attributes);
  AddSum(c, 16, own, other, true, sum_exponent);
}

TEST(Exactness, RoundingTwiceCountsInEachStage) {
  for (const int64_t factor : {2, 3, 8}) {
    CaseOffBy c(ConfigNamed("only_mul"), isa::Rounding::kDouble, 60);
    AddShiftsAndSum(&c, -3, factor, 1, 1);
    c.Run();
    EXPECT_GE(c.most(), factor);  // a code of the convolution, that many times
  }
  CaseOffBy c(ConfigNamed("vta_0.0.2"), isa::Rounding::kDouble, 61);
  AddShiftsAndSum(&c, -3, 15, 8, -2);
  c.Run();
  EXPECT_GE(c.most(), 1);
}

TEST(Exactness, ScalesThatAreTriedWithAllSumsAreExact) {
  for (const int64_t multiplier : {0x60000001, 0x5a3b1c77, 0x7fffffff}) {
    Case c(ConfigNamed("pynq"), isa::Rounding::kSingle, 1);
    Attributes attributes = c.Requant();
    attributes.Set("multiplier", multiplier);
    c.graph().Emit(Op::kRequantI8, "requant", {c.Input("x", 1, 16, 2, 2)}, attributes);
    c.Compile();
    EXPECT_EQ(c.off_by(), 0) << multiplier;
  }
}

TEST(Exactness, AChannelOfNothingIsNotFarOff) {
  Case c(ConfigNamed("only_mul"), isa::Rounding::kSingle, 1);
  c.graph().Emit(
      Op::kDenseI8, "dense",
      {c.Input("x", 1, 16, 1, 1), c.Constant<int8_t>("w", {16, 16}, 1, 1),
       c.Constant<int32_t>("b", {16}, 0, 0), c.Constant<int32_t>("m", {16}, 1 << 30, 1 << 30),
       c.Constant<int32_t>("e", {16}, -20, -20)},
      {{"zero_point", int64_t{0}}, {"low", int64_t{-128}}, {"high", int64_t{127}}});
  c.Compile();
  EXPECT_LE(c.off_by(), 1);
}

/// As far as the greater of its scales has what it is given, and its own multipliers are off.
TEST(Exactness, ABendSpreadsWhatItIsGiven) {
  for (const char* name : {"pynq", "default"}) {
    int64_t most = 0, said = 0;
    for (uint32_t seed = 40; seed < 52; ++seed) {
      CaseOffBy c(ConfigNamed(name), isa::Rounding::kSingle, seed);
      AddConv(&c, 32, 32, 1, 3, 1);
      AddPrelu(&c, {-2000, 2000, -40}, 7);
      c.Run();
      most = std::max(most, c.most());
      said = std::max(said, c.off_by());
    }
    EXPECT_LE(most, said) << name;
    EXPECT_EQ(most > 0, name == std::string("pynq"));
    EXPECT_EQ(said > 0, name == std::string("pynq"));
  }
}

TEST(Exactness, ATableSpreadsWhatItIsGiven) {
  const auto of = [](int8_t step) {
    Case c(ConfigNamed("pynq"), isa::Rounding::kSingle, 3);
    AddDenseLayer(c, 16);
    std::vector<int8_t> table(256);
    for (int64_t code = 0; code < 256; ++code)
      table[code] = static_cast<int8_t>(code == 17 ? step : 0);
    c.graph().Emit(Op::kLookupI8, "lookup",
                   {c.graph().nodes().back().output,
                    c.graph().AddConstant("table", Tensor::Of<int8_t>({256}, table))},
                   {});
    c.Compile();
    return c.off_by();
  };
  EXPECT_EQ(of(0), 0);  // all codes become one
  EXPECT_EQ(of(40), 40);
}

}  // namespace
}  // namespace vta::compiler::targets
