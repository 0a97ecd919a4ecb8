#include "compiler/frontend/onnx/export.h"

#include <onnx/onnx_pb.h>

#include <algorithm>

#include "compiler/frontend/onnx/tensor.h"
#include "compiler/frontend/onnx/writers.h"
#include "isa/support/plural.h"

namespace vta::compiler {
namespace {

constexpr int64_t kTooLarge = int64_t{2} << 30;

Error TooLarge(const char* what, int64_t bytes) {
  return Error("", what, Counted(bytes, "byte"), "must be smaller than 2 GiB in ONNX");
}

/// The format's version when the opset was released.
int64_t IrVersion(int64_t opset) {
  return opset <= 14 ? 7 : opset <= 18 ? 8 : opset <= 20 ? 9 : 10;
}

std::string TypesText(TypeSet types) {
  std::string text;
  for (int i = 0; i <= static_cast<int>(DType::kFloat64); ++i) {
    const auto dtype = static_cast<DType>(i);
    if (types & SetOf(dtype)) text += StrCat(text.empty() ? "" : ", ", Name(dtype));
  }
  return text;
}

void SetType(const std::string& name, const TensorType& type, onnx::ValueInfoProto& info) {
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(OnnxTypeOf(type.dtype));
  tensor.mutable_shape();  // also of a scalar
  for (const int64_t size : type.shape) tensor.mutable_shape()->add_dim()->set_dim_value(size);
}

class Exporter {
 public:
  explicit Exporter(const Graph& graph) : graph_(graph), uses_(graph.UseCounts()) {}

  std::vector<uint8_t> Run() {
    CheckConstants();
    for (const Node& node : graph_.nodes()) output_.opset = std::max(output_.opset, Opset(node));
    SetHead();
    NameValues();
    for (const ValueId input : graph_.inputs())
      SetType(graph_.value(input).name, graph_.type(input), *output_.proto.add_input());
    for (size_t id = 0; id < graph_.values().size(); ++id) {
      const Value& value = graph_.value(static_cast<ValueId>(id));
      if (IsInitializer(value, id)) output_.AddInitializer(output_.names[id], *value.constant);
    }
    for (const Node& node : graph_.nodes()) {
      OnnxWriter writer(graph_, node, output_);
      const OnnxWriterRow& row = *FindOnnxWriter(node.op);
      row.write(writer, row.type);
    }
    WriteOutputs();
    return Serialize();
  }

 private:
  bool IsInitializer(const Value& value, size_t id) const {
    return value.constant != nullptr && uses_[id] > 0;
  }

  void CheckConstants() const {
    int64_t bytes = 0;
    for (size_t id = 0; id < graph_.values().size(); ++id) {
      const Value& value = graph_.value(static_cast<ValueId>(id));
      if (IsInitializer(value, id)) bytes += value.type.bytes();
    }
    if (bytes >= kTooLarge) throw TooLarge("constants", bytes);
  }

  /// The least in which ONNX has the node.
  int64_t Opset(const Node& node) {
    const OnnxWriter writer(graph_, node, output_);
    const OnnxWriterRow* const row = FindOnnxWriter(node.op);
    if (!row) throw writer.Fail("", "", "has no ONNX operator");
    const DType dtype = writer.type(row->typed).dtype;
    if (row->types & SetOf(dtype)) return kLeastWrittenOpset;
    if (row->later_types & SetOf(dtype)) return row->later;
    throw writer.Fail("element type", std::string(Name(dtype)),
                      StrCat("must be one that ONNX's ", row->type, " takes: ",
                             TypesText(static_cast<TypeSet>(row->types | row->later_types))));
  }

  void SetHead() {
    model_.set_ir_version(IrVersion(output_.opset));
    model_.set_producer_name("vta");
    model_.add_opset_import()->set_version(output_.opset);
    output_.proto.set_name(graph_.name().empty() ? "graph" : graph_.name());
  }

  /// Inputs first, then outputs: the first output of a value that a node makes is its name.
  void NameValues() {
    std::vector<std::string>& names = output_.names;
    names.resize(graph_.values().size());
    for (const ValueId input : graph_.inputs()) {
      names[input] = graph_.value(input).name;
      output_.taken.insert(names[input]);
    }
    std::set<std::string> outputs;
    for (const GraphOutput& output : graph_.outputs()) {
      std::string& name = names[output.value];
      const bool is_input = name == output.name;
      if (output.name.empty() || !outputs.insert(output.name).second ||
          (!is_input && !output_.taken.insert(output.name).second))
        throw Error("", "output", output.name, "must have a name of its own");
      if (name.empty() && graph_.Producer(output.value)) name = output.name;
    }
    for (size_t id = 0; id < names.size(); ++id)
      if (names[id].empty()) names[id] = output_.Fresh(graph_.value(static_cast<ValueId>(id)).name);
  }

  /// Outputs that are a constant, an input or another output of the same value are copies.
  void WriteOutputs() {
    for (const GraphOutput& output : graph_.outputs()) {
      const std::string& name = output_.names[output.value];
      if (name != output.name) {
        onnx::NodeProto& copy = *output_.proto.add_node();
        copy.set_name(output_.FreshNode(output.name));
        copy.set_op_type("Identity");
        copy.add_input(name);
        copy.add_output(output.name);
      }
      SetType(output.name, graph_.type(output.value), *output_.proto.add_output());
    }
  }

  std::vector<uint8_t> Serialize() const {
    const size_t size = model_.ByteSizeLong();
    if (size >= kTooLarge) throw TooLarge("model", static_cast<int64_t>(size));
    std::vector<uint8_t> bytes(size);
    VTA_CHECK(model_.SerializeToArray(bytes.data(), static_cast<int>(size)));
    return bytes;
  }

  const Graph& graph_;
  std::vector<int64_t> uses_;
  onnx::ModelProto model_;
  OnnxOutput output_{*model_.mutable_graph(), kLeastWrittenOpset};
};

}  // namespace

std::vector<uint8_t> ExportOnnx(const Graph& graph) {
  try {
    return Exporter(graph).Run();
  } catch (const Error& error) {
    throw error.In(graph.name());
  }
}

}  // namespace vta::compiler
