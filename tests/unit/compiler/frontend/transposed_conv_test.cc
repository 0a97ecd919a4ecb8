// Transposed convolutions by their definition, each element of the input adding a kernel to the
// output, and beside a convolution of the input with zeros between its elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

struct Transposed {
  Shape x, w;  // [N,C,...], [C,OC/groups,...]
  std::vector<int64_t> strides, dilations, pads, more;
  int64_t groups;

  size_t axes() const { return x.size() - 2; }
  int64_t Extent(size_t axis) const { return (w[2 + axis] - 1) * dilations[axis] + 1; }
  Shape y() const {
    Shape shape = {x[0], w[1] * groups};
    for (size_t a = 0; a < axes(); ++a)
      shape.push_back((x[2 + a] - 1) * strides[a] + Extent(a) + more[a] - pads[a] -
                      pads[a + axes()]);
    return shape;
  }
};

class Draws {
 public:
  explicit Draws(uint32_t seed) : random_(seed) {}
  int64_t Int(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint32_t>(high - low + 1));
  }
  Transposed Next(int64_t axes) {
    Transposed t;
    do {
      t = {};
      t.groups = Int(1, 3);
      const int64_t in = Int(1, 3), out = Int(1, 3);
      t.x = {Int(1, 2), in * t.groups};
      t.w = {in * t.groups, out};
      t.pads.resize(2 * axes);
      for (int64_t a = 0; a < axes; ++a) {
        t.x.push_back(Int(1, axes == 3 ? 3 : 5));
        t.w.push_back(Int(1, axes == 3 ? 3 : 5));
        t.strides.push_back(Int(1, 3));
        t.dilations.push_back(Int(1, 3) == 1 ? 2 : 1);
        t.more.push_back(Int(0, t.strides.back() - 1));
        t.pads[a] = Int(0, 3);
        t.pads[a + axes] = Int(0, 3);
      }
    } while (std::ranges::any_of(t.y(), [](int64_t size) { return size < 1; }));
    return t;
  }
  std::vector<int64_t> Codes(int64_t count) {
    std::vector<int64_t> codes(count);
    for (int64_t& code : codes) code = Int(-127, 127);
    return codes;
  }

 private:
  std::mt19937 random_;
};

Shape InputOf(int64_t element, const Shape& shape) {
  Shape position(shape.size());
  for (size_t d = shape.size(); d-- > 0; element /= shape[d]) position[d] = element % shape[d];
  return position;
}

/// The sums of products, without a bias.
std::vector<int64_t> Scatter(const Transposed& t, const std::vector<int64_t>& x,
                             const std::vector<int64_t>& w) {
  const Shape shape = t.y(), strides = Strides(shape);
  std::vector<int64_t> y(Elements(shape));
  const int64_t taps = Elements(t.w) / t.w[0] / t.w[1], in = t.w[0] / t.groups;
  for (int64_t i = 0; i < std::ssize(x); ++i) {
    const Shape from = InputOf(i, t.x);
    for (int64_t oc = 0; oc < t.w[1]; ++oc)
      for (int64_t tap = 0; tap < taps; ++tap) {
        const Shape k = InputOf(tap, Shape(t.w.begin() + 2, t.w.end()));
        int64_t to = from[0] * strides[0] + (from[1] / in * t.w[1] + oc) * strides[1];
        bool inside = true;
        for (size_t a = 0; a < t.axes(); ++a) {
          const int64_t at = from[2 + a] * t.strides[a] + k[a] * t.dilations[a] - t.pads[a];
          inside &= at >= 0 && at < shape[2 + a];
          to += at * strides[2 + a];
        }
        if (inside) y[to] += x[i] * w[(from[1] * t.w[1] + oc) * taps + tap];
      }
  }
  return y;
}

void SetAttributes(onnx::NodeProto& node, const Transposed& t) {
  OnnxBuilder::SetInts(node, "strides", t.strides);
  OnnxBuilder::SetInts(node, "dilations", t.dilations);
  OnnxBuilder::SetInts(node, "pads", t.pads);
  OnnxBuilder::SetInts(node, "output_padding", t.more);
  OnnxBuilder::SetInt(node, "group", t.groups);
}

std::vector<float> Floats(const std::vector<int64_t>& values) {
  return {values.begin(), values.end()};
}

TEST(TransposedConv, IsItsDefinitionOverAnyAxes) {
  Draws draws(11);
  for (int trial = 0; trial < Trials(300); ++trial) {
    const Transposed t = draws.Next(trial % 8 == 0 ? 3 : trial % 4 == 1 ? 1 : 2);
    const auto x = draws.Codes(Elements(t.x)), w = draws.Codes(Elements(t.w));
    const auto bias = draws.Codes(t.w[1] * t.groups);
    OnnxBuilder b;
    b.Input("x", t.x).Output("y").Floats("b", {std::ssize(bias)}, Floats(bias));
    const bool constant = trial % 3 != 0;
    if (constant)
      b.Floats("w", t.w, Floats(w));
    else
      b.Input("w", t.w);
    SetAttributes(b.Node("ConvTranspose", {"x", "w", "b"}, "y"), t);
    const Graph graph = b.Import();
    std::vector<Tensor> inputs = {Tensor::Of(t.x, Floats(x))};
    if (!constant) inputs.push_back(Tensor::Of(t.w, Floats(w)));
    std::vector<int64_t> wanted = Scatter(t, x, w);
    const Shape shape = t.y(), strides = Strides(shape);
    for (int64_t i = 0; i < std::ssize(wanted); ++i) wanted[i] += bias[i / strides[1] % shape[1]];
    const Tensor y = Tensor::Of(shape, Floats(wanted));
    ASSERT_EQ(Evaluate(graph, inputs)[0], y) << Print(graph);
    ASSERT_EQ(Evaluate(RunPasses(graph, NormalizePipeline(), {}), inputs)[0], y) << Print(graph);
  }
}

/// quantize(convolution(dequantize(x), dequantize(w)) + bias), the weights with a scale for each
/// index of `axis`.
Graph QuantisedTransposed(const Transposed& t, bool zeros_between, const std::vector<int64_t>& w,
                          int64_t axis) {
  OnnxBuilder b;
  const int64_t channels = t.w[axis];
  const int64_t per_group = zeros_between ? t.w[0] / t.groups : t.w[1];
  std::vector<float> scales, bias;  // scales are the same in all groups
  for (int64_t c = 0; c < channels; ++c)
    scales.push_back(0.01f * static_cast<float>(c % per_group + 1));
  for (int64_t c = 0; c < (zeros_between ? t.w[0] : t.w[1] * t.groups); ++c)
    bias.push_back(0.5f * static_cast<float>(c % 7) - 1);
  const auto type = onnx::TensorProto::INT8;
  b.Input("x", t.x, type).Output("y").Ints("w", t.w, w, type).Floats("w_scale", {channels}, scales);
  b.Ints("w_zero", {channels}, std::vector<int64_t>(channels), type);
  b.Floats("scale", {}, {0.05f}).Ints("zero", {}, {-7}, type);
  b.Floats("y_scale", {}, {0.75f}).Ints("y_zero", {}, {11}, type);
  b.Floats("bias", {std::ssize(bias)}, bias);
  b.Node("DequantizeLinear", {"x", "scale", "zero"}, "real");
  OnnxBuilder::SetInt(b.Node("DequantizeLinear", {"w", "w_scale", "w_zero"}, "weights"), "axis",
                      axis);
  auto& node =
      b.Node(zeros_between ? "Conv" : "ConvTranspose", {"real", "weights", "bias"}, "sums");
  if (zeros_between) {
    OnnxBuilder::SetInts(node, "dilations", t.dilations);
    OnnxBuilder::SetInt(node, "group", t.groups);
  } else {
    SetAttributes(node, t);
  }
  b.Node("Relu", {"sums"}, "rectified");
  b.Node("QuantizeLinear", {"rectified", "y_scale", "y_zero"}, "y");
  const Graph integers = RunPasses(b.Import(), NormalizePipeline(), {});
  for (const Node& made : integers.nodes())
    EXPECT_NE(integers.type(made.output).dtype, DType::kFloat32) << Print(integers);
  return integers;
}

/// The convolution that a transposed one was before: of x with its zero point between its elements
/// and round them, by kernels back to front.
struct Spread {
  Transposed conv;
  std::vector<int64_t> x, w;
};
Spread SpreadOut(const Transposed& t, const std::vector<int64_t>& x, const std::vector<int64_t>& w,
                 int64_t zero_point) {
  const Shape y = t.y();
  Spread s{t, {}, {}};
  for (size_t a = 0; a < t.axes(); ++a) s.conv.x[2 + a] = y[2 + a] + t.Extent(a) - 1;
  s.x.assign(Elements(s.conv.x), zero_point);
  for (int64_t i = 0; i < std::ssize(x); ++i) {
    Shape at = InputOf(i, t.x);
    bool inside = true;
    int64_t to = at[0] * t.x[1] + at[1];
    for (size_t a = 0; a < t.axes(); ++a) {
      const int64_t place = at[2 + a] * t.strides[a] + t.Extent(a) - 1 - t.pads[a];
      inside &= place >= 0 && place < s.conv.x[2 + a];
      to = to * s.conv.x[2 + a] + place;
    }
    if (inside) s.x[to] = x[i];
  }
  const int64_t in = t.w[0] / t.groups, taps = Elements(t.w) / t.w[0] / t.w[1];
  s.conv.w[0] = t.w[1] * t.groups, s.conv.w[1] = in;
  for (int64_t oc = 0; oc < s.conv.w[0]; ++oc)
    for (int64_t i = 0; i < in; ++i)
      for (int64_t tap = taps; tap-- > 0;)
        s.w.push_back(w[((oc / t.w[1] * in + i) * t.w[1] + oc % t.w[1]) * taps + tap]);
  return s;
}

TEST(TransposedConv, IsBitEqualToAConvolutionWithZerosBetween) {
  Draws draws(12);
  for (int trial = 0; trial < Trials(200); ++trial) {
    const Transposed t = draws.Next(trial % 4 == 1 ? 1 : 2);
    const auto x = draws.Codes(Elements(t.x)), w = draws.Codes(Elements(t.w));
    const Spread spread = SpreadOut(t, x, w, -7);
    const Graph phases = QuantisedTransposed(t, false, w, 1);
    const auto codes = [](const std::vector<int64_t>& values) {
      return std::vector<int8_t>(values.begin(), values.end());
    };
    const Tensor y = Evaluate(phases, {Tensor::Of(t.x, codes(x))})[0];
    const Graph plain = QuantisedTransposed(spread.conv, true, spread.w, 0);
    const Tensor wanted = Evaluate(plain, {Tensor::Of(spread.conv.x, codes(spread.x))})[0];
    ASSERT_EQ(y, wanted) << Print(phases);
  }
}

}  // namespace
}  // namespace vta::compiler
