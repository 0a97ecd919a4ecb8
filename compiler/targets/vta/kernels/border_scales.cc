#include "compiler/targets/vta/kernels/border_scales.h"

#include <algorithm>
#include <string>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/epilogue.h"
#include "compiler/targets/vta/kernels/nodes.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

/// The lane of a place of the result, counted row by row.
isa::RequantLane LaneOfPlace(const Graph& graph, const Node& node, int64_t place) {
  isa::RequantLane lane = LaneOf(node);
  lane.bias = graph.constant(node.inputs[1])->data<int32_t>()[place];
  lane.multiplier = graph.constant(node.inputs[2])->data<int32_t>()[place];
  lane.exponent = static_cast<int8_t>(
      std::clamp(graph.constant(node.inputs[3])->data<int32_t>()[place], -31, 30));
  return lane;
}

}  // namespace

std::vector<int32_t> PackBorderScales(const isa::Config& config, const Graph& graph,
                                      const Node& node, const ConvShape& s) {
  const Border lines = s.border_h(), columns = s.border_w();
  const size_t lanes = s.groups * s.co * ChannelBlocks(config).channels;
  const auto blocks = static_cast<int64_t>(lanes) / config.arch.block_out;
  std::vector<int32_t> rows;
  for (int64_t y = 0; y < lines.classes(); ++y)
    for (int64_t x = 0; x < columns.classes(); ++x) {
      const isa::RequantLane lane =
          LaneOfPlace(graph, node, lines.OutputOf(y) * s.out_w() + columns.OutputOf(x));
      rows = JoinRows(blocks, rows,
                      PackParameters(config, std::vector<isa::RequantLane>(lanes, lane),
                                     std::vector<int64_t>(lanes, s.kh * s.kw * 128)));
    }
  return rows;
}

void ReadBorderScales(const isa::Config& config, const Graph& graph, const Node& node,
                      ConvShape* s) {
  constexpr int64_t kAllBits = 32;
  if (EpilogueOf(config) != EpilogueKind::kRequant)
    Refuse(node, "arch.requant", "0",
           "windows at borders have scales of their own, which needs the ALU operation requant");
  if (config.arch.requant_multiplier_bits < kAllBits)
    Refuse(node, "arch.requant_multiplier_bits",
           std::to_string(config.arch.requant_multiplier_bits),
           StrCat("must be ", kAllBits, ": scales at borders are only exact then"));
  if (s->border_rows)
    Refuse(node, "pad_value", std::to_string(s->pad_value), "must be one that the config has");
  for (size_t i = 1; i < node.inputs.size(); ++i)
    if (!graph.constant(node.inputs[i]))
      Refuse(node, "input", graph.value(node.inputs[i]).name, "must be a constant");
  s->border_scales = true;
  const Border lines = s->border_h(), columns = s->border_w();
  for (int64_t y = 0; y < lines.size; ++y)
    for (int64_t x = 0; x < columns.size; ++x) {
      const int64_t like = lines.LikeOutput(y) * columns.size + columns.LikeOutput(x);
      for (size_t i = 1; i < node.inputs.size(); ++i) {
        const std::span<const int32_t> of = graph.constant(node.inputs[i])->data<int32_t>();
        if (of[y * columns.size + x] != of[like])
          Refuse(node, StrCat(graph.value(node.inputs[i]).name, "[", y, ",", x, "]"),
                 std::to_string(of[y * columns.size + x]),
                 StrCat("must be ", of[like], ", as where windows see the same pads"));
      }
    }
}

}  // namespace vta::compiler::targets
