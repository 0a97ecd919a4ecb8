#include "compiler/models/node_attributes.h"

#include <onnx/onnx_pb.h>

namespace vta::compiler {
namespace {

onnx::AttributeProto* Add(onnx::NodeProto* node, const char* name,
                          onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(type);
  return attribute;
}

}  // namespace

void SetInt(onnx::NodeProto* node, const char* name, int64_t value) {
  Add(node, name, onnx::AttributeProto::INT)->set_i(value);
}

void SetInts(onnx::NodeProto* node, const char* name, const std::vector<int64_t>& values) {
  onnx::AttributeProto* attribute = Add(node, name, onnx::AttributeProto::INTS);
  for (const int64_t value : values) attribute->add_ints(value);
}

void SetFloat(onnx::NodeProto* node, const char* name, float value) {
  Add(node, name, onnx::AttributeProto::FLOAT)->set_f(value);
}

void SetString(onnx::NodeProto* node, const char* name, const char* value) {
  Add(node, name, onnx::AttributeProto::STRING)->set_s(value);
}

}  // namespace vta::compiler
