// Where the phases of a convolution's outputs lie.
#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/conv/workload.h"
#include "compiler/targets/vta/kernels/nodes.h"

namespace vta::compiler::targets {

int64_t ConvWorkload::PlaceOf(int64_t channel, int64_t block) const {
  if (phases() == 1) return channel;
  const int64_t per_group = out_channels / groups / phases();
  const int64_t phase = channel / per_group % phases(), group = channel / per_group / phases();
  const int64_t in_phase = group % groups_together * per_group + channel % per_group;
  const int64_t blocks = groups_together * per_group / block;
  const int64_t row = group / groups_together * shape.phases_h + phase / shape.phases_w;
  const int64_t at = (row * blocks + in_phase / block) * shape.phases_w + phase % shape.phases_w;
  return at * block + in_phase % block;
}

PhasePlaces PlacePhases(const isa::Config& config, const Graph& graph, const Node& interleaves,
                        const ConvShape& shape) {
  const std::vector<int64_t>& crops = interleaves.Ints("crops");
  const BlockSizes out = BlocksOf(config, graph.shape(interleaves.output));
  return {.parts = shape.batch * shape.groups,
          .block_h = shape.phases_h,
          .block_w = shape.phases_w,
          .blocks = shape.co / shape.phases_h,
          .height = shape.out_h(),
          .width = shape.out_w(),
          .crop_top = crops[0],
          .crop_left = crops[1],
          .out_h = out.height,
          .out_w = out.width,
          .element_parts = ChannelBlocks(config).out_parts};
}

}  // namespace vta::compiler::targets
