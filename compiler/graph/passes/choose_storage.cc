// How activations lie that only one target touches, of those that take any op: as it keeps them,
// with the border that their readers' windows want. Where a value lies otherwise, since others
// touch it or two readers disagree, an identity lays it out anew; each is a step, and says why it
// is there.
#include <map>
#include <set>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"
#include "compiler/graph/schedule.h"

namespace vta::compiler {
namespace {

class StorageChooser {
 public:
  StorageChooser(const Graph& graph, const Target& target)
      : rebuild_(graph), old_(graph), target_(target) {
    const std::vector<Step> steps = Steps(graph);
    for (const GraphOutput& output : graph.outputs()) shared_.insert(output.value);
    for (const Step& step : steps) {
      const Node& head = graph.nodes()[step.nodes.front()];
      if (step.target == target.Name()) {
        heads_.insert(step.nodes.front());
        const ValueId made = graph.nodes()[step.nodes.back()].output;
        if (const auto kept = target.KeptAs(graph.type(made))) kept_.emplace(made, *kept);
        if (target.WritesKept(graph, head)) always_.insert(made);
        if (const auto needed = target.NeededBy(graph, head))
          needed_[head.inputs[0]].push_back(*needed);
      } else {
        for (NodeId node : step.nodes)
          for (ValueId input : graph.nodes()[node].inputs) shared_.insert(input);
      }
    }
    // What neither its maker nor a reader wants so may lie row by row.
    std::erase_if(kept_, [&](const auto& kept) {
      return !always_.contains(kept.first) && !needed_.contains(kept.first);
    });
    for (auto& [value, storage] : kept_) WithBorders(value, storage);
  }

  Graph Run() {
    for (NodeId id = 0; id < static_cast<NodeId>(old_.nodes().size()); ++id) {
      const Node& node = old_.nodes()[id];
      std::vector<ValueId> inputs = rebuild_.MapInputs(node);
      if (heads_.contains(id))
        if (const auto needed = target_.NeededBy(old_, node))
          inputs[0] = Found(node.inputs[0], *needed);
      const ValueId made = rebuild_.CopyWith(node, inputs, node.attributes);
      const auto kept = kept_.find(node.output);
      if (kept == kept_.end()) continue;
      if (!shared_.contains(node.output)) {
        rebuild_.fresh().Store(made, kept->second);
      } else if (always_.contains(node.output)) {
        rebuild_.fresh().Store(made, kept->second);
        rebuild_.Replace(node, LayOut(made, {}, "lays an activation out row by row"));
        found_[{node.output, ToText(kept->second)}] = made;
      }
    }
    return rebuild_.Finish();
  }

 private:
  /// The largest border of one content that readers want.
  void WithBorders(ValueId value, Storage& storage) {
    const auto needed = needed_.find(value);
    if (needed == needed_.end()) return;
    for (const Storage& want : needed->second) {
      if (want.border == Storage().border) continue;
      if (storage.border != Storage().border && storage.fill != want.fill) continue;
      storage.fill = want.fill;
      for (size_t side = 0; side < 4; ++side)
        storage.border[side] = std::max(storage.border[side], want.border[side]);
    }
  }

  /// The value as a reader needs it.
  ValueId Found(ValueId value, const Storage& want) {
    const ValueId mapped = rebuild_.Map(value);
    if (const auto& have = rebuild_.fresh().value(mapped).storage; have && have->Serves(want))
      return mapped;
    for (const auto& [key, copy] : found_)
      if (key.first == value && rebuild_.fresh().value(copy).storage->Serves(want)) return copy;
    return found_[{value, ToText(want)}] =
               LayOut(mapped, want, "lays an activation out for a window");
  }

  ValueId LayOut(ValueId value, const std::optional<Storage>& storage, const char* why) {
    Graph& fresh = rebuild_.fresh();
    const std::string name = fresh.value(value).name + (storage ? ".blocks" : ".rows");
    const ValueId copy = fresh.Emit(Op::kIdentity, name, {value}, {});
    fresh.Place(fresh.value(copy).producer, target_.Name(), kNone, why);
    if (storage) fresh.Store(copy, *storage);
    return copy;
  }

  Rebuild rebuild_;
  const Graph& old_;
  const Target& target_;
  std::set<NodeId> heads_;    // the first nodes of the target's steps
  std::set<ValueId> shared_;  // others touch them
  std::set<ValueId> always_;  // made only as they are kept
  std::map<ValueId, Storage> kept_;
  std::map<ValueId, std::vector<Storage>> needed_;
  std::map<std::pair<ValueId, std::string>, ValueId> found_;  // copies, in the new graph
};

}  // namespace

Graph ChooseStorage(const Graph& graph, const PassContext& context) {
  Graph stored = graph;
  for (const Target* target : context.Takers()) stored = StorageChooser(stored, *target).Run();
  return stored;
}

}  // namespace vta::compiler
