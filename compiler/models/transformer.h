// Transformers: blocks of attention and two dense layers, normalised before each (pre-norm).
#pragma once

#include "compiler/models/network_builder.h"

namespace vta::compiler {

/// The shapes of DeiT-tiny: patches of 16x16 and a token for the class, 12 blocks, 192 wide.
void BuildVitTiny(NetworkBuilder& builder);
/// 4 blocks, 128 wide, of 64 tokens.
void BuildTinyTransformer(NetworkBuilder& builder);

}  // namespace vta::compiler
