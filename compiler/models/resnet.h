// Residual networks (He et al., "Deep Residual Learning for Image Recognition").
#pragma once

#include "compiler/models/network_builder.h"

namespace vta::compiler {

void BuildResnet18(NetworkBuilder& builder);
/// The shapes of its convolutions counted as C1, the first, to C11: all 19 from C2 on, with their
/// residual sums.
void BuildResnet18C2ToC11(NetworkBuilder& builder);
/// Version 1.5: a bottleneck strides in its 3x3 convolution.
void BuildResnet50(NetworkBuilder& builder);
void BuildResnetTiny(NetworkBuilder& builder);

}  // namespace vta::compiler
