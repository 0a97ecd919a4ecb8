// Placement: each group goes to the first target that takes it. Of a fused group that nobody takes
// as many ops as somebody does, and then the others; an op that is refused by itself goes,
// ungrouped, to the target that takes the rest. A node that is asked for by a target goes there, or
// the compile fails.
#include <algorithm>
#include <map>

#include "compiler/graph/passes/passes.h"

namespace vta::compiler {
namespace {

std::string Quoted(const std::string& node) { return StrCat("node \"", node, "\""); }

/// Whether the node is asked for by a target that chooses.
bool IsAskedFor(const Node& node, const PassContext& context) {
  return context.places.contains(node.name) &&
         std::ranges::none_of(context.Takers(),
                              [&](const Target* taker) { return context.Allows(node, *taker); });
}

/// Errors: throws Error where a place names a node or a target that is not there.
void CheckPlaces(const Graph& graph, const PassContext& context) {
  std::vector<const Target*> targets(context.targets.begin(), context.targets.end());
  if (context.rest) targets.push_back(context.rest);
  std::string names;
  for (const Target* target : targets) names += (names.empty() ? "" : ", ") + target->Name();
  for (const auto& [node, target] : context.places) {
    if (std::ranges::none_of(targets, [&](const Target* t) { return t->Name() == target; }))
      throw Error(Quoted(node), "place", target, "must be one of the targets: " + names);
    if (std::ranges::none_of(graph.nodes(), [&](const Node& n) { return n.name == node; }))
      throw Error(Quoted(node), "place", target,
                  "there is no such node where nodes are placed: it may be part of another one");
  }
}

/// Errors: throws Error where a target that chooses is asked for, and does not take the node.
void RequireNotAsked(const Node& node, const std::string& why, const PassContext& context) {
  if (IsAskedFor(node, context))
    throw Error(Quoted(node.name), "place", context.places.at(node.name), "cannot take it",
                ": " + why);
}

/// Whether the node only serves a layer of its name: it moves what that reads or makes.
bool ServesItsLayer(const Graph& graph, const Node& node) {
  return node.group == kNone && std::ranges::any_of(graph.nodes(), [&](const Node& other) {
           return other.name == node.name && other.group != kNone;
         });
}

}  // namespace

Graph PlaceGroups(const Graph& graph, const PassContext& context) {
  CheckPlaces(graph, context);
  std::map<int64_t, std::vector<NodeId>> groups;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    if (graph.nodes()[id].group != kNone) groups[graph.nodes()[id].group].push_back(id);
  }
  Graph placed = graph;
  // Where none chooses there is no reason why.
  const bool alone = std::ranges::all_of(context.targets, &Target::TakesRest);
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    const Node& node = graph.nodes()[id];
    if (node.group != kNone) continue;
    if (!ServesItsLayer(graph, node)) RequireNotAsked(node, node.why, context);
    PlaceInRest(placed, id, alone ? "" : node.why, context);
  }
  int64_t next = 0;  // groups are numbered anew, without gaps
  for (const auto& [group, nodes] : groups) {
    for (std::span<const NodeId> left = nodes; !left.empty();) {
      std::string why;
      const Target* taker = nullptr;
      size_t count = left.size();
      while (!(taker = FirstTaker(graph, left.first(count), context, &why)) && count > 1) --count;
      if (taker) {
        for (const NodeId id : left.first(count)) placed.Place(id, taker->Name(), next);
        ++next;
      } else {
        RequireNotAsked(graph.nodes()[left[0]], why, context);
        PlaceInRest(placed, left[0], alone ? "" : why, context);
      }
      left = left.subspan(count);
    }
  }
  return placed;
}

}  // namespace vta::compiler
