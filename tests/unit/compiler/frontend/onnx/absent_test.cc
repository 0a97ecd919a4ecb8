// Weights whose file is not there: what stands for them, and what nothing can stand for.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "compiler/graph/evaluate.h"
#include "isa/support/file.h"
#include "tests/support/error_of.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

namespace fs = std::filesystem;

class AbsentBuilder : public OnnxBuilder {
 public:
  AbsentBuilder& Absent(const std::string& name, const std::vector<int64_t>& shape,
                        int type = onnx::TensorProto::FLOAT) {
    Floats(name, shape, {});
    onnx::TensorProto& tensor = *graph().mutable_initializer(graph().initializer_size() - 1);
    tensor.set_data_type(type);
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    auto& entry = *tensor.add_external_data();
    entry.set_key("location");
    entry.set_value("weights.bin");
    return *this;
  }
};

double Deviation(const Tensor& tensor) {
  double sum = 0, squares = 0;
  for (const float value : tensor.data<float>()) sum += value, squares += value * value;
  const auto count = static_cast<double>(tensor.elements());
  return std::sqrt(squares / count - sum / count * (sum / count));
}

Tensor NormalTensor(const Shape& shape) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  Tensor tensor(TensorType{DType::kFloat32, shape});
  for (float& value : tensor.mutable_data<float>()) value = normal(random);
  return tensor;
}

TEST(OnnxAbsent, ActivationsNeitherGrowNorVanish) {
  constexpr int kDepth = 24;
  AbsentBuilder b;
  b.Input("x0", {1, 24, 6, 6}).Output("y");
  std::string x = "x0";
  for (int i = 0; i < kDepth; ++i) {
    const std::string n = std::to_string(i);
    b.Absent("w" + n, {24, 24, 3, 3}).Absent("b" + n, {24});
    for (const char* part : {"scale", "offset", "mean", "variance"}) b.Absent(part + n, {24});
    auto& conv = b.Node("Conv", {x, "w" + n, "b" + n}, "c" + n);
    AbsentBuilder::SetInts(conv, "pads", {1, 1, 1, 1});
    b.Node("BatchNormalization", {"c" + n, "scale" + n, "offset" + n, "mean" + n, "variance" + n},
           "n" + n);
    b.Node("Relu", {"n" + n}, x = "r" + n);
  }
  b.Node("GlobalAveragePool", {x}, "p");
  b.Absent("m", {24, 24}).Node("Flatten", {"p"}, "f");
  b.Node("MatMul", {"f", "m"}, "y");
  int64_t made_up = 0;
  const Graph graph =
      b.Import({.weights_seed = 1, .on_random_weights = [&](const std::string&) { ++made_up; }});
  EXPECT_EQ(made_up, 6 * kDepth + 1);
  const double deviation = Deviation(Evaluate(graph, {NormalTensor({1, 24, 6, 6})})[0]);
  EXPECT_GT(deviation, 0.02);
  EXPECT_LT(deviation, 50);
}

TEST(OnnxAbsent, TheSeedMakesThem) {
  AbsentBuilder b;
  b.Absent("w", {4, 5}).Input("x", {1, 4}).Output("y").Node("MatMul", {"x", "w"}, "y");
  const auto run = [&](uint64_t seed) {
    return Evaluate(b.Import({.weights_seed = seed}), {NormalTensor({1, 4})})[0];
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

TEST(OnnxAbsent, AFileThatIsThereIsRead) {
  const fs::path folder = fs::path(testing::TempDir()) / StrCat("vta_absent_", getpid());
  fs::create_directories(folder);
  AbsentBuilder b;
  b.Absent("w", {2}).Input("x", {2}).Output("y").Node("Add", {"x", "w"}, "y");
  const std::string model = (folder / "m.onnx").string();
  WriteFileAtomically(model, b.Bytes());
  const Tensor zero = Tensor::Of<float>({2}, {0, 0});
  EXPECT_NE(Evaluate(ImportOnnxFile(model, {.weights_seed = 1}), {zero})[0], zero);
  const float values[] = {1.5, -2};
  WriteFileAtomically((folder / "weights.bin").string(),
                      std::string_view(reinterpret_cast<const char*>(values), sizeof(values)));
  EXPECT_EQ(Evaluate(ImportOnnxFile(model, {.weights_seed = 1}), {zero})[0],
            Tensor::Of<float>({2}, {1.5, -2}));
  WriteFileAtomically((folder / "weights.bin").string(), std::string_view("short"));
  EXPECT_EQ(
      ErrorOf([&] { ImportOnnxFile(model, {.weights_seed = 1}); }),
      model + ": initializer: tensor \"w\", file weights.bin = 5 bytes: must have 8 bytes at 0");
  fs::remove_all(folder);
}

TEST(OnnxAbsent, WhatIsNoWeightsIsRefused) {
  const auto error = [](const std::vector<int64_t>& shape, int type) {
    AbsentBuilder b;
    b.Absent("w", shape, type).Input("x", {2}, type).Output("y").Node("Add", {"x", "w"}, "y");
    return ErrorOf([&] { b.Import({.weights_seed = 1}); });
  };
  const std::string rule = ": only weights in floating point can be made up";
  const std::string at = "m.onnx: initializer: tensor \"w\", whose file is missing = ";
  EXPECT_EQ(error({2}, onnx::TensorProto::INT64), at + "int64[2]" + rule);
  EXPECT_EQ(error({}, onnx::TensorProto::FLOAT), at + "float32[]" + rule);
  EXPECT_EQ(error({2}, onnx::TensorProto::FLOAT), "no error");
}

}  // namespace
}  // namespace vta::compiler
