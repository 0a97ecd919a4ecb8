#include <algorithm>
#include <map>
#include <set>

#include "compiler/frontend/symbolic_dimensions.h"
#include "compiler/frontend/tflite.h"
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"
#include "compiler/graph/rebuild.h"
#include "compiler/graph/verify.h"
#include "isa/support/plural.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

class Importer {
 public:
  Importer(const schema::Model& model, const TfliteOptions& options)
      : model_(model), subgraph_(*model.subgraphs()->Get(0)), symbols_(options) {
    const std::string name = subgraph_.name() ? subgraph_.name()->str() : "";
    scope_.graph = Graph(name.empty() ? "model" : name, isa::Rounding::kDouble);
    scope_.max_bytes = options.max_bytes;
    scope_.model = &model_;
    scope_.subgraph = &subgraph_;
    scope_.bindings.resize(subgraph_.tensors() ? subgraph_.tensors()->size() : 0);
  }

  Graph Run() {
    CheckOperators();
    ReadInputs();
    for (int64_t i = 0; i < operator_count(); ++i) ReadOperator(i);
    ReadOutputs();
    Graph graph = RemoveDead(scope_.graph);
    Verify(graph);
    return graph;
  }

 private:
  int64_t operator_count() const {
    return subgraph_.operators() ? int64_t{subgraph_.operators()->size()} : 0;
  }
  const schema::Operator& op(int64_t number) const {
    return *subgraph_.operators()->Get(static_cast<uint32_t>(number));
  }
  const schema::OperatorCode& CodeOf(int64_t number) const {
    return *model_.operator_codes()->Get(op(number).opcode_index());
  }
  /// Older files have the code in a byte.
  static int BuiltinOf(const schema::OperatorCode& code) {
    return std::max(int{code.deprecated_builtin_code()}, static_cast<int>(code.builtin_code()));
  }
  static std::string CustomOf(const schema::OperatorCode& code) {
    const bool custom = BuiltinOf(code) == static_cast<int>(schema::BuiltinOperator::CUSTOM);
    return custom && code.custom_code() ? code.custom_code()->str() : "";
  }
  static std::string KindOf(const schema::OperatorCode& code) {
    const std::string name = TfliteOperatorName(BuiltinOf(code)), custom = CustomOf(code);
    return custom.empty() ? name : StrCat(name, " ", custom);
  }
  static const TfliteOperator* RowOf(const schema::OperatorCode& code) {
    return FindTfliteOperator(BuiltinOf(code), CustomOf(code));
  }
  std::string TensorName(int64_t number) const {
    return TfliteTensorName(scope_.tensor(number), number);
  }

  /// Names all operators that are not supported, so that one look says whether a model is near.
  void CheckOperators() {
    constexpr size_t kMostNamed = 20;
    std::map<std::string, int64_t> unknown;
    for (int64_t i = 0; i < operator_count(); ++i)
      if (!RowOf(CodeOf(i))) ++unknown[KindOf(CodeOf(i))];
    std::string list;
    size_t named = 0;
    for (const auto& [name, count] : unknown) {
      if (++named > kMostNamed) continue;
      list += StrCat(list.empty() ? "" : ", ", name, " (", Counted(count, "time"), ")");
    }
    if (named > kMostNamed) list += StrCat(" and ", named - kMostNamed, " more");
    if (named > 0)
      throw Error("", Plural(named, "operator"), list,
                  named == 1 ? "is not supported" : "are not supported");
  }

  /// The signature, where there is one, says which sizes are not known.
  static const flatbuffers::Vector<int32_t>* DeclaredShape(const schema::Tensor& tensor) {
    const auto* signature = tensor.shape_signature();
    return signature && signature->size() > 0 ? signature : tensor.shape();
  }

  void Declare(const schema::Tensor& tensor, const std::string& name) {
    const auto* shape = DeclaredShape(tensor);
    for (int64_t axis = 0; shape && axis < std::ssize(*shape); ++axis)
      if (shape->Get(static_cast<uint32_t>(axis)) == -1)
        open_[{name, axis}] = symbols_.Add(name, axis, "");
  }

  TensorType ReadInputType(const schema::Tensor& tensor, const std::string& name) {
    if (tensor.type() == schema::TensorType::FLOAT16)
      throw Error("", "element type", "FLOAT16", "is not supported for inputs");
    TensorType type{TfliteDType(tensor), {}};
    const auto* shape = DeclaredShape(tensor);
    for (int64_t axis = 0; shape && axis < std::ssize(*shape); ++axis) {
      const auto open = open_.find({name, axis});
      type.shape.push_back(open == open_.end() ? shape->Get(static_cast<uint32_t>(axis))
                                               : symbols_.SizeOf(open->second));
    }
    if (!CheckedElements(type.shape))
      throw Error("", "shape", ToText(type.shape),
                  "dimensions must be at least 1 and their product at most 2^40");
    return type;
  }

  void ReadInputs() {
    if (!subgraph_.inputs()) return symbols_.Check();
    for (int32_t number : *subgraph_.inputs()) Declare(scope_.tensor(number), TensorName(number));
    symbols_.Infer();
    for (int32_t number : *subgraph_.inputs()) {
      const std::string name = TensorName(number);
      TfliteBinding& binding = scope_.bindings[number];
      if (binding.value != kNone) throw Error("", "input", name, "is listed twice");
      try {
        const TensorType type = ReadInputType(scope_.tensor(number), name);
        if (IsTfliteConstant(model_, scope_.tensor(number)))
          throw Error("", "", "", "must not be a constant");
        ReadTfliteScales(scope_.tensor(number));
        scope_.Count(type, "");
        binding.value = scope_.graph.AddInput(name, type);
      } catch (const Error& error) {
        if (!error.where().empty()) throw;
        throw error.In(StrCat("input \"", name, "\""));
      }
    }
    symbols_.Check();
  }

  /// The order of the file is one of execution.
  void ReadOperator(int64_t number) {
    TfliteNode node(op(number), number, KindOf(CodeOf(number)), scope_);
    try {
      const TfliteOperator* row = RowOf(CodeOf(number));
      VTA_CHECK(row, number);
      if (node.input_count() < row->min_inputs || node.input_count() > row->max_inputs)
        throw node.Fail("inputs", StrCat(node.input_count()),
                        StrCat("must be ", row->min_inputs, " to ", row->max_inputs));
      if (node.output_count() < 1 || node.output_count() > row->max_outputs)
        throw node.Fail("outputs", StrCat(node.output_count()),
                        StrCat("must be 1 to ", row->max_outputs));
      CheckOutputsAreNew(number);
      if (row->moves && node.IsComplex()) {
        for (const auto part : {TfliteNode::Part::kReal, TfliteNode::Part::kImaginary}) {
          node.Take(part);
          row->convert(node);
        }
        return;
      }
      row->convert(node);
    } catch (const Error& error) {
      throw Error(node.Where(), error.subject(), error.value(), error.rule());
    }
  }

  void CheckOutputsAreNew(int64_t number) {
    for (int32_t output : *op(number).outputs()) {
      if (scope_.bindings[output].value != kNone || scope_.bindings[output].constant ||
          !made_.insert(output).second || IsTfliteConstant(model_, scope_.tensor(output)))
        throw Error("", "output", TensorName(output), "is defined twice");
    }
  }

  void ReadOutputs() {
    if (!subgraph_.outputs() || subgraph_.outputs()->size() == 0)
      throw Error("", "outputs", "none", "must have at least one");
    for (int32_t number : *subgraph_.outputs()) {
      const std::string name = TensorName(number);
      try {
        const ValueId value = scope_.Value(number);
        if (value == kNone) throw Error("", "", "", "is not made by any operator");
        if (scope_.bindings[number].imaginary != kNone)
          throw Error("", "element type", "COMPLEX64", "is not supported for outputs");
        CheckOutput(scope_.tensor(number), scope_.graph.type(value));
        scope_.graph.AddOutput(name, value);
      } catch (const Error& error) {
        throw error.In(StrCat("output \"", name, "\""));
      }
    }
  }

  /// What the model declares of an output must be what we inferred, where its sizes are known.
  static void CheckOutput(const schema::Tensor& tensor, const TensorType& type) {
    if (tensor.type() == schema::TensorType::FLOAT16)
      throw Error("", "element type", "FLOAT16", "is not supported for outputs");
    const auto* shape = DeclaredShape(tensor);
    Shape declared;
    if (shape) declared.assign(shape->begin(), shape->end());
    bool agrees = declared.size() == type.shape.size();
    for (size_t i = 0; agrees && i < declared.size(); ++i)
      agrees = declared[i] == -1 || declared[i] == type.shape[i];
    if (!agrees && !declared.empty())
      throw Error("", "declared shape", ToText(declared), StrCat("the graph makes ", ToText(type)));
  }

  const schema::Model& model_;
  const schema::SubGraph& subgraph_;
  TfliteScope scope_;
  SymbolicDimensions symbols_;
  std::map<std::pair<std::string, int64_t>, int64_t> open_;  // by input and axis
  std::set<int64_t> made_;                                   // tensors that operators make
};

}  // namespace

bool IsTflite(std::span<const uint8_t> bytes) {
  constexpr size_t kAt = 4;
  return bytes.size() >= kAt + flatbuffers::FlatBufferBuilder::kFileIdentifierLength &&
         schema::ModelBufferHasIdentifier(bytes.data());
}

Graph ImportTflite(std::span<const uint8_t> bytes, const std::string& file,
                   const TfliteOptions& options) {
  constexpr uintptr_t kAlignment = 16;  // numbers are read where they lie
  std::vector<uint8_t> aligned;
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kAlignment != 0) {
    aligned.assign(bytes.begin(), bytes.end());
    bytes = aligned;
  }
  try {
    const schema::Model& model = CheckTfliteFile(bytes);
    return ImportSized(options,
                       [&](const TfliteOptions& sized) { return Importer(model, sized).Run(); });
  } catch (const Error& error) {
    throw error.In(file);
  }
}

}  // namespace vta::compiler
