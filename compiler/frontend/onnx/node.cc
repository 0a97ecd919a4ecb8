#include "compiler/frontend/onnx/node.h"

#include <onnx/onnx_pb.h>

#include <algorithm>

#include "compiler/frontend/onnx/tensor.h"

namespace vta::compiler {

namespace {

std::string NameOf(const onnx::NodeProto& proto) {
  return proto.name().empty() && proto.output_size() > 0 ? proto.output(0) : proto.name();
}

std::string Place(const onnx::NodeProto& proto, int64_t opset) {
  const std::string domain = proto.domain().empty() ? "" : proto.domain() + ".";
  return StrCat("node \"", NameOf(proto), "\" (", domain, proto.op_type(), ", opset ", opset, ")");
}

}  // namespace

OnnxBinding* OnnxNames::Find(const std::string& name) {
  for (OnnxNames* names = this; names; names = names->around)
    if (const auto found = names->own.find(name); found != names->own.end()) return &found->second;
  return nullptr;
}

ValueId OnnxScope::ValueOf(OnnxBinding& binding, const std::string& where, const std::string& what,
                           const std::string& name) {
  if (binding.value != kNone) return binding.value;
  if (!CheckedElements(binding.constant->shape()))
    throw Error(where, StrCat(what, " \"", name, "\""), ToText(binding.constant->type()),
                "must not be empty");
  binding.value = graph.AddConstant(name, binding.constant);
  return binding.value;
}

void OnnxScope::Note(int64_t data_type) {
  if (data_type == onnx::TensorProto::FLOAT16 || data_type == onnx::TensorProto::BFLOAT16)
    narrowed.insert(OnnxTypeName(data_type));
}

OnnxNode::OnnxNode(const onnx::NodeProto& proto, int64_t opset, OnnxScope& scope)
    : Emitter(scope, NameOf(proto), proto.output_size() > 0 ? proto.output(0) : NameOf(proto),
              Place(proto, opset)),
      proto_(proto),
      opset_(opset),
      scope_(scope) {}

int64_t OnnxNode::input_count() const {
  return inner_ ? std::ssize(inner_->operands) : proto_.input_size();
}

int64_t OnnxNode::output_count() const { return proto_.output_size(); }

bool OnnxNode::Has(int64_t input) const {
  if (inner_) return input < std::ssize(inner_->operands);
  return input < proto_.input_size() && !proto_.input(static_cast<int>(input)).empty();
}

OnnxBinding& OnnxNode::Bound(int64_t input) {
  if (!Has(input)) throw Fail(StrCat("input ", input), "missing", "is required");
  const std::string& name = proto_.input(static_cast<int>(input));
  OnnxBinding* const found = scope_.names->Find(name);
  if (!found)
    throw Fail(StrCat("input ", input), name,
               "is not a graph input, an initializer or the output of a node");
  return *found;
}

ValueId OnnxNode::Input(int64_t input) {
  if (inner_) {
    if (!Has(input)) throw Fail(StrCat("input ", input), "missing", "is required");
    return inner_->operands[input];
  }
  return scope_.ValueOf(Bound(input), Where(), "input", proto_.input(static_cast<int>(input)));
}

TensorType OnnxNode::Type(int64_t input) { return scope_.graph.type(Input(input)); }

bool OnnxNode::IsConstant(int64_t input) const {
  if (!Has(input)) return false;
  if (inner_) return scope_.graph.constant(inner_->operands[input]);
  const OnnxBinding* const found = scope_.names->Find(proto_.input(static_cast<int>(input)));
  if (!found) return false;
  const OnnxBinding& binding = *found;
  return binding.constant || (binding.value != kNone && scope_.graph.constant(binding.value));
}

const Tensor& OnnxNode::Constant(int64_t input, std::string_view what) {
  if (!Has(input)) throw Fail(StrCat("input ", input), "missing", "is required");
  if (!inner_) {  // which may be empty and so not enter the graph
    const OnnxBinding* const found = scope_.names->Find(proto_.input(static_cast<int>(input)));
    if (found && found->constant) return *found->constant;
  }
  const ValueId value = Input(input);
  const Tensor* tensor = scope_.graph.constant(value);
  if (!tensor) throw Fail(std::string(what), scope_.graph.value(value).name, "must be a constant");
  return *tensor;
}

std::vector<int64_t> OnnxNode::ConstantInts(int64_t input, std::string_view what) {
  return ToInts(Constant(input, what), what);
}

double OnnxNode::ConstantNumber(int64_t input, std::string_view what) {
  const Tensor& tensor = Constant(input, what);
  if (tensor.elements() != 1)
    throw Fail(std::string(what), ToText(tensor.type()), "must have one element");
  return tensor.At(0);
}

const onnx::AttributeProto* OnnxNode::Attribute(const std::string& name, int type) {
  read_.insert(name);
  for (const onnx::AttributeProto& attribute : proto_.attribute()) {
    if (attribute.name() != name) continue;
    if (attribute.type() != type && attribute.type() != onnx::AttributeProto::UNDEFINED)
      throw Fail(
          StrCat("attribute ", name), onnx::AttributeProto::AttributeType_Name(attribute.type()),
          StrCat("must be of type ", onnx::AttributeProto::AttributeType_Name(
                                         static_cast<onnx::AttributeProto::AttributeType>(type))));
    return &attribute;
  }
  return nullptr;
}

bool OnnxNode::HasAttribute(const std::string& name) {
  read_.insert(name);
  for (const onnx::AttributeProto& attribute : proto_.attribute()) {
    if (attribute.name() == name) return true;
  }
  return false;
}

int64_t OnnxNode::Int(const std::string& name, int64_t otherwise) {
  const auto* attribute = Attribute(name, onnx::AttributeProto::INT);
  return attribute ? attribute->i() : otherwise;
}

double OnnxNode::Float(const std::string& name, double otherwise) {
  const auto* attribute = Attribute(name, onnx::AttributeProto::FLOAT);
  return attribute ? attribute->f() : otherwise;
}

std::string OnnxNode::String(const std::string& name, const std::string& otherwise) {
  const auto* attribute = Attribute(name, onnx::AttributeProto::STRING);
  return attribute ? attribute->s() : otherwise;
}

std::optional<std::vector<int64_t>> OnnxNode::Ints(const std::string& name) {
  const auto* attribute = Attribute(name, onnx::AttributeProto::INTS);
  if (!attribute) return std::nullopt;
  return std::vector<int64_t>(attribute->ints().begin(), attribute->ints().end());
}

std::vector<double> OnnxNode::Floats(const std::string& name) {
  const auto* attribute = Attribute(name, onnx::AttributeProto::FLOATS);
  if (!attribute) return {};
  return std::vector<double>(attribute->floats().begin(), attribute->floats().end());
}

std::vector<std::string> OnnxNode::Strings(const std::string& name) {
  const auto* attribute = Attribute(name, onnx::AttributeProto::STRINGS);
  if (!attribute) return {};
  return {attribute->strings().begin(), attribute->strings().end()};
}

Tensor OnnxNode::ConstantAttribute() {
  if (const auto* value = Attribute("value", onnx::AttributeProto::TENSOR)) {
    try {
      scope_.Require(ReadOnnxType(value->t(), Where()), Where());
      scope_.Note(value->t().data_type());
      return ReadOnnxTensor(value->t(), Where(), scope_.folder);
    } catch (const Error& error) {
      throw Fail(error.subject(), error.value(), error.rule());
    }
  }
  if (const auto* value = Attribute("value_float", onnx::AttributeProto::FLOAT))
    return Tensor::Scalar<float>(value->f());
  if (const auto* value = Attribute("value_int", onnx::AttributeProto::INT))
    return Tensor::Scalar<int64_t>(value->i());
  if (const auto* value = Attribute("value_floats", onnx::AttributeProto::FLOATS))
    return Tensor::Of<float>({value->floats_size()},
                             {value->floats().begin(), value->floats().end()});
  if (const auto* value = Attribute("value_ints", onnx::AttributeProto::INTS))
    return Tensor::Of<int64_t>({value->ints_size()}, {value->ints().begin(), value->ints().end()});
  throw Fail("attribute value", "missing",
             "must be given as value, value_float, value_int, value_floats or value_ints");
}

void OnnxNode::FinishAttributes() const {
  for (const onnx::AttributeProto& attribute : proto_.attribute()) {
    if (!read_.contains(attribute.name()))
      throw Fail("attribute", attribute.name(), "is not supported for this operator");
  }
}

ValueId OnnxNode::As(OnnxConverter convert, std::vector<ValueId> operands, int64_t opset) {
  VTA_CHECK(!inner_, name());
  inner_ = Inner{std::move(operands), opset};
  convert(*this);
  const ValueId result = inner_->result;
  inner_.reset();
  VTA_CHECK(result != kNone, name());
  return result;
}

bool OnnxNode::WantsOutput(int64_t output) const {
  return output < proto_.output_size() && !proto_.output(static_cast<int>(output)).empty();
}

void OnnxNode::Result(ValueId value, int64_t output) {
  if (inner_) {
    if (output == 0) inner_->result = value;
    return;
  }
  if (WantsOutput(output)) Result(OnnxBinding{nullptr, value}, output);
}

void OnnxNode::Result(OnnxBinding binding, int64_t output) {
  if (WantsOutput(output))
    scope_.names->own[proto_.output(static_cast<int>(output))] = std::move(binding);
}

void OnnxNode::CountStep() {
  constexpr int64_t kMost = 1 << 14, kMostNodes = 1 << 18;
  if (++scope_.steps > kMost)
    throw Fail("steps of loops", StrCat("more than ", kMost), "are not unrolled");
  if (std::max<int64_t>(std::ssize(scope_.graph.nodes()), scope_.nodes) > kMostNodes)
    throw Fail("nodes of loops", StrCat("more than ", kMostNodes), "are not unrolled");
}

void OnnxNode::ResultCounted(ValueId value, ValueId count) {
  Result(value);
  if (!WantsOutput(0)) return;
  for (const auto& [name, other] : scope_.counts)
    if (name == proto_.output(0))
      throw Fail("output", name, "is counted in one step of a loop only");
  scope_.counts.emplace_back(proto_.output(0), count);
}

const onnx::GraphProto& OnnxNode::Subgraph(const std::string& name) {
  const auto* const attribute = Attribute(name, onnx::AttributeProto::GRAPH);
  if (!attribute) throw Fail(StrCat("attribute ", name), "missing", "is required");
  return attribute->g();
}

void OnnxNode::ResultConstant(Tensor tensor, int64_t output) {
  if (!WantsOutput(output)) return;
  scope_.Count(tensor.type(), Where());
  Result(OnnxBinding{std::make_shared<const Tensor>(std::move(tensor))}, output);
}

}  // namespace vta::compiler
