// VGG (Simonyan and Zisserman): convolutions of 3x3 and three dense layers.
#pragma once

#include "compiler/models/network_builder.h"

namespace vta::compiler {

void BuildVgg16(NetworkBuilder& builder);
void BuildVgg19(NetworkBuilder& builder);

}  // namespace vta::compiler
