// What a kernel of the CPU computes after its head: element-wise ops, in the head's registers.
#pragma once

#include <span>
#include <string>

#include "compiler/targets/cpu/operands.h"

namespace vta::compiler::targets {

/// Whether each node after the first is element-wise, makes values of one shape and reads the one
/// before it. When not, `why` (if given) says it in a phrase.
bool IsChain(const Graph& graph, std::span<const NodeId> nodes, std::string* why = nullptr);

/// The last node's result, as the graph sees it, from what the first one makes.
te::Tensor ChainValue(const Graph& graph, std::span<const NodeId> nodes, te::Tensor value,
                      Operands& operands);

/// The kernel's result, `value` laid out as the last node's value is stored; in blocks, what fills
/// up the channels is 0 where an operand of the chain does not reach so far. Blocks that are words
/// are stored as such.
te::Tensor StoredResult(const Graph& graph, std::span<const NodeId> nodes, const te::Tensor& value);

}  // namespace vta::compiler::targets
