// How activations lie that only one target touches, of those that take any op: as it keeps them,
// with the border that their readers' windows want. Where a value lies otherwise, since others
// touch it or two readers disagree, an identity lays it out anew; each is a step, and says why it
// is there.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"
#include "compiler/graph/schedule.h"

namespace vta::compiler {
namespace {

/// Whether each channel of the result, of rank 4, is one of an input, at its place or, of whole
/// inputs, behind others.
bool KeepsChannels(const Graph& graph, const Node& node) {
  const auto is_spatial = [&](const char* axis) { return node.Int(axis) >= 2; };
  switch (node.op) {
    case Op::kGather:
      return is_spatial("axis");
    case Op::kConcat:
      return node.Int("axis") >= 1;
    case Op::kSlice:
      return node.Ints("steps")[1] == 1 &&
             graph.shape(node.inputs[0])[1] == graph.shape(node.output)[1];
    case Op::kPad:
      return node.Ints("pads")[1] == 0;
    default:
      return Spec(node.op).traits.elementwise;
  }
}

class StorageChooser {
 public:
  StorageChooser(const Graph& graph, const Target& target)
      : rebuild_(graph), old_(graph), target_(target) {
    const std::vector<Step> steps = Steps(graph);
    for (const GraphOutput& output : graph.outputs()) shared_.insert(output.value);
    for (const Step& step : steps) {
      const Node& anchor = graph.nodes()[step.nodes.front()];
      if (step.target == target.Name()) {
        anchors_.insert(step.nodes.front());
        const ValueId made = graph.nodes()[step.nodes.back()].output;
        const Written written = target.WrittenAs(graph, anchor);
        const std::optional<Storage> blocks = target.BlockedLayout(graph.type(made));
        if (blocks && written != Written::kRows) kept_.emplace(made, *blocks);
        if (written == Written::kBlocks) always_.insert(made);
        if (written == Written::kRatherBlocks && blocks &&
            (!blocks->halves || KeepRange(std::span(step.nodes).subspan(1))))
          rather_.insert(made);
        if (const auto needed = target.InputLayout(graph, anchor))
          needed_[anchor.inputs[0]].push_back(*needed);
      } else {
        for (NodeId node : step.nodes)
          for (ValueId input : graph.nodes()[node].inputs) shared_.insert(input);
      }
    }
    for (const Step& step : steps)
      if (step.target == target.Name() && CarriesBlocks(step))
        carried_.insert(graph.nodes()[step.nodes.back()].output);
    // What neither its maker nor a reader wants so, and no block is read for, lies row by row.
    std::erase_if(kept_, [&](const auto& kept) { return !IsKept(kept.first); });
    for (auto& [value, storage] : kept_) WithBorders(value, storage);
  }

  Graph Run() {
    for (NodeId id = 0; id < static_cast<NodeId>(old_.nodes().size()); ++id) {
      const Node& node = old_.nodes()[id];
      std::vector<ValueId> inputs = rebuild_.MapInputs(node);
      if (anchors_.contains(id))
        if (const auto needed = target_.InputLayout(old_, node))
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
  /// Whether results are about as large as what the nodes read, so that numbers of fewer bits do
  /// for the ones where they do for the others.
  bool KeepRange(std::span<const NodeId> nodes) const {
    return std::ranges::all_of(nodes, [&](NodeId id) {
      const Node& node = old_.nodes()[id];
      switch (node.op) {
        case Op::kGather:
        case Op::kConcat:
        case Op::kSlice:
        case Op::kPad:
        case Op::kIdentity:
        case Op::kAdd:
        case Op::kSub:
        case Op::kMin:
        case Op::kMax:
        case Op::kRelu:
        case Op::kClip:
        case Op::kSigmoid:
        case Op::kTanh:
          return true;
        case Op::kMul:
          return std::ranges::any_of(
              node.inputs, [&](ValueId input) { return old_.constant(input) || IsGate(input); });
        default:
          return false;
      }
    });
  }

  /// Whether it lies in a range that does not depend on what was given, times a constant at most.
  bool IsGate(ValueId value) const {
    const auto is_bounded = [&](ValueId v) {
      const Node* const by = old_.Producer(v);
      return by && (by->op == Op::kSigmoid || by->op == Op::kClip || by->op == Op::kTanh);
    };
    if (is_bounded(value)) return true;
    const Node* const by = old_.Producer(value);
    return by && by->op == Op::kMul && std::ranges::any_of(by->inputs, is_bounded) &&
           std::ranges::any_of(by->inputs, [&](ValueId v) { return old_.constant(v) != nullptr; });
  }

  bool IsKept(ValueId value) const {
    return always_.contains(value) || rather_.contains(value) || needed_.contains(value) ||
           carried_.contains(value);
  }

  /// Whether a step of real numbers reads whole blocks alone and leaves channels where they are:
  /// row by row it would read each lane of a block by itself, and so would a next one.
  bool CarriesBlocks(const Step& step) const {
    const std::vector<Node>& nodes = old_.nodes();
    const Node& last = nodes[step.nodes.back()];
    const auto made = kept_.find(last.output);
    if (made == kept_.end() || IsKept(last.output) || shared_.contains(last.output) ||
        old_.type(last.output).dtype != DType::kFloat32 ||
        !std::ranges::all_of(step.nodes, [&](NodeId id) { return KeepsChannels(old_, nodes[id]); }))
      return false;
    if (made->second.halves && !KeepRange(step.nodes)) return false;
    const int64_t lanes = made->second.channels;
    const auto in_blocks = [&](ValueId value) {
      const auto kept = kept_.find(value);
      return kept != kept_.end() && kept->second.channels == lanes && lanes > 1 &&
             2 * old_.shape(value)[1] >= lanes && IsKept(value) && !shared_.contains(value);
    };
    std::set<ValueId> own;
    bool reads = false;
    for (const NodeId id : step.nodes) {
      for (const ValueId input : nodes[id].inputs) {
        if (own.contains(input) || old_.constant(input) ||
            Elements(old_.shape(input)) <= old_.shape(last.output)[1])
          continue;
        if (!in_blocks(input)) return false;
        reads = true;
      }
      own.insert(nodes[id].output);
    }
    return reads;
  }

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
  std::set<NodeId> anchors_;   // the first nodes of the target's steps
  std::set<ValueId> shared_;   // others touch them
  std::set<ValueId> always_;   // made only as they are kept
  std::set<ValueId> rather_;   // so unless others touch them
  std::set<ValueId> carried_;  // made of what lies in blocks
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
