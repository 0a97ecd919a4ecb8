// A graph pass and the lists of passes that make up the graph half of the compiler.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/target.h"

namespace vta::compiler {

/// What passes may know beside the graph.
struct PassContext {
  /// In order of preference; they take what they like. Of those that take any op, single nodes.
  std::span<const Target* const> targets;
  /// The one that takes the rest, node by node, in plain layouts; null for none.
  const Target* rest = nullptr;
  /// Nodes by their names, and the targets that they go to whoever else would take them.
  std::map<std::string, std::string> places;

  /// Whether the node may go to the target: no other one is asked for.
  bool Allows(const Node& node, const Target& target) const;
  /// Those that take any op, in order of preference; the last is the one that takes the rest.
  std::vector<const Target*> Takers() const;
};

/// Gives a node to the first of those that take any op which takes it, or to the one of them that
/// it is asked for. Errors: throws Error naming the node where there is none, or none can.
void PlaceInRest(Graph& graph, NodeId node, const std::string& why, const PassContext& context);

/// The first target of those that choose and may have the group that takes it, or null; then `why`
/// (if given) says what each of them refuses, or that the group is asked for elsewhere.
const Target* FirstTaker(const Graph& graph, std::span<const NodeId> group,
                         const PassContext& context, std::string* why = nullptr);

/// Whether one of those that choose takes the node that makes the value, by itself.
bool IsTaken(const Graph& graph, ValueId made, const PassContext& context);

struct Pass {
  std::string_view name;
  Graph (*run)(const Graph& graph, const PassContext& context);
};

/// Imported model -> simplified graph in integer normal form.
std::span<const Pass> NormalizePipeline();
/// The first of those: up to layers with their normalisations and biases, all still real-valued.
std::span<const Pass> SimplifyPipeline();
/// Integer normal form -> groups on targets, activations in each target's layout.
std::span<const Pass> PlacementPipeline();

/// Runs the passes in order, the verifier after each; then calls `after` (for dumps) if given.
/// Errors: what a pass or the verifier throws, with the pass named.
Graph RunPasses(Graph graph, std::span<const Pass> passes, const PassContext& context,
                const std::function<void(std::string_view pass, const Graph&)>& after = {});

}  // namespace vta::compiler
