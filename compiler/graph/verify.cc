#include "compiler/graph/verify.h"

#include <set>

#include "compiler/graph/ops.h"
#include "compiler/graph/schedule.h"

namespace vta::compiler {
namespace {

void VerifyValue(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  const std::string what = StrCat("value %", value.name);
  if (!CheckedElements(value.type.shape))
    throw Error(graph.name(), what, ToText(value.type), "dimensions must be at least 1");
  if (value.constant && value.constant->type() != value.type)
    throw Error(graph.name(), what, ToText(value.constant->type()),
                StrCat("constant must be ", ToText(value.type)));
  if (value.storage && (value.type.shape.size() != 4 || value.producer == kNone ||
                        !CheckedElements(value.stored().shape)))
    throw Error(graph.name(), what, ToText(*value.storage), "must be of an activation in between");
  if (value.producer != kNone && graph.nodes().at(value.producer).output != id)
    throw Error(graph.name(), what, StrCat(value.producer), "its producer makes another value");
}

void VerifyNode(const Graph& graph, NodeId id) {
  const Node& node = graph.nodes()[id];
  for (ValueId input : node.inputs) {
    const Value& value = graph.value(input);
    if (value.producer >= id)
      throw Error(graph.name(), StrCat("node \"", node.name, "\""), value.name,
                  "reads a value that is made later");
  }
  const TensorType type = InferType(graph, node);
  if (type != graph.type(node.output))
    throw Error(graph.name(), StrCat("node \"", node.name, "\""), ToText(graph.type(node.output)),
                StrCat("the op's shape rule gives ", ToText(type)));
}

}  // namespace

void Verify(const Graph& graph) {
  std::set<std::string> names;
  for (ValueId id = 0; id < static_cast<ValueId>(graph.values().size()); ++id) {
    VerifyValue(graph, id);
    if (!names.insert(graph.value(id).name).second)
      throw Error(graph.name(), "value", graph.value(id).name, "is defined twice");
  }
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) VerifyNode(graph, id);
  if (graph.outputs().empty())
    throw Error(graph.name(), "outputs", "none", "must have at least one output");
  for (const GraphOutput& output : graph.outputs()) {
    if (const Value& value = graph.value(output.value); value.storage)
      throw Error(graph.name(), StrCat("output ", output.name), ToText(*value.storage),
                  "must lie row by row");
  }
  Steps(graph);
}

}  // namespace vta::compiler
