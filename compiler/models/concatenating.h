// Networks whose branches lie side by side in the channels: SqueezeNet (Iandola et al.), DenseNet
// (Huang et al.), ShuffleNet v2 (Ma et al.) and Inception v3 (Szegedy et al.).
#pragma once

#include "compiler/models/network_builder.h"

namespace vta::compiler {

void BuildSqueezenet(NetworkBuilder& builder);  // 1.1
void BuildSqueezenet10(NetworkBuilder& builder);
void BuildDensenet121(NetworkBuilder& builder);
void BuildShufflenetV2(NetworkBuilder& builder);
void BuildInceptionV3(NetworkBuilder& builder);

}  // namespace vta::compiler
