// Builds small TensorFlow Lite models for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/frontend/tflite.h"
#include "compiler/frontend/tflite/tflite_generated.h"
#include "compiler/graph/evaluate.h"
#include "tests/support/error_of.h"

namespace vta::compiler {

class TfliteBuilder {
 public:
  using Code = tflite_schema::BuiltinOperator;
  using Type = tflite_schema::TensorType;

  TfliteBuilder() {
    model.version = 3;
    model.buffers.push_back(std::make_unique<tflite_schema::BufferT>());
    model.subgraphs.push_back(std::make_unique<tflite_schema::SubGraphT>());
  }

  tflite_schema::SubGraphT& graph() { return *model.subgraphs[0]; }
  tflite_schema::TensorT& tensor(int32_t number) { return *graph().tensors[number]; }
  tflite_schema::OperatorT& op(int32_t number) { return *graph().operators[number]; }

  /// Adds a tensor and returns its number.
  int32_t Tensor(const std::string& name, const std::vector<int32_t>& shape,
                 Type type = Type::FLOAT32) {
    auto tensor = std::make_unique<tflite_schema::TensorT>();
    tensor->name = name;
    tensor->shape = shape;
    tensor->type = type;
    graph().tensors.push_back(std::move(tensor));
    return static_cast<int32_t>(graph().tensors.size()) - 1;
  }
  int32_t Input(const std::string& name, const std::vector<int32_t>& shape,
                Type type = Type::FLOAT32) {
    graph().inputs.push_back(Tensor(name, shape, type));
    return graph().inputs.back();
  }
  int32_t Output(const std::string& name, const std::vector<int32_t>& shape,
                 Type type = Type::FLOAT32) {
    graph().outputs.push_back(Tensor(name, shape, type));
    return graph().outputs.back();
  }
  template <typename T>
  int32_t Constant(const std::string& name, const std::vector<int32_t>& shape,
                   const std::vector<T>& values, Type type = TypeOf<T>()) {
    const int32_t number = Tensor(name, shape, type);
    auto buffer = std::make_unique<tflite_schema::BufferT>();
    const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    buffer->data.assign(bytes, bytes + values.size() * sizeof(T));
    tensor(number).buffer = static_cast<uint32_t>(model.buffers.size());
    model.buffers.push_back(std::move(buffer));
    return number;
  }
  int32_t Ints(const std::vector<int32_t>& values) {
    return Constant<int32_t>("ints", {static_cast<int32_t>(values.size())}, values);
  }
  /// Gives a tensor scales and zero points; returns its number.
  int32_t Scaled(int32_t number, const std::vector<float>& scales,
                 const std::vector<int64_t>& zero_points, int32_t axis = 0) {
    auto quantization = std::make_unique<tflite_schema::QuantizationParametersT>();
    quantization->scale = scales;
    quantization->zero_point = zero_points;
    quantization->quantized_dimension = axis;
    tensor(number).quantization = std::move(quantization);
    return number;
  }
  tflite_schema::OperatorT& Operator(Code code, const std::vector<int32_t>& inputs,
                                     const std::vector<int32_t>& outputs) {
    auto op_code = std::make_unique<tflite_schema::OperatorCodeT>();
    op_code->builtin_code = code;
    auto op = std::make_unique<tflite_schema::OperatorT>();
    op->opcode_index = static_cast<uint32_t>(model.operator_codes.size());
    op->inputs = inputs;
    op->outputs = outputs;
    model.operator_codes.push_back(std::move(op_code));
    graph().operators.push_back(std::move(op));
    return *graph().operators.back();
  }
  /// The same with options of the type that the pointer stands for.
  template <typename Options>
  void Operator(Code code, const std::vector<int32_t>& inputs, const std::vector<int32_t>& outputs,
                Options options) {
    Operator(code, inputs, outputs).builtin_options.Set(std::move(options));
  }

  std::vector<uint8_t> Bytes() const {
    flatbuffers::FlatBufferBuilder builder;
    tflite_schema::FinishModelBuffer(builder, tflite_schema::Model::Pack(builder, &model));
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }
  Graph Import(const TfliteOptions& options = {}) const {
    return ImportTflite(Bytes(), "m.tflite", options);
  }
  /// The message that importing gives.
  std::string ImportError(const TfliteOptions& options = {}) const {
    return ErrorOf([&] { Import(options); });
  }
  /// The first output for these inputs.
  compiler::Tensor Run(const std::vector<compiler::Tensor>& inputs) const {
    return Evaluate(Import(), inputs)[0];
  }

  tflite_schema::ModelT model;

 private:
  template <typename T>
  static Type TypeOf() {
    if constexpr (std::is_same_v<T, float>) return Type::FLOAT32;
    if constexpr (std::is_same_v<T, int8_t>) return Type::INT8;
    if constexpr (std::is_same_v<T, uint8_t>) return Type::UINT8;
    if constexpr (std::is_same_v<T, int16_t>) return Type::INT16;
    if constexpr (std::is_same_v<T, int64_t>) return Type::INT64;
    return Type::INT32;
  }
};

/// A model of one operator, whose operands are named one after the other.
template <typename Case>
struct TfliteOperands {
  TfliteBuilder b;
  std::vector<int32_t> operands;

  Case& Ints(const std::vector<int32_t>& values) {
    operands.push_back(b.Ints(values));
    return static_cast<Case&>(*this);
  }
  Case& Pairs(const std::vector<int32_t>& values) {
    operands.push_back(
        b.Constant<int32_t>("pairs", {static_cast<int32_t>(values.size()) / 2, 2}, values));
    return static_cast<Case&>(*this);
  }
};

}  // namespace vta::compiler
