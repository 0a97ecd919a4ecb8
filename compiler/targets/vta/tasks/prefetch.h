// Weights of a program that runs behind others are loaded while those leave the bus alone.
#pragma once

#include "compiler/targets/vta/tasks/join.h"
#include "isa/config.h"

namespace vta::compiler::targets {

/// Moves loads of constant weights before tasks of the parts in front of theirs, whole or cut,
/// where the load module would wait for compute; and gives the parts' weights other rows, so that
/// they are in nobody's way there. Micro-ops and tokens are not placed yet.
void PrefetchWeights(const isa::Config& config, JoinedTasks* joined);

}  // namespace vta::compiler::targets
