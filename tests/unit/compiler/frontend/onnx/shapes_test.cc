// ONNX's own checker and shape inference as oracles for our importer; operator sets after the
// installed one.
#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/text.h"
#include "tests/unit/compiler/cases.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

/// The types that ONNX infers, by value name.
std::map<std::string, Shape> InferredShapes(onnx::ModelProto model) {
  onnx::checker::check_model(model);
  onnx::shape_inference::InferShapes(model);
  std::map<std::string, Shape> shapes;
  for (const auto& info : model.graph().value_info()) {
    Shape shape;
    for (const auto& dim : info.type().tensor_type().shape().dim())
      shape.push_back(dim.dim_value());
    if (info.type().tensor_type().has_shape()) shapes[info.name()] = shape;
  }
  return shapes;
}

TEST(OnnxShapes, EqualOnnxsOwnInference) {
  for (const std::string path :
       {"kws_dscnn_int8/model_qdq.onnx", "person_detect_int8/model_qdq.onnx",
        "resnet8_cifar_qdq/model.onnx", "mnist_cntk_f32/model.onnx", "kws_alibaba_f32/model.onnx",
        "resnet8_cifar_f32/model.onnx"}) {
    VTA_SKIP_WITHOUT_CASE(path);
    const auto bytes = ReadFile(cases::CaseFolder(path));
    onnx::ModelProto model;
    ASSERT_TRUE(model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
    const auto inferred = InferredShapes(model);
    const Graph graph = ImportOnnx(bytes, path);
    int compared = 0;
    for (const Value& value : graph.values()) {
      auto found = inferred.find(value.name);
      if (value.producer == kNone || found == inferred.end()) continue;
      EXPECT_EQ(value.type.shape, found->second) << path << " " << value.name;
      ++compared;
    }
    EXPECT_GE(compared, static_cast<int>(graph.nodes().size() / 2)) << path;
  }
}

TEST(OnnxOpsets, Eighteen) {
  OnnxBuilder b(18);
  b.Input("x", {2, 3}).Output("y").Output("m");
  b.Ints("pads", {2}, {1, 2}).Floats("v", {}, {9}).Ints("axes", {1}, {-1});
  b.Node("Pad", {"x", "pads", "v", "axes"}, "y");
  b.Node("ReduceMean", {"x", "axes"}, "m");
  const auto outputs = Evaluate(b.Import(), {Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(outputs[0], Tensor::Of<float>({2, 6}, {9, 1, 2, 3, 9, 9, 9, 4, 5, 6, 9, 9}));
  EXPECT_EQ(outputs[1], Tensor::Of<float>({2, 1}, {2, 5}));
}

TEST(OnnxOpsets, TwentyOneChoosesTheQuantisedType) {
  OnnxBuilder b(21);
  b.Input("x", {2}).Output("y").Floats("s", {}, {0.5});
  OnnxBuilder::SetInt(b.Node("QuantizeLinear", {"x", "s"}, "y"), "output_dtype",
                      onnx::TensorProto::INT8);
  EXPECT_EQ(Evaluate(b.Import(), {Tensor::Of<float>({2}, {-1.25, 99})})[0],
            Tensor::Of<int8_t>({2}, {-2, 127}));  // -2.5: ties to even
  OnnxBuilder blocked(21);
  blocked.Input("x", {4}).Output("y").Floats("s", {2}, {1, 2});
  OnnxBuilder::SetInt(blocked.Node("QuantizeLinear", {"x", "s"}, "y"), "block_size", 2);
  EXPECT_EQ(blocked.ImportError(),
            "m.onnx: node \"n_y\" (QuantizeLinear, opset 21): attribute block_size = 2: "
            "activations are not quantised in blocks");
}

TEST(OnnxOpsets, FromTwentyThreeQuantisationNamesItsTypes) {
  const auto model = [](int64_t opset, const std::string& quantize, const std::string& dequantize,
                        int type) {
    OnnxBuilder b(opset);
    b.Input("x", {2}).Output("y").Floats("s", {}, {0.5});
    auto& q = b.Node("QuantizeLinear", {"x", "s"}, "q");
    if (!quantize.empty()) OnnxBuilder::SetInt(q, quantize, type);
    auto& d = b.Node("DequantizeLinear", {"q", "s"}, "y");
    if (!dequantize.empty()) OnnxBuilder::SetInt(d, dequantize, type);
    return b;
  };
  for (const int64_t opset : {23, 24, 25}) {
    const OnnxBuilder b = model(opset, "precision", "output_dtype", onnx::TensorProto::FLOAT);
    EXPECT_EQ(Evaluate(b.Import(), {Tensor::Of<float>({2}, {1.25, 3})})[0],
              Tensor::Of<float>({2}, {1, 3}));  // 2.5: ties to even
  }
  EXPECT_EQ(model(23, "precision", "", onnx::TensorProto::INT8).ImportError(),
            "m.onnx: node \"n_q\" (QuantizeLinear, opset 23): attribute precision = INT8: must be "
            "a float "
            "type");
  EXPECT_EQ(model(25, "", "output_dtype", onnx::TensorProto::DOUBLE).ImportError(), "no error");
  EXPECT_EQ(model(22, "precision", "", onnx::TensorProto::FLOAT).ImportError(),
            "m.onnx: node \"n_q\" (QuantizeLinear, opset 22): attribute = precision: is not "
            "supported for this operator");
}

TEST(OnnxOpsets, FromTwentyFourCastRounds8BitFloats) {
  for (const int64_t opset : {23, 24, 25}) {
    OnnxBuilder b(opset);
    b.Input("x", {2}).Output("y");
    auto& cast = b.Node("Cast", {"x"}, "y");
    OnnxBuilder::SetInt(cast, "to", onnx::TensorProto::INT32);
    auto& mode = *cast.add_attribute();
    mode.set_name("round_mode");
    mode.set_type(onnx::AttributeProto::STRING);
    mode.set_s("down");
    if (opset == 23) {
      EXPECT_NE(b.ImportError().find("attribute = round_mode: is not supported"),
                std::string::npos);
      continue;
    }
    EXPECT_EQ(Evaluate(b.Import(), {Tensor::Of<float>({2}, {1.75, -1.75})})[0],
              Tensor::Of<int32_t>({2}, {1, -1}));
  }
}

TEST(OnnxOpsets, OperatorsThatNewerSetsOnlyGaveMoreTypesComputeAsBefore) {
  const auto outputs = [](int64_t opset) {
    OnnxBuilder b(opset);
    b.Input("x", {1, 1, 4, 4}).Output("y").Output("p");
    b.Floats("w", {1, 1, 2, 2}, {1, -2, 3, -4}).Ints("shape", {2}, {1, -1}).Ints("axes", {1}, {0});
    b.Ints("pads", {4}, {0, 1, 0, 2});
    OnnxBuilder::SetInts(b.Node("Conv", {"x", "w"}, "c"), "pads", {1, 1, 1, 1});
    OnnxBuilder::SetInts(b.Node("MaxPool", {"c"}, "m"), "kernel_shape", {2, 2});
    OnnxBuilder::SetInts(b.Node("AveragePool", {"m"}, "a"), "kernel_shape", {2, 2});
    b.Node("Dropout", {"a"}, "d");
    b.Node("GlobalAveragePool", {"d"}, "g");
    b.Node("Identity", {"d"}, "i");
    b.Node("Reshape", {"i", "shape"}, "r");
    b.Node("Squeeze", {"r", "axes"}, "s");
    b.Node("Unsqueeze", {"s", "axes"}, "u");
    b.Node("Transpose", {"u"}, "t");
    b.Node("Flatten", {"t"}, "f");
    b.Node("Pad", {"f", "pads"}, "y");
    b.Node("Flatten", {"g"}, "p");
    std::vector<float> x(16);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * i % 7);
    return Evaluate(b.Import(), {Tensor::Of<float>({1, 1, 4, 4}, x)});
  };
  for (const int64_t opset : {22, 23, 24, 25}) EXPECT_EQ(outputs(opset), outputs(21)) << opset;
}

TEST(OnnxPools, NoWindowStartsInTheEndPadding) {
  // Width 3 and one column of padding: ceil_mode would add a window at 3, which is outside.
  OnnxBuilder b;
  b.Input("x", {1, 1, 1, 3}).Output("y");
  auto& pool = b.Node("MaxPool", {"x"}, "y");
  OnnxBuilder::SetInts(pool, "kernel_shape", {1, 2});
  OnnxBuilder::SetInts(pool, "strides", {1, 3});
  OnnxBuilder::SetInts(pool, "pads", {0, 0, 0, 1});
  OnnxBuilder::SetInt(pool, "ceil_mode", 1);
  EXPECT_EQ(Evaluate(b.Import(), {Tensor::Of<float>({1, 1, 1, 3}, {5, 7, 9})})[0],
            Tensor::Of<float>({1, 1, 1, 1}, {7}));
}

TEST(OnnxOpsets, SoftmaxBeforeThirteenFlattens) {
  for (const int64_t opset : {12, 13}) {
    OnnxBuilder b(opset);
    b.Input("x", {1, 2, 2}).Output("y");
    OnnxBuilder::SetInt(b.Node("Softmax", {"x"}, "y"), "axis", 1);
    const Tensor y = Evaluate(b.Import(), {Tensor(TensorType{DType::kFloat32, {1, 2, 2}})})[0];
    EXPECT_FLOAT_EQ(static_cast<float>(y.At(0)), opset == 12 ? 0.25f : 0.5f);
  }
}

TEST(OnnxOpsets, QLinearAddIsContributed) {
  OnnxBuilder b;
  auto* import = b.model().add_opset_import();
  import->set_domain("com.microsoft");
  import->set_version(1);
  b.Input("a", {2}, onnx::TensorProto::UINT8).Input("b", {2}, onnx::TensorProto::UINT8).Output("y");
  b.Floats("s", {}, {0.5}).Floats("t", {}, {0.25}).Ints("z", {}, {100}, onnx::TensorProto::UINT8);
  b.Node("QLinearAdd", {"a", "s", "z", "b", "t", "z", "s", "z"}, "y").set_domain("com.microsoft");
  const auto y = Evaluate(
      b.Import(), {Tensor::Of<uint8_t>({2}, {110, 100}), Tensor::Of<uint8_t>({2}, {104, 0})})[0];
  EXPECT_EQ(y, Tensor::Of<uint8_t>({2}, {112, 50}));
}

}  // namespace
}  // namespace vta::compiler
