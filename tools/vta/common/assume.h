// --assume: a network that is run for its cycles alone gets what it lacks: codes and scales, and
// weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/frontend/import_options.h"
#include "compiler/graph/graph.h"
#include "isa/config.h"
#include "isa/package.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vta::tools {

/// Declares --assume int8[:SEED]; `assume` stays "" where it is not given.
CLI::Option* AddAssumeTo(CLI::App& app, std::string* assume);

struct ImportedModel {
  compiler::Graph graph;
  std::optional<isa::Assumption> assumed;  // for Package::assumed
};

/// Imports a model of a file, and where `assume` (as the option has it) is not "", gives it int8
/// codes and scales that fit the arithmetic of `config` (absent: exact requantisation), by one run
/// of the float network on this CPU, and says so. Of `config` the result depends on
/// quantize::FactorBits alone. The weights' seed and what is told of them in `options` are set
/// here. Errors: as ImportModelFile and quantize::Assume.
ImportedModel ImportAssuming(const std::string& model, compiler::ImportOptions options,
                             const std::string& assume, const std::optional<isa::Config>& config);

}  // namespace vta::tools
