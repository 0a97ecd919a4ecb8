// A step of the graph as tensor expressions over tensors that lie row by row.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/targets/gpu/lines.h"
#include "compiler/targets/gpu/out_axes.h"
#include "compiler/targets/gpu/tile.h"
#include "compiler/targets/step_code.h"
#include "isa/spec/gpu.h"

namespace vta::compiler::targets {

/// Parameters: the inputs, then the result.
struct GpuExpression {
  loop::Function function;
  std::vector<KernelInput> inputs;
  std::optional<GpuProduct> product;  // of taps, as conv.h has them: [N, O, H*W]
  std::optional<GpuTile> tile;        // of a product; absent where none fits
  std::optional<GpuLines> lines;      // of a node that has some
  std::vector<OutAxis> out_axes;      // of "out", of a product that moves follow
};

/// The product that a step begins with, whose outputs lie as what is behind it has them; absent
/// where it begins with none.
std::optional<GpuProduct> ProductOfStep(const Graph& graph, std::span<const NodeId> nodes,
                                        const isa::GpuRow& gpu, isa::Precision precision);

/// `tile`: of a product, which has it; absent for the rule's.
/// Errors: throws Error naming the node where the loop IR has no arithmetic for a type.
GpuExpression ExpressForGpu(const Graph& graph, std::span<const NodeId> nodes,
                            const isa::GpuRow& gpu, isa::Precision precision,
                            const std::optional<GpuTile>& tile = {});

}  // namespace vta::compiler::targets
