// MobileNet v3 (Howard et al.): v2's blocks with hard-swish, and channels that are weighed by what
// the image holds of them ("squeeze and excite").
#pragma once

#include "compiler/models/network_builder.h"

namespace vta::compiler {

void BuildMobilenetV3Large(NetworkBuilder& builder);
void BuildMobilenetV3Small(NetworkBuilder& builder);

}  // namespace vta::compiler
