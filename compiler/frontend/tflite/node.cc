#include "compiler/frontend/tflite/node.h"

#include <algorithm>

#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

bool IsCode(DType dtype) {
  return dtype == DType::kInt8 || dtype == DType::kUint8 || dtype == DType::kInt16;
}

std::vector<int64_t> Numbers(const flatbuffers::Vector<int32_t>* list) {
  return list ? std::vector<int64_t>(list->begin(), list->end()) : std::vector<int64_t>();
}

/// An operator is called what its first output is.
std::string NameOf(const schema::Operator& op, int64_t number, const TfliteScope& scope) {
  if (!op.outputs() || op.outputs()->size() == 0) return StrCat("operator", number);
  const int64_t output = op.outputs()->Get(0);
  return TfliteTensorName(scope.tensor(output), output);
}

/// A table without fields: a table's offset to its field list, which says that there are none.
alignas(4) constexpr uint8_t kNoFields[] = {4, 0, 4, 0, 4, 0, 0, 0};

}  // namespace

const schema::Tensor& TfliteScope::tensor(int64_t number) const {
  return *subgraph->tensors()->Get(static_cast<uint32_t>(number));
}

const Tensor* TfliteScope::Constant(int64_t number) {
  TfliteBinding& binding = bindings[number];
  if (binding.constant) return binding.constant.get();
  if (binding.value != kNone) return graph.constant(binding.value);
  if (!IsTfliteConstant(*model, tensor(number))) return nullptr;
  Count(TfliteConstantType(tensor(number)), "constants");
  auto data = ReadTfliteTensor(*model, tensor(number));
  binding.constant = std::make_shared<const Tensor>(*std::move(data));
  return binding.constant.get();
}

ValueId TfliteScope::Value(int64_t number) {
  TfliteBinding& binding = bindings[number];
  if (binding.value == kNone && Constant(number)) {
    if (!CheckedElements(binding.constant->shape()))
      throw Error("", "shape", ToText(binding.constant->type()), "must not be empty");
    binding.value = graph.AddConstant(TfliteTensorName(tensor(number), number), binding.constant);
  }
  return binding.value;
}

TfliteNode::TfliteNode(const schema::Operator& op, int64_t number, const std::string& kind,
                       TfliteScope& scope)
    : Emitter(scope, NameOf(op, number, scope), NameOf(op, number, scope),
              StrCat("operator ", number, " \"", NameOf(op, number, scope), "\" (", kind, ")")),
      op_(op),
      scope_(scope),
      inputs_(Numbers(op.inputs())),
      outputs_(Numbers(op.outputs())) {}

template <typename F>
auto TfliteNode::Read(int64_t tensor, F f) const {
  try {
    return f();
  } catch (const Error& error) {
    const std::string at =
        StrCat("tensor \"", TfliteTensorName(scope_.tensor(tensor), tensor), "\"");
    throw Error(Where(), StrCat(at, error.subject().empty() ? "" : ": ", error.subject()),
                error.value(), error.rule());
  }
}

int64_t TfliteNode::TensorOf(int64_t input) const {
  if (!Has(input)) throw Fail(StrCat("input ", input), "missing", "is required");
  return inputs_[input];
}

ValueId TfliteNode::Stored(int64_t input) {
  const int64_t tensor = TensorOf(input);
  const ValueId value = Read(tensor, [&] { return scope_.Value(tensor); });
  if (scope_.tensor(tensor).is_variable())
    throw Fail(StrCat("input ", input), TfliteTensorName(scope_.tensor(tensor), tensor),
               "keeps state, which is not supported");
  if (value == kNone)
    throw Fail(StrCat("input ", input), TfliteTensorName(scope_.tensor(tensor), tensor),
               "is not an input of the model, a constant or the output of an operator before");
  const ValueId imaginary = scope_.bindings[tensor].imaginary;
  if (imaginary == kNone || part_ == Part::kReal) return value;
  if (part_ == Part::kImaginary) return imaginary;
  throw Fail(StrCat("input ", input), TfliteTensorName(scope_.tensor(tensor), tensor),
             "is complex, which the operator is not supported for");
}

TfliteComplex TfliteNode::Complex(int64_t input) {
  const TfliteBinding& binding = scope_.bindings[TensorOf(input)];
  if (binding.imaginary == kNone)
    throw Fail(StrCat("input ", input), ToText(Type(input)), "must be complex");
  return {binding.value, binding.imaginary};
}

bool TfliteNode::IsComplex() const {
  return std::ranges::any_of(inputs_, [&](int64_t tensor) {
    return tensor >= 0 && scope_.bindings[tensor].imaginary != kNone;
  });
}

ValueId TfliteNode::Real(int64_t input, const std::vector<int64_t>& perm) {
  const auto moved = [&](ValueId value) {
    if (perm.empty()) return value;
    return Emit(Op::kTranspose, {value}, {{"perm", perm}});
  };
  const ValueId stored = Stored(input);
  if (!IsCode(type(stored).dtype)) return moved(stored);
  auto scales = InputScales(input);
  if (!scales)
    throw Fail(StrCat("input ", input), ToText(type(stored)), "must have a scale and a zero point");
  if (!perm.empty()) {
    scales->axis = std::ranges::find(perm, scales->axis) - perm.begin();
    return Dequantize(moved(stored), *scales);
  }
  const int64_t tensor = inputs_[input];
  if (scope_.bindings[tensor].real == kNone)
    scope_.bindings[tensor].real = Dequantize(stored, *scales);
  return scope_.bindings[tensor].real;
}

bool TfliteNode::IsConstant(int64_t input) {
  if (!Has(input)) return false;
  return Read(inputs_[input], [&] { return scope_.Constant(inputs_[input]) != nullptr; });
}

const Tensor& TfliteNode::Constant(int64_t input, std::string_view what) {
  const int64_t tensor = TensorOf(input);
  if (!IsConstant(input))
    throw Fail(std::string(what), TfliteTensorName(scope_.tensor(tensor), tensor),
               "must be a constant");
  return *scope_.Constant(tensor);
}

std::vector<int64_t> TfliteNode::ConstantInts(int64_t input, std::string_view what) {
  return ToInts(Constant(input, what), what);
}

int64_t TfliteNode::ConstantInt(int64_t input, std::string_view what) {
  const std::vector<int64_t> list = ConstantInts(input, what);
  if (list.size() != 1)
    throw Fail(std::string(what), ToText(Constant(input, what).type()), "must have one element");
  return list[0];
}

double TfliteNode::ConstantNumber(int64_t input, std::string_view what) {
  const Tensor& tensor = Constant(input, what);
  if (tensor.elements() != 1)
    throw Fail(std::string(what), ToText(tensor.type()), "must have one element");
  return tensor.At(0);
}

std::optional<TfliteScales> TfliteNode::InputScales(int64_t input) const {
  const int64_t tensor = TensorOf(input);
  return Read(tensor, [&] { return ReadTfliteScales(scope_.tensor(tensor)); });
}

std::optional<TfliteScales> TfliteNode::OutputScales(int64_t output) const {
  return Read(outputs_[output], [&] { return ReadTfliteScales(scope_.tensor(outputs_[output])); });
}

DType TfliteNode::InputType(int64_t input) const {
  const int64_t tensor = TensorOf(input);
  return Read(tensor, [&] { return TfliteDType(scope_.tensor(tensor)); });
}

DType TfliteNode::OutputType(int64_t output) const {
  return Read(outputs_[output], [&] { return TfliteDType(scope_.tensor(outputs_[output])); });
}

const void* TfliteNode::OptionsTable(int type) const {
  if (op_.builtin_options_type() == schema::BuiltinOptions::NONE || !op_.builtin_options())
    return kNoFields + 4;
  const auto given = op_.builtin_options_type();
  if (static_cast<int>(given) != type) {
    const std::string name = schema::EnumNameBuiltinOptions(given);
    throw Fail("options", name.empty() ? StrCat("of type ", static_cast<int>(given)) : name,
               StrCat("must be ",
                      schema::EnumNameBuiltinOptions(static_cast<schema::BuiltinOptions>(type))));
  }
  return op_.builtin_options();
}

std::span<const uint8_t> TfliteNode::CustomOptions() const {
  const auto* const options = op_.custom_options();
  return options ? std::span(options->data(), options->size()) : std::span<const uint8_t>();
}

std::pair<ValueId, ValueId> TfliteNode::AddScales(const TfliteScales& scales, DType codes) {
  const Shape shape = scales.PerTensor() ? Shape{} : Shape{std::ssize(scales.scales)};
  const ValueId scale = AddConstant("scale", Tensor::Of<float>(shape, scales.scales));
  const ValueId zero_point = DispatchDType(codes, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> points;
    for (int64_t point : scales.zero_points) points.push_back(static_cast<T>(point));
    return AddConstant("zero_point", Tensor::Of<T>(shape, points));
  });
  return {scale, zero_point};
}

ValueId TfliteNode::Dequantize(ValueId codes, const TfliteScales& scales) {
  const auto [scale, zero_point] = AddScales(scales, type(codes).dtype);
  return Emit(Op::kDequantize, {codes, scale, zero_point}, {{"axis", scales.axis}});
}

ValueId TfliteNode::Quantize(ValueId real, const TfliteScales& scales, DType codes) {
  const auto [scale, zero_point] = AddScales(scales, codes);
  return Emit(Op::kQuantize, {real, scale, zero_point}, {{"axis", scales.axis}});
}

void TfliteNode::Result(ValueId real, int64_t output) {
  const DType dtype = OutputType(output);
  if (!IsCode(dtype)) {
    ResultStored(real, output);
    return;
  }
  const auto scales = OutputScales(output);
  if (!scales)
    throw Fail(StrCat("output ", output), std::string(Name(dtype)),
               "must have a scale and a zero point");
  ResultStored(Quantize(real, *scales, dtype), output);
}

void TfliteNode::RequirePicture() {
  if (Rank(0) != 4) throw Fail("input shape", ToText(InputShape(0)), "must be [N,H,W,C]");
}

void TfliteNode::ResultStored(ValueId value, int64_t output) {
  TfliteBinding& binding = scope_.bindings[outputs_[output]];
  if (part_ != Part::kWhole) {
    (part_ == Part::kReal ? binding.value : binding.imaginary) = value;
    return;
  }
  if (OutputType(output) != type(value).dtype)
    throw Fail(StrCat("output ", output), std::string(Name(OutputType(output))),
               StrCat("the operator makes ", ToText(type(value))));
  binding.value = value;
}

void TfliteNode::ResultComplex(const TfliteComplex& value) {
  TfliteBinding& binding = scope_.bindings[outputs_[0]];
  binding.value = value.real;
  binding.imaginary = value.imaginary;
}

void TfliteNode::ResultConstant(Tensor tensor, int64_t output) {
  if (OutputType(output) != tensor.dtype())
    throw Fail(StrCat("output ", output), std::string(Name(OutputType(output))),
               StrCat("the operator makes ", ToText(tensor.type())));
  scope_.Count(tensor.type(), Where());
  scope_.bindings[outputs_[output]].constant = std::make_shared<const Tensor>(std::move(tensor));
}

}  // namespace vta::compiler
