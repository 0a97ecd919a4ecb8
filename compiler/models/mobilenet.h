// MobileNets: v1 (Howard et al., depthwise separable convolutions) and v2 (Sandler et al., inverted
// residuals), both with ReLU6.
#pragma once

#include "compiler/models/qdq_builder.h"

namespace vta::compiler {

void BuildMobilenetV1(QdqBuilder& builder);
void BuildMobilenetV2(QdqBuilder& builder);
void BuildMobilenetTiny(QdqBuilder& builder);

}  // namespace vta::compiler
