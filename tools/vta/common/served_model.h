// Models that a server is to run.
#pragma once

#include "tools/vta/common/engines.h"
#include "tools/vta/common/session.h"

namespace vta::tools {

/// What the command line does not say of a model that is compiled for an engine of a server is what
/// that has: its devices' config, its CPU; and where they are CPUs alone, no accelerator.
/// Errors: as driver::remote::Connect.
void TakeFromServer(const EngineOptions& engine, ModelOptions* options);

}  // namespace vta::tools
