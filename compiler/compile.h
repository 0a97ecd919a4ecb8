// The compile driver: an imported graph, a config and targets in; a package out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/graph/memory_plan.h"
#include "compiler/targets/code_target.h"
#include "isa/package.h"

namespace vta::compiler {

struct CompileOptions {
  isa::Config config;
  isa::Rounding rounding = isa::Rounding::kSingle;
  /// In order of preference; what none of them takes runs on the host.
  std::span<const CodeTarget* const> targets;
  /// Where the text of each stage is written; empty for nowhere.
  std::string dump_dir;
};

struct CompileResult {
  isa::Package package;
  int64_t arena_tensor_bytes = 0;  // activations, sharing memory
  int64_t tensor_bytes = 0;        // what they would take without sharing
};

/// The format of a package's host section: the text of loop-IR functions, one after the other.
inline constexpr std::string_view kHostFormat = "loop-ir";

/// Errors: throws Error naming the pass, node or step, and the rule; nothing is written but dumps.
CompileResult Compile(const Graph& imported, const CompileOptions& options);

}  // namespace vta::compiler
