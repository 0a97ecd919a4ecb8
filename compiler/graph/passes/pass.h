// A graph pass and the lists of passes that make up the graph half of the compiler.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "compiler/graph/graph.h"
#include "compiler/targets/target.h"

namespace vta::compiler {

/// What passes may know beside the graph.
struct PassContext {
  std::span<const Target* const> targets;  // in order of preference; the host is not listed
};

/// The first target that takes the group, or null; then `why` (if given) says what each of them
/// refuses.
const Target* FirstTaker(const Graph& graph, std::span<const NodeId> group,
                         const PassContext& context, std::string* why = nullptr);

struct Pass {
  std::string_view name;
  Graph (*run)(const Graph& graph, const PassContext& context);
};

/// Imported model -> simplified graph in integer normal form.
std::span<const Pass> NormalizePipeline();
/// Integer normal form -> groups on targets, activations in each target's layout.
std::span<const Pass> PlacementPipeline();

/// Runs the passes in order, the verifier after each; then calls `after` (for dumps) if given.
/// Errors: what a pass or the verifier throws, with the pass named.
Graph RunPasses(Graph graph, std::span<const Pass> passes, const PassContext& context,
                const std::function<void(std::string_view pass, const Graph&)>& after = {});

}  // namespace vta::compiler
