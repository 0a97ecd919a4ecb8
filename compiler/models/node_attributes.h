// Attributes of the ONNX nodes that networks are built of.
#pragma once

#include <cstdint>
#include <vector>

namespace onnx {
class NodeProto;
}

namespace vta::compiler {

void SetInt(onnx::NodeProto* node, const char* name, int64_t value);
void SetInts(onnx::NodeProto* node, const char* name, const std::vector<int64_t>& values);
void SetFloat(onnx::NodeProto* node, const char* name, float value);
void SetString(onnx::NodeProto* node, const char* name, const char* value);

}  // namespace vta::compiler
