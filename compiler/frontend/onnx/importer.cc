#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "compiler/frontend/narrow_floats.h"
#include "compiler/frontend/onnx.h"
#include "compiler/frontend/onnx/absent.h"
#include "compiler/frontend/onnx/follow.h"
#include "compiler/frontend/onnx/graph_reader.h"
#include "compiler/frontend/onnx/tensor.h"
#include "compiler/frontend/symbolic_dimensions.h"
#include "compiler/graph/rebuild.h"
#include "compiler/graph/verify.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"

namespace vta::compiler {
namespace {

/// How other files that people take for ONNX models begin.
struct OtherFile {
  size_t at;
  std::string_view magic, is;
};
constexpr OtherFile kOtherFiles[] = {
    {4, "ORTM", "a model in ONNX Runtime's own format (convert the original)"},
    {0, "PK\x03\x04", "a ZIP archive, as PyTorch and Keras save models (export to ONNX)"},
    {0, "\x89HDF\r\n", "an HDF5 file, as Keras saves models (tf2onnx converts it)"},
};

onnx::ModelProto ParseModel(std::span<const uint8_t> bytes, const std::string& file) {
  onnx::ModelProto model;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const OtherFile& other : kOtherFiles)
    if (text.substr(std::min(other.at, text.size())).starts_with(other.magic))
      throw Error(file, "", "", StrCat("is not an ONNX model but ", other.is));
  const std::string size = Counted(bytes.size(), "byte");
  if (bytes.size() > INT32_MAX) throw Error(file, "model", size, "must be smaller than 2 GiB");
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw Error(file, "model", size, "is truncated or not an ONNX model");
  if (!model.has_graph())
    throw Error(file, "model", size, "holds no graph: it is not an ONNX model");
  return model;
}

class Importer {
 public:
  Importer(const onnx::ModelProto& model, const std::string& file, const OnnxOptions& options,
           const std::string& folder)
      : model_(model),
        proto_(model.graph()),
        absent_(model.graph(), options, folder),
        file_(file),
        on_remark_(options.on_remark),
        symbols_(options) {
    scope_.folder = folder;
    scope_.names = &names_;
    scope_.graph = Graph(proto_.name().empty() ? "model" : proto_.name());
    scope_.max_bytes = options.max_bytes;
  }

  Graph Run() {
    CheckOnnxOperators(proto_);
    ReadOpsets();
    ReadOnnxInitializers(proto_, scope_, &absent_);
    ReadInputs();
    ReadOnnxNodes(proto_, scope_);
    ReadOutputs();
    const Graph graph = RemoveDead(scope_.graph);
    Remark(graph);
    Graph narrow = NarrowFloats(graph);
    Verify(narrow);
    return narrow;
  }

 private:
  void Remark(const Graph& graph) const {
    if (!on_remark_) return;
    std::set<std::string> types = scope_.narrowed;
    for (const Value& value : graph.values())
      if (value.type.dtype == DType::kFloat64) types.insert("DOUBLE");
    for (const auto& [name, count] : scope_.counts)
      on_remark_(StrCat(file_, ": ", name, " has as many elements as there can be; ", name,
                        ".count says how many are found, the first"));
    for (const std::string& remark : scope_.remarks) on_remark_(StrCat(file_, ": ", remark));
    for (const std::string& type : types)
      on_remark_(StrCat(file_, ": tensors of ", type, " are computed in float32"));
  }

  void ReadOpsets() {
    for (const auto& opset : model_.opset_import()) {
      if (!scope_.opsets.emplace(OnnxDomain(opset.domain()), opset.version()).second)
        throw Error("", "opset_import", opset.domain(), "is listed twice");
    }
    if (!scope_.opsets.contains(""))
      throw Error("", "opset_import", "missing", "the model must name its opset");
    const int64_t version = scope_.opsets[""];
    if (version < kLeastOpset || version > kMostOpset)
      throw Error("", "opset", StrCat(version),
                  StrCat("must be ", kLeastOpset, " to ", kMostOpset));
  }

  static constexpr int64_t kUnknown = -1;  // a size, as some exporters write it

  static bool IsOpen(const onnx::TensorShapeProto::Dimension& dim) {
    return !dim.has_dim_value() || dim.dim_value() == kUnknown;
  }

  int64_t ReadDimension(const onnx::TensorShapeProto::Dimension& dim, int axis,
                        const std::string& input) {
    return IsOpen(dim) ? symbols_.Add(input, axis, dim.dim_param()) : dim.dim_value();
  }

  /// Its dimensions below 0 are open.
  TensorType ReadDeclared(const onnx::ValueInfoProto& info) {
    const std::string where = StrCat("input \"", info.name(), "\"");
    if (!info.type().has_tensor_type())
      throw Error(where, "type", "not a tensor", "only tensors are supported");
    const auto& tensor = info.type().tensor_type();
    const auto dtype = DTypeFromOnnx(tensor.elem_type());
    if (!dtype)
      throw Error(where, "element type", OnnxTypeName(tensor.elem_type()),
                  "is not a supported element type");
    scope_.Note(tensor.elem_type());
    if (!tensor.has_shape()) throw Error(where, "shape", "missing", "must be given");
    TensorType type{*dtype, {}};
    for (int axis = 0; axis < tensor.shape().dim_size(); ++axis)
      type.shape.push_back(ReadDimension(tensor.shape().dim(axis), axis, info.name()));
    Shape least = type.shape;
    for (int axis = 0; axis < tensor.shape().dim_size(); ++axis)
      if (IsOpen(tensor.shape().dim(axis))) least[axis] = 1;
    CheckShape(info.name(), least);
    return type;
  }

  /// An input that an initializer gives is of the initializer's type.
  static void CheckDeclared(const onnx::ValueInfoProto& info, const TensorType& type) {
    const int64_t declared = info.type().tensor_type().elem_type();
    if (declared != 0 && DTypeFromOnnx(declared) != type.dtype)
      throw Error(StrCat("input \"", info.name(), "\""), "declared element type",
                  OnnxTypeName(declared), StrCat("its initializer is ", ToText(type)));
  }

  /// Errors: throws Error for dimensions that no tensor can have.
  static void CheckShape(const std::string& input, const Shape& shape) {
    if (!CheckedElements(shape))
      throw Error(StrCat("input \"", input, "\""), "shape", ToText(shape),
                  "dimensions must be at least 1 and their product at most 2^40");
  }

  void ReadInputs() {
    std::vector<std::pair<std::string, TensorType>> inputs;
    for (const onnx::ValueInfoProto& info : proto_.input()) {
      if (!input_names_.insert(info.name()).second)
        throw Error("", "input", info.name(), "is defined twice");
      if (const auto found = names_.own.find(info.name()); found != names_.own.end()) {
        CheckDeclared(info, found->second.constant->type());
        continue;
      }
      if (info.name().empty()) throw Error("", "input", "unnamed", "must have a name");
      inputs.emplace_back(info.name(), ReadDeclared(info));
    }
    symbols_.Infer([&](Sizes& sizes) {
      std::map<std::string, Shape> shapes;
      for (const auto& [name, type] : inputs) shapes[name] = type.shape;
      FollowOnnxSizes(proto_, names_, std::move(shapes), sizes);
    });
    for (auto& [name, type] : inputs) {
      for (int64_t& size : type.shape) size = symbols_.SizeOf(size);
      CheckShape(name, type.shape);
      scope_.Count(type, "inputs");
      names_.own[name].value = scope_.graph.AddInput(name, type);
    }
    symbols_.Check();
  }

  void ReadOutputs() {
    if (proto_.output_size() == 0) throw Error("", "outputs", "none", "must have at least one");
    for (const onnx::ValueInfoProto& info : proto_.output()) {
      auto found = names_.own.find(info.name());
      if (found == names_.own.end())
        throw Error("", "output", info.name(), "is not made by any node");
      const ValueId value = scope_.ValueOf(found->second, "", "output", info.name());
      CheckOutput(info, scope_.graph.type(value));
      scope_.graph.AddOutput(info.name(), value);
    }
    for (const auto& [name, count] : scope_.counts) {
      const std::string added = name + ".count";
      for (const onnx::ValueInfoProto& info : proto_.output())
        if (info.name() == added)
          throw Error("", "output", added,
                      StrCat("is also the name of how many elements of ", name, " are found"));
      scope_.graph.AddOutput(added, count);
    }
  }

  /// What the model declares of an output must be what we inferred, where sizes are declared at
  /// all.
  void CheckOutput(const onnx::ValueInfoProto& info, const TensorType& type) {
    const auto& declared = info.type().tensor_type();
    const std::string where = StrCat("output \"", info.name(), "\"");
    if (info.type().has_tensor_type() && declared.elem_type() != 0 &&
        DTypeFromOnnx(declared.elem_type()) != type.dtype)
      throw Error(where, "declared element type", OnnxTypeName(declared.elem_type()),
                  StrCat("the graph makes ", ToText(type)));
    if (!info.type().has_tensor_type() || !declared.has_shape()) return;
    const bool is_counted = std::ranges::any_of(
        scope_.counts, [&](const auto& count) { return count.first == info.name(); });
    bool agrees = declared.shape().dim_size() == static_cast<int>(type.shape.size());
    std::string text;
    for (int i = 0; i < declared.shape().dim_size(); ++i) {
      const auto& dim = declared.shape().dim(i);
      agrees = agrees && (!dim.has_dim_value() || dim.dim_value() == kUnknown ||
                          dim.dim_value() == type.shape[i] || is_counted);
      const std::string name = dim.dim_param().empty() ? "?" : dim.dim_param();
      text += StrCat(i == 0 ? "" : ",", dim.has_dim_value() ? StrCat(dim.dim_value()) : name);
    }
    if (!agrees)
      throw Error(where, "declared shape", StrCat("[", text, "]"),
                  StrCat("the graph makes ", ToText(type)));
  }

  const onnx::ModelProto& model_;
  const onnx::GraphProto& proto_;
  const AbsentWeights absent_;
  const std::string& file_;
  const std::function<void(const std::string&)>& on_remark_;
  OnnxScope scope_;
  OnnxNames names_;
  std::set<std::string> input_names_;
  SymbolicDimensions symbols_;
};

Graph Import(std::span<const uint8_t> bytes, const std::string& file, const std::string& folder,
             const OnnxOptions& options) {
  const onnx::ModelProto model = ParseModel(bytes, file);
  try {
    return ImportSized(options, [&](const OnnxOptions& sized) {
      return Importer(model, file, sized, folder).Run();
    });
  } catch (const Error& error) {
    throw error.In(file);
  }
}

}  // namespace

Graph ImportOnnx(std::span<const uint8_t> bytes, const std::string& file,
                 const OnnxOptions& options) {
  return Import(bytes, file, "", options);
}

Graph ImportOnnxFile(const std::string& path, const OnnxOptions& options) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return Import(ReadFile(path), path, folder.empty() ? "." : folder.string(), options);
}

}  // namespace vta::compiler
