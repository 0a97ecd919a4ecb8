#include "compiler/targets/vta/kernels/nodes.h"

#include <algorithm>
#include <span>
#include <utility>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/constants.h"
#include "compiler/targets/vta/lower/dma_fold.h"
#include "isa/spec/published.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

void Refuse(const Node& node, const std::string& what, const std::string& value,
            const std::string& rule) {
  throw Error(StrCat("node \"", node.name, "\""), what, value, rule);
}

BlockSizes BlocksOf(const isa::Config& config, const Shape& s) {
  const int64_t batch = config.arch.batch, block = ChannelBlocks(config).channels;
  if (s.size() == 6) return {s[0], s[1], s[2], s[3]};
  if (s.size() == 4) return {CeilDiv(s[0], batch), CeilDiv(s[1], block), s[2], s[3]};
  if (s.size() == 2) return {CeilDiv(s[0], batch), CeilDiv(s[1], block), 1, 1};
  return {};
}

void RequireSameShapes(const Graph& graph, const Node& node) {
  for (const ValueId input : node.inputs) {
    if (graph.constant(input))
      Refuse(node, "input", graph.value(input).name, "must not be a constant");
    if (graph.shape(input) != graph.shape(node.output))
      Refuse(node, "input shape", ToText(graph.shape(input)), "must be the output's");
  }
}

void ReadWindow(const isa::Config& config, const Node& node, int64_t pad_value, ConvShape* shape) {
  const std::vector<int64_t>& strides = node.Ints("strides");
  const std::vector<int64_t>& pads = node.Ints("pads");
  shape->stride_h = strides[0], shape->stride_w = strides[1];
  shape->pad_top = pads[0], shape->pad_left = pads[1];
  shape->pad_bottom = pads[2], shape->pad_right = pads[3];
  if (node.attributes.Has("dilations")) {
    shape->dilation_h = node.Ints("dilations")[0];
    shape->dilation_w = node.Ints("dilations")[1];
  }
  shape->pad_value = pad_value;
  const int64_t most_columns = kMostPads / ChannelBlocks(config).in_parts;
  for (size_t i = 0; i < pads.size(); ++i) {
    const int64_t most = i % 2 ? most_columns : kMostPads;
    if (pads[i] > most)
      Refuse(node, "pads", std::to_string(pads[i]), StrCat("must be at most ", most));
  }
  if (std::max(pads[0], pads[2]) >= shape->reach_h() ||
      std::max(pads[1], pads[3]) >= shape->reach_w())
    Refuse(node, "pads", ToText(pads), "must be less than the window");
  shape->border_rows = shape->padded() && pad_value != 0 && !config.arch.pad_value;
}

std::vector<uint8_t> TableBytes(const Graph& graph, const Node& lookup) {
  const std::span<const int8_t> table = graph.constant(lookup.inputs[1])->data<int8_t>();
  std::vector<uint8_t> bytes(table.begin(), table.end());
  std::ranges::rotate(bytes, bytes.begin() + isa::kLutBytes / 2);
  return bytes;
}

isa::RequantLane LaneOf(const Node& node) {
  isa::RequantLane lane;
  const Attributes& a = node.attributes;
  if (a.Has("bias")) lane.bias = static_cast<int32_t>(a.Int("bias"));
  if (a.Has("multiplier")) lane.multiplier = static_cast<int32_t>(a.Int("multiplier"));
  if (a.Has("exponent")) lane.exponent = static_cast<int8_t>(a.Int("exponent"));
  lane.zero_point = static_cast<int8_t>(a.Int("zero_point"));
  lane.low = static_cast<int8_t>(a.Int("low"));
  lane.high = static_cast<int8_t>(a.Int("high"));
  return lane;
}

bool NeedsWideShift(const isa::Config& config, const Node& node, const isa::RequantLane& lane) {
  const int64_t shift = ShiftOf(config, lane);
  if (shift < 0)
    Refuse(node, "shift to the left", std::to_string(-shift),
           "must be 0: the scale is too large for weights of 8 bits, and lanes shift to the right "
           "only");
  return shift > isa::kPublishedMostShift;
}

StepPlan PlanWidened(const OperatorStep& step, Scheduled kernel) {
  return {std::move(kernel.definition),
          std::move(kernel.schedule),
          "",
          {{"x", step.node.inputs[0]}, {"y", step.node.output}},
          {{"w", Diagonal(step.config, 1)}}};
}

}  // namespace vta::compiler::targets
