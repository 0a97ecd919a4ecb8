// Text tests of integerize and fuse_clamps, and the arithmetic of scale factors.
#include <cmath>
#include <limits>
#include <map>

#include "compiler/graph/ops.h"
#include "compiler/quantize/multiplier.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

TEST(FixedPoint, OfKnownFactors) {
  EXPECT_EQ(ToFixedPoint(1.0), (FixedPoint{1 << 30, 1}));
  EXPECT_EQ(ToFixedPoint(0.5), (FixedPoint{1 << 30, 0}));
  EXPECT_EQ(ToFixedPoint(0.75), (FixedPoint{3 << 29, 0}));
  EXPECT_EQ(ToFixedPoint(0.1), (FixedPoint{1717986918, -3}));
  EXPECT_EQ(ToFixedPoint(1 - 1e-12), (FixedPoint{1 << 30, 1}));  // the fraction rounds up to 1
  EXPECT_EQ(ToFixedPoint(0), (FixedPoint{0, 0}));
  EXPECT_EQ(ToFixedPoint(1e-30), (FixedPoint{0, 0}));
  EXPECT_EQ(ToFixedPoint(1e30), (FixedPoint{INT32_MAX, 30}));
}

TEST(NearestRatio, IsSmallAndNear) {
  const SmallRatio same = NearestRatio(0.3, 0.3, 8191);
  EXPECT_EQ(same.a, 1);
  EXPECT_EQ(same.b, 1);
  const SmallRatio third = NearestRatio(0.1, 0.3, 8191);
  EXPECT_EQ(third.a, 1);
  EXPECT_EQ(third.b, 3);
  EXPECT_NEAR(third.unit, 0.1, 1e-9);
  const SmallRatio pi = NearestRatio(M_PI, 1, 8191);
  EXPECT_EQ(pi.a, 355);
  EXPECT_EQ(pi.b, 113);
}

TEST(Integerize, ConvolutionWithRelu) {
  // Sum scales 0.25 and 0.125; the target's 0.5 makes factors 1/2 and 1/4. The first channel's bias
  // 4 - (-3)*(1+2) = 13; relu is low = zero point; the uint8 output is flipped at the end.
  ExpectPass(Integerize,
             R"(%x : int8[1,1,2,3] = input
%s : float32[] = const [0.5]
%z : int8[] = const [-3]
%zu : uint8[] = const [138]
%w : int8[2,1,1,2] = const [1,2,-3,4]
%ws : float32[2] = const [0.5,0.25]
%wz : int8[2] = const [0,0]
%b : int32[2] = const [4,-5]
%bs : float32[2] = const [0.25,0.125]
%bz : int32[2] = const [0,0]
%xr : float32[1,1,2,3] = dequantize(%x, %s, %z) {axis=0} "xr"
%wr : float32[2,1,1,2] = dequantize(%w, %ws, %wz) {axis=0} "wr"
%br : float32[2] = dequantize(%b, %bs, %bz) {axis=0} "br"
%c : float32[1,2,2,3] = conv2d(%xr, %wr, %br) {dilations=[1,1], groups=1, pads=[0,1,0,0], strides=[1,1]} "conv"
%r : float32[1,2,2,3] = relu(%c) "relu"
%y : uint8[1,2,2,3] = quantize(%r, %s, %zu) {axis=0} "q"
output "y" = %y
)",
             R"(%x : int8[1,1,2,3] = input
%w.1 : int8[2,1,1,2] = const [1,2,-3,4]
%bias : int32[2] = const [13,-2]
%multiplier : int32[2] = const [1073741824,1073741824]
%exponent : int32[2] = const [0,-1]
%conv : int8[1,2,2,3] = conv2d_i8(%x, %w.1, %bias, %multiplier, %exponent) {dilations=[1,1], groups=1, high=127, low=10, pad_value=-3, pads=[0,1,0,0], strides=[1,1], zero_point=10} "conv"
%q : uint8[1,2,2,3] = flip_sign(%conv) "q"
output "y" = %q
)",
             1);
}

TEST(Integerize, AddOfDifferentScalesAndMaxPool) {
  ExpectPass(Integerize,
             R"(%a : int8[1,1,2,2] = input
%b : uint8[1,1,1,1] = input
%s : float32[] = const [0.5]
%t : float32[] = const [0.125]
%z : int8[] = const [7]
%u : uint8[] = const [128]
%ar : float32[1,1,2,2] = dequantize(%a, %s, %z) {axis=0} "ar"
%m : float32[1,1,1,1] = max_pool(%ar) {dilations=[1,1], kernel=[2,2], pads=[0,0,0,0], strides=[1,1]} "pool"
%br : float32[1,1,1,1] = dequantize(%b, %t, %u) {axis=0} "br"
%c : float32[1,1,1,1] = add(%m, %br) "add"
%d : float32[1,1,1,1] = clip(%c) {high=6.0, low=-2.0} "clip"
%y : int8[1,1,1,1] = quantize(%d, %s, %z) {axis=0} "q"
output "y" = %y
)",
             R"(%a : int8[1,1,2,2] = input
%b : uint8[1,1,1,1] = input
%pool : int8[1,1,1,1] = max_pool_i8(%a) {kernel=[2,2], pads=[0,0,0,0], strides=[1,1]} "pool"
%b.1 : int8[1,1,1,1] = flip_sign(%b) "b"
%add : int8[1,1,1,1] = add_i8(%pool, %b.1) {bias=-28, exponent=-1, high=19, low=3, multiplier=1073741824, multiplier_a=4, multiplier_b=1, zero_point=7} "add"
output "y" = %add
)",
             1);
}

TEST(Integerize, AveragesConcatAndMul) {
  ExpectPass(Integerize,
             R"(%x : int8[1,2,2,2] = input
%s : float32[] = const [0.5]
%t : float32[] = const [0.25]
%z : int8[] = const [1]
%xr : float32[1,2,2,2] = dequantize(%x, %s, %z) {axis=0} "xr"
%m : float32[1,2] = reduce_mean(%xr) {axes=[2,3], keepdims=0} "mean"
%p : float32[1,2,2,2] = mul(%xr, %xr) "square"
%c : float32[1,4,2,2] = concat(%p, %xr) {axis=1} "concat"
%ym : int8[1,2] = quantize(%m, %t, %z) {axis=0} "qm"
%yc : int8[1,4,2,2] = quantize(%c, %t, %z) {axis=0} "qc"
output "mean" = %ym
output "concat" = %yc
)",
             R"(%x : int8[1,2,2,2] = input
%mean : int8[1,2,1,1] = avg_pool_i8(%x) {bias=-4, divisor=2, exponent=0, factor=1, high=127, kernel=[2,2], low=-128, multiplier=1073741824, pad_value=1, pads=[0,0,0,0], strides=[1,1], zero_point=1} "mean"
%mean.1 : int8[1,2] = reshape(%mean) {shape=[1,2]} "mean"
%square : int8[1,2,2,2] = mul_i8(%x, %x) {exponent=1, high=127, low=-128, multiplier=1073741824, zero_a=1, zero_b=1, zero_point=1} "square"
%xr.1 : int8[1,2,2,2] = requant_i8(%x) {bias=-1, exponent=2, high=127, low=-128, multiplier=1073741824, zero_point=1} "xr"
%concat : int8[1,4,2,2] = concat(%square, %xr.1) {axis=1} "concat"
output "mean" = %mean.1
output "concat" = %concat
)",
             1);
}

TEST(Integerize, DenseFromMatmulWithUint8Weights) {
  // Weights 120..131 with zero point 128 are -8..3; the bias is real and rounds to 3 / (0.5 * 0.5).
  ExpectPass(Integerize,
             R"(%x : uint8[1,2] = input
%s : float32[] = const [0.5]
%t : float32[] = const [4.0]
%z : uint8[] = const [100]
%zy : int8[] = const [0]
%w : uint8[2,2] = const [120,125,128,131]
%wz : uint8[] = const [128]
%b : float32[2] = const [3.0,-1.0]
%xr : float32[1,2] = dequantize(%x, %s, %z) {axis=0} "xr"
%wr : float32[2,2] = dequantize(%w, %s, %wz) {axis=0} "wr"
%g : float32[1,2] = gemm(%xr, %wr, %b) {alpha=1.0, beta=1.0, trans_a=0, trans_b=0} "fc"
%y : int8[1,2] = quantize(%g, %t, %zy) {axis=0} "q"
output "y" = %y
)",
             R"(%x : uint8[1,2] = input
%x.1 : int8[1,2] = flip_sign(%x) "x"
%w.1 : int8[2,2] = const [-8,0,-3,3]
%bias : int32[2] = const [-212,-4]
%multiplier : int32[2] = const [1073741824,1073741824]
%exponent : int32[2] = const [-3,-3]
%fc : int8[1,2] = dense_i8(%x.1, %w.1, %bias, %multiplier, %exponent) {high=127, low=-128, zero_point=0} "fc"
output "y" = %fc
)",
             1);
}

TEST(Integerize, WeightsOfNineBits) {
  // Codes 0 and 255 of uint8 with zero points 127 and 0, and a depthwise channel that int8 holds.
  // Sum scale and target scale are the same, so factors are the weights' scales. The biases are
  // -(2 - 128) * (-127 + 128), * 255 and * 3.
  ExpectPass(Integerize,
             R"(%x : uint8[1,3,1,2] = input
%s : float32[] = const [0.5]
%z : uint8[] = const [2]
%w : uint8[3,1,1,2] = const [0,255,0,255,1,2]
%ws : float32[3] = const [0.5,1.0,0.25]
%wz : uint8[3] = const [127,0,0]
%xr : float32[1,3,1,2] = dequantize(%x, %s, %z) {axis=0} "xr"
%wr : float32[3,1,1,2] = dequantize(%w, %ws, %wz) {axis=0} "wr"
%c : float32[1,3,1,1] = conv2d(%xr, %wr) {dilations=[1,1], groups=3, pads=[0,0,0,0], strides=[1,1]} "conv"
%y : uint8[1,3,1,1] = quantize(%c, %s, %z) {axis=0} "q"
output "y" = %y
)",
             R"(%x : uint8[1,3,1,2] = input
%x.1 : int8[1,3,1,2] = flip_sign(%x) "x"
%w.1 : int16[3,1,1,2] = const [-127,128,0,255,1,2]
%bias : int32[3] = const [126,32130,378]
%multiplier : int32[3] = const [1073741824,1073741824,1073741824]
%exponent : int32[3] = const [0,1,-1]
%conv : int8[1,3,1,1] = conv2d_i8(%x.1, %w.1, %bias, %multiplier, %exponent) {dilations=[1,1], groups=3, high=127, low=-128, pad_value=-126, pads=[0,0,0,0], strides=[1,1], zero_point=-126} "conv"
%q : uint8[1,3,1,1] = flip_sign(%conv) "q"
output "y" = %q
)",
             1);
}

TEST(Integerize, DenseWeightsOfNineBitsEitherWayRound) {
  // int8 codes with a zero point for each output, the second axis or, transposed, the first; a
  // matrix product with one for all.
  const std::string head = R"(%x : int8[1,2] = input
%s : float32[] = const [0.5]
%z : int8[] = const [0]
%xr : float32[1,2] = dequantize(%x, %s, %z) {axis=0} "xr"
)";
  const std::string tail = R"(%y : int8[1,2] = quantize(%g, %s, %z) {axis=0} "q"
output "y" = %y
)";
  const struct {
    std::string layer, weights;
  } cases[] = {{R"(%w : int8[2,2] = const [127,1,-127,2]
%t : float32[2] = const [0.5,0.5]
%wz : int8[2] = const [-128,1]
%wr : float32[2,2] = dequantize(%w, %t, %wz) {axis=1} "wr"
%g : float32[1,2] = gemm(%xr, %wr) {alpha=1.0, beta=1.0, trans_a=0, trans_b=0} "fc"
)",
                "int16[2,2] = const [255,1,0,1]"},
               {R"(%w : int8[2,2] = const [127,1,-127,2]
%t : float32[2] = const [0.5,0.5]
%wz : int8[2] = const [-128,1]
%wr : float32[2,2] = dequantize(%w, %t, %wz) {axis=0} "wr"
%g : float32[1,2] = gemm(%xr, %wr) {alpha=1.0, beta=1.0, trans_a=0, trans_b=1} "fc"
)",
                "int16[2,2] = const [255,129,-128,1]"},
               {R"(%w : int8[2,2] = const [127,1,-127,2]
%wz : int8[] = const [-128]
%wr : float32[2,2] = dequantize(%w, %s, %wz) {axis=0} "wr"
%g : float32[1,2] = matmul(%xr, %wr) "mm"
)",
                "int16[2,2] = const [255,1,129,130]"}};
  for (const auto& c : cases) {
    const Graph graph = Parse(head + c.layer + tail), integers = Integerize(graph, {});
    const std::string text = Print(integers);
    EXPECT_NE(text.find(c.weights), std::string::npos) << text;
    EXPECT_NE(text.find("= dense_i8("), std::string::npos) << text;
    for (uint32_t seed = 0; seed < 20; ++seed) {
      const auto inputs = RandomInputs(graph, seed);
      const Tensor want = Evaluate(graph, inputs)[0], got = Evaluate(integers, inputs)[0];
      for (int64_t i = 0; i < 2; ++i) EXPECT_NEAR(want.At(i), got.At(i), 1) << text;
    }
  }
}

TEST(Integerize, SumsOfNineBitWeightsStayWithin32Bits) {
  // 128 * 255 * 65793 = 2147483520 is the last that fits.
  for (const int64_t depth : {65793, 65794}) {
    Graph g("g");
    const ValueId x = g.AddInput("x", {DType::kInt8, {1, depth}});
    const ValueId s = g.AddConstant("s", Tensor::Scalar(0.5f));
    const ValueId z = g.AddConstant("z", Tensor::Scalar<int8_t>(0));
    const ValueId zero = g.AddConstant("wz", Tensor::Scalar<uint8_t>(0));
    const ValueId w =
        g.AddConstant("w", Tensor::Of<uint8_t>({depth, 1}, std::vector<uint8_t>(depth, 255)));
    const Attributes axis{{"axis", int64_t{0}}};
    const ValueId real = g.Emit(Op::kMatMul, "mm",
                                {g.Emit(Op::kDequantize, "xr", {x, s, z}, axis),
                                 g.Emit(Op::kDequantize, "wr", {w, s, zero}, axis)},
                                {});
    g.AddOutput("y", g.Emit(Op::kQuantize, "q", {real, s, z}, axis));
    EXPECT_EQ(Print(Integerize(g, {})).find("dense_i8") != std::string::npos, depth == 65793);
  }
}

TEST(Integerize, LeavesWhatTheArithmeticDoesNotAllow) {
  // Weights of more than 8 bits, two real operands.
  for (
      const std::string node :
      {R"(%c : float32[1,1,2,2] = conv2d(%xr, %wr) {dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]} "n")",
       R"(%c : float32[1,1,2,2] = add(%xr, %real) "n")",
       R"(%c : float32[1,1,2,2] = softmax(%xr) {axis=3} "n")"}) {
    const Graph graph = Parse(R"(%x : int8[1,1,2,2] = input
%real : float32[1,1,2,2] = input
%s : float32[] = const [0.5]
%z : int8[] = const [7]
%w : int16[1,1,1,1] = const [127]
%wz : int16[] = const [-100]
%xr : float32[1,1,2,2] = dequantize(%x, %s, %z) {axis=0} "xr"
%wr : float32[1,1,1,1] = dequantize(%w, %s, %wz) {axis=0} "wr"
)" + node + R"(
%y : int8[1,1,2,2] = quantize(%c, %s, %z) {axis=0} "q"
output "y" = %y
)");
    EXPECT_NE(Print(Integerize(graph, {})).find(" = quantize("), std::string::npos) << node;
  }
}

/// Codes of scale 1 to which others are added: both are int8 in either form.
std::map<Op, int> SumOps(double low, double high, float other_scale, float y_scale) {
  Graph g("g");
  const ValueId z = g.AddConstant("z", Tensor::Scalar<int8_t>(0));
  const Attributes axis{{"axis", int64_t{0}}};
  const auto real = [&](const char* name, float scale) {
    const ValueId codes = g.AddInput(name, {DType::kInt8, {1, 1, 16, 16}});
    return g.Emit(Op::kDequantize, name, {codes, g.AddConstant("s", Tensor::Scalar(scale)), z},
                  axis);
  };
  const ValueId a = real("a", 1), b = real("b", other_scale);
  const ValueId clipped = g.Emit(Op::kClip, "clip", {a}, {{"low", low}, {"high", high}});
  const ValueId sum = g.Emit(Op::kAdd, "sum", {clipped, b}, {});
  g.AddOutput(
      "y", g.Emit(Op::kQuantize, "y", {sum, g.AddConstant("t", Tensor::Scalar(y_scale)), z}, axis));
  std::map<Op, int> count;
  const Graph integers = Integerize(g, {});
  for (const Node& node : integers.nodes()) ++count[node.op];
  return count;
}

/// Bounds that are no codes, and scales so far apart that small multiples of them would be off by
/// codes of a result that shows it.
TEST(Integerize, SumsThatIntegersWouldNotFollowStayReal) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Case {
    double low, high;
    float other_scale, y_scale;
    bool is_integer;
  };
  const Case cases[] = {
      {0, 6, 0.01f, 0.5f, true},
      {-128, kInfinity, 0.01f, 0.5f, true},
      {-1e9, 127, 0.01f, 0.5f, true},
      {-kInfinity, 6, 0.01f, 0.5f, true},
      {0.55, 6, 0.01f, 0.5f, false},
      {0, 5.5, 0.01f, 0.5f, false},
      {200, kInfinity, 0.01f, 0.5f, false},
      {-kInfinity, -200, 0.01f, 0.5f, false},
      {0, 6, 1e-5f, 1, true},
      {0, 6, 1e-5f, 1e-5f, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(StrCat(c.low, " ", c.high, " ", c.other_scale, " ", c.y_scale));
    const std::map<Op, int> count = SumOps(c.low, c.high, c.other_scale, c.y_scale);
    EXPECT_EQ(count.contains(Op::kAddI8), c.is_integer);
    EXPECT_EQ(count.contains(Op::kAdd), !c.is_integer);
  }
}

/// dequantize, then `links` times link(graph, value), then quantize.
template <typename Link>
Graph ChainOf(int links, Link link) {
  Graph g("g");
  ValueId v = g.AddInput("x", {DType::kInt8, {1, 1, 1, 1}});
  const ValueId s = g.AddConstant("s", Tensor::Scalar(0.5f));
  const ValueId z = g.AddConstant("z", Tensor::Scalar<int8_t>(0));
  v = g.Emit(Op::kDequantize, "dq", {v, s, z}, {{"axis", int64_t{0}}});
  for (int i = 0; i < links; ++i) v = link(g, v);
  g.AddOutput("y", g.Emit(Op::kQuantize, "q", {v, s, z}, {{"axis", int64_t{0}}}));
  return g;
}

TEST(Integerize, ChainsOfAnyLengthNeedNeitherStackNorTime) {
  const Graph relus =
      ChainOf(50000, [](Graph& g, ValueId v) { return g.Emit(Op::kRelu, "r", {v}, {}); });
  EXPECT_EQ(Integerize(relus, {}).nodes().size(), relus.nodes().size());
  EXPECT_EQ(
      Integerize(ChainOf(20, [](Graph& g, ValueId v) { return g.Emit(Op::kRelu, "r", {v}, {}); }),
                 {})
          .nodes()
          .size(),
      1u);
  // Each concat reads the one before it twice: 2^19 paths to one product.
  const Graph doubling = ChainOf(20, [](Graph& g, ValueId v) {
    if (g.Producer(v)->op == Op::kDequantize) return g.Emit(Op::kMul, "m", {v, v}, {});
    return g.Emit(Op::kConcat, "c", {v, v}, {{"axis", int64_t{1}}});
  });
  EXPECT_EQ(Integerize(doubling, {}).nodes().size(), 20u);
}

TEST(FuseClamps, TightensTheOpBefore) {
  ExpectPass(FuseClamps,
             R"(%x : int8[1,1,2,2] = input
%a : int8[1,1,2,2] = add_i8(%x, %x) {bias=0, exponent=0, high=100, low=-128, multiplier=1073741824, multiplier_a=1, multiplier_b=1, zero_point=4} "add"
%b : int8[1,1,2,2] = requant_i8(%a) {bias=-4, exponent=1, high=127, low=4, multiplier=1073741824, zero_point=4} "relu"
%c : int8[1,1,2,2] = requant_i8(%b) {bias=-4, exponent=1, high=127, low=-128, multiplier=1073741824, zero_point=4} "nothing"
output "y" = %c
)",
             R"(%x : int8[1,1,2,2] = input
%add : int8[1,1,2,2] = add_i8(%x, %x) {bias=0, exponent=0, high=100, low=4, multiplier=1073741824, multiplier_a=1, multiplier_b=1, zero_point=4} "add"
output "y" = %add
)");
}

}  // namespace
}  // namespace vta::compiler
