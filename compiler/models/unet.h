// U-Net (Ronneberger et al.): an encoder, a decoder of transposed convolutions, and what each stage
// of the one hands over to the other.
#pragma once

#include "compiler/models/network_builder.h"

namespace vta::compiler {

/// Padded convolutions, batch normalisation, colour images, two classes.
void BuildUnet(NetworkBuilder& builder);

}  // namespace vta::compiler
