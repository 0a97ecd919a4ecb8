// Element types that are computed as others, weights of few bits, and quantisation while running.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

constexpr int kHalf = onnx::TensorProto::FLOAT16, kBfloat16 = onnx::TensorProto::BFLOAT16;
constexpr int kDouble = onnx::TensorProto::DOUBLE, kInt4 = 22, kUint4 = 21;
constexpr int kU8 = onnx::TensorProto::UINT8, kS8 = onnx::TensorProto::INT8;

/// y = x + w, of a type whose bits these are.
OnnxBuilder Sum(int type, const std::vector<int64_t>& bits) {
  OnnxBuilder b;
  const int64_t count = static_cast<int64_t>(bits.size());
  b.Input("x", {count}, type).Output("y").Ints("w", {count}, bits, type);
  b.Node("Add", {"x", "w"}, "y");
  auto* output = b.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
  output->set_elem_type(type);
  return b;
}

TEST(OnnxNumbers, FloatsOf16BitsAreFloat32) {
  // 1, -2, the greatest, the least above 0 and an infinity of each format.
  const std::vector<int64_t> half = {0x3c00, 0xc000, 0x7bff, 1, 0x7c00};
  const std::vector<int64_t> brain = {0x3f80, 0xc000, 0x7f7f, 1, 0x7f80};
  const Tensor zero(TensorType{DType::kFloat32, {5}});
  EXPECT_EQ(Evaluate(Sum(kHalf, half).Import(), {zero})[0],
            Tensor::Of<float>({5}, {1, -2, 65504, 0x1p-24f, INFINITY}));
  EXPECT_EQ(Evaluate(Sum(kBfloat16, brain).Import(), {zero})[0],
            Tensor::Of<float>({5}, {1, -2, 0x1.fep127f, 0x1p-133f, INFINITY}));
  OnnxBuilder raw = Sum(kHalf, {0, 0});
  raw.graph().mutable_initializer(0)->clear_int32_data();
  raw.graph().mutable_initializer(0)->set_raw_data(std::string("\x00\x3c\x00\x40", 4));
  EXPECT_EQ(Evaluate(raw.Import(), {Tensor::Of<float>({2}, {0, 0})})[0],
            Tensor::Of<float>({2}, {1, 2}));
  raw.graph().mutable_initializer(0)->set_raw_data("abc");
  EXPECT_EQ(raw.ImportError(),
            "m.onnx: initializer: tensor \"w\" = 3 bytes of raw data: FLOAT16[2] asks for 4");
}

TEST(OnnxNumbers, Float64IsFloat32OnceConstantsAreFolded) {
  OnnxBuilder b;
  b.Input("x", {2}, kDouble).Output("y").Output("z");
  auto& big = *b.graph().add_initializer();
  big.set_name("big");
  big.set_data_type(kDouble);
  big.add_double_data(16777217);  // 2^24 + 1, which no float32 is
  OnnxBuilder::SetInt(b.Node("Cast", {"big"}, "z"), "to", onnx::TensorProto::INT64);
  OnnxBuilder::SetInt(b.Node("Cast", {"x"}, "narrow"), "to", onnx::TensorProto::FLOAT);
  OnnxBuilder::SetInt(b.Node("Cast", {"narrow"}, "wide"), "to", kDouble);
  b.Node("Add", {"wide", "x"}, "y");
  const Graph graph = b.Import();
  for (const Value& value : graph.values()) EXPECT_NE(value.type.dtype, DType::kFloat64);
  const auto outputs = Evaluate(graph, {Tensor::Of<float>({2}, {1, -2})});
  EXPECT_EQ(outputs[0], Tensor::Of<float>({2}, {2, -4}));
  EXPECT_EQ(outputs[1], Tensor::Scalar<int64_t>(16777217));
}

TEST(OnnxNumbers, TypesThatAreComputedAsOthersAreNamedWhereverTheyAre) {
  OnnxBuilder branch, b;
  branch.Output("z").Ints("w", {2}, {0x3c00, 0}, kHalf).Node("Add", {"x", "w"}, "z");
  b.Input("x", {2}).Output("y").Ints("which", {}, {1}, onnx::TensorProto::BOOL);
  auto& node = b.Node("If", {"which"}, "y");
  OnnxBuilder::SetGraph(node, "then_branch", branch);
  OnnxBuilder::SetGraph(node, "else_branch", branch);
  std::vector<std::string> remarks;
  OnnxOptions options;
  options.on_remark = [&](const std::string& remark) { remarks.push_back(remark); };
  b.Import(options);
  EXPECT_EQ(remarks,
            std::vector<std::string>{"m.onnx: tensors of FLOAT16 are computed in float32"});
}

TEST(OnnxNumbers, CastToBfloat16IsRefused) {
  OnnxBuilder b;
  b.Input("x", {2}).Output("y");
  OnnxBuilder::SetInt(b.Node("Cast", {"x"}, "y"), "to", kBfloat16);
  EXPECT_EQ(b.ImportError(),
            "m.onnx: node \"n_y\" (Cast, opset 13): attribute to = BFLOAT16: is supported for "
            "weights only");
}

/// Rows of five codes in blocks of two along the last axis: the last block is cut.
OnnxBuilder Blocked(int type, const std::vector<int64_t>& packed) {
  OnnxBuilder b(21);
  b.Input("x", {2, 5}).Output("y").Floats("s", {2, 3}, {1, 0.5, 2, 4, 8, 0.25});
  b.Ints("w", {2, 5}, packed, type).Ints("z", {2, 3}, {0x21, 0x03, 0}, type);
  auto& node = b.Node("DequantizeLinear", {"w", "s", "z"}, "real");
  OnnxBuilder::SetInt(node, "axis", 1);
  OnnxBuilder::SetInt(node, "block_size", 2);
  b.Node("Add", {"x", "real"}, "y");
  b.graph().mutable_initializer(2)->mutable_int32_data()->Truncate(3);
  return b;
}

TEST(OnnxNumbers, WeightsOf4BitsInBlocks) {
  const Tensor zero(TensorType{DType::kFloat32, {2, 5}});
  // Codes 1 2 3 4 5 / 6 7 8 9 15, zero points 1 2 3 / 0 0 0.
  const std::vector<int64_t> packed = {0x21, 0x43, 0x65, 0x87, 0xf9};
  EXPECT_EQ(Evaluate(Blocked(kUint4, packed).Import(), {zero})[0],
            Tensor::Of<float>({2, 5}, {0, 1, 0.5, 1, 4, 24, 28, 64, 72, 3.75}));
  // As signed codes 8, 9 and 15 are -8, -7 and -1.
  EXPECT_EQ(Evaluate(Blocked(kInt4, packed).Import(), {zero})[0],
            Tensor::Of<float>({2, 5}, {0, 1, 0.5, 1, 4, 24, 28, -64, -56, -0.25}));
  OnnxBuilder wrong = Blocked(kInt4, packed);
  wrong.graph().mutable_node(0)->mutable_attribute(1)->set_i(3);
  EXPECT_EQ(wrong.ImportError(),
            "m.onnx: node \"n_real\" (DequantizeLinear, opset 21): scale shape = [2,3]: must be "
            "[2,2], in blocks of 3");
}

/// K = 20 in blocks of 16, N = 2: the codes of row n are (n + k) mod 16.
OnnxBuilder NBits(bool zero_points) {
  OnnxBuilder b;
  b.Domain("com.microsoft", 1);
  b.Input("a", {1, 20}).Output("y").Floats("s", {4}, {1, 2, 0.5, 4});
  std::vector<int64_t> packed;
  for (int n = 0; n < 2; ++n)
    for (int k = 0; k < 32; k += 2) packed.push_back((n + k) % 16 | (n + k + 1) % 16 << 4);
  b.Ints("w", {2, 2, 8}, packed, kU8).Ints("z", {2}, {0x31, 0x05}, kU8);
  std::vector<std::string> inputs = {"a", "w", "s"};
  if (zero_points) inputs.push_back("z");
  auto& node = b.Node("MatMulNBits", inputs, "y");
  node.set_domain("com.microsoft");
  for (const auto& [name, value] : {std::pair("K", 20), {"N", 2}, {"bits", 4}, {"block_size", 16}})
    OnnxBuilder::SetInt(node, name, value);
  return b;
}

TEST(OnnxNumbers, MatMulNBits) {
  const double scales[2][2] = {{1, 2}, {0.5, 4}}, zeros[2][2] = {{1, 3}, {5, 0}};
  std::vector<float> a(20);
  for (int k = 0; k < 20; ++k) a[k] = static_cast<float>(k % 7 - 3);
  for (const bool given : {false, true}) {
    std::vector<float> want(2);
    for (int n = 0; n < 2; ++n)
      for (int k = 0; k < 20; ++k)
        want[n] += static_cast<float>(a[k] * scales[n][k / 16] *
                                      ((n + k) % 16 - (given ? zeros[n][k / 16] : 8)));
    EXPECT_EQ(Evaluate(NBits(given).Import(), {Tensor::Of<float>({1, 20}, a)})[0],
              Tensor::Of<float>({1, 2}, want));
  }
  OnnxBuilder odd = NBits(false);
  odd.graph().mutable_node(0)->mutable_attribute(3)->set_i(24);
  EXPECT_EQ(odd.ImportError(),
            "m.onnx: node \"n_y\" (com.microsoft.MatMulNBits, opset 1): attributes K, N and "
            "block_size = 20, 2 and 24: must be 1 to 2^24, the last a multiple of 16");
  odd.graph().mutable_node(0)->mutable_attribute(3)->set_i(32);
  EXPECT_EQ(odd.ImportError(),
            "m.onnx: node \"n_y\" (com.microsoft.MatMulNBits, opset 1): input scales = float32[4]: "
            "must be [2,1]");
}

TEST(OnnxNumbers, ProductsOfCodesThatAreQuantisedWhileRunning) {
  OnnxBuilder b;
  b.Domain("com.microsoft", 1);
  b.Input("a", {1, 3}).Output("y").Ints("w", {3, 2}, {1, -2, 3, 4, -5, 6}, kS8);
  b.Floats("s", {2}, {0.5, 0.25}).Ints("z", {2}, {1, 0}, kS8).Floats("bias", {2}, {10, 20});
  b.Node("DynamicQuantizeMatMul", {"a", "w", "s", "z", "bias"}, "y").set_domain("com.microsoft");
  // The range -1 to 1.55 has the scale 0.01 and the zero point 100: codes 0, 255, 150.
  const Tensor y = Evaluate(b.Import(), {Tensor::Of<float>({1, 3}, {-1, 1.55f, 0.5f})})[0];
  EXPECT_NEAR(y.At(0), 10 + 0.01 * 0.5 * (-100 * 0 + 155 * 2 + 50 * -6), 1e-4);
  EXPECT_NEAR(y.At(1), 20 + 0.01 * 0.25 * (-100 * -2 + 155 * 4 + 50 * 6), 1e-4);
}

/// Of so many taps that sums in float32 would not be exact.
TEST(OnnxNumbers, IntegerConvolutionsAreExact) {
  constexpr int64_t kChannels = 300;
  std::mt19937 random(3);
  std::vector<int64_t> w(2 * kChannels);
  for (int64_t& v : w) v = 255 - static_cast<int64_t>(random() % 4);
  OnnxBuilder b;
  b.Input("x", {1, kChannels, 1, 2}, kU8).Output("y");
  b.Ints("w", {2, kChannels, 1, 1}, w, kU8).Ints("xz", {}, {3}, kU8);
  b.Ints("wz", {2}, {0, 1}, kU8);
  b.Node("ConvInteger", {"x", "w", "xz", "wz"}, "y");
  std::vector<uint8_t> x(2 * kChannels);
  for (uint8_t& v : x) v = static_cast<uint8_t>(255 - random() % 4);
  std::vector<int32_t> want(4);
  for (int64_t o = 0; o < 2; ++o)
    for (int64_t at = 0; at < 2; ++at)
      for (int64_t c = 0; c < kChannels; ++c)
        want[o * 2 + at] += static_cast<int32_t>((x[c * 2 + at] - 3) * (w[o * kChannels + c] - o));
  EXPECT_EQ(Evaluate(b.Import(), {Tensor::Of<uint8_t>({1, kChannels, 1, 2}, x)})[0],
            Tensor::Of<int32_t>({1, 2, 1, 2}, want));
  OnnxBuilder many;
  many.Input("x", {1, 5000, 1, 1}, kU8).Output("y");
  many.Ints("w", {1, 5000, 1, 1}, std::vector<int64_t>(5000), kU8);
  many.Node("ConvInteger", {"x", "w"}, "y");
  EXPECT_EQ(
      many.ImportError(),
      "m.onnx: node \"n_y\" (ConvInteger, opset 13): weight shape = [1,5000,1,1]: must have at "
      "most 4112 taps an output");
  OnnxBuilder flat;
  flat.Input("x", {1, 1, 4, 4}, kU8).Output("y").Ints("w", {}, {3}, kU8);
  flat.Node("ConvInteger", {"x", "w"}, "y");
  EXPECT_EQ(flat.ImportError(),
            "m.onnx: node \"n_y\" (ConvInteger, opset 13): weight shape = []: must be [OC,C,...]");
}

}  // namespace
}  // namespace vta::compiler
