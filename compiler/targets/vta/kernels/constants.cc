#include "compiler/targets/vta/kernels/constants.h"

#include "compiler/targets/vta/kernels/channel_blocks.h"

namespace vta::compiler::targets {

std::vector<uint8_t> Diagonal(const isa::Config& config, int8_t value) {
  const ChannelBlocks blocks(config);
  const int64_t in = config.arch.block_in, out = config.arch.block_out;
  std::vector<uint8_t> weights(blocks.out_parts * blocks.in_parts * config.wgt_bytes());
  for (int64_t c = 0; c < blocks.channels; ++c) {
    const int64_t part = c / out * blocks.in_parts + c / in;
    weights[(part * out + c % out) * in + c % in] = static_cast<uint8_t>(value);
  }
  return weights;
}

std::vector<uint8_t> Bytes(const std::vector<int32_t>& values) {
  std::vector<uint8_t> bytes;
  for (const int32_t value : values)
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<uint8_t>(static_cast<uint32_t>(value) >> shift));
  return bytes;
}

}  // namespace vta::compiler::targets
