// Convolutions, with what follows them in a step, dense layers, average pools and requantisation:
// each against the graph's evaluator.
#include "compiler/targets/vta/kernels/conv/convolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/trials.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

TEST(Convolution, Convolutions) {
  const struct {
    int64_t in, out, groups, kernel, dilation;
  } shapes[] = {{16, 32, 1, 3, 1},  {3, 10, 1, 3, 1},  {40, 40, 40, 3, 1}, {64, 32, 2, 3, 1},
                {16, 32, 16, 3, 2}, {24, 24, 4, 1, 1}, {1, 8, 1, 5, 1},    {12, 24, 3, 2, 2}};
  uint32_t seed = 100;
  for (const isa::Config& config : {Batched(1), Batched(2), Blocks(8, 32), Blocks(32, 8)})
    for (const auto& s : shapes) {
      SCOPED_TRACE(StrCat(s.in, " ", s.out, " ", s.groups, " ", s.kernel, " on ",
                          config.arch.block_in, "x", config.arch.block_out));
      Case c(config, seed % 3 ? isa::Rounding::kDouble : isa::Rounding::kSingle, seed);
      ++seed;
      AddConv(&c, s.in, s.out, s.groups, s.kernel, s.dilation);
      c.Run();
    }
}

TEST(Convolution, ConvolutionAndSumAreOneProgram) {
  const std::pair<int64_t, int64_t> factors[] = {{1, 1},
                                                 {2, 1},
                                                 {1, -127},
                                                 {1, 128},
                                                 {8141, 5004},
                                                 {-300, 17},
                                                 {0, 3},
                                                 {1 << 21, 1 << 21},
                                                 {8141 * 512, -5004 * 512}};
  std::vector<isa::Config> configs = AllBlocks();
  configs.push_back(Batched(1));
  for (int64_t isa::Arch::*depth :
       {&isa::Arch::inp_depth, &isa::Arch::wgt_depth, &isa::Arch::acc_depth}) {
    configs.push_back(Batched(1));
    configs.back().arch.*depth = 64;
  }
  uint32_t seed = 300;
  for (const isa::Config& config : configs)
    for (const auto& [own, other] : factors)
      for (const int64_t groups : {1, 40}) {
        if (++seed % OneTrialOf() != 0) continue;
        SCOPED_TRACE(StrCat("seed ", seed, ": ", own, " and ", other));
        Case c(config, seed % 2 ? isa::Rounding::kDouble : isa::Rounding::kSingle, seed);
        AddConv(&c, 40, 40, groups, 3, 1);
        AddSum(&c, 40, own, other, seed % 3 == 0);
        c.Run();
      }
}

/// The maximum of windows of the convolution that was added last.
void AddMaximum(Case* c, const Shape& kernel, const Shape& strides, const Shape& pads) {
  Attributes attributes{{"kernel", kernel}};
  Case::SetWindow(&attributes, strides, pads);
  c->graph().Emit(Op::kMaxPoolI8, "max", {c->graph().nodes().back().output}, attributes);
}

/// A convolution whose outputs are as many as its inputs.
void AddConvolutionOf(Case* c, int64_t channels, int64_t height, int64_t width,
                      int64_t kernel = 3) {
  const ValueId x = c->Input("x", 2, channels, height, width);
  Attributes attributes{{"groups", int64_t{1}},     {"pad_value", int64_t{0}},
                        {"zero_point", int64_t{0}}, {"low", int64_t{-110}},
                        {"high", int64_t{120}},     {"dilations", Shape{1, 1}}};
  Case::SetWindow(&attributes, {1, 1}, Shape(4, kernel / 2));
  c->graph().Emit(Op::kConv2dI8, "conv",
                  {x, c->Constant<int8_t>("w", {channels, channels, kernel, kernel}, -127, 127),
                   c->Constant<int32_t>("b", {channels}, -3000, 3000),
                   c->Constant<int32_t>("m", {channels}, 1 << 30, INT32_MAX),
                   c->Constant<int32_t>("e", {channels}, -11, -9)},
                  attributes);
}

TEST(Convolution, ConvolutionAndMaximumAreOneProgram) {
  std::vector<isa::Config> configs = AllBlocks();
  configs.push_back(ConfigNamed("two_banks"));
  for (const int64_t depth : {256, 512, 1024}) {  // one line in a tile, and more
    configs.push_back(Batched(1));
    configs.back().arch.acc_depth = depth;
  }
  uint32_t seed = 700;
  for (const isa::Config& config : configs) {
    const struct {
      Shape kernel, strides, pads;
    } windows[] = {{{3, 3}, {2, 2}, {1, 1, 1, 1}},
                   {{3, 2}, {2, 2}, {1, 0, 0, 0}},
                   {{2, 2}, {2, 2}, {0, 0, 0, 0}},
                   {{4, 3}, {3, 3}, {1, 0, 1, 0}}};
    for (const auto& [kernel, strides, pads] : windows) {
      SCOPED_TRACE(StrCat("seed ", ++seed, ": ", kernel[0], "x", kernel[1]));
      Case c(config, seed % 2 ? isa::Rounding::kDouble : isa::Rounding::kSingle, seed);
      AddConvolutionOf(&c, 40, 12, 18);
      AddMaximum(&c, kernel, strides, pads);
      c.Run();
    }
  }
}

TEST(Convolution, AMaximumNeedsNoPadsOfTheHardwareWhereItIsJoined) {
  Case c(ConfigNamed("vta_0.0.2"), isa::Rounding::kSingle, 9);
  AddConvolutionOf(&c, 32, 16, 16);
  AddMaximum(&c, {3, 3}, {2, 2}, {1, 1, 1, 1});
  EXPECT_GT(std::ssize(c.Compile().code), 0);
}

TEST(Convolution, Dense) {
  for (const isa::Config& config : AllBlocks()) {
    Case c(config, isa::Rounding::kDouble, 1);
    const ValueId x = c.Input("x", 3, 50, 1, 1);
    c.graph().Emit(
        Op::kDenseI8, "fc",
        {x, c.Constant<int8_t>("w", {21, 50}, -128, 127), c.Constant<int32_t>("b", {21}, -999, 999),
         c.Constant<int32_t>("m", {21}, 1 << 30, INT32_MAX),
         c.Constant<int32_t>("e", {21}, -11, -9)},
        {{"zero_point", int64_t{4}}, {"low", int64_t{-128}}, {"high", int64_t{127}}});
    c.Run();
  }
}

TEST(Convolution, AveragePools) {
  for (const isa::Config& config : AllBlocks()) {
    for (const int64_t kernel : {2, 9}) {
      Case c(config, isa::Rounding::kSingle, static_cast<uint32_t>(kernel));
      const ValueId x = c.Input("x", 1, 40, 9, 9);
      Attributes attributes = c.Requant();
      attributes.Set("kernel", Shape{kernel, kernel});
      attributes.Set("pad_value", int64_t{-5});
      Case::SetWindow(&attributes, {2, 2}, kernel == 2 ? Shape{1, 0, 0, 1} : Shape{0, 0, 0, 0});
      attributes.Set("factor", int64_t{0});
      attributes.Set("divisor", int64_t{0});
      c.graph().Emit(Op::kAvgPoolI8, "pool", {x}, attributes);
      c.Run();
    }
  }
}

/// An average pool whose places have scales by the number of taps that lie in the input, or, with
/// one that differs, no such.
void AddBorderPool(Case& c, const Shape& size, const Shape& kernel, const Shape& strides,
                   const Shape& pads, bool differs = false) {
  Attributes attributes = c.Requant();
  attributes.Set("kernel", kernel);
  attributes.Set("pad_value", int64_t{0});
  Case::SetWindow(&attributes, strides, pads);
  const auto inside = [&](int64_t axis) {
    std::vector<int64_t> taps;
    for (int64_t first = -pads[axis]; first + kernel[axis] <= size[axis] + pads[axis + 2];
         first += strides[axis])
      taps.push_back(std::min(first + kernel[axis], size[axis]) - std::max<int64_t>(first, 0));
    return taps;
  };
  std::vector<int32_t> biases, multipliers, exponents;
  for (const int64_t lines : inside(0))
    for (const int64_t columns : inside(1)) {
      const auto taps = static_cast<int32_t>(lines * columns);
      biases.push_back(17 * taps);
      multipliers.push_back(INT32_MAX / (taps + 1) + (1 << 29));
      exponents.push_back(-taps % 4);
    }
  if (differs) ++biases[biases.size() / 2];
  const auto constant = [&](const char* name, const std::vector<int32_t>& values) {
    return c.graph().AddConstant(name, Tensor::Of<int32_t>({std::ssize(values)}, values));
  };
  // Without exact divisions.
  attributes.Set("factor", int64_t{0});
  attributes.Set("divisor", int64_t{0});
  const std::vector<int32_t> none(biases.size());
  c.graph().Emit(Op::kAvgPoolI8, "pool",
                 {c.Input("x", 1, 40, size[0], size[1]), constant("biases", biases),
                  constant("multipliers", multipliers), constant("exponents", exponents),
                  constant("factors", none), constant("divisors", none)},
                 attributes);
}

TEST(Convolution, AveragesOfWhatLiesBesidePads) {
  std::vector<isa::Config> configs = AllBlocks();
  configs.push_back(Batched(1));
  configs.push_back(ConfigNamed("two_banks"));
  configs.back().arch.pad_value = 0;
  const Shape none{0, 0, 0, 0};
  uint32_t seed = 40;
  for (const isa::Config& config : configs)
    for (const auto& [size, kernel, strides, pads] : std::vector<std::array<Shape, 4>>{
             {Shape{17, 17}, Shape{3, 3}, Shape{1, 1}, Shape{1, 1, 1, 1}},
             {Shape{9, 30}, Shape{5, 4}, Shape{2, 3}, Shape{3, 0, 1, 2}},
             {Shape{2, 3}, Shape{3, 3}, Shape{1, 1}, Shape{1, 2, 2, 1}},
             {Shape{6, 7}, Shape{2, 2}, Shape{1, 2}, none}}) {
      SCOPED_TRACE(
          StrCat("seed ", ++seed, " ", ToText(size), " ", ToText(pads), " on ", config.name));
      Case c(config, seed % 3 ? isa::Rounding::kDouble : isa::Rounding::kSingle, seed);
      AddBorderPool(c, size, kernel, strides, pads);
      const bool looks_up = (seed + seed / 4) % 2 == 0;  // of each shape and config about half
      if (looks_up)
        c.graph().Emit(Op::kLookupI8, "lookup",
                       {c.graph().nodes().back().output, c.Constant<int8_t>("t", {256}, -128, 127)},
                       {});
      c.Run();
    }
}

TEST(Convolution, SaysWhyItTakesNoScalesByPlace) {
  const auto add = [](bool differs) {
    return [=](Case& c) { AddBorderPool(c, {6, 6}, {3, 3}, {1, 1}, {1, 1, 1, 1}, differs); };
  };
  EXPECT_EQ(WhyNot(Batched(1), add(true)),
            "biases[3,0] = 103: must be 102, as where windows see the same pads");
  EXPECT_EQ(WhyNot(ConfigNamed("pynq"), add(false)),
            "arch.requant_multiplier_bits = 16: must be 32: scales at borders are only exact then");
  EXPECT_EQ(WhyNot(ConfigNamed("vta_0.0.2"), add(false)),
            "arch.requant = 0: windows at borders have scales of their own, which needs the ALU "
            "operation requant");
}

TEST(Convolution, GlobalPoolLargerThanTheScratchpad) {
  Case c(Batched(1), isa::Rounding::kSingle, 3);
  const ValueId x = c.Input("x", 1, 20, 56, 56);
  Attributes attributes = c.Requant();
  attributes.Set("kernel", Shape{56, 56});
  attributes.Set("pad_value", int64_t{0});
  attributes.Set("exponent", int64_t{-12});
  Case::SetWindow(&attributes, {1, 1}, {0, 0, 0, 0});
  attributes.Set("factor", int64_t{0});
  attributes.Set("divisor", int64_t{0});
  c.graph().Emit(Op::kAvgPoolI8, "pool", {x}, attributes);
  c.Run();
}

TEST(Convolution, Requantisation) {
  for (const isa::Config& config : AllBlocks()) {
    Case rescale(config, isa::Rounding::kSingle, 7);
    Attributes alone = rescale.Requant();
    alone.Set("exponent", int64_t{-1});
    rescale.graph().Emit(Op::kRequantI8, "requant", {rescale.Input("x", 1, 33, 6, 4)}, alone);
    rescale.Run();
  }
}

TEST(Convolution, OldHardwareComesNear) {
  /// Shifts, with or without a multiplication, approximate: the mean error is bounded, not 0.
  class Near : public Case {
   public:
    Near(const isa::Config& config, double most)
        : Case(config, isa::Rounding::kSingle, 8), most_(most) {}

   private:
    void Compare(const Tensor& wanted, const std::vector<uint8_t>& found) override {
      double sum = 0;
      for (size_t i = 0; i < found.size(); ++i)
        sum += std::abs(static_cast<int8_t>(found[i]) - wanted.At(static_cast<int64_t>(i)));
      EXPECT_LT(sum / static_cast<double>(found.size()), most_);
      EXPECT_GT(sum, 0);
    }
    double most_;
  };
  for (const auto& [mul, wide] :
       {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
    isa::Config config = ConfigNamed(mul ? "default" : "vta_0.0.2");
    config.arch.requant = config.arch.lut = 0;
    Near c(config, mul ? 1.0 : 1.5);
    const ValueId x = c.Input("x", 1, 32, 8, 8);
    Attributes attributes{{"groups", int64_t{1}},     {"pad_value", int64_t{0}},
                          {"zero_point", int64_t{3}}, {"low", int64_t{-128}},
                          {"high", int64_t{127}},     {"dilations", Shape{1, 1}}};
    Case::SetWindow(&attributes, {1, 1}, {1, 1, 1, 1});
    c.graph().Emit(Op::kConv2dI8, "conv",
                   {x,
                    wide ? c.Constant<int16_t>("w", {32, 32, 3, 3}, -255, 255)
                         : c.Constant<int8_t>("w", {32, 32, 3, 3}, -100, 100),
                    c.Constant<int32_t>("b", {32}, -999, 999),
                    c.Constant<int32_t>("m", {32}, 1 << 30, INT32_MAX),
                    c.Constant<int32_t>("e", {32}, -11, -10)},
                   attributes);
    c.Run();
  }
}

TEST(Convolution, ScalesBeyondOneShiftAreExactOnPublishedHardware) {
  // Weights of at most 1 and scales that are powers of two: the weights take 2^6 of each, the rest
  // is shifted, by 11 to 28.
  Case c(ConfigNamed("vta_0.0.2"), isa::Rounding::kSingle, 22);
  const ValueId x = c.Input("x", 3, 40, 1, 1);
  const ValueId w = c.Constant<int8_t>("w", {48, 40}, -1, 1);
  const ValueId bias = c.Constant<int32_t>("bias", {48}, -(1 << 19), 1 << 19);
  const ValueId multiplier = c.Constant<int32_t>("multiplier", {48}, 1 << 30, 1 << 30);
  const ValueId exponent = c.Constant<int32_t>("exponent", {48}, -21, -4);
  c.graph().Emit(Op::kDenseI8, "dense", {x, w, bias, multiplier, exponent},
                 {{"zero_point", int64_t{5}}, {"low", int64_t{-128}}, {"high", int64_t{127}}});
  c.Run();
}

TEST(Convolution, SumsJoinedByShiftsAreExactWhereScalesArePowersOfTwo) {
  // The convolution's codes are whole, so that nothing is lost where they are not rounded.
  uint32_t seed = 60;
  for (const auto& [own, other, exponent] :
       {std::array<int64_t, 3>{1, 1, -1}, {1, -1, -1}, {1, 3, -1}, {2, 1, -2}, {1, 0, -3}})
    for (const bool left : {false, true}) {
      SCOPED_TRACE(StrCat("seed ", ++seed, ": ", own, " and ", other, ", 2^", exponent));
      Case c(ConfigNamed("vta_0.0.2"), isa::Rounding::kSingle, seed);
      const ValueId x = c.Input("x", 2, 2, 6, 5);
      Attributes attributes{{"groups", int64_t{1}},     {"pad_value", int64_t{-9}},
                            {"zero_point", int64_t{3}}, {"low", int64_t{-100}},
                            {"high", int64_t{90}},      {"dilations", Shape{1, 1}}};
      Case::SetWindow(&attributes, {1, 1}, {1, 1, 1, 1});
      c.graph().Emit(
          Op::kConv2dI8, "conv",
          {x, c.Constant<int8_t>("w", {24, 2, 3, 3}, -1, 1),
           c.Constant<int32_t>("b", {24}, -60, 60),
           c.Constant<int32_t>("m", {24}, 1 << 30, 1 << 30), c.Constant<int32_t>("e", {24}, 1, 1)},
          attributes);
      AddSum(&c, 24, own, other, left, exponent + 1);
      c.Run();
    }
}

TEST(Convolution, PadsOfAnyValueWithoutHardwareForThem) {
  for (const int64_t groups : {1, 32}) {
    isa::Config config = ConfigNamed("default");
    config.arch.pad_value = 0;
    config.arch.batch = groups == 1 ? 1 : 2;
    Case c(config, isa::Rounding::kSingle, 20);
    AddConv(&c, 32, 32, groups, 3, 1);
    c.Run();
  }
  isa::Config config = ConfigNamed("default");
  config.arch.pad_value = 0;
  Case c(config, isa::Rounding::kSingle, 21);
  Attributes attributes = c.Requant();
  attributes.Set("kernel", Shape{3, 3});
  attributes.Set("pad_value", int64_t{77});
  Case::SetWindow(&attributes, {1, 1}, {1, 1, 1, 1});
  attributes.Set("factor", int64_t{0});
  attributes.Set("divisor", int64_t{0});
  c.graph().Emit(Op::kAvgPoolI8, "pool", {c.Input("x", 1, 20, 8, 8)}, attributes);
  c.Run();
}

TEST(Convolution, SaysWhyItRefuses) {
  EXPECT_EQ(WhyNot(ConfigNamed("vta_0.0.2"),
                   [](Case& c) {
                     Attributes attributes = c.Requant();
                     attributes.Set("multiplier", int64_t{1 << 30});
                     attributes.Set("exponent", int64_t{9});  // times 256
                     c.graph().Emit(Op::kRequantI8, "r", {c.Input("x", 1, 16, 5, 5)}, attributes);
                   }),
            "shift to the left = 2: must be 0: the scale is too large for weights of 8 bits, and "
            "lanes shift to the right only");
  const auto sum = [](Case& c) {
    AddConv(&c, 16, 16, 1, 1, 1);
    AddSum(&c, 16, 1, 1, true);
  };
  EXPECT_EQ(WhyNot(ConfigNamed("only_requant"), sum),
            "arch.mul = 0: codes in the accumulators are scaled by the ALU operation "
            "mul");
  const auto sum_of = [](int64_t own, int64_t other, int64_t exponent) {
    return [=](Case& c) {
      AddConv(&c, 16, 16, 1, 1, 1);
      AddSum(&c, 16, own, other, true, exponent);
    };
  };
  EXPECT_EQ(WhyNot(ConfigNamed("vta_0.0.2"), sum_of(-1, 1, 0)),
            "factor = -0.500000: must be more than 0, and fit an immediate with 7 bits");
  EXPECT_EQ(WhyNot(ConfigNamed("vta_0.0.2"), sum_of(1, 1, 3)),
            "factor = 4.000000: must be more than 0, and fit an immediate with 7 bits");
  EXPECT_EQ(WhyNot(ConfigNamed("vta_0.0.2"), sum_of(1, -8, 0)),
            "factor = -4.000000: must be 4 weights with 7 bits");
  const auto maximum = [](int64_t hw, const Shape& kernel, const Shape& strides,
                          const Shape& pads) {
    return WhyNot(Batched(1), [&](Case& c) {
      AddConvolutionOf(&c, 16, hw, hw);
      AddMaximum(&c, kernel, strides, pads);
    });
  };
  EXPECT_EQ(maximum(12, {2, 2}, {1, 1}, {0, 0, 0, 0}),
            "kernel h = 2: must be the stride at least, and less than twice that");
  EXPECT_EQ(maximum(12, {2, 1}, {2, 2}, {0, 0, 0, 0}),
            "kernel w = 1: must be the stride at least, and less than twice that");
  EXPECT_EQ(maximum(13, {3, 3}, {2, 2}, {0, 0, 0, 0}), "pads h = 0: must be what windows share");
  EXPECT_EQ(maximum(12, {3, 3}, {2, 2}, {1, 0, 1, 1}), "pads w = 0: must be what windows share");
  EXPECT_EQ(maximum(13, {3, 3}, {2, 2}, {1, 1, 1, 1}),
            "size h = 13: must be a stride for each window");
  // Tiles of whole lines have room for few channels, so that inputs are loaded again for others.
  isa::Config narrow = Batched(1);
  narrow.arch.acc_depth = 512;
  EXPECT_THAT(WhyNot(narrow,
                     [](Case& c) {
                       AddConvolutionOf(&c, 64, 64, 64, 1);
                       AddMaximum(&c, {3, 3}, {2, 2}, {1, 1, 1, 1});
                     }),
              testing::MatchesRegex("cycles = [0-9]+: the convolution and it take [0-9]+ and "
                                    "[0-9]+ apart"));
}

}  // namespace
}  // namespace vta::compiler::targets
