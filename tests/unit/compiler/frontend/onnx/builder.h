// Builds small ONNX models for tests.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "compiler/frontend/onnx.h"
#include "tests/support/error_of.h"

namespace vta::compiler {

class OnnxBuilder {
 public:
  explicit OnnxBuilder(int64_t opset = 13) {
    model_.set_ir_version(8);
    auto* import = model_.add_opset_import();
    import->set_domain("");
    import->set_version(opset);
  }

  onnx::ModelProto& model() { return model_; }
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }

  OnnxBuilder& Input(const std::string& name, const std::vector<int64_t>& shape,
                     int type = onnx::TensorProto::FLOAT) {
    SetType(*graph().add_input(), name, shape, type);
    return *this;
  }
  OnnxBuilder& Output(const std::string& name) {
    graph().add_output()->set_name(name);
    return *this;
  }
  OnnxBuilder& Floats(const std::string& name, const std::vector<int64_t>& shape,
                      const std::vector<float>& values) {
    auto& tensor = Add(name, shape, onnx::TensorProto::FLOAT);
    for (float v : values) tensor.add_float_data(v);
    return *this;
  }
  OnnxBuilder& Ints(const std::string& name, const std::vector<int64_t>& shape,
                    const std::vector<int64_t>& values, int type = onnx::TensorProto::INT64) {
    auto& tensor = Add(name, shape, type);
    for (int64_t v : values) {
      if (type == onnx::TensorProto::INT64) {
        tensor.add_int64_data(v);
      } else {
        tensor.add_int32_data(static_cast<int32_t>(v));
      }
    }
    return *this;
  }
  onnx::NodeProto& Node(const std::string& type, const std::vector<std::string>& inputs,
                        const std::string& output) {
    auto& node = *graph().add_node();
    node.set_op_type(type);
    node.set_name("n_" + output);
    for (const auto& input : inputs) node.add_input(input);
    node.add_output(output);
    return node;
  }
  static void SetInts(onnx::NodeProto& node, const std::string& name,
                      const std::vector<int64_t>& values) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (int64_t v : values) attribute.add_ints(v);
  }
  static void SetInt(onnx::NodeProto& node, const std::string& name, int64_t value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }

  static void SetFloat(onnx::NodeProto& node, const std::string& name, float value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(value);
  }
  static void SetString(onnx::NodeProto& node, const std::string& name, const std::string& value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(value);
  }
  /// Makes another model's graph an attribute; its inputs and outputs are those of the graph.
  static void SetGraph(onnx::NodeProto& node, const std::string& name, const OnnxBuilder& inner) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = inner.model_.graph();
  }
  OnnxBuilder& Domain(const std::string& domain, int64_t version) {
    auto* import = model_.add_opset_import();
    import->set_domain(domain);
    import->set_version(version);
    return *this;
  }

  std::string Bytes() const { return model_.SerializeAsString(); }
  Graph Import(const OnnxOptions& options = {}) const {
    const std::string text = Bytes();
    return ImportOnnx({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, "m.onnx",
                      options);
  }
  /// The message that importing gives.
  std::string ImportError(const OnnxOptions& options = {}) const {
    return ErrorOf([&] { Import(options); });
  }

 private:
  static void SetType(onnx::ValueInfoProto& info, const std::string& name,
                      const std::vector<int64_t>& shape, int type) {
    info.set_name(name);
    auto* tensor = info.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    auto* dims = tensor->mutable_shape();
    for (int64_t dim : shape) {
      auto* d = dims->add_dim();
      if (dim == -1) {
        d->set_dim_param("N");
      } else {
        d->set_dim_value(dim);
      }
    }
  }
  onnx::TensorProto& Add(const std::string& name, const std::vector<int64_t>& shape, int type) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (int64_t dim : shape) tensor.add_dims(dim);
    return tensor;
  }

  onnx::ModelProto model_;
};

}  // namespace vta::compiler
