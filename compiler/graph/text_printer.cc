// Prints graphs.
#include <algorithm>

#include "compiler/graph/ops.h"
#include "compiler/graph/text.h"

namespace vta::compiler {
namespace {

constexpr int64_t kMostInline = 8;

std::string ValueName(const Graph& graph, ValueId id) {
  const std::string& name = graph.value(id).name;
  const bool bare = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.';
  });
  return "%" + (bare ? name : Quoted(name));
}

std::string ConstantText(const Tensor& tensor) {
  if (tensor.elements() > kMostInline) return "#" + Hex(ContentHash(tensor), 16).substr(2);
  std::string text = "[";
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (i > 0) text += ",";
    text += DispatchDType(tensor.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T v = tensor.data<T>()[i];
      if constexpr (std::is_floating_point_v<T>) return ToText(AttributeValue(double{v}));
      return StrCat(static_cast<int64_t>(v));
    });
  }
  return text + "]";
}

std::string NodeText(const Graph& graph, const Node& node) {
  std::string text = StrCat(Spec(node.op).name, "(");
  for (size_t i = 0; i < node.inputs.size(); ++i)
    text += StrCat(i ? ", " : "", ValueName(graph, node.inputs[i]));
  text += ")";
  if (node.attributes.size() > 0) {
    const char* separator = " {";
    for (const auto& [name, value] : node.attributes) {
      text += StrCat(separator, name, "=", ToText(value));
      separator = ", ";
    }
    text += "}";
  }
  text += " " + Quoted(node.name);
  if (node.group != kNone || node.target != kUnplaced)
    text += StrCat(" @", node.target, ":", node.group);
  return text;
}

}  // namespace

std::string Print(const Graph& graph) {
  std::string text =
      StrCat("graph ", Quoted(graph.name()),
             " rounding=", graph.rounding() == isa::Rounding::kSingle ? "single" : "double", "\n");
  for (ValueId id = 0; id < static_cast<ValueId>(graph.values().size()); ++id) {
    text += StrCat(ValueName(graph, id), " : ", ToText(graph.type(id)));
    if (const auto& storage = graph.value(id).storage) text += " in " + ToText(*storage);
    text += " = ";
    if (graph.constant(id)) {
      text += "const " + ConstantText(*graph.constant(id));
    } else if (const Node* node = graph.Producer(id)) {
      text += NodeText(graph, *node);
    } else {
      text += "input";
    }
    text += "\n";
  }
  for (const GraphOutput& output : graph.outputs())
    text += StrCat("output ", Quoted(output.name), " = ", ValueName(graph, output.value), "\n");
  return text;
}

ConstantTable Constants(const Graph& graph) {
  ConstantTable table;
  for (const Value& value : graph.values()) {
    if (value.constant) table.emplace(ContentHash(*value.constant), value.constant);
  }
  return table;
}

}  // namespace vta::compiler
