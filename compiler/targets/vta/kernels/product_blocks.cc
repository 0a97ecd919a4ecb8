// The blocks of a product whose matrices are made when it runs.
#include "compiler/targets/vta/kernels/conv/workload.h"
#include "compiler/targets/vta/kernels/nodes.h"

namespace vta::compiler::targets {

std::optional<ProductBlocks> MatrixBlocks(const isa::Config& config, const Node& node) {
  const isa::Arch& arch = config.arch;
  if (EpilogueOf(config) != EpilogueKind::kRequant) return std::nullopt;
  const std::vector<int32_t> rows =
      PackParameters(config, std::vector<isa::RequantLane>(arch.block_out, LaneOf(node)),
                     std::vector<int64_t>(arch.block_out));
  const int64_t bias = arch.batch * arch.block_out;
  const std::vector<int32_t> further(rows.begin() + bias, rows.end());
  return ProductBlocks{
      arch.block_out, arch.block_in, arch.batch,
      Tensor::Of<int32_t>({std::ssize(further) / bias, arch.batch, arch.block_out}, further)};
}

}  // namespace vta::compiler::targets
