// Functions of one code become tables, which give what the model's own operators give; and codes
// that a model moves as such.
#include <cmath>
#include <map>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

/// All codes, as [1, 4, 8, 8].
Tensor AllCodes(DType dtype) {
  Tensor codes(TensorType{dtype, {1, 4, 8, 8}});
  for (int i = 0; i < 256; ++i) codes.mutable_bytes()[i] = static_cast<uint8_t>(i);
  return codes;
}

std::map<Op, int> OpCounts(const Graph& graph) {
  std::map<Op, int> count;
  for (const Node& node : graph.nodes()) ++count[node.op];
  return count;
}

/// A model with x, 8-bit codes, dequantised as "real"; "function" is quantised to y.
class Function {
 public:
  explicit Function(int type, int64_t opset = 20) : b_(opset) {
    b_.Input("x", {1, 4, 8, 8}, type).Output("y");
    b_.Floats("scale", {}, {0.0417f}).Floats("y_scale", {}, {0.0231f});
    b_.Ints("zero", {}, {type == onnx::TensorProto::INT8 ? -9 : 121}, type);
    b_.Ints("y_zero", {}, {type == onnx::TensorProto::INT8 ? -100 : 20}, type);
    b_.Node("DequantizeLinear", {"x", "scale", "zero"}, "real");
  }
  OnnxBuilder* operator->() { return &b_; }
  Graph Finish() {
    b_.Node("QuantizeLinear", {"function", "y_scale", "y_zero"}, "y");
    return b_.Import();
  }

 private:
  OnnxBuilder b_;
};

void ExpectLookup(const Graph& graph, DType dtype, const std::string& what) {
  const Graph integers = RunPasses(graph, NormalizePipeline(), {});
  std::map<Op, int> count = OpCounts(integers);
  EXPECT_EQ(count[Op::kLookupI8], 1) << what;
  count.erase(Op::kLookupI8);
  count.erase(Op::kFlipSign);
  EXPECT_TRUE(count.empty()) << what << ":\n" << Print(integers);
  EXPECT_EQ(Evaluate(integers, {AllCodes(dtype)}), Evaluate(graph, {AllCodes(dtype)})) << what;
}

TEST(IntegerizeLookup, GivesWhatEveryFunctionOfOneInputGives) {
  for (const int type : {onnx::TensorProto::INT8, onnx::TensorProto::UINT8}) {
    const DType dtype = type == onnx::TensorProto::INT8 ? DType::kInt8 : DType::kUint8;
    for (const char* name :
         {"Sigmoid", "HardSigmoid", "HardSwish", "Tanh", "Celu", "Elu", "Gelu", "Erf", "Exp", "Log",
          "Sqrt", "Softplus", "Mish", "Neg", "Reciprocal", "Ceil", "Sign"}) {
      Function f(type);
      f->Node(name, {"real"}, "function");
      ExpectLookup(f.Finish(), dtype, name);  // log and sqrt: of negative numbers, too
    }
  }
}

TEST(IntegerizeLookup, TakesNumbersAndWhatIsUsedTwice) {
  Function f(onnx::TensorProto::INT8);
  f->Floats("c", {1, 1, 1}, {0.37f}).Floats("d", {1}, {3.5f}).Floats("p", {}, {2});
  f->Ints("six", {}, {100}, onnx::TensorProto::INT8);
  f->Node("DequantizeLinear", {"six", "scale", "zero"}, "number");
  f->Node("Add", {"real", "c"}, "a");
  f->Node("Pow", {"a", "p"}, "b");
  f->Node("Div", {"b", "d"}, "e");
  f->Node("Min", {"e", "number"}, "g");
  f->Node("Mul", {"g", "a"}, "h");
  f->Node("Relu", {"h"}, "function");
  ExpectLookup(f.Finish(), DType::kInt8, "chain");
}

/// Leaky ReLU, and lines: what accelerators compute, within a code of the real function.
TEST(IntegerizeLookup, BentLinesAreSums) {
  struct Line {
    const char* name;
    float number;
    std::map<Op, int> ops;
  };
  const Line lines[] = {{"PRelu", 0.1f, {{Op::kRequantI8, 1}, {Op::kAddI8, 1}}},
                        {"PRelu", -0.7f, {{Op::kRequantI8, 1}, {Op::kAddI8, 1}}},
                        {"PRelu", 3.0f, {{Op::kRequantI8, 1}, {Op::kAddI8, 1}}},
                        {"PRelu", 1e5f, {{Op::kLookupI8, 1}}},  // too steep for small multiples
                        {"Mul", 0.37f, {{Op::kRequantI8, 1}}},
                        {"Div", 0.37f, {{Op::kRequantI8, 1}}},
                        {"Mul", -0.37f, {{Op::kLookupI8, 1}}},
                        {"Mul", 0.0f, {{Op::kLookupI8, 1}}},
                        {"Add", 0.37f, {{Op::kLookupI8, 1}}}};
  for (const Line& line : lines)
    for (const bool rectified : {false, true}) {
      SCOPED_TRACE(StrCat(line.name, " ", line.number, " ", rectified));
      Function f(onnx::TensorProto::INT8);
      f->Floats("number", {}, {line.number});
      f->Node(line.name, {"real", "number"}, rectified ? "line" : "function");
      if (rectified) f->Node("Relu", {"line"}, "function");
      const Graph graph = f.Finish(), integers = RunPasses(graph, NormalizePipeline(), {});
      EXPECT_EQ(OpCounts(integers), line.ops) << Print(integers);
      const Tensor want = Evaluate(graph, {AllCodes(DType::kInt8)})[0],
                   got = Evaluate(integers, {AllCodes(DType::kInt8)})[0];
      int64_t differ = 0;
      for (int64_t i = 0; i < 256; ++i) {
        EXPECT_NEAR(got.At(i), want.At(i), 1) << i - 128;
        differ += got.At(i) != want.At(i);
      }
      EXPECT_LE(differ, 3);  // ties, and what ratios of small integers are off
    }
}

/// A normalisation: gains of both signs and none, within a code of the real function.
TEST(IntegerizeLookup, LinesOfChannelsAreAConvolution) {
  Function f(onnx::TensorProto::UINT8);
  f->Floats("gain", {4}, {0.7f, -1.3f, 0, 2.5f}).Floats("offset", {4}, {1, -0.4f, 0.9f, -3});
  f->Floats("mean", {4}, {0.2f, -0.3f, 5, 0}).Floats("variance", {4}, {1, 0.25f, 4, 9});
  f->Node("BatchNormalization", {"real", "gain", "offset", "mean", "variance"}, "normal");
  f->Node("Relu", {"normal"}, "function");
  const Graph graph = f.Finish(), integers = RunPasses(graph, NormalizePipeline(), {});
  EXPECT_EQ(OpCounts(integers), (std::map<Op, int>{{Op::kConv2dI8, 1}, {Op::kFlipSign, 2}}))
      << Print(integers);
  // Factors are next to powers of two, of which multipliers of few bits are.
  for (const Node& node : integers.nodes()) {
    if (node.op != Op::kConv2dI8) continue;
    for (const int32_t multiplier : integers.constant(node.inputs[3])->data<int32_t>()) {
      const double power = std::log2(multiplier);
      EXPECT_NEAR(power, std::round(power), 0.012);
    }
  }
  const Tensor want = Evaluate(graph, {AllCodes(DType::kUint8)})[0],
               got = Evaluate(integers, {AllCodes(DType::kUint8)})[0];
  int64_t differ = 0;
  for (int64_t i = 0; i < 256; ++i) {
    EXPECT_NEAR(got.At(i), want.At(i), 1) << i;
    differ += got.At(i) != want.At(i);
  }
  EXPECT_LE(differ, 3);
}

/// PReLU with a slope for each channel, of any sign and steepness, within a code of the real one.
TEST(IntegerizeLookup, BentLinesOfChannelsAreOneOp) {
  for (const int type : {onnx::TensorProto::INT8, onnx::TensorProto::UINT8}) {
    const bool is_int8 = type == onnx::TensorProto::INT8;
    Function f(type);
    f->Floats("slope", {4, 1, 1}, {0.23f, -1.31f, 0, 2.57f});
    f->Node("PRelu", {"real", "slope"}, "function");
    const Graph graph = f.Finish(), integers = RunPasses(graph, NormalizePipeline(), {});
    std::map<Op, int> count = OpCounts(integers);
    count.erase(Op::kFlipSign);
    EXPECT_EQ(count, (std::map<Op, int>{{Op::kPreluI8, 1}})) << Print(integers);
    const Tensor codes = AllCodes(is_int8 ? DType::kInt8 : DType::kUint8);
    const Tensor want = Evaluate(graph, {codes})[0], got = Evaluate(integers, {codes})[0];
    int64_t differ = 0;
    for (int64_t i = 0; i < 256; ++i) {
      EXPECT_NEAR(got.At(i), want.At(i), 1) << i;
      differ += got.At(i) != want.At(i);
    }
    EXPECT_LE(differ, 3);  // ties
  }
}

/// Of other ranks than planes it stays real.
TEST(IntegerizeLookup, BentLinesOfChannelsOfOtherRanksStayReal) {
  for (const Shape& shape : {Shape{64, 4}, Shape{1, 4, 64}, Shape{1, 4, 2, 4, 8}}) {
    OnnxBuilder b(20);
    b.Input("x", shape, onnx::TensorProto::INT8).Output("y");
    b.Floats("s", {}, {0.05f}).Ints("z", {}, {3}, onnx::TensorProto::INT8);
    Shape slopes(shape.size() - 1, 1);
    slopes[0] = 4;
    b.Floats("slope", slopes, {0.2f, -0.5f, 0.7f, 1.5f});
    b.Node("DequantizeLinear", {"x", "s", "z"}, "real");
    b.Node("PRelu", {"real", "slope"}, "bent");
    b.Node("QuantizeLinear", {"bent", "s", "z"}, "y");
    const Graph integers = RunPasses(b.Import(), NormalizePipeline(), {});
    EXPECT_EQ(OpCounts(integers)[Op::kPreluI8], 0) << Print(integers);
  }
}

/// Slopes above 0 that differ are none of a PReLU.
TEST(IntegerizeLookup, BentLinesOfOtherScalesStayReal) {
  Function f(onnx::TensorProto::INT8);
  f->Floats("slope", {4, 1, 1}, {0.2f, 0.3f, 0.4f, 0.5f});
  f->Floats("scales", {4, 1, 1}, {1, 2, 1, 1});
  f->Node("PRelu", {"real", "slope"}, "bent");
  f->Node("Mul", {"bent", "scales"}, "function");
  const Graph integers = RunPasses(f.Finish(), NormalizePipeline(), {});
  EXPECT_EQ(OpCounts(integers)[Op::kPreluI8], 0) << Print(integers);
}

/// Of ties, which single rounding takes away from zero and the model's arithmetic to even codes, a
/// table says what the model does, and channels stay real.
TEST(IntegerizeLookup, LinesOfTiesAreNotComputedByIntegers) {
  for (const bool channels : {false, true}) {
    OnnxBuilder b;
    b.Input("x", {1, 4, 8, 8}, onnx::TensorProto::INT8).Output("y");
    b.Floats("scale", {}, {0.5f}).Floats("y_scale", {}, {0.25f});
    b.Ints("zero", {}, {1}, onnx::TensorProto::INT8).Floats("gain", {}, {0.25f});
    b.Floats("gains", {4, 1, 1}, {0.25f, 0.25f, 0.75f, -0.25f});
    b.Node("DequantizeLinear", {"x", "scale", "zero"}, "real");
    b.Node("Mul", {"real", channels ? "gains" : "gain"}, "function");
    b.Node("QuantizeLinear", {"function", "y_scale", "zero"}, "y");
    const Graph graph = b.Import(), integers = RunPasses(graph, NormalizePipeline(), {});
    const std::map<Op, int> table{{Op::kLookupI8, 1}};
    const std::map<Op, int> real{{Op::kDequantize, 1}, {Op::kMul, 1}, {Op::kQuantize, 1}};
    EXPECT_EQ(OpCounts(integers), channels ? real : table) << Print(integers);
    EXPECT_EQ(Evaluate(integers, {AllCodes(DType::kInt8)}),
              Evaluate(graph, {AllCodes(DType::kInt8)}));
  }
}

/// However many channels and factors there are: 4096 lines of eight take 2^23 numbers.
TEST(IntegerizeLookup, LinesOfChannelsTakeBoundedTime) {
  constexpr int64_t kChannels = 4096;
  for (const int factors : {8, 9}) {
    Graph g("g");
    const ValueId s = g.AddConstant("s", Tensor::Scalar(0.5f));
    const ValueId z = g.AddConstant("z", Tensor::Scalar<int8_t>(0));
    const ValueId gains = g.AddConstant(
        "gains", Tensor::Of<float>({kChannels, 1, 1}, std::vector<float>(kChannels, 0.75f)));
    const Attributes axis{{"axis", int64_t{0}}};
    ValueId v = g.AddInput("x", {DType::kInt8, {1, kChannels, 1, 1}});
    v = g.Emit(Op::kDequantize, "real", {v, s, z}, axis);
    for (int i = 0; i < factors; ++i) v = g.Emit(Op::kMul, "factor", {v, gains}, {});
    g.AddOutput("y", g.Emit(Op::kQuantize, "y", {v, s, z}, axis));
    EXPECT_EQ(OpCounts(Integerize(g, {}))[Op::kConv2dI8], factors == 8) << factors;
  }
}

TEST(IntegerizeLookup, LooksThroughAReshape) {
  Function f(onnx::TensorProto::INT8);
  f->Ints("shape", {2}, {16, 16});
  f->Node("Reshape", {"real", "shape"}, "flat");
  f->Node("Tanh", {"flat"}, "function");
  const Graph graph = f.Finish(), integers = RunPasses(graph, NormalizePipeline(), {});
  EXPECT_EQ(OpCounts(integers)[Op::kLookupI8], 1);
  EXPECT_EQ(Evaluate(integers, {AllCodes(DType::kInt8)}),
            Evaluate(graph, {AllCodes(DType::kInt8)}));
}

TEST(IntegerizeLookup, IsOfOneTensorAlone) {
  Function f(onnx::TensorProto::INT8);
  f->Input("z", {1, 4, 8, 8}, onnx::TensorProto::INT8);
  f->Node("DequantizeLinear", {"z", "scale", "zero"}, "other");
  f->Node("Pow", {"real", "other"}, "function");
  EXPECT_EQ(OpCounts(RunPasses(f.Finish(), NormalizePipeline(), {}))[Op::kLookupI8], 0);

  Function channels(onnx::TensorProto::INT8);
  channels->Floats("c", {4, 1, 1}, {1, 2, 3, 4});
  channels->Node("Pow", {"real", "c"}, "function");
  EXPECT_EQ(OpCounts(RunPasses(channels.Finish(), NormalizePipeline(), {}))[Op::kLookupI8], 0);
}

TEST(IntegerizeCodes, MaxPoolsAndMovesOfCodesAreOfInt8) {
  ExpectPass(Integerize,
             R"(%x : uint8[1,1,2,3] = input
%m : uint8[1,1,2,2] = max_pool(%x) {dilations=[1,1], kernel=[1,2], pads=[0,0,0,0], strides=[1,1]} "pool"
%p : uint8[1,1,2,3] = pad(%m) {mode="constant", pads=[0,0,0,1,0,0,0,0], value=200.0} "pad"
%t : uint8[1,1,3,2] = transpose(%p) {perm=[0,1,3,2]} "t"
output "y" = %t
)",
             R"(%x : uint8[1,1,2,3] = input
%x.1 : int8[1,1,2,3] = flip_sign(%x) "x"
%pool : int8[1,1,2,2] = max_pool_i8(%x.1) {kernel=[1,2], pads=[0,0,0,0], strides=[1,1]} "pool"
%pad : int8[1,1,2,3] = pad(%pool) {mode="constant", pads=[0,0,0,1,0,0,0,0], value=72.0} "pad"
%t : int8[1,1,3,2] = transpose(%pad) {perm=[0,1,3,2]} "t"
%t.1 : uint8[1,1,3,2] = flip_sign(%t) "t"
output "y" = %t.1
)");
  ExpectPass(Integerize,
             R"(%x : int8[1,1,2,3] = input
%m : int8[1,1,2,2] = max_pool(%x) {dilations=[1,1], kernel=[1,2], pads=[0,0,0,0], strides=[1,1]} "pool"
output "y" = %m
)",
             R"(%x : int8[1,1,2,3] = input
%pool : int8[1,1,2,2] = max_pool_i8(%x) {kernel=[1,2], pads=[0,0,0,0], strides=[1,1]} "pool"
output "y" = %pool
)");
}

TEST(IntegerizeCodes, GathersAtPlacesThatAreNoCodes) {
  ExpectPass(Integerize,
             R"(%x : int8[1,1,2,3] = input
%i : int64[2] = const [2,0]
%s : float32[] = const [0.5]
%z : int8[] = const [-3]
%t : float32[] = const [0.25]
%r : float32[1,1,2,3] = dequantize(%x, %s, %z) {axis=0} "r"
%g : float32[1,1,2,2] = gather(%r, %i) {axis=3} "g"
%y : int8[1,1,2,2] = quantize(%g, %t, %z) {axis=0} "q"
output "y" = %y
)",
             R"(%x : int8[1,1,2,3] = input
%i : int64[2] = const [2,0]
%g.1 : int8[1,1,2,2] = gather(%x, %i) {axis=3} "g"
%g.2 : int8[1,1,2,2] = requant_i8(%g.1) {bias=3, exponent=2, high=127, low=-128, multiplier=1073741824, zero_point=-3} "g"
output "y" = %g.2
)");
  ExpectPass(Integerize,
             R"(%x : uint8[1,1,2,3] = input
%i : int64[2] = const [2,0]
%g : uint8[1,1,2,2] = gather(%x, %i) {axis=3} "g"
output "y" = %g
)",
             R"(%x : uint8[1,1,2,3] = input
%x.1 : int8[1,1,2,3] = flip_sign(%x) "x"
%i : int64[2] = const [2,0]
%g : int8[1,1,2,2] = gather(%x.1, %i) {axis=3} "g"
%g.1 : uint8[1,1,2,2] = flip_sign(%g) "g"
output "y" = %g.1
)");
}

TEST(Integerize, Differences) {
  // 0.5 (a - 7) - 0.125 (b - 0): units of 0.125, a times 4, b times -1, bias -28.
  ExpectPass(Integerize,
             R"(%a : int8[1,1,2,2] = input
%b : int8[1,1,2,2] = input
%s : float32[] = const [0.5]
%t : float32[] = const [0.125]
%z : int8[] = const [7]
%u : int8[] = const [0]
%ar : float32[1,1,2,2] = dequantize(%a, %s, %z) {axis=0} "ar"
%br : float32[1,1,2,2] = dequantize(%b, %t, %u) {axis=0} "br"
%c : float32[1,1,2,2] = sub(%ar, %br) "sub"
%y : int8[1,1,2,2] = quantize(%c, %s, %z) {axis=0} "q"
output "y" = %y
)",
             R"(%a : int8[1,1,2,2] = input
%b : int8[1,1,2,2] = input
%sub : int8[1,1,2,2] = add_i8(%a, %b) {bias=-28, exponent=-1, high=127, low=-128, multiplier=1073741824, multiplier_a=4, multiplier_b=-1, zero_point=7} "sub"
output "y" = %sub
)",
             1);
}

}  // namespace
}  // namespace vta::compiler
