#include "compiler/frontend/onnx/sized_node.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <span>

namespace vta::compiler {

int SizedNode::input_count() const { return proto_.input_size(); }
int SizedNode::output_count() const { return proto_.output_size(); }

bool SizedNode::Has(int input) const {
  return input < proto_.input_size() && !proto_.input(input).empty();
}

const Tensor* SizedNode::Constant(int input) const {
  if (!Has(input)) return nullptr;
  const auto found = graph_.constants.own.find(proto_.input(input));
  if (found != graph_.constants.own.end() && found->second.constant)
    return found->second.constant.get();
  const auto made = graph_.made.find(proto_.input(input));
  return made == graph_.made.end() ? nullptr : &made->second;
}

std::optional<Shape> SizedNode::ShapeOf(int input) const {
  if (!Has(input)) return std::nullopt;
  if (const Tensor* tensor = Constant(input)) return tensor->shape();
  const auto found = graph_.shapes.find(proto_.input(input));
  return found == graph_.shapes.end() ? std::nullopt : std::optional(found->second);
}

const onnx::AttributeProto* SizedNode::Attribute(std::string_view name) const {
  for (const onnx::AttributeProto& attribute : proto_.attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

int64_t SizedNode::Int(std::string_view name, int64_t otherwise) const {
  const onnx::AttributeProto* const attribute = Attribute(name);
  return attribute ? attribute->i() : otherwise;
}

std::optional<std::vector<int64_t>> SizedNode::Ints(std::string_view name, int input) const {
  constexpr int64_t kMost = int64_t{1} << 30;  // so that nothing made of it overflows
  std::vector<int64_t> values;
  if (const onnx::AttributeProto* attribute = Attribute(name)) {
    values.assign(attribute->ints().begin(), attribute->ints().end());
  } else {
    const Tensor* const tensor = input < 0 ? nullptr : Constant(input);
    if (!tensor || tensor->dtype() != DType::kInt64) return std::nullopt;
    values.assign(tensor->data<int64_t>().begin(), tensor->data<int64_t>().end());
  }
  if (std::ranges::any_of(values, [](int64_t v) { return v < -kMost || v > kMost; }))
    return std::nullopt;
  return values;
}

std::optional<size_t> SizedNode::Axis(int64_t axis, size_t rank) {
  const auto size = static_cast<int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return axis < 0 ? axis + size : axis;
}

void SizedNode::Set(Shape shape, int output) {
  if (output < proto_.output_size()) graph_.shapes[proto_.output(output)] = std::move(shape);
}

void SizedNode::SetConstant(Tensor tensor) {
  if (proto_.output_size() == 1) graph_.made[proto_.output(0)] = std::move(tensor);
}

}  // namespace vta::compiler
