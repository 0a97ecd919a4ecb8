#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "compiler/frontend/onnx.h"
#include "compiler/frontend/onnx/absent.h"
#include "compiler/frontend/onnx/operators.h"
#include "compiler/frontend/onnx/tensor.h"
#include "compiler/frontend/symbolic_dimensions.h"
#include "compiler/graph/rebuild.h"
#include "compiler/graph/schedule.h"
#include "compiler/graph/verify.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"

namespace vta::compiler {
namespace {

constexpr std::string_view kOurDomainName = "ai.onnx";  // another name of the domain ""

std::string Domain(const std::string& name) { return name == kOurDomainName ? "" : name; }

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
  Importer(const onnx::ModelProto& model, const OnnxOptions& options, const std::string& folder)
      : model_(model),
        proto_(model.graph()),
        absent_(model.graph(), options, folder),
        symbols_(options) {
    scope_.folder = folder;
    scope_.graph = Graph(proto_.name().empty() ? "model" : proto_.name());
    scope_.max_bytes = options.max_bytes;
  }

  Graph Run() {
    CheckOperators();
    ReadOpsets();
    ReadInitializers();
    ReadInputs();
    for (int64_t i : NodeOrder()) ReadNode(proto_.node(static_cast<int>(i)));
    ReadOutputs();
    Graph graph = RemoveDead(scope_.graph);
    Verify(graph);
    return graph;
  }

 private:
  /// Names all operators that are not supported, so that one look says whether a model is near.
  void CheckOperators() {
    constexpr size_t kMostNamed = 20;
    std::map<std::string, int64_t> unknown;
    for (const onnx::NodeProto& node : proto_.node()) {
      const std::string domain = Domain(node.domain());
      if (!FindOnnxOperator(domain, node.op_type()))
        ++unknown[StrCat(domain, domain.empty() ? "" : ".", node.op_type())];
    }
    std::string list;
    size_t named = 0;
    for (const auto& [name, count] : unknown) {
      if (++named > kMostNamed) continue;
      list += StrCat(list.empty() ? "" : ", ", name, " (", Counted(count, "node"), ")");
    }
    if (named > kMostNamed) list += StrCat(" and ", named - kMostNamed, " more");
    if (named > 0)
      throw Error("", Plural(named, "operator"), list,
                  named == 1 ? "is not supported" : "are not supported");
  }

  void ReadOpsets() {
    for (const auto& opset : model_.opset_import()) {
      if (!opsets_.emplace(Domain(opset.domain()), opset.version()).second)
        throw Error("", "opset_import", opset.domain(), "is listed twice");
    }
    if (!opsets_.contains(""))
      throw Error("", "opset_import", "missing", "the model must name its opset");
    const int64_t version = opsets_[""];
    if (version < kLeastOpset || version > kMostOpset)
      throw Error("", "opset", StrCat(version),
                  StrCat("must be ", kLeastOpset, " to ", kMostOpset));
  }

  void ReadInitializers() {
    if (proto_.sparse_initializer_size() > 0)
      throw Error("", "sparse_initializer", proto_.sparse_initializer(0).values().name(),
                  "sparse tensors are not supported");
    for (const onnx::TensorProto& tensor : proto_.initializer()) {
      scope_.Count(ReadOnnxType(tensor, "initializer"), "initializers");
      std::optional<Tensor> made_up = absent_.Of(tensor, "initializer");
      OnnxBinding binding{std::make_shared<const Tensor>(
          made_up ? std::move(*made_up) : ReadOnnxTensor(tensor, "initializer", scope_.folder))};
      if (tensor.name().empty()) throw Error("", "initializer", "unnamed", "must have a name");
      if (!scope_.bindings.emplace(tensor.name(), std::move(binding)).second)
        throw Error("", "initializer", tensor.name(), "is defined twice");
    }
  }

  int64_t ReadDimension(const onnx::TensorShapeProto::Dimension& dim, int axis,
                        const std::string& input) {
    constexpr int64_t kUnknown = -1;  // as some exporters write it
    return dim.has_dim_value() && dim.dim_value() != kUnknown
               ? dim.dim_value()
               : symbols_.SizeOf(input, axis, dim.dim_param());
  }

  TensorType ReadType(const onnx::ValueInfoProto& info) {
    const std::string where = StrCat("input \"", info.name(), "\"");
    if (!info.type().has_tensor_type())
      throw Error(where, "type", "not a tensor", "only tensors are supported");
    const auto& tensor = info.type().tensor_type();
    const auto dtype = DTypeFromOnnx(tensor.elem_type());
    if (!dtype)
      throw Error(where, "element type", OnnxTypeName(tensor.elem_type()),
                  "is not a supported element type");
    if (!tensor.has_shape()) throw Error(where, "shape", "missing", "must be given");
    TensorType type{*dtype, {}};
    for (int axis = 0; axis < tensor.shape().dim_size(); ++axis)
      type.shape.push_back(ReadDimension(tensor.shape().dim(axis), axis, info.name()));
    if (!CheckedElements(type.shape))
      throw Error(where, "shape", ToText(type.shape),
                  "dimensions must be at least 1 and their product at most 2^40");
    return type;
  }

  /// An input that an initializer gives is of the initializer's type.
  static void CheckDeclared(const onnx::ValueInfoProto& info, const TensorType& type) {
    const int64_t declared = info.type().tensor_type().elem_type();
    if (declared != 0 && DTypeFromOnnx(declared) != type.dtype)
      throw Error(StrCat("input \"", info.name(), "\""), "declared element type",
                  OnnxTypeName(declared), StrCat("its initializer is ", ToText(type)));
  }

  void ReadInputs() {
    for (const onnx::ValueInfoProto& info : proto_.input()) {
      if (!input_names_.insert(info.name()).second)
        throw Error("", "input", info.name(), "is defined twice");
      if (const auto found = scope_.bindings.find(info.name()); found != scope_.bindings.end()) {
        CheckDeclared(info, found->second.constant->type());
        continue;
      }
      if (info.name().empty()) throw Error("", "input", "unnamed", "must have a name");
      const TensorType type = ReadType(info);
      scope_.Count(type, "inputs");
      scope_.bindings[info.name()].value = scope_.graph.AddInput(info.name(), type);
    }
    symbols_.Check();
  }

  /// A node on a cycle, of which there is one.
  int64_t OnACycle(std::vector<std::pair<int64_t, int64_t>> edges) const {
    std::sort(edges.begin(), edges.end());
    std::vector<int64_t> waits(proto_.node_size()), ready;
    for (const auto& [from, to] : edges) ++waits[to];
    for (int i = 0; i < proto_.node_size(); ++i)
      if (waits[i] == 0) ready.push_back(i);
    while (!ready.empty()) {
      const int64_t node = ready.back();
      ready.pop_back();
      for (auto edge = std::lower_bound(edges.begin(), edges.end(), std::pair(node, int64_t{0}));
           edge != edges.end() && edge->first == node; ++edge)
        if (--waits[edge->second] == 0) ready.push_back(edge->second);
    }
    // Every node that still waits does so for one that waits: going back ends on a cycle.
    std::map<int64_t, int64_t> before;
    for (const auto& [from, to] : edges)
      if (waits[from] > 0 && waits[to] > 0) before[to] = from;
    int64_t node = before.begin()->first;
    for (size_t step = 0; step < before.size(); ++step) node = before.at(node);
    return node;
  }

  /// An executable order of the nodes; also refuses values that are defined twice.
  std::vector<int64_t> NodeOrder() {
    std::map<std::string, int64_t> producers;
    for (int i = 0; i < proto_.node_size(); ++i) {
      for (const std::string& output : proto_.node(i).output()) {
        if (output.empty()) continue;
        if (scope_.bindings.contains(output) || !producers.emplace(output, i).second)
          throw Error(
              StrCat("node \"", proto_.node(i).name(), "\" (", proto_.node(i).op_type(), ")"),
              "output", output, "is defined twice");
      }
    }
    std::vector<std::pair<int64_t, int64_t>> edges;
    for (int i = 0; i < proto_.node_size(); ++i) {
      for (const std::string& input : proto_.node(i).input()) {
        auto found = producers.find(input);
        if (found != producers.end()) edges.emplace_back(found->second, i);
      }
    }
    const auto order = TopologicalOrder(proto_.node_size(), edges);
    if (!order) {
      const onnx::NodeProto& node = proto_.node(static_cast<int>(OnACycle(edges)));
      throw Error(StrCat("node \"", node.name(), "\" (", node.op_type(), ")"), "", "",
                  "waits for itself: its inputs come from its own outputs");
    }
    return *order;
  }

  void ReadNode(const onnx::NodeProto& proto) {
    const std::string domain = Domain(proto.domain());
    const int64_t opset = opsets_.contains(domain) ? opsets_[domain] : 0;
    OnnxNode node(proto, opset, scope_);
    try {
      const OnnxOperator* row = FindOnnxOperator(domain, proto.op_type());
      VTA_CHECK(row, proto.op_type());
      if (opset < row->since)
        throw node.Fail("operator", proto.op_type(),
                        StrCat("needs opset ", row->since, " of its domain"));
      if (proto.input_size() < row->min_inputs || proto.input_size() > row->max_inputs)
        throw node.Fail("inputs", StrCat(proto.input_size()),
                        StrCat("must be ", row->min_inputs, " to ", row->max_inputs));
      for (int i = row->outputs; i < proto.output_size(); ++i) {
        if (!proto.output(i).empty())
          throw node.Fail("outputs", proto.output(i), StrCat("only ", row->outputs, " supported"));
      }
      row->convert(node);
      node.FinishAttributes();
    } catch (const Error& error) {
      throw Error(node.Where(), error.subject(), error.value(), error.rule());
    }
  }

  void ReadOutputs() {
    if (proto_.output_size() == 0) throw Error("", "outputs", "none", "must have at least one");
    for (const onnx::ValueInfoProto& info : proto_.output()) {
      auto found = scope_.bindings.find(info.name());
      if (found == scope_.bindings.end())
        throw Error("", "output", info.name(), "is not made by any node");
      OnnxBinding& binding = found->second;
      if (binding.value == kNone) {
        if (!CheckedElements(binding.constant->shape()))
          throw Error("", StrCat("output \"", info.name(), "\""), ToText(binding.constant->type()),
                      "must not be empty");
        binding.value = scope_.graph.AddConstant(info.name(), binding.constant);
      }
      CheckOutput(info, scope_.graph.type(binding.value));
      scope_.graph.AddOutput(info.name(), binding.value);
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
    bool agrees = declared.shape().dim_size() == static_cast<int>(type.shape.size());
    std::string text;
    for (int i = 0; i < declared.shape().dim_size(); ++i) {
      const auto& dim = declared.shape().dim(i);
      agrees = agrees && (!dim.has_dim_value() || dim.dim_value() == type.shape[i]);
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
  OnnxScope scope_;
  std::map<std::string, int64_t> opsets_;
  std::set<std::string> input_names_;
  SymbolicDimensions symbols_;
};

Graph Import(std::span<const uint8_t> bytes, const std::string& file, const std::string& folder,
             const OnnxOptions& options) {
  const onnx::ModelProto model = ParseModel(bytes, file);
  try {
    return Importer(model, options, folder).Run();
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
