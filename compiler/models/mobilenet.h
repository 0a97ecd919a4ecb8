// MobileNets: v1 (Howard et al., depthwise separable convolutions) and v2 (Sandler et al., inverted
// residuals), and EfficientNet-Lite0 (Google's EfficientNet without what integers do badly: v2's
// blocks, some 5x5), all with ReLU6.
#pragma once

#include "compiler/models/network_builder.h"

namespace vta::compiler {

void BuildMobilenetV1(NetworkBuilder& builder);
void BuildMobilenetV2(NetworkBuilder& builder);
void BuildEfficientnetLite0(NetworkBuilder& builder);
void BuildMobilenetTiny(NetworkBuilder& builder);

}  // namespace vta::compiler
