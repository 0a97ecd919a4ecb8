// Imports workloads of other tools, which have the shapes of layers and nothing else: topologies of
// SCALE-Sim 3 (convolutions and GEMMs), workloads of ZigZag 3 and problems of Timeloop 4 (YAML).
#pragma once

#include <string>
#include <string_view>

#include "compiler/frontend/import_options.h"
#include "compiler/graph/graph.h"

namespace vta::compiler {

/// Whether a text is one of them, by what it holds.
bool IsWorkload(std::string_view text);

/// A network in float of layers that know nothing of each other: each has inputs and an output of
/// its own, and random weights, so that what it takes is its own. Timeloop's includes of other
/// files are read, by the place of `file`.
/// Errors: throws Error naming `file`, the layer or line, the value and the rule; also where no
/// weights_seed is given.
Graph ImportWorkload(std::string_view text, const std::string& file, const ImportOptions& options);

}  // namespace vta::compiler
