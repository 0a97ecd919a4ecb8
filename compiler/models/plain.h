// Networks without shortcuts that are added: VGG and SqueezeNet.
#pragma once

#include "compiler/models/network_builder.h"

namespace vta::compiler {

void BuildVgg16(NetworkBuilder& builder);
void BuildSqueezenet(NetworkBuilder& builder);

}  // namespace vta::compiler
