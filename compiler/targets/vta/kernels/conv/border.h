// What a convolution does by the classes of its border (Border).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/targets/vta/kernels/conv/conv.h"
#include "compiler/te/te.h"

namespace vta::compiler::targets {

using BlockOfOutput = std::function<loop::Expr(const std::vector<loop::Expr>&)>;

/// What pads would have added to the outputs at the borders, from the rows of parameters behind
/// `first`.
te::Tensor AddBorder(const ConvShape& shape, const te::Tensor& conv,
                     const std::vector<te::Axis>& axes, const te::Tensor& parameters, int64_t first,
                     const BlockOfOutput& block_of, std::vector<Stage>* stages);
/// The epilogues of all classes of the border, each by a set of parameters.
te::Tensor AddEpilogues(const ConvShape& shape, isa::Rounding rounding, const te::Tensor& conv,
                        const std::vector<te::Axis>& axes, const te::Tensor& parameters,
                        const BlockOfOutput& block_of, const std::optional<te::Tensor>& table,
                        std::vector<Stage>* stages);

}  // namespace vta::compiler::targets
