// Property: random quantised chains give the same codes as integers as they do in real arithmetic,
// up to one code where a value lies near the border between two.
#include <random>

#include "compiler/graph/ops.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

/// Emits a chain of random layers, each between a dequantize and a quantize.
class RandomChain {
 public:
  explicit RandomChain(uint32_t seed) : random_(seed), graph_("random") {}

  Graph Make() {
    ValueId x = graph_.AddInput("x", {CodeType(), {1 + Below(2), 4 * (1 + Below(2)), 7, 6}});
    x = Dequantize(x, Scale(), "in");
    for (int layer = 0; layer < 3; ++layer) x = Requantised(Activated(Layer(x)));
    graph_.AddOutput("y", graph_.Producer(x)->inputs[0]);
    return std::move(graph_);
  }

 private:
  int64_t Below(int64_t limit) { return static_cast<int64_t>(random_() % limit); }
  DType CodeType() { return Below(2) ? DType::kInt8 : DType::kUint8; }
  ValueId Scale() {
    const float scale = 0.02f + static_cast<float>(Below(1000)) / 20000.0f;
    return graph_.AddConstant("s", Tensor::Scalar(scale));
  }
  ValueId Zero(DType dtype) {
    Tensor zero(TensorType{dtype, {}});
    zero.mutable_bytes()[0] =
        static_cast<uint8_t>(dtype == DType::kInt8 ? Below(160) - 80 : 48 + Below(160));
    return graph_.AddConstant("z", zero);
  }
  ValueId Dequantize(ValueId codes, ValueId scale, const std::string& name) {
    const DType dtype = graph_.type(codes).dtype;
    return graph_.Emit(Op::kDequantize, name, {codes, scale, Zero(dtype)}, {{"axis", int64_t{0}}});
  }
  ValueId Requantised(ValueId real) {
    const ValueId scale = Scale(), zero = Zero(CodeType());
    const ValueId codes =
        graph_.Emit(Op::kQuantize, "q", {real, scale, zero}, {{"axis", int64_t{0}}});
    return graph_.Emit(Op::kDequantize, "dq", {codes, scale, zero}, {{"axis", int64_t{0}}});
  }
  ValueId Activated(ValueId x) {
    if (Below(3) == 0) return graph_.Emit(Op::kRelu, "relu", {x}, {});
    if (Below(2) == 0) return graph_.Emit(Op::kClip, "clip", {x}, {{"low", -0.7}, {"high", 2.3}});
    return x;
  }
  /// Per-tensor or per-channel codes of small real weights, with or without zero points.
  ValueId Weights(const Shape& shape) {
    const bool centred = Below(2);
    Tensor codes(TensorType{centred ? DType::kInt8 : CodeType(), shape});
    for (uint8_t& v : codes.mutable_bytes()) v = static_cast<uint8_t>(Below(255) - 127);
    const int64_t scales = Below(2) ? shape[0] : 1;
    Tensor scale(TensorType{DType::kFloat32, scales == 1 ? Shape{} : Shape{scales}});
    for (float& v : scale.mutable_data<float>())
      v = 0.0005f + static_cast<float>(Below(1000)) * 2e-6f;
    Tensor zero(TensorType{codes.dtype(), scale.shape()});
    if (!centred)
      for (uint8_t& v : zero.mutable_bytes()) v = static_cast<uint8_t>(Below(256));
    return graph_.Emit(Op::kDequantize, "w",
                       {graph_.AddConstant("w", codes), graph_.AddConstant("ws", scale),
                        graph_.AddConstant("wz", zero)},
                       {{"axis", int64_t{0}}});
  }
  ValueId Layer(ValueId x) {
    const Shape in = graph_.shape(x);
    switch (Below(5)) {
      case 0: {
        const ValueId y = Requantised(Convolution(x, in[1], 1, {1, 1, 1, 1}, 3));
        return graph_.shape(y) == in ? graph_.Emit(Op::kAdd, "add", {y, x}, {}) : y;
      }
      case 1:
        return Convolution(x, in[1], in[1], {1, 0, 1, 2}, 3);  // depthwise
      case 2:
        if (in[2] < 2 || in[3] < 2) return Convolution(x, 8, 1, {0, 0, 0, 0}, 1);
        return graph_.Emit(Op::kMaxPool, "max", {x},
                           {{"kernel", Shape{2, 2}},
                            {"strides", Shape{1 + Below(2), 1}},
                            {"pads", Shape{0, 1, 1, 0}},
                            {"dilations", Shape{1, 1}}});
      case 3:
        return graph_.Emit(Op::kAvgPool, "avg", {x},
                           {{"kernel", Shape{2, 2}},
                            {"strides", Shape{1, 1}},
                            {"pads", Shape{1, 1, 1, 1}},
                            {"count_include_pad", Below(2)}});
      default:
        return Convolution(x, 4 * (1 + Below(3)), 2, {0, 1, 2, 1}, 1 + Below(3));
    }
  }
  ValueId Convolution(ValueId x, int64_t out, int64_t groups, const Shape& pads, int64_t kernel) {
    const int64_t channels = graph_.shape(x)[1];
    std::vector<float> bias;
    for (int64_t i = 0; i < out; ++i) bias.push_back(static_cast<float>(Below(2000)) / 1000 - 1);
    const ValueId w = Weights({out, channels / groups, kernel, kernel});
    const int64_t height = graph_.shape(x)[2] + pads[0] + pads[2];
    const int64_t dilation = kernel > 1 && height > 2 * kernel ? 1 + Below(2) : 1;
    return graph_.Emit(Op::kConv2d, "conv",
                       {x, w, graph_.AddConstant("b", Tensor::Of({out}, bias))},
                       {{"strides", Shape{1, 1}},
                        {"pads", pads},
                        {"dilations", Shape{dilation, 1}},
                        {"groups", groups}});
  }

  std::mt19937 random_;
  Graph graph_;
};

TEST(IntegerizeRandom, IntegersFollowTheReals) {
  int64_t elements = 0, different = 0;
  for (uint32_t seed = 0; seed < 150; ++seed) {
    const Graph reals = RandomChain(seed).Make();
    Verify(reals);
    const Graph integers = RunPasses(reals, NormalizePipeline(), {});
    for (const Node& node : integers.nodes())
      ASSERT_TRUE(node.op >= Op::kConv2dI8) << "seed " << seed << "\n" << Print(integers);
    const auto inputs = RandomInputs(reals, seed);
    const Tensor want = Evaluate(reals, inputs)[0], got = Evaluate(integers, inputs)[0];
    for (int64_t i = 0; i < want.elements(); ++i) {
      // One code off in a middle layer may be two or three off after the next.
      ASSERT_NEAR(want.At(i), got.At(i), 4) << "seed " << seed << " element " << i;
      different += want.At(i) != got.At(i);
      ++elements;
    }
  }
  std::printf("%ld of %ld codes differ\n", different, elements);
  EXPECT_LT(different, elements / 50);
}

}  // namespace
}  // namespace vta::compiler
