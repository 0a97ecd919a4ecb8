// QONNX's operators: what they round to, and when that is codes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

/// Quant of x, as a model of Brevitas has it.
struct Quant {
  float bits = 4, scale = 0.5f, zero = 0;
  int64_t is_signed = 1, narrow = 0;
  std::string mode = "ROUND";
  bool names_domain = true;

  OnnxBuilder Model(int64_t count) const {
    OnnxBuilder b;
    if (names_domain) b.Domain("onnx.brevitas", 1);
    b.Input("x", {count}).Output("y");
    b.Floats("s", {}, {scale}).Floats("z", {}, {zero}).Floats("bits", {}, {bits});
    auto& node = b.Node("Quant", {"x", "s", "z", "bits"}, "y");
    node.set_domain("onnx.brevitas");
    OnnxBuilder::SetInt(node, "signed", is_signed);
    OnnxBuilder::SetInt(node, "narrow", narrow);
    OnnxBuilder::SetString(node, "rounding_mode", mode);
    return b;
  }
  std::vector<double> Of(const std::vector<float>& x) const {
    const int64_t count = std::ssize(x);
    const Tensor y = Evaluate(Model(count).Import(), {Tensor::Of<float>({count}, x)})[0];
    std::vector<double> codes;
    for (int64_t i = 0; i < count; ++i) codes.push_back(y.At(i) / scale);
    return codes;
  }
};

bool HasCodes(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& n) { return n.op == Op::kDequantize; });
}

using Codes = std::vector<double>;

TEST(OnnxQonnx, RangesOfBits) {
  const std::vector<float> x = {-1000, -4, 0.6f, 3, 1000};
  EXPECT_EQ((Quant{.bits = 4}.Of(x)), (Codes{-8, -8, 1, 6, 7}));
  EXPECT_EQ((Quant{.bits = 4, .narrow = 1}.Of(x)), (Codes{-7, -7, 1, 6, 7}));
  EXPECT_EQ((Quant{.bits = 2}.Of(x)), (Codes{-2, -2, 1, 1, 1}));
  EXPECT_EQ((Quant{.bits = 3, .is_signed = 0}.Of(x)), (Codes{0, 0, 1, 6, 7}));
  EXPECT_EQ((Quant{.bits = 3, .is_signed = 0, .narrow = 1}.Of(x)), (Codes{0, 0, 1, 6, 6}));
  EXPECT_EQ((Quant{.bits = 8, .is_signed = 0}.Of(x)), (Codes{0, 0, 1, 6, 255}));
  EXPECT_EQ((Quant{.bits = 8}.Of(x)), (Codes{-128, -8, 1, 6, 127}));
  EXPECT_EQ((Quant{.bits = 16}.Of(x)), (Codes{-2000, -8, 1, 6, 2000}));
  EXPECT_EQ((Quant{.bits = 1}.Of(x)), (Codes{-1, -1, 1, 1, 1}));
  EXPECT_EQ((Quant{.bits = 4, .zero = 2}.Of(x)), (Codes{-10, -8, 1, 5, 5}));
  EXPECT_EQ((Quant{.bits = 4, .zero = 0.5f}.Of(x)), (Codes{-8.5, -8.5, 1.5, 5.5, 6.5}));
}

TEST(OnnxQonnx, RoundingModes) {
  const std::vector<float> x = {-1.25f, -0.75f, -0.6f, 0.25f, 0.75f, 0.9f};  // -2.5 -1.5 -1.2 ...
  const auto by = [&](const char* mode) { return Quant{.mode = mode}.Of(x); };
  EXPECT_EQ(by("ROUND"), (Codes{-2, -2, -1, 0, 2, 2}));
  EXPECT_EQ(by("FLOOR"), (Codes{-3, -2, -2, 0, 1, 1}));
  EXPECT_EQ(by("CEIL"), (Codes{-2, -1, -1, 1, 2, 2}));
  EXPECT_EQ(by("UP"), (Codes{-3, -2, -2, 1, 2, 2}));
  EXPECT_EQ(by("DOWN"), (Codes{-2, -1, -1, 0, 1, 1}));
  EXPECT_EQ(by("HALF_UP"), (Codes{-3, -2, -1, 1, 2, 2}));
  EXPECT_EQ(by("HALF_DOWN"), (Codes{-2, -1, -1, 0, 1, 2}));
  EXPECT_EQ(by("round"), by("ROUND"));
  EXPECT_EQ(by("half_up"), by("HALF_UP"));
  EXPECT_EQ(Quant{.mode = "STOCHASTIC"}.Model(2).ImportError(),
            "m.onnx: node \"n_y\" (onnx.brevitas.Quant, opset 1): attribute rounding_mode = "
            "STOCHASTIC: must be ROUND, CEIL, FLOOR, UP, DOWN, HALF_UP or HALF_DOWN");
}

TEST(OnnxQonnx, AModelMayLeaveOutTheDomain) {
  EXPECT_EQ((Quant{.names_domain = false}.Of({-4, 0.6f})), (Codes{-8, 1}));
}

TEST(OnnxQonnx, CodesUpTo8Bits) {
  for (const float bits : {1, 4, 8})
    for (const char* mode : {"ROUND", "FLOOR"})
      EXPECT_TRUE(HasCodes((Quant{.bits = bits, .mode = mode}.Model(3).Import()))) << bits << mode;
  EXPECT_FALSE(HasCodes((Quant{.bits = 9}.Model(3).Import())));
  EXPECT_FALSE(HasCodes((Quant{.zero = 0.5f}.Model(3).Import())));
  EXPECT_EQ(Quant{.bits = 0}.Model(3).ImportError(),
            "m.onnx: node \"n_y\" (onnx.brevitas.Quant, opset 1): input bitwidth = 0: must be from "
            "1 to 32");
  EXPECT_EQ(Quant{.scale = -1}.Model(3).ImportError(),
            "m.onnx: node \"n_y\" (onnx.brevitas.Quant, opset 1): input scale = -1: must be "
            "positive and finite");
}

/// Weights with a scale for each output channel are stored as codes of 8 bits.
TEST(OnnxQonnx, WeightsOfFewBits) {
  OnnxBuilder b;
  b.Domain("qonnx.custom_op.general", 1).Input("x", {1, 2}).Output("y");
  b.Floats("w", {2, 2}, {0.5f, -0.26f, 9, 1}).Floats("s", {2, 1}, {0.25f, 1});
  b.Floats("z", {1}, {0}).Floats("bits", {}, {3});
  b.Node("Quant", {"w", "s", "z", "bits"}, "coded").set_domain("qonnx.custom_op.general");
  b.Node("MatMul", {"x", "coded"}, "y");
  const Graph graph = b.Import();
  ASSERT_TRUE(HasCodes(graph));
  EXPECT_EQ(Evaluate(graph, {Tensor::Of<float>({1, 2}, {1, 10})})[0],
            Tensor::Of<float>({1, 2}, {30.5f, 9.75f}));
}

TEST(OnnxQonnx, BipolarQuantIsASign) {
  OnnxBuilder b;
  b.Domain("qonnx.custom_op.general", 1).Input("x", {4}).Output("y").Floats("s", {}, {0.5f});
  b.Node("BipolarQuant", {"x", "s"}, "y").set_domain("qonnx.custom_op.general");
  EXPECT_TRUE(HasCodes(b.Import()));
  EXPECT_EQ(Evaluate(b.Import(), {Tensor::Of<float>({4}, {-3, 0, -0.0f, 0.1f})})[0],
            Tensor::Of<float>({4}, {-0.5f, 0.5f, 0.5f, 0.5f}));
}

TEST(OnnxQonnx, TruncByItsVersion) {
  for (const int64_t version : {1, 2}) {
    OnnxBuilder b;
    b.Domain("qonnx.custom_op.general", version).Input("x", {4}).Output("y");
    b.Floats("s", {}, {0.5f}).Floats("after", {}, {2}).Floats("z", {}, {0});
    b.Floats("in", {}, {8}).Floats("out", {}, {6});
    std::vector<std::string> inputs = {"x", "s", "z", "in", "after", "out"};
    if (version == 1) inputs.erase(inputs.begin() + 4);
    auto& node = b.Node("Trunc", inputs, "y");
    node.set_domain("qonnx.custom_op.general");
    const Tensor y = Evaluate(b.Import(), {Tensor::Of<float>({4}, {-3.5f, 1.5f, 7, 60})})[0];
    // Codes -7, 3, 14 and 120 by 4, rounded down: at the same scale, or one four times as large.
    EXPECT_EQ(y, version == 1 ? Tensor::Of<float>({4}, {-1, 0, 1.5f, 15})
                              : Tensor::Of<float>({4}, {-4, 0, 6, 60}));
    EXPECT_TRUE(HasCodes(b.Import()));
    node.add_input("z");
    EXPECT_NE(b.ImportError(), "no error");
  }
}

/// Four bits of exponent and three of mantissa, of scale 2.
TEST(OnnxQonnx, FloatQuantHasStepsThatGrow) {
  OnnxBuilder b;
  b.Domain("qonnx.custom_op.general", 1).Output("y").Floats("s", {}, {2}).Floats("e", {}, {4});
  b.Floats("m", {}, {3}).Floats("bias", {}, {7}).Floats("most", {}, {448});
  auto& node = b.Node("FloatQuant", {"x", "s", "e", "m", "bias", "most"}, "y");
  node.set_domain("qonnx.custom_op.general");
  std::vector<float> x = {0, -1e9f, 2.25f, 2.375f, 2.0625f, -2.3f, 1000, 0x1p-8f, 0x3p-10f, 33.9f};
  const int64_t count = std::ssize(x);
  b.Input("x", {count});
  // Steps of a quarter from 2 on, of 4 from 32 on, and of 2^-8 below 2^-4.
  EXPECT_EQ(
      Evaluate(b.Import(), {Tensor::Of<float>({count}, x)})[0],
      Tensor::Of<float>({count}, {0, -896, 2.25f, 2.5f, 2, -2.25f, 896, 0x1p-8f, 0x1p-8f, 32}));
  // A range of 254 powers of two.
  OnnxBuilder wide = b;
  wide.graph().mutable_initializer(1)->set_float_data(0, 8);
  wide.graph().mutable_initializer(3)->set_float_data(0, 119);
  wide.graph().mutable_initializer(4)->set_float_data(0, 3e38f);
  x.assign(count, 0x1.2p101f);
  EXPECT_EQ(Evaluate(wide.Import(), {Tensor::Of<float>({count}, x)})[0].At(0), 0x1.2p101);
  x.assign(count, 0x1.3p101f);
  EXPECT_EQ(Evaluate(wide.Import(), {Tensor::Of<float>({count}, x)})[0].At(0), 0x1.4p101);
  OnnxBuilder::SetInt(node, "saturation", 0);
  EXPECT_EQ(b.ImportError(),
            "m.onnx: node \"n_y\" (qonnx.custom_op.general.FloatQuant, opset 1): attribute "
            "saturation = 0: is not supported");
  b.graph().mutable_initializer(3)->set_float_data(0, 200);
  EXPECT_EQ(b.ImportError(),
            "m.onnx: node \"n_y\" (qonnx.custom_op.general.FloatQuant, opset 1): input "
            "exponent_bias = 200: must leave steps that are normal float32");
  b.graph().mutable_initializer(2)->set_float_data(0, 2.5f);
  EXPECT_EQ(b.ImportError(),
            "m.onnx: node \"n_y\" (qonnx.custom_op.general.FloatQuant, opset 1): input "
            "mantissa_bitwidth = 2.5: must be a whole number from 0 to 23");
}

}  // namespace
}  // namespace vta::compiler
