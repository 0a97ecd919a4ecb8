// Residual networks (He et al., "Deep Residual Learning for Image Recognition").
#pragma once

#include "compiler/models/qdq_builder.h"

namespace vta::compiler {

void BuildResnet18(QdqBuilder& builder);
/// Version 1.5: a bottleneck strides in its 3x3 convolution.
void BuildResnet50(QdqBuilder& builder);
void BuildResnetTiny(QdqBuilder& builder);

}  // namespace vta::compiler
