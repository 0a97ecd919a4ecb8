// One operator of a TensorFlow Lite model during import: what the converters of operators.h read
// and write.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/frontend/emitter.h"
#include "compiler/frontend/tflite/tensor.h"

namespace vta::compiler {

namespace tflite_schema {
struct Operator;
template <typename T>
struct BuiltinOptionsTraits;
}  // namespace tflite_schema

/// What a tensor stands for so far.
struct TfliteBinding {
  std::shared_ptr<const Tensor> constant;  // read from the file, or known at compile time
  ValueId value = kNone;                   // the tensor in the graph
  ValueId real = kNone;                    // the same, dequantised
  ValueId imaginary = kNone;               // of complex numbers, of which `value` is the real part
};

/// Complex numbers are two tensors.
struct TfliteComplex {
  ValueId real, imaginary;
};

/// The graph being built and the tensors bound so far.
struct TfliteScope : ImportScope {
  const tflite_schema::Model* model = nullptr;
  const tflite_schema::SubGraph* subgraph = nullptr;
  std::vector<TfliteBinding> bindings = {};

  const tflite_schema::Tensor& tensor(int64_t number) const;
  /// The tensor's data, read when it is first asked for; null where no data is known.
  /// Errors: throws Error naming the tensor.
  const Tensor* Constant(int64_t number);
  /// The tensor in the graph; kNone for what nothing gives. Errors: as Constant.
  ValueId Value(int64_t number);
};

class TfliteNode : public Emitter {
 public:
  /// `kind` is the operator's name in messages.
  TfliteNode(const tflite_schema::Operator& op, int64_t number, const std::string& kind,
             TfliteScope& scope);

  int64_t input_count() const { return static_cast<int64_t>(inputs_.size()); }
  int64_t output_count() const { return static_cast<int64_t>(outputs_.size()); }
  /// Whether the optional input is given.
  bool Has(int64_t input) const { return input < input_count() && inputs_[input] >= 0; }
  /// The input as it is stored.
  /// Errors: throws Error when the input is not given or not defined.
  ValueId Stored(int64_t input);
  /// The input as real numbers: dequantised where it has 8 or 16 bits, with its axes in the order
  /// `perm` where one is given. Integers of other sizes stay.
  /// Errors: throws Error for 8 or 16 bits without a scale.
  ValueId Real(int64_t input, const std::vector<int64_t>& perm = {});
  /// Errors: throws Error unless the input is complex.
  TfliteComplex Complex(int64_t input);
  /// Whether one of the inputs is complex.
  bool IsComplex() const;
  /// From here on inputs and results are that part of complex numbers.
  enum class Part { kWhole, kReal, kImaginary };
  void Take(Part part) { part_ = part; }
  TensorType Type(int64_t input) { return type(Stored(input)); }
  Shape InputShape(int64_t input) { return Type(input).shape; }
  int64_t Rank(int64_t input) { return static_cast<int64_t>(InputShape(input).size()); }
  /// Errors: throws Error where the first input is not [N,H,W,C].
  void RequirePicture();
  /// Whether the input is given and known at compile time.
  bool IsConstant(int64_t input);
  /// The input's data. Errors: throws Error when the input is not known at compile time.
  const Tensor& Constant(int64_t input, std::string_view what);
  /// A constant input of one element or one dimension, as integers; or of one element.
  std::vector<int64_t> ConstantInts(int64_t input, std::string_view what);
  int64_t ConstantInt(int64_t input, std::string_view what);
  double ConstantNumber(int64_t input, std::string_view what);
  /// Nothing where the tensor is not quantised.
  std::optional<TfliteScales> InputScales(int64_t input) const;
  std::optional<TfliteScales> OutputScales(int64_t output = 0) const;
  /// Of the tensor, also of one that keeps state.
  DType InputType(int64_t input) const;
  DType OutputType(int64_t output = 0) const;

  /// The operator's options, of type T; their defaults where the file gives none.
  /// Errors: throws Error when the file gives those of another operator.
  template <typename T>
  const T& Options() const {
    return *static_cast<const T*>(
        OptionsTable(static_cast<int>(tflite_schema::BuiltinOptionsTraits<T>::enum_value)));
  }

  /// Of a custom operator.
  std::span<const uint8_t> CustomOptions() const;

  ValueId Dequantize(ValueId codes, const TfliteScales& scales);
  ValueId Quantize(ValueId real, const TfliteScales& scales, DType codes);
  /// Binds an output to real numbers, which are quantised where the output's tensor is.
  void Result(ValueId real, int64_t output = 0);
  /// Binds an output to what the tensor holds.
  void ResultStored(ValueId value, int64_t output = 0);
  void ResultConstant(Tensor tensor, int64_t output = 0);
  void ResultComplex(const TfliteComplex& value);

 private:
  const void* OptionsTable(int type) const;
  int64_t TensorOf(int64_t input) const;
  /// Scale and zero point as constants.
  std::pair<ValueId, ValueId> AddScales(const TfliteScales& scales, DType codes);
  /// Reads something of a tensor; errors name this operator and the tensor.
  template <typename F>
  auto Read(int64_t tensor, F f) const;

  const tflite_schema::Operator& op_;
  TfliteScope& scope_;
  std::vector<int64_t> inputs_, outputs_;  // tensors
  Part part_ = Part::kWhole;
};

/// Turns one operator into graph ops.
using TfliteConverter = void (*)(TfliteNode&);

}  // namespace vta::compiler
