// Convolution, dense layer, average pooling, requantisation and lookup of codes on VTA, one
// workload; a convolution also with what follows it in its step: the addition of its codes to
// another tensor, or depth_to_space, which takes them as phases.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler/targets/vta/kernels/step_plan.h"
#include "compiler/targets/vta/kernels/work.h"

namespace vta::compiler::targets {

/// The rows of conv2d_i8, dense_i8, avg_pool_i8, requant_i8 and lookup_i8 (operators.h).
void RequireConvolution(const OperatorStep& step);
std::vector<Work> ConvolutionLayouts(const OperatorStep& step);
StepPlan PlanConvolution(const OperatorStep& step);
std::unique_ptr<StepSpace> SpaceOfConvolution(const OperatorStep& step);
double ErrorOfConvolution(const OperatorStep& step);
/// Of conv2d_i8 and dense_i8.
Asked AskedOfConvolution(const OperatorStep& step, int64_t macs);

}  // namespace vta::compiler::targets
