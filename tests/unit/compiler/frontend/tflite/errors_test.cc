// What broken, hostile and unsupported TensorFlow Lite models are told.
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/frontend/model.h"
#include "tests/unit/compiler/frontend/tflite/builder.h"

namespace vta::compiler {
namespace {

namespace tfl = tflite_schema;
using Code = TfliteBuilder::Code;
using Type = TfliteBuilder::Type;

struct TfliteRelu : TfliteBuilder {
  TfliteRelu() {
    Input("x", {1, 4});
    Output("y", {1, 4});
    Operator(Code::RELU, {0}, {1});
  }
};

/// The error of a sound model after a change.
template <typename F>
std::string Changed(F change) {
  TfliteRelu b;
  change(b);
  return b.ImportError();
}

std::string TfliteBytesError(std::vector<uint8_t> bytes) {
  return ErrorOf([&] { ImportTflite(bytes, "m.tflite"); });
}

TEST(TfliteErrors, Files) {
  const std::vector<uint8_t> whole = TfliteRelu().Bytes();
  EXPECT_EQ(TfliteBytesError(whole), "no error");
  EXPECT_EQ(TfliteBytesError({}),
            "m.tflite: model = 0 bytes: is truncated or damaged: its flatbuffer does not verify");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(TfliteBytesError({whole.begin(), whole.begin() + size}), "no error") << size;
  // Numbers are read where they lie, wherever that is.
  std::vector<uint8_t> shifted(1);
  shifted.insert(shifted.end(), whole.begin(), whole.end());
  EXPECT_NO_THROW(ImportTflite(std::span(shifted).subspan(1), "m.tflite"));
}

TEST(TfliteErrors, TheContentSaysWhatAFileIs) {
  const std::vector<uint8_t> bytes = TfliteRelu().Bytes();
  EXPECT_TRUE(IsTflite(bytes));
  EXPECT_FALSE(IsTflite(std::span(bytes).first(7)));
  EXPECT_EQ(ImportModel(bytes, "m.onnx").rounding(), isa::Rounding::kDouble);
  EXPECT_EQ(ErrorOf([] { ImportModel({}, "m.tflite"); }),
            "m.tflite: model = 0 bytes: holds no graph: it is not an ONNX model");
}

TEST(TfliteErrors, Models) {
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.model.version = 2; }),
            "m.tflite: version = 2: must be 3");
  EXPECT_EQ(Changed([](TfliteRelu& b) {
              b.model.subgraphs.push_back(std::make_unique<tfl::SubGraphT>());
            }),
            "m.tflite: subgraphs = 2: must be one: control flow is not supported");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.model.subgraphs.clear(); }),
            "m.tflite: subgraphs = 0: must be one: control flow is not supported");
  EXPECT_EQ(Changed([](TfliteRelu& b) {
              b.model.buffers[0]->offset = 4096;
              b.model.buffers[0]->size = 16;
            }),
            "m.tflite: buffer 0: offset = 4096: weights must be inside the flatbuffer");
}

TEST(TfliteErrors, Indices) {
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.tensor(1).buffer = 7; }),
            "m.tflite: tensor 1 \"y\": buffer = 7: must be in [0, 1)");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.graph().inputs = {2}; }),
            "m.tflite: input = 2: must be in [0, 2)");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.graph().outputs = {-1}; }),
            "m.tflite: output = -1: must be in [0, 2)");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.op(0).opcode_index = 1; }),
            "m.tflite: operator 0: opcode_index = 1: must be in [0, 1)");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.op(0).inputs = {2}; }),
            "m.tflite: operator 0: input tensor = 2: must be in [-1, 2)");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.op(0).outputs = {-1}; }),
            "m.tflite: operator 0: output tensor = -1: must be in [0, 2)");
}

TEST(TfliteErrors, AllUnknownOperatorsAreNamed) {
  TfliteBuilder b;
  b.Input("x", {1, 4});
  b.Output("y", {1, 4});
  b.Operator(Code::LSTM, {0}, {1});
  b.Operator(Code::RELU, {0}, {1});
  b.Operator(Code::CUSTOM, {0}, {1});
  b.model.operator_codes.back()->custom_code = "TFLite_Detection_PostProcess";
  b.Operator(Code::LSTM, {0}, {1});
  b.Operator(static_cast<Code>(4711), {0}, {1});
  EXPECT_EQ(b.ImportError(),
            "m.tflite: operators = CUSTOM TFLite_Detection_PostProcess (1 time), LSTM (2 times), "
            "operator 4711 (1 time): are not supported");
  TfliteBuilder many;
  many.Input("x", {1});
  many.Output("y", {1});
  for (int i = 0; i < 25; ++i) many.Operator(static_cast<Code>(1000 + i), {0}, {1});
  EXPECT_TRUE(many.ImportError().ends_with(" and 5 more: are not supported"));
  // Files of old writers have the number in a byte.
  EXPECT_EQ(Changed([](TfliteRelu& old) {
              old.model.operator_codes[0]->deprecated_builtin_code = 16;
              old.model.operator_codes[0]->builtin_code = Code::ADD;
            }),
            "m.tflite: operator = LSTM (1 time): is not supported");
}

TEST(TfliteErrors, Operators) {
  const std::string at = "m.tflite: operator 0 \"y\" (RELU): ";
  EXPECT_EQ(Changed([](TfliteRelu& b) {
              b.op(0).inputs = {0, 0};
            }),
            at + "inputs = 2: must be 1 to 1");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.op(0).outputs = {}; }),
            "m.tflite: operator 0 \"operator0\" (RELU): outputs = 0: must be 1 to 1");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.op(0).inputs = {-1}; }),
            at + "input 0 = missing: is required");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.op(0).inputs = {1}; }),
            at + "input 0 = y: is not an input of the model, a constant or the output of an "
                 "operator before");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.Operator(Code::RELU, {0}, {1}); }),
            "m.tflite: operator 1 \"y\" (RELU): output = y: is defined twice");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.op(0).outputs = {0}; }),
            "m.tflite: operator 0 \"x\" (RELU): output = x: is defined twice");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.tensor(1).type = Type::INT32; }),
            at + "output 0 = int32: the operator makes float32[1,4]");
  TfliteBuilder other;
  other.Input("x", {1, 4});
  other.Output("y", {1, 4});
  other.Operator(Code::ADD, {0, 0}, {1}, tfl::SoftmaxOptionsT());
  EXPECT_EQ(other.ImportError(),
            "m.tflite: operator 0 \"y\" (ADD): options = SoftmaxOptions: must be AddOptions");
}

TEST(TfliteErrors, Tensors) {
  const std::string at = "m.tflite: tensor 0 \"x\": ";
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.tensor(0).is_variable = true; }),
            "m.tflite: operator 0 \"y\" (RELU): input 0 = x: keeps state, which is not supported");
  EXPECT_EQ(Changed([](TfliteRelu& b) {
              b.tensor(0).sparsity = std::make_unique<tfl::SparsityParametersT>();
            }),
            "m.tflite: input \"x\": must not be a constant");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.tensor(0).type = Type::STRING; }),
            "m.tflite: input \"x\": element type = STRING: is not a supported element type");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.tensor(0).type = static_cast<Type>(99); }),
            "m.tflite: input \"x\": element type = tensor type 99: is not a supported element "
            "type");
  EXPECT_EQ(Changed([](TfliteRelu& b) { b.tensor(0).type = Type::FLOAT16; }),
            "m.tflite: input \"x\": element type = FLOAT16: is not supported for inputs");
}

TEST(TfliteErrors, Constants) {
  const auto error = [](const std::vector<int32_t>& shape, Type type) {
    TfliteBuilder b;
    b.Input("x", {1, 4});
    b.Constant<float>("c", shape, {1, 2, 3, 4}, type);
    b.Output("y", {1, 4});
    b.Operator(Code::ADD, {0, 1}, {2});
    return b.ImportError();
  };
  const std::string at = "m.tflite: operator 0 \"y\" (ADD): tensor \"c\": ";
  EXPECT_EQ(error({4}, Type::FLOAT32), "no error");
  EXPECT_EQ(error({5}, Type::FLOAT32), at + "data = 16 bytes: FLOAT32[5] asks for 20");
  EXPECT_EQ(error({4}, Type::FLOAT16), at + "data = 16 bytes: FLOAT16[4] asks for 8");
  EXPECT_EQ(error({-4}, Type::FLOAT32),
            at + "shape = [-4]: dimensions must not be negative and their product must not exceed "
                 "2^40");
  EXPECT_EQ(error({4}, Type::COMPLEX64),
            at + "element type = COMPLEX64: is not a supported element type");
  EXPECT_EQ(error({0, 4}, Type::FLOAT32), at + "data = 16 bytes: FLOAT32[0,4] asks for 0");
  EXPECT_EQ(Changed([](TfliteRelu& b) {
              b.Constant<float>("c", {4}, {1, 2, 3, 4});
              b.graph().inputs = {2};
            }),
            "m.tflite: input \"c\": must not be a constant");
}

TEST(TfliteErrors, Shapes) {
  const auto error = [](const std::vector<int32_t>& shape, const std::vector<int32_t>& signature,
                        const TfliteOptions& options) {
    TfliteRelu b;
    for (int32_t i : {0, 1}) {
      b.tensor(i).shape = shape;
      b.tensor(i).shape_signature = signature;
    }
    return b.ImportError(options);
  };
  EXPECT_EQ(error({0, 4}, {}, {}),
            "m.tflite: input \"x\": shape = [0,4]: dimensions must be at least 1 and their product "
            "at most 2^40");
  EXPECT_EQ(error({1, 1}, {-1, -1}, {}),
            "m.tflite: symbolic dimension = x:1: give its size, such as --dim x:1=224");
  EXPECT_EQ(error({1, 1}, {-1, -1}, {.dimensions = {{"x[1]", 7}}}), "no error");
  EXPECT_EQ(error({1, 4}, {}, {.dimensions = {{"x[1]", 7}}}),
            "m.tflite: --dim = x[1]=7: the model has no such symbolic dimension; it has none");
  TfliteRelu b;
  b.tensor(0).shape_signature = {-1, 4};
  b.tensor(1).shape_signature = {-1, 4};
  EXPECT_EQ(b.Import().shape(0), (Shape{1, 4}));
  EXPECT_EQ(b.Import({.batch = 3}).shape(0), (Shape{3, 4}));
  EXPECT_EQ(Changed([](TfliteRelu& c) {
              c.tensor(1).shape = {4, 1};
            }),
            "m.tflite: output \"y\": declared shape = [4,1]: the graph makes float32[1,4]");
  EXPECT_EQ(Changed([](TfliteRelu& c) { c.graph().outputs = {}; }),
            "m.tflite: outputs = none: must have at least one");
  EXPECT_EQ(Changed([](TfliteRelu& c) { c.graph().outputs = {c.Tensor("z", {1})}; }),
            "m.tflite: output \"z\": is not made by any operator");
  EXPECT_EQ(Changed([](TfliteRelu& c) {
              c.graph().inputs = {0, 0};
            }),
            "m.tflite: input = x: is listed twice");
}

TEST(TfliteErrors, Memory) {
  TfliteBuilder b;
  b.Input("x", {1, 1 << 20});
  b.Input("c", {1 << 20, 1});
  b.Output("y", {1 << 20, 1 << 20});
  b.Operator(Code::ADD, {0, 1}, {2});
  EXPECT_EQ(b.ImportError(),
            "m.tflite: operator 0 \"y\" (ADD): memory for all tensors = 4398054899712 bytes: must "
            "not exceed 8589934592");
}

TEST(TfliteErrors, Scales) {
  const auto error = [](const std::vector<float>& scales, const std::vector<int64_t>& zero_points,
                        int32_t axis) {
    TfliteBuilder b;
    b.Scaled(b.Input("x", {2, 3}, Type::INT8), scales, zero_points, axis);
    b.Output("y", {2, 3});
    b.Operator(Code::DEQUANTIZE, {0}, {1});
    return b.ImportError();
  };
  const std::string at = "m.tflite: input \"x\": ";
  EXPECT_EQ(error({0.5f, 0.25f}, {0, 1}, 0), "no error");
  for (float scale : {0.0f, -1.0f, NAN, INFINITY})
    EXPECT_EQ(error({scale}, {0}, 0),
              StrCat(at, "scale = ", double{scale}, ": must be positive and finite"));
  EXPECT_EQ(error({1}, {128}, 0), at + "zero_point = 128: must fit int8");
  EXPECT_EQ(error({1}, {}, 0), at + "zero points = 0: must be one for each of 1 scales");
  EXPECT_EQ(error({1, 1}, {0, 0}, 2), at + "quantized_dimension = 2: must be an axis of [2,3]");
  EXPECT_EQ(error({1, 1}, {0, 0}, 1),
            at + "scales = 2: must be one, or one for each of the 3 of axis 1");
  EXPECT_EQ(error({}, {}, 0),
            "m.tflite: operator 0 \"y\" (DEQUANTIZE): input 0 = int8[2,3]: must have a scale and a "
            "zero point");
  EXPECT_EQ(Changed([](TfliteRelu& b) {
              b.tensor(0).quantization = std::make_unique<tfl::QuantizationParametersT>();
              b.tensor(0).quantization->details.Set(tfl::CustomQuantizationT());
            }),
            at + "quantization details: custom quantisation is not supported");
  TfliteBuilder output;
  output.Input("x", {2});
  output.Output("y", {2}, Type::INT8);
  output.Operator(Code::QUANTIZE, {0}, {1});
  EXPECT_EQ(output.ImportError(),
            "m.tflite: operator 0 \"y\" (QUANTIZE): output 0 = int8: must have a scale and a zero "
            "point");
}

}  // namespace
}  // namespace vta::compiler
