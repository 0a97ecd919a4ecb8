// Convolutions over one, two and three axes, by the definition in nested loops.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

struct Conv {
  Shape x, w;
  std::vector<int64_t> strides, dilations, pads;
  int64_t groups;

  size_t axes() const { return x.size() - 2; }
};

Conv RandomConv(std::mt19937& random) {
  const auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  };
  Conv c;
  c.groups = draw(1, 3);
  const int64_t in = draw(1, 3), out = draw(1, 3);
  c.x = {draw(1, 2), in * c.groups};
  c.w = {out * c.groups, in};
  const auto axes = static_cast<size_t>(draw(1, 3));
  c.pads.assign(2 * axes, 0);
  for (size_t a = 0; a < axes; ++a) {
    c.w.push_back(draw(1, 3));
    c.strides.push_back(draw(1, 3));
    c.dilations.push_back(draw(1, 2));
    c.pads[a] = draw(0, 2);
    c.pads[a + axes] = draw(0, 2);
    c.x.push_back((c.w.back() - 1) * c.dilations.back() + draw(1, 4));
  }
  return c;
}

Tensor Random(const Shape& shape, std::mt19937& random) {
  Tensor tensor(TensorType{DType::kFloat32, shape});
  for (float& v : tensor.mutable_data<float>()) v = static_cast<float>(random() % 17) - 8;
  return tensor;
}

/// An element's position in each dimension.
Shape PositionOf(int64_t element, const Shape& shape) {
  Shape position(shape.size());
  for (size_t d = shape.size(); d-- > 0; element /= shape[d]) position[d] = element % shape[d];
  return position;
}

/// The element at a position; 0 outside.
double ElementAt(const Tensor& x, const Shape& position) {
  int64_t at = 0;
  for (size_t d = 0; d < position.size(); ++d) {
    if (position[d] < 0 || position[d] >= x.shape()[d]) return 0;
    at = at * x.shape()[d] + position[d];
  }
  return x.At(at);
}

double Sum(const Conv& c, const Tensor& x, const Tensor& w, const Shape& y) {
  double sum = 0;
  for (int64_t tap = 0; tap < Elements(c.w) / c.w[0]; ++tap) {
    Shape kernel = PositionOf(tap, Shape(c.w.begin() + 1, c.w.end()));
    Shape from = {y[0], y[1] / (c.w[0] / c.groups) * c.w[1] + kernel[0]};
    for (size_t a = 0; a < c.axes(); ++a)
      from.push_back(y[2 + a] * c.strides[a] + kernel[1 + a] * c.dilations[a] - c.pads[a]);
    kernel.insert(kernel.begin(), y[1]);
    sum += ElementAt(x, from) * ElementAt(w, kernel);
  }
  return sum;
}

TEST(OnnxConv, IsItsDefinitionOverAnyAxes) {
  std::mt19937 random(3);
  for (int trial = 0; trial < Trials(200); ++trial) {
    const Conv c = RandomConv(random);
    const Tensor x = Random(c.x, random), w = Random(c.w, random), bias = Random({c.w[0]}, random);
    OnnxBuilder b;
    const auto values = [](const Tensor& t) {
      return std::vector<float>(t.data<float>().begin(), t.data<float>().end());
    };
    b.Input("x", c.x).Output("y").Floats("w", c.w, values(w)).Floats("b", {c.w[0]}, values(bias));
    auto& node = b.Node("Conv", {"x", "w", "b"}, "y");
    OnnxBuilder::SetInts(node, "strides", c.strides);
    OnnxBuilder::SetInts(node, "dilations", c.dilations);
    OnnxBuilder::SetInts(node, "pads", c.pads);
    OnnxBuilder::SetInt(node, "group", c.groups);
    const Tensor y = Evaluate(b.Import(), {x})[0];
    ASSERT_EQ(y.shape().size(), c.x.size());
    for (int64_t i = 0; i < y.elements(); ++i) {
      const Shape at = PositionOf(i, y.shape());
      ASSERT_EQ(y.At(i), Sum(c, x, w, at) + bias.At(at[1])) << ToText(c.x) << " " << ToText(c.w);
    }
  }
}

/// y = quantize(operator(dequantize(x), dequantize(w))), weights of one scale an output channel.
Graph Quantised(const std::string& type, const Shape& x, const Tensor& w, int64_t channel_axis) {
  OnnxBuilder b;
  std::vector<int64_t> codes;
  for (int64_t i = 0; i < w.elements(); ++i) codes.push_back(static_cast<int64_t>(w.At(i)));
  std::vector<float> scales;
  for (int64_t c = 0; c < w.shape()[channel_axis]; ++c)
    scales.push_back(0.01f * static_cast<float>(c + 1));
  const int64_t channels = static_cast<int64_t>(scales.size());
  b.Input("x", x, onnx::TensorProto::INT8).Output("y");
  b.Ints("w", w.shape(), codes, onnx::TensorProto::INT8).Floats("w_scale", {channels}, scales);
  b.Ints("w_zero", {channels}, std::vector<int64_t>(channels), onnx::TensorProto::INT8);
  b.Floats("scale", {}, {0.05f}).Ints("zero", {}, {-7}, onnx::TensorProto::INT8);
  b.Floats("y_scale", {}, {0.25f}).Ints("y_zero", {}, {11}, onnx::TensorProto::INT8);
  b.Node("DequantizeLinear", {"x", "scale", "zero"}, "real");
  auto& weights = b.Node("DequantizeLinear", {"w", "w_scale", "w_zero"}, "weights");
  OnnxBuilder::SetInt(weights, "axis", channel_axis);
  auto& node = b.Node(type, {"real", "weights"}, "sums");
  OnnxBuilder::SetInts(node, "strides", std::vector<int64_t>(x.size() - 2, 2));
  OnnxBuilder::SetInts(node, "pads", std::vector<int64_t>(2 * x.size() - 4, 1));
  b.Node("QuantizeLinear", {"sums", "y_scale", "y_zero"}, "y");
  return b.Import();
}

TEST(OnnxConv, OverOneAxisAndTransposedAreIntegersToo) {
  struct Case {
    const char* type;
    Shape x, w;
    int64_t channel_axis;
  };
  const Case cases[] = {{"Conv", {2, 3, 9}, {4, 3, 3}, 0},
                        {"ConvTranspose", {1, 3, 5, 4}, {3, 4, 3, 2}, 1},
                        {"ConvTranspose", {1, 3, 6}, {3, 5, 4}, 1}};
  std::mt19937 random(5);
  for (const Case& c : cases) {
    const Graph graph = Quantised(c.type, c.x, Random(c.w, random), c.channel_axis);
    const Graph integers = RunPasses(graph, NormalizePipeline(), {});
    for (const Node& node : integers.nodes())
      EXPECT_NE(integers.type(node.output).dtype, DType::kFloat32) << Print(integers);
    Tensor x(TensorType{DType::kInt8, c.x});
    for (int8_t& v : x.mutable_data<int8_t>()) v = static_cast<int8_t>(random());
    const Tensor y = Evaluate(integers, {x})[0], want = Evaluate(graph, {x})[0];
    for (int64_t i = 0; i < want.elements(); ++i) EXPECT_NEAR(y.At(i), want.At(i), 1) << c.type;
  }
}

}  // namespace
}  // namespace vta::compiler
