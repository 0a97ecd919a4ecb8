#include "compiler/frontend/onnx/writer.h"

#include <onnx/onnx_pb.h>

#include "compiler/frontend/onnx/tensor.h"
#include "compiler/graph/ops/convert.h"

namespace vta::compiler {
namespace {

onnx::AttributeProto& AddAttribute(onnx::NodeProto& node, std::string_view name,
                                   onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(std::string(name));
  attribute.set_type(type);
  return attribute;
}

}  // namespace

std::string OnnxOutput::Fresh(const std::string& name, std::set<std::string>& taken) {
  std::string fresh = name;
  for (int64_t i = 1; !taken.insert(fresh).second; ++i) fresh = StrCat(name, ".", i);
  return fresh;
}

void OnnxOutput::AddInitializer(const std::string& name, const Tensor& tensor) {
  onnx::TensorProto& initializer = *proto.add_initializer();
  WriteOnnxTensor(tensor, initializer);
  initializer.set_name(name);
}

OnnxAdded& OnnxAdded::Int(std::string_view name, int64_t value) {
  AddAttribute(proto_, name, onnx::AttributeProto::INT).set_i(value);
  return *this;
}

OnnxAdded& OnnxAdded::Ints(std::string_view name, const std::vector<int64_t>& values) {
  onnx::AttributeProto& attribute = AddAttribute(proto_, name, onnx::AttributeProto::INTS);
  for (const int64_t value : values) attribute.add_ints(value);
  return *this;
}

OnnxAdded& OnnxAdded::Float(std::string_view name, float value) {
  AddAttribute(proto_, name, onnx::AttributeProto::FLOAT).set_f(value);
  return *this;
}

OnnxAdded& OnnxAdded::String(std::string_view name, const std::string& value) {
  AddAttribute(proto_, name, onnx::AttributeProto::STRING).set_s(value);
  return *this;
}

OnnxAdded& OnnxAdded::Type(std::string_view name, DType dtype) {
  return Int(name, OnnxTypeOf(dtype));
}

OnnxAdded& OnnxAdded::Output(const std::string& name) {
  proto_.add_output(name);
  return *this;
}

Error OnnxWriter::Fail(std::string what, std::string value, std::string rule) const {
  return Error(StrCat(Spec(node_.op).name, " \"", node_.name, "\""), std::move(what),
               std::move(value), std::move(rule));
}

std::vector<std::string> OnnxWriter::Inputs() const {
  std::vector<std::string> names;
  for (const ValueId input : node_.inputs) names.push_back(output_.names[input]);
  return names;
}

std::string OnnxWriter::Temporary(std::string_view suffix) {
  return output_.Fresh(StrCat(Output(), "/", suffix));
}

std::string OnnxWriter::Constant(std::string_view suffix, const Tensor& tensor) {
  const std::string name = Temporary(suffix);
  output_.AddInitializer(name, tensor);
  return name;
}

std::string OnnxWriter::Constant(std::string_view suffix, const std::vector<int64_t>& list) {
  return Constant(suffix, Tensor::Of<int64_t>({static_cast<int64_t>(list.size())}, list));
}

std::string OnnxWriter::Number(std::string_view suffix, double value) {
  return DispatchDType(output_type().dtype, [&](auto zero) {
    return Constant(suffix, Tensor::Scalar(ops::Convert<decltype(zero)>(value)));
  });
}

OnnxAdded OnnxWriter::Add(std::string_view type, const std::vector<std::string>& inputs,
                          const std::string& output) {
  onnx::NodeProto& proto = *output_.proto.add_node();
  proto.set_name(output_.FreshNode(output == Output() ? node_.name : output));
  proto.set_op_type(std::string(type));
  for (const std::string& input : inputs) proto.add_input(input);
  proto.add_output(output);
  return OnnxAdded(proto);
}

}  // namespace vta::compiler
