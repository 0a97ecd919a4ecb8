// What a kernel of the CPU computes after its anchor: element-wise ops, in the anchor's registers.
#pragma once

#include <span>
#include <string>

#include "compiler/targets/cpu/anchors.h"

namespace vta::compiler::targets {

/// Whether each node after the first is element-wise, makes values of one shape and reads some
/// before it, or what those read, and what each but the last makes is read by some behind it. Codes
/// may be moved between them, few values put side by side, elements of what is cheap taken several
/// times (resizing), and one of them may reduce the lines that those before it make (FindLines).
/// When not, `why` (if given) says it in a phrase.
bool IsEpilogue(const Graph& graph, std::span<const NodeId> nodes, Arithmetic arithmetic,
                std::string* why = nullptr);

/// The first concatenation in a step that puts few values side by side, which the nodes before it
/// make element by element of parts of others, and those behind it do not move; kNone where there
/// is none.
NodeId JoinOfFew(const Graph& graph, std::span<const NodeId> nodes);

/// The last node's result, as the graph sees it, from what the first one makes.
te::Tensor EpilogueValue(const Graph& graph, std::span<const NodeId> nodes, te::Tensor value,
                         Operands& operands);

/// The kernel's result, `value` laid out as the last node's value is stored; in blocks, what fills
/// up the channels is 0 where an operand of the epilogue does not reach so far. Blocks that are
/// words are stored as such.
te::Tensor StoredResult(const Graph& graph, std::span<const NodeId> nodes, const te::Tensor& value);

}  // namespace vta::compiler::targets
