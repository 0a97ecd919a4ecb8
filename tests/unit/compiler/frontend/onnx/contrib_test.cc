// The quantised operators of ONNX Runtime's domain, by values worked out by hand. Scales are powers
// of two, so that nothing but the result is rounded.
#include <gtest/gtest.h>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/passes/pass.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

constexpr int kInt8 = onnx::TensorProto::INT8, kUint8 = onnx::TensorProto::UINT8;

/// A model whose scales are named after what they are: "1/4", "1"; zero points "0", "3", "128".
class Contrib {
 public:
  explicit Contrib(int codes) : codes_(codes) {
    auto* import = b_.model().add_opset_import();
    import->set_domain("com.microsoft");
    import->set_version(1);
    b_.Output("y");
    b_.Floats("1/4", {}, {0.25f}).Floats("1/2", {}, {0.5f}).Floats("1", {}, {1.0f});
    b_.Floats("1/256", {}, {1.0f / 256}).Floats("2", {}, {2.0f});
    for (const int zero : {0, 3, 128})
      if (zero < 128 || codes == kUint8) b_.Ints(std::to_string(zero), {}, {zero}, codes);
  }
  OnnxBuilder* operator->() { return &b_; }
  onnx::NodeProto& Node(const std::string& type, const std::vector<std::string>& inputs) {
    onnx::NodeProto& node = b_.Node(type, inputs, "y");
    node.set_domain("com.microsoft");
    return node;
  }
  void Input(const std::string& name, const Shape& shape) { b_.Input(name, shape, codes_); }

  /// The model's outputs, which the integer form of it must give too.
  std::vector<double> Run(const std::vector<std::vector<int>>& inputs) {
    const Graph graph = b_.Import();
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < inputs.size(); ++i) {
      Tensor& tensor = tensors.emplace_back(graph.type(graph.inputs()[i]));
      EXPECT_EQ(tensor.elements(), std::ssize(inputs[i]));
      for (size_t j = 0; j < inputs[i].size(); ++j)
        tensor.mutable_bytes()[j] = static_cast<uint8_t>(inputs[i][j]);
    }
    const Tensor y = Evaluate(graph, tensors)[0];
    const Graph integers = RunPasses(graph, NormalizePipeline(), {});
    EXPECT_EQ(Evaluate(integers, tensors)[0], y);
    std::vector<double> values;
    for (int64_t i = 0; i < y.elements(); ++i) values.push_back(y.At(i));
    return values;
  }

 private:
  OnnxBuilder b_;
  int codes_;
};

using Values = std::vector<double>;

TEST(OnnxContrib, Mul) {
  Contrib c(kUint8);
  c.Input("a", {3});
  c.Input("b", {3});
  c.Node("QLinearMul", {"a", "1/2", "128", "b", "1/4", "3", "1/2", "128"});
  // 1 * 0.5, -2 * 0.75, and more than the codes hold.
  EXPECT_EQ(c.Run({{130, 124, 255}, {5, 6, 255}}), (Values{129, 125, 255}));
}

TEST(OnnxContrib, LeakyReluAndItsDefault) {
  Contrib c(kInt8);
  c.Input("x", {4});
  auto& node = c.Node("QLinearLeakyRelu", {"x", "1/2", "3", "1/4", "0"});
  auto* alpha = node.add_attribute();
  alpha->set_name("alpha");
  alpha->set_type(onnx::AttributeProto::FLOAT);
  alpha->set_f(0.5f);
  EXPECT_EQ(c.Run({{3, 5, 1, -101}}), (Values{0, 4, -2, -104}));
  node.clear_attribute();  // 0.01: -52 becomes -0.52
  EXPECT_EQ(c.Run({{3, 5, 1, -101}}), (Values{0, 4, 0, -2}));
}

TEST(OnnxContrib, SigmoidWithoutZeroPoints) {
  Contrib c(kUint8);
  c.Input("x", {3});
  c.Node("QLinearSigmoid", {"x", "1", "", "1/256", ""});
  // 256 * (1/2, 0.731059, 0.999994)
  EXPECT_EQ(c.Run({{0, 1, 12}}), (Values{128, 187, 255}));
}

/// The result has the type of the operand where no zero point says it.
TEST(OnnxContrib, SignedWithoutZeroPoints) {
  for (const char* type : {"QLinearSigmoid", "QLinearLeakyRelu"}) {
    Contrib c(kInt8);
    c.Input("x", {3});
    c.Node(type, {"x", "1", "", "1/256"});
    const Values saturated = {127, 127, 127};
    EXPECT_EQ(c.Run({{1, 2, 12}}), saturated) << type;
  }
  for (const char* type : {"QLinearAdd", "QLinearMul"}) {
    Contrib c(kInt8);
    c.Input("x", {3});
    c.Node(type, {"x", "1/2", "", "x", "1/2", "", "1/4"});
    const Values sums = {-8, 8, 24}, squares = {4, 4, 36};
    EXPECT_EQ(c.Run({{-2, 2, 6}}), type == std::string("QLinearAdd") ? sums : squares) << type;
  }
}

TEST(OnnxContrib, Pools) {
  Contrib average(kInt8);
  average.Input("x", {1, 1, 2, 2});
  auto& node = average.Node("QLinearAveragePool", {"x", "1/2", "3", "1/4", "3"});
  OnnxBuilder::SetInts(node, "kernel_shape", {2, 2});
  OnnxBuilder::SetInt(node, "channels_last", 0);
  // (0 + 1 + 2 + 5) / 4 / 2 = 1
  EXPECT_EQ(average.Run({{3, 4, 5, 8}}), (Values{7}));
  OnnxBuilder::SetInt(node, "channels_last", 1);
  node.mutable_attribute()->DeleteSubrange(1, 1);
  EXPECT_EQ(average->ImportError(),
            "m.onnx: node \"n_y\" (com.microsoft.QLinearAveragePool, opset 1): attribute "
            "channels_last = 1: must be 0");

  Contrib global(kUint8);
  global.Input("x", {1, 2, 1, 2});
  auto& mean = global.Node("QLinearGlobalAveragePool", {"x", "1/2", "128", "1/4", "0"});
  EXPECT_EQ(global.Run({{128, 132, 130, 126}}), (Values{4, 0}));
  OnnxBuilder::SetInt(mean, "channels_last", 1);
  EXPECT_EQ(global->ImportError(),
            "m.onnx: node \"n_y\" (com.microsoft.QLinearGlobalAveragePool, opset 1): attribute "
            "channels_last = 1: must be 0");

  Contrib reduced(kUint8);
  reduced.Input("x", {1, 2, 1, 2});
  OnnxBuilder::SetInts(reduced.Node("QLinearReduceMean", {"x", "1/2", "128", "1/4", "0"}), "axes",
                       {2, 3});
  EXPECT_EQ(reduced.Run({{128, 132, 130, 126}}), (Values{4, 0}));
}

TEST(OnnxContrib, ConcatOfThreeScales) {
  Contrib c(kInt8);
  c.Input("a", {1, 2});
  c.Input("b", {1, 1});
  auto& node = c.Node("QLinearConcat", {"1/2", "3", "a", "1/4", "0", "b", "1", "3"});
  OnnxBuilder::SetInt(node, "axis", 1);
  EXPECT_EQ(c.Run({{-2, 6}, {4}}), (Values{2, 6, 5}));
  node.mutable_input()->RemoveLast();
  EXPECT_EQ(c->ImportError(),
            "m.onnx: node \"n_y\" (com.microsoft.QLinearConcat, opset 1): inputs = 7: must be two, "
            "and three for each of the parts");
}

TEST(OnnxContrib, SoftmaxByItsOpset) {
  for (const int64_t opset : {11, 13}) {
    Contrib c(kUint8);
    c.Input("x", {1, 2, 2});
    auto& node = c.Node("QLinearSoftmax", {"x", "1", "0", "1/256", "0"});
    OnnxBuilder::SetInt(node, "axis", 1);
    OnnxBuilder::SetInt(node, "opset", opset);
    // Up to opset 12 all four are one distribution: 1 / (2 + 2 e) and e / (2 + 2 e).
    EXPECT_EQ(c.Run({{0, 0, 1, 1}}),
              opset == 11 ? (Values{34, 34, 94, 94}) : (Values{69, 69, 187, 187}));
  }
  Contrib c(kUint8);
  c.Input("x", {1, 2});
  c.Node("QLinearSoftmax", {"x", "1", "0", "1/256", "0"});
  EXPECT_EQ(c->ImportError(),
            "m.onnx: node \"n_y\" (com.microsoft.QLinearSoftmax, opset 1): attribute opset = 0: "
            "must be 1 to 25");
}

TEST(OnnxContrib, Where) {
  Contrib c(kUint8);
  c->Input("which", {3}, onnx::TensorProto::BOOL);
  c.Input("a", {3});
  c.Input("b", {1});
  c.Node("QLinearWhere", {"which", "a", "1/2", "128", "b", "1/4", "3", "1/2", "128"});
  EXPECT_EQ(c.Run({{1, 0, 1}, {130, 124, 0}, {7}}), (Values{130, 130, 0}));
}

/// y = 2 a b + c: [1, 2] times [2, 2] by columns of two scales, with a bias.
TEST(OnnxContrib, GemmInCodesAndInReals) {
  for (const bool real : {false, true}) {
    Contrib c(kUint8);
    c.Input("a", {1, 2});
    c->Ints("w", {2, 2}, {1, -2, 3, 4}, kInt8).Floats("scales", {2}, {0.5f, 0.25f});
    c->Ints("zeros", {2}, {0, 0}, kInt8);
    c->Ints("bias", {2}, {8, -16}, onnx::TensorProto::INT32);
    std::vector<std::string> inputs = {"a", "1/2", "128", "w", "scales", "zeros", "bias"};
    if (!real) inputs.insert(inputs.end(), {"1/4", "128"});
    auto& node = c.Node("QGemm", inputs);
    OnnxBuilder::SetInt(node, "transB", 1);
    auto* alpha = node.add_attribute();
    alpha->set_name("alpha");
    alpha->set_type(onnx::AttributeProto::FLOAT);
    alpha->set_f(2);
    // Twice what follows. Codes 2 and -4; sums 2 - 2 * -4 = 10 and 6 - 16 = -10; with the bias 18 /
    // 4 and -26 / 8.
    const Values reals = {9, -6.5};
    EXPECT_EQ(c.Run({{130, 124}}), real ? reals : (Values{128 + 36, 128 - 26}));
  }
}

}  // namespace
}  // namespace vta::compiler
