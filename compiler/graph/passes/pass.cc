#include "compiler/graph/passes/pass.h"

#include <algorithm>

#include "compiler/graph/passes/passes.h"
#include "compiler/graph/verify.h"

namespace vta::compiler {

bool PassContext::Allows(const Node& node, const Target& target) const {
  const auto asked = places.find(node.name);
  return asked == places.end() || asked->second == target.Name();
}

std::vector<const Target*> PassContext::Takers() const {
  std::vector<const Target*> takers;
  for (const Target* target : targets)
    if (target->TakesRest()) takers.push_back(target);
  if (rest) takers.push_back(rest);
  return takers;
}

bool IsTaken(const Graph& graph, ValueId made, const PassContext& context) {
  const NodeId maker = graph.value(made).producer;
  return FirstTaker(graph, {&maker, 1}, context) != nullptr;
}

const Target* FirstTaker(const Graph& graph, std::span<const NodeId> group,
                         const PassContext& context, std::string* why) {
  std::string reasons;
  for (const Target* target : context.targets) {
    if (target->TakesRest()) continue;
    if (!std::ranges::all_of(group,
                             [&](NodeId id) { return context.Allows(graph.nodes()[id], *target); }))
      continue;
    std::string reason;
    if (target->CanTake(graph, group, &reason)) return target;
    reasons += StrCat(reasons.empty() ? "" : "; ", target->Name(), ": ", reason);
  }
  if (why) *why = reasons.empty() ? "was placed there" : reasons;
  return nullptr;
}

void PlaceInRest(Graph& graph, NodeId node, const std::string& why, const PassContext& context) {
  const std::string place = StrCat("node \"", graph.nodes()[node].name, "\"");
  std::vector<const Target*> takers = context.Takers();
  if (takers.empty()) throw Error(place, "targets", "", "none of them takes it", ": " + why);
  const Target* const first = takers.front();
  if (const auto asked = context.places.find(graph.nodes()[node].name);
      asked != context.places.end())
    if (const auto found = std::ranges::find(takers, asked->second, &Target::Name);
        found != takers.end())
      takers = {*found};
  std::string reasons = takers.front() == first ? "" : "was placed there";
  for (const Target* target : takers) {
    std::string reason;
    if (target->CanTake(graph, {&node, 1}, &reason))
      return graph.Place(node, target->Name(), kNone, why.empty() ? reasons : why);
    if (target == takers.back()) throw Error(place, "target", target->Name(), reason);
    reasons += StrCat(reasons.empty() ? "" : "; ", target->Name(), ": ", reason);
  }
}

std::span<const Pass> NormalizePipeline() {
  static constexpr Pass kPasses[] = {
      {"fold_constants", FoldConstants},
      {"remove_identities", RemoveIdentities},
      {"join_slices", JoinSlices},
      {"sink_transposes", SinkTransposes},
      {"fold_transposed", FoldConstants},
      {"fuse_into_layers", FuseIntoLayers},
      {"integerize", Integerize},
      {"fold_dequantized", FoldDequantized},
      {"fuse_clamps", FuseClamps},
      {"fuse_integer_pads", FuseIntoLayers},
      {"remove_leftovers", RemoveIdentities},
      {"join_slices_of_codes", JoinSlices},
      {"join_lookups", JoinLookups},
      {"join_gelu", JoinGelu},
      {"join_norms", JoinNorms},
  };
  return kPasses;
}

std::span<const Pass> SimplifyPipeline() {
  constexpr size_t kSimplifying = 6;
  return NormalizePipeline().first(kSimplifying);
}

std::span<const Pass> PlacementPipeline() {
  static constexpr Pass kPasses[] = {
      {"join_functions", JoinFunctions},  // here and below, where a target takes what comes of it
      {"scale_channels", ScaleChannels},
      {"take_products", TakeProducts},
      {"take_upsampling", TakeUpsampling},
      {"take_resizing", TakeResizing},
      {"rows_as_pixels", RowsAsPixels},
      {"sink_reshapes", SinkReshapes},
      {"join_moves", JoinMoves},
      {"drop_moves", RemoveIdentities},  // some do nothing then
      {"align_channels", AlignChannels},
      {"fold_windows", FoldWindows},
      {"fill_phases", FillPhases},
      {"split_pads", SplitPads},
      {"form_groups", FormGroups},
      {"place_groups", PlaceGroups},
      {"pack_layout", PackLayout},
      {"fold_packed", FoldConstants},
      {"part_moves", PartMoves},
      {"leave_islands", LeaveIslands},
      {"fuse_rest", FuseRest},
      {"choose_storage", ChooseStorage},
      {"copy_at_borders", CopyAtBorders},
  };
  return kPasses;
}

Graph RunPasses(Graph graph, std::span<const Pass> passes, const PassContext& context,
                const std::function<void(std::string_view pass, const Graph&)>& after) {
  for (const Pass& pass : passes) {
    try {
      graph = pass.run(graph, context);
      Verify(graph);
    } catch (const Error& error) {
      throw error.In(StrCat("pass ", pass.name));
    }
    if (after) after(pass.name, graph);
  }
  return graph;
}

}  // namespace vta::compiler
