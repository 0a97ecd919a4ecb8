// MobileNets: v1 (Howard et al., depthwise separable convolutions) and v2 (Sandler et al., inverted
// residuals), both with ReLU6.
#pragma once

#include "compiler/models/network_builder.h"

namespace vta::compiler {

void BuildMobilenetV1(NetworkBuilder& builder);
void BuildMobilenetV2(NetworkBuilder& builder);
void BuildMobilenetTiny(NetworkBuilder& builder);

}  // namespace vta::compiler
