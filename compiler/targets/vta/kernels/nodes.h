// What the operators read of the graph's nodes, and the rules that several of them have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/vta/kernels/conv/conv.h"
#include "compiler/targets/vta/kernels/step_plan.h"

namespace vta::compiler::targets {

/// Says of a node what it has and the rule that this breaks.
[[noreturn]] void Refuse(const Node& node, const std::string& what, const std::string& value,
                         const std::string& rule);

/// Sizes of an activation in blocks, packed or plain. Errors: none; other ranks give zeros.
struct BlockSizes {
  int64_t batch = 0, channels = 0, height = 0, width = 0;

  /// Pixels of one channel block.
  int64_t rows() const { return batch * channels * height * width; }
};
BlockSizes BlocksOf(const isa::Config& config, const Shape& shape);

/// Errors: throws Error at the node unless its inputs are activations of its output's shape.
void RequireSameShapes(const Graph& graph, const Node& node);

/// Window attributes (strides, pads, and dilations where the node has them) into `shape`.
/// A pad value that the config cannot make asks for border rows. Errors: throws Error where pads
/// are wider than a DMA can make.
void ReadWindow(const isa::Config& config, const Node& node, int64_t pad_value, ConvShape* shape);

/// The table of a lookup as memory has it: codes 0 to 127 before -128 to -1.
std::vector<uint8_t> TableBytes(const Graph& graph, const Node& lookup);
/// The lane that a node's scalar attributes describe.
isa::RequantLane LaneOf(const Node& node);
/// Whether a lane, its scale absorbed, needs EpilogueKind::kWideShift. Errors: throws Error at the
/// node where it would shift to the left.
bool NeedsWideShift(const isa::Config& config, const Node& node, const isa::RequantLane& lane);

/// Of a kernel that widens its operand: x, the diagonal w of ones, y.
StepPlan PlanWidened(const OperatorStep& step, Scheduled kernel);

}  // namespace vta::compiler::targets
