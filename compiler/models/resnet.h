// Residual networks (He et al., "Deep Residual Learning for Image Recognition").
#pragma once

#include "compiler/models/network_builder.h"

namespace vta::compiler {

void BuildResnet18(NetworkBuilder& builder);
/// Version 1.5: a bottleneck strides in its 3x3 convolution.
void BuildResnet50(NetworkBuilder& builder);
void BuildResnetTiny(NetworkBuilder& builder);

}  // namespace vta::compiler
