// Graphs of the compiler, compiled and run sample by sample: what the quantiser sees networks by.
#pragma once

#include "compiler/quantize/runner.h"
#include "isa/config.h"
#include "tools/shared/inferences.h"
#include "tools/vta/common/engines.h"

namespace vta::tools {

/// Native code of this machine's CPU. `threads`: as runtime::SessionOptions.
compiler::quantize::MakeRunner OnCpu(int64_t threads = 0);

/// Programs for a config on an engine, and the CPU where the accelerator takes nothing. `engine` is
/// copied; one that needs files of its own is not for this.
compiler::quantize::MakeRunner OnEngine(const isa::Config& config, const EngineOptions& engine);

/// The same, which keeps the last few runners: the quantiser comes back to the float network.
compiler::quantize::MakeRunner Remembering(compiler::quantize::MakeRunner make_runner);

/// A graph's inputs as those of a package, for what reads samples.
std::vector<isa::PackageTensor> InputTensors(const compiler::Graph& graph);

}  // namespace vta::tools
