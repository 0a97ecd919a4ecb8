// Residual networks (He et al., "Deep Residual Learning for Image Recognition").
#pragma once

#include "compiler/models/network_builder.h"

namespace vta::compiler {

void BuildResnet18(NetworkBuilder& builder);
/// Its convolutions C2 to C11, as the VTA paper (Moreau et al., "A Hardware-Software Blueprint for
/// Flexible Deep Learning Specialization") numbers their shapes: all 19 but the first, with the
/// residual sums between them.
void BuildResnet18C2ToC11(NetworkBuilder& builder);
/// Version 1.5: a bottleneck strides in its 3x3 convolution.
void BuildResnet50(NetworkBuilder& builder);
void BuildResnetTiny(NetworkBuilder& builder);

}  // namespace vta::compiler
