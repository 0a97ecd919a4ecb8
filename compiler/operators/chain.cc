#include "compiler/operators/chain.h"

#include <algorithm>

#include "compiler/graph/ops.h"
#include "isa/support/error.h"

namespace vta::compiler::operators {

std::string WhyNotBehind(const Graph& graph, const Node& node, const Node& before) {
  const char* broken = nullptr;
  if (!Spec(node.op).traits.elementwise) broken = "is not element-wise";
  if (graph.shape(node.output) != graph.shape(before.output)) broken = "has another shape";
  if (std::count(node.inputs.begin(), node.inputs.end(), before.output) != 1)
    broken = "does not read it once";
  if (!broken) return "";
  return StrCat("computes after \"", before.name, "\" only what follows element by element: \"",
                node.name, "\" ", broken);
}

}  // namespace vta::compiler::operators
