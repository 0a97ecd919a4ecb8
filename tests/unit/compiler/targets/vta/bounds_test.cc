// Bounds of layers whose passes and bytes are counted by hand.
#include "compiler/targets/vta/bounds.h"

#include <gmock/gmock.h>

#include "compiler/targets/vta/kernels/add.h"
#include "compiler/targets/vta/kernels/conv/tiling.h"
#include "compiler/targets/vta/kernels/max_pool.h"
#include "compiler/targets/vta/kernels/mul.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

using isa::LayerBounds;

MATCHER_P3(Are, ideal, machine, lost_to, "") {
  *result_listener << "ideal " << arg.ideal << ", machine " << arg.machine << ", lost to \""
                   << arg.lost_to << "\"";
  return arg.ideal == ideal && arg.machine == machine && arg.lost_to == lost_to;
}

struct Layer {
  int64_t in, out, hw, kernel, stride = 1, pad = 0, groups = 1, pad_value = 0;
};

/// A convolution of one sample.
void AddLayer(Case* c, const Layer& l) {
  const ValueId x = c->Input("x", 1, l.in, l.hw, l.hw);
  const ValueId w =
      c->Constant<int8_t>("w", {l.out, l.in / l.groups, l.kernel, l.kernel}, -127, 127);
  const ValueId bias = c->Constant<int32_t>("bias", {l.out}, -3000, 3000);
  const ValueId multiplier = c->Constant<int32_t>("multiplier", {l.out}, 1 << 30, INT32_MAX);
  const ValueId exponent = c->Constant<int32_t>("exponent", {l.out}, -10, -10);
  Attributes attributes{{"groups", l.groups},       {"pad_value", l.pad_value},
                        {"zero_point", int64_t{0}}, {"low", int64_t{-128}},
                        {"high", int64_t{127}},     {"dilations", Shape{1, 1}}};
  Case::SetWindow(&attributes, {l.stride, l.stride}, {l.pad, l.pad, l.pad, l.pad});
  c->graph().Emit(Op::kConv2dI8, "conv", {x, w, bias, multiplier, exponent}, attributes);
}

LayerBounds Of(const char* config, const Layer& layer) {
  Case c(ConfigNamed(config), isa::Rounding::kSingle, 1);
  AddLayer(&c, layer);
  return c.Compile().bounds;
}

// C2 of ResNet-18: 56 * 56 * 64 * 64 * 9 MACs in 451,584 cycles of the array; its 200,704 bytes
// twice and weights move in an eighth of that. 12,544 vectors have 4 * 9 products each.
TEST(Bounds, OfAConvolution) {
  const Layer layer{.in = 64, .out = 64, .hw = 56, .kernel = 3, .pad = 1};
  EXPECT_THAT(Of("default", layer), Are(451'584, 451'584 + 12'544, ""));
  EXPECT_THAT(Of("two_banks", layer), Are(451'584, 451'584, ""));
  EXPECT_THAT(Of("vta_0.0.2", layer), Are(451'584, 451'584 + (1 + 4) * 12'544, ""));
}

TEST(Bounds, WhatPadsAddIsOnePassAtTheBorders) {
  Layer layer{.in = 64, .out = 64, .hw = 56, .kernel = 3, .pad = 1};
  const int64_t zeros = Of("vta_0.0.2", layer).machine;
  layer.pad_value = 5;
  EXPECT_EQ(Of("vta_0.0.2", layer).machine - zeros, (2 * 56 + 2 * 54) * 4);
  EXPECT_EQ(Of("default", layer).machine, 451'584 + 12'544);
}

// 14 * 14 * 32 * 9 MACs, but 9 products in each of 392 vectors. Bytes: 6,272 either way, 288
// weights of which two blocks of 16 x 16 are made for each tap, and three numbers a channel.
TEST(Bounds, OfADepthwiseConvolution) {
  const Layer layer{.in = 32, .out = 32, .hw = 14, .kernel = 3, .pad = 1, .groups = 32};
  const char* const why = "block diagonals of grouped weights";
  EXPECT_THAT(Of("default", layer), Are((2 * 6272 + 288 + 32 * 12) / 8, 10 * 392, why));
  EXPECT_THAT(Of("two_banks", layer), Are((2 * 6272 + 288 + 32 * 12) / 8, 9 * 392, why));
  EXPECT_THAT(Of("vta_0.0.2", layer), Are((2 * 6272 + 288 + 32 * 8) / 8, (9 + 1 + 4) * 392, why));
}

// Three channels fill little of a block: 32 * 32 * 3 bytes are 32 * 32 * 16.
TEST(Bounds, OfChannelsThatDoNotFillABlock) {
  const Layer layer{.in = 3, .out = 16, .hw = 32, .kernel = 1};
  EXPECT_THAT(Of("default", layer),
              Are((3 * 1024 + 48 + 16 * 12 + 16'384) / 8, (2 * 16'384 + 256 + 16 * 12) / 8,
                  "bytes of channels that do not fill their blocks"));
  EXPECT_EQ(Of("large_64x64", {.in = 20, .out = 20, .hw = 9, .kernel = 3}).lost_to,
            "bytes of channels that do not fill their blocks");
  const LayerBounds whole = Of("default", {.in = 8, .out = 128, .hw = 8, .kernel = 3});
  EXPECT_THAT(whole, Are((8 * 64 + 8 * 128 * 9 + 128 * 12 + 36 * 128) / 8,
                         (16 * 64 + 16 * 128 * 9 + 128 * 12 + 36 * 128) / 8,
                         "bytes of channels that do not fill their blocks"));
}

// Of 14 x 14 pixels 7 x 7 are read.
TEST(Bounds, OfAStrideThatLeavesPixelsOut) {
  const int64_t bytes = 49 * 64 + 64 * 64 + 64 * 12 + 49 * 64;
  EXPECT_THAT(Of("default", {.in = 64, .out = 64, .hw = 14, .kernel = 1, .stride = 2}),
              Are(bytes / 8, bytes / 8, ""));
}

// 3 x 3 of 16 channels on 10 x 10: 900 cycles of the array, 912 of the bus. A diagonal adds the
// other operand; requantisation, the factor 3 and requantisation again.
TEST(Bounds, OfAConvolutionAndASum) {
  const auto of = [](const char* config, int64_t own, int64_t other, int64_t exponent) {
    Case c(ConfigNamed(config), isa::Rounding::kSingle, 1);
    const ValueId x = c.Input("x", 1, 16, 10, 10);
    Attributes attributes{{"groups", int64_t{1}},     {"pad_value", int64_t{0}},
                          {"zero_point", int64_t{0}}, {"low", int64_t{-128}},
                          {"high", int64_t{127}},     {"dilations", Shape{1, 1}}};
    Case::SetWindow(&attributes, {1, 1}, {1, 1, 1, 1});
    const ValueId y = c.graph().Emit(Op::kConv2dI8, "conv",
                                     {x, c.Constant<int8_t>("w", {16, 16, 3, 3}, -127, 127),
                                      c.Constant<int32_t>("b", {16}, -999, 999),
                                      c.Constant<int32_t>("m", {16}, 1 << 30, INT32_MAX),
                                      c.Constant<int32_t>("e", {16}, -10, -10)},
                                     attributes);
    Attributes sum{{"bias", int64_t{0}},   {"multiplier", int64_t{1 << 30}},
                   {"exponent", exponent}, {"zero_point", int64_t{0}},
                   {"low", int64_t{-128}}, {"high", int64_t{127}},
                   {"multiplier_a", own},  {"multiplier_b", other}};
    c.graph().Emit(Op::kAddI8, "add", {y, c.Input("s", 1, 16, 10, 10)}, sum);
    return c.Compile().bounds;
  };
  const int64_t ideal = (3 * 1600 + 9 * 256 + 16 * 12) / 8;
  EXPECT_THAT(of("default", 3, 5, -3), Are(ideal, (9 + 1 + 3) * 100, "passes of the ALU"));
  EXPECT_THAT(of("default", 1, 5, -3).machine, (9 + 1 + 2) * 100);
  EXPECT_THAT(of("two_banks", 3, 5, -3), Are(ideal, (9 + 1) * 100, ""));
  // 1000 is no weight: the operand's rows lie beside, are scaled and added.
  EXPECT_THAT(of("default", 3, 1001, -11).machine, (9 + 1 + 5) * 100);
  // By shifts: a term, 4 passes of the ALU before it and 4 behind it, and a reset.
  EXPECT_THAT(of("vta_0.0.2", 1, 1, -2).machine, (9 + 1 + 4 + 1 + 4) * 100);
}

// 3 x 3 with a stride of 2 on 112 x 112 with a pixel of pads: 113 x 113 pixels are widened in each
// of 4 blocks. Maxima: two of each of 113 lines of 56, and two of each of 56 * 56.
TEST(Bounds, OfAMaxPool) {
  const auto of = [](const char* config, int64_t channels, int64_t hw, int64_t kernel,
                     int64_t pad) {
    Case c(ConfigNamed(config), isa::Rounding::kSingle, 1);
    Attributes attributes{{"kernel", Shape{kernel, kernel}}};
    Case::SetWindow(&attributes, {2, 2}, {pad, pad, pad, pad});
    c.graph().Emit(Op::kMaxPoolI8, "pool", {c.Input("x", 1, channels, hw, hw)}, attributes);
    return c.Compile().bounds;
  };
  const int64_t gemm = 4 * 113 * 113, alu = 4 * (2 * 113 * 56 + 2 * 56 * 56);
  const int64_t bus = (64 * (112 * 112 + 56 * 56) + 256) / 8;
  EXPECT_THAT(of("default", 64, 112, 3, 1), Are(bus, gemm + alu, ""));
  EXPECT_THAT(of("two_banks", 64, 112, 3, 1), Are(bus, bus, ""));
  // 2 x 2: every pixel is widened once, and takes a reset.
  EXPECT_THAT(of("vta_0.0.2", 16, 32, 2, 0),
              Are((16 * (1024 + 256) + 256) / 8, 2 * 1024 + 32 * 16 + 16 * 16, ""));
}

TEST(Bounds, OfUpsampling) {
  const auto of = [](const char* config) {
    Case c(ConfigNamed(config), isa::Rounding::kSingle, 1);
    c.graph().Emit(Op::kUpsampleI8, "up", {c.Input("x", 1, 32, 10, 10)}, {{"scales", Shape{2, 3}}});
    return c.Compile().bounds;
  };
  const int64_t vectors = 2 * 600, bus = (16 * (2 * 100 + vectors) + 256) / 8;
  EXPECT_THAT(of("default"), Are(bus, bus, ""));
  EXPECT_THAT(of("vta_0.0.2"), Are(bus, bus, ""));
}

// Along an axis each of 20 places takes two pixels, pads among them, and at each end the last pixel
// counts once more.
TEST(Bounds, OfResizing) {
  const auto of = [](const char* config) {
    Case c(ConfigNamed(config), isa::Rounding::kSingle, 1);
    Attributes attributes = c.Requant();
    attributes.Set("scales", Shape{2, 2});
    attributes.Set("half_pixel", int64_t{1});
    attributes.Set("factor", int64_t{1});
    c.graph().Emit(Op::kResizeI8, "up", {c.Input("x", 1, 32, 10, 10)}, attributes);
    return c.Compile().bounds;
  };
  const int64_t along = 10 * 2 * 2 + 2, vectors = 2 * 400;
  const int64_t bus = (16 * (2 * 100 + vectors) + 16 * 256 + 3 * 64) / 8;
  EXPECT_THAT(of("default"), Are(bus, 2 * along * along + vectors, "diagonals that widen codes"));
  EXPECT_THAT(of("two_banks"), Are(bus, 2 * along * along, "diagonals that widen codes"));
}

// The same maximum in the accumulators of the convolution that makes the 112 x 112 pixels: none is
// widened. Of each 2 x 2 pixels two lines take two maxima, and the pixel that is left two; those on
// the left and on top one less, which is a pad.
TEST(Bounds, OfAMaximumInItsConvolution) {
  const auto of = [](const char* config) {
    Case c(ConfigNamed(config), isa::Rounding::kSingle, 1);
    AddLayer(&c, {.in = 16, .out = 64, .hw = 112, .kernel = 3, .pad = 1});
    Attributes attributes{{"kernel", Shape{3, 3}}};
    Case::SetWindow(&attributes, {2, 2}, {1, 1, 1, 1});
    c.graph().Emit(Op::kMaxPoolI8, "pool", {c.graph().nodes()[0].output}, attributes);
    return c.Compile().bounds;
  };
  const int64_t products = 9 * 4 * 112 * 112, maxima = 4 * (112 + 56) * (55 + 56);
  EXPECT_THAT(of("default"), Are(products, products + 4 * 112 * 112 + maxima, ""));
  EXPECT_THAT(of("two_banks"), Are(products, products, ""));
  EXPECT_THAT(of("vta_0.0.2"),
              Are(products, products + (1 + 4) * 4 * 112 * 112 + maxima, "passes of the ALU"));
}

// With one read port a maximum of two rows takes two cycles, and requant still one.
TEST(Work, OfOneReadPort) {
  isa::Config config = ConfigNamed("default");
  const ConvShape pool{.in_h = 4, .in_w = 4, .kh = 2, .kw = 2, .stride_h = 2, .stride_w = 2};
  ConvShape conv{.in_h = 4, .in_w = 4};
  conv.max = JoinedMax{2, 2, 2, 2};
  const int64_t maxima = 4 * 2 + 2 * 2;
  EXPECT_EQ(MaxPoolWork(config, pool).alu_passes(), maxima);
  EXPECT_EQ(ConvWork(config, conv).alu_passes(), 16 + maxima);
  config.uarch.alu_read_ports = 1;
  EXPECT_EQ(MaxPoolWork(config, pool).alu_passes(), 2 * maxima);
  EXPECT_EQ(ConvWork(config, conv).alu_passes(), 16 + 2 * maxima);
  config.arch.requant = config.arch.lut = 0;  // of 9 passes 5 have a second row
  EXPECT_EQ(ConvWork(config, {.in_h = 4, .in_w = 4}).alu_passes(), 16 * (9 + 5));
}

TEST(Bounds, OfASum) {
  Case c(ConfigNamed("default"), isa::Rounding::kSingle, 1);
  const ValueId a = c.Input("a", 1, 32, 10, 10), b = c.Input("b", 1, 32, 10, 10);
  Attributes attributes = c.Requant();
  attributes.Set("multiplier_a", int64_t{3});
  attributes.Set("multiplier_b", int64_t{5});
  c.graph().Emit(Op::kAddI8, "add", {a, b}, attributes);
  const int64_t bytes = 3 * 3200 + 2 * 256 + 3 * 64;  // diagonals, and a block's parameters
  EXPECT_THAT(c.Compile().bounds, Are(bytes / 8, bytes / 8, ""));
}

TEST(Work, OfElementsWithDigitsAndShifts) {
  const Work sum =
      AddWork(ConfigNamed("vta_0.0.2"), {.rows = {200}, .two_digits = true, .shift = 3});
  EXPECT_EQ(sum.widenings, 4 * 200);
  EXPECT_EQ(sum.resets, 200);
  EXPECT_EQ(sum.alu, (1 + 1 + 4) * 200);
  const Work product = MulWork(ConfigNamed("default"), {.rows = {200}});
  EXPECT_EQ(product.gemm_passes(), 2 * 200);
  EXPECT_EQ(product.alu, (3 + 1) * 200);
}

// 6 groups of 25 rows, each with one row of the second operand.
TEST(Work, OfGates) {
  const RowGroups rows{6, 25};
  const Work product = MulWork(ConfigNamed("default"), {.rows = rows});
  EXPECT_EQ(product.gemm_passes(), 150 + 6);
  EXPECT_EQ(product.alu, (2 + 1) * 150 + 6);
  EXPECT_EQ(product.bytes, (2 * 150 + 6) * 16 + 256 + 3 * 64);
  EXPECT_EQ(MulWork(ConfigNamed("only_mul"), {.rows = rows}).resets, 150 + 6);
  const Work sum = AddWork(ConfigNamed("vta_0.0.2"), {.rows = rows});
  EXPECT_EQ(sum.widenings, 150 + 6);
  EXPECT_EQ(sum.resets, 150);
  EXPECT_EQ(sum.alu, 4 * 150);
}

TEST(Work, OfBlocksThatDiffer) {
  // 32 channels a pixel are four elements of inp and one of out; or one and four.
  EXPECT_EQ(AddWork(Blocks(8, 32), {.rows = {10}}).widenings, 2 * 4 * 10);
  EXPECT_EQ(AddWork(Blocks(32, 8), {.rows = {10}}).widenings, 2 * 4 * 10);
  EXPECT_EQ(AddWork(Blocks(8, 32), {.rows = {10}}).alu, 10);
  EXPECT_EQ(AddWork(Blocks(32, 8), {.rows = {10}}).alu, 4 * 10);
}

TEST(Work, LinesThatWindowsRead) {
  EXPECT_EQ(LinesRead(4, 7, 2, 3, 1, 1), 7);
  EXPECT_EQ(LinesRead(2, 9, 4, 2, 2, 0), 4);  // 0, 2, 4, 6
  EXPECT_EQ(LinesRead(7, 14, 2, 1, 1, 0), 7);
  EXPECT_EQ(LinesRead(1, 1, 1, 1, 1, 0), 1);
}

TEST(PassesOf, SaysWhatAVectorTakes) {
  const auto text = [](const char* config) {
    std::string all;
    for (const OperatorPasses& row : PassesOf(ConfigNamed(config)))
      all += row.possible
                 ? StrCat(row.name, " ", std::lround(row.gemm), "+", std::lround(row.alu), "; ")
                 : "";
    return all;
  };
  EXPECT_EQ(text("default"),
            "3x3 of a block 9+1; joined residual 1+2; joined max 3x3/2 0+6; sum 2+1; product 2+4; "
            "max 3x3/2 4+6; average 7x7 49+1; nearest by 2x2 1+0; linear by 2x2 4+1; ");
  EXPECT_EQ(text("vta_0.0.2"),
            "3x3 of a block 10+4; joined residual 1+4; joined max 3x3/2 0+6; sum 3+4; average 7x7 "
            "50+4; nearest by 2x2 2+0; ");
  EXPECT_EQ(text("pynq"),
            "3x3 of a block 9+1; joined max 3x3/2 0+12; sum 2+1; max 3x3/2 4+12; average 7x7 49+1; "
            "nearest by 2x2 1+0; linear by 2x2 4+1; ");
}

}  // namespace
}  // namespace vta::compiler::targets
