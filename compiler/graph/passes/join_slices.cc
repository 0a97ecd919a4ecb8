// Slices and concatenations that undo each other. A slice of a concatenation takes of its parts,
// and from one time to the next of what these are made of, as far as nobody reads the whole;
// neighbouring slices that are concatenated again are what they are slices of.
#include <algorithm>
#include <optional>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

/// What lies between two places along an axis, all of the others.
struct Cut {
  ValueId value;
  int64_t axis, first, size;
};

class SliceJoiner {
 public:
  explicit SliceJoiner(const Graph& graph)
      : rebuild_(graph), old_(graph), only_slices_(graph.values().size(), true) {
    for (const Node& node : graph.nodes())
      if (node.op != Op::kSlice || !CutOf(node))
        for (const ValueId input : node.inputs) only_slices_[input] = false;
    for (const GraphOutput& output : graph.outputs()) only_slices_[output.value] = false;
  }

  Graph Run() {
    for (const Node& node : old_.nodes()) {
      const auto cut = node.op == Op::kSlice ? CutOf(node) : std::nullopt;
      if (cut && Reaches(*cut)) {
        rebuild_.Replace(node, Taken(*cut, node.name));
        changed_ = true;
      } else if (node.op != Op::kConcat || !JoinParts(node)) {
        rebuild_.Copy(node);
      }
    }
    return rebuild_.Finish();
  }
  bool changed() const { return changed_; }

 private:
  /// What a slice takes, if one axis is cut.
  std::optional<Cut> CutOf(const Node& slice) const {
    const Shape &from = old_.shape(slice.inputs[0]), &to = old_.shape(slice.output);
    const std::vector<int64_t>&starts = slice.Ints("starts"), &steps = slice.Ints("steps");
    std::optional<Cut> cut;
    for (size_t axis = 0; axis < from.size(); ++axis) {
      if (steps[axis] != 1 && to[axis] != 1) return std::nullopt;
      if (from[axis] == to[axis]) continue;
      if (cut) return std::nullopt;
      cut = Cut{slice.inputs[0], static_cast<int64_t>(axis), starts[axis], to[axis]};
    }
    return cut;
  }

  /// Whether what a slice takes is there before what it is taken of.
  bool Reaches(const Cut& cut) const {
    const Node* maker = old_.Producer(cut.value);
    if (!maker) return false;
    if (maker->op == Op::kConcat)
      return maker->Int("axis") == cut.axis ? IsOfOne(*maker, cut) : only_slices_[cut.value];
    return maker->op == Op::kReshape && only_slices_[cut.value] && KeepsUpTo(*maker, cut.axis) &&
           Reaches({maker->inputs[0], cut.axis, cut.first, cut.size});
  }

  /// Whether the cut lies in one part, or begins and ends with parts that nobody else wants whole.
  bool IsOfOne(const Node& concat, const Cut& cut) const {
    int64_t at = 0;
    bool begins = false;
    for (const ValueId part : concat.inputs) {
      const int64_t end = at + old_.shape(part)[cut.axis];
      if (cut.first >= at && cut.first + cut.size <= end) return true;
      begins |= cut.first == at;
      if (cut.first + cut.size == end) return begins && only_slices_[cut.value];
      at = end;
    }
    return false;
  }

  bool KeepsUpTo(const Node& reshape, int64_t axis) const {
    const Shape &from = old_.shape(reshape.inputs[0]), &to = old_.shape(reshape.output);
    return axis < std::ssize(from) && axis < std::ssize(to) &&
           std::equal(from.begin(), from.begin() + axis + 1, to.begin());
  }

  /// The cut, of the values that are there first.
  ValueId Taken(const Cut& cut, const std::string& name) {
    const Shape& shape = old_.shape(cut.value);
    if (cut.first == 0 && cut.size == shape[cut.axis]) return rebuild_.Map(cut.value);
    Shape taken = shape;
    taken[cut.axis] = cut.size;
    const Node* maker = old_.Producer(cut.value);
    if (!Reaches(cut)) {
      Shape starts(shape.size(), 0);
      starts[cut.axis] = cut.first;
      return rebuild_.fresh().Emit(
          Op::kSlice, name, {rebuild_.Map(cut.value)},
          {{"starts", starts}, {"steps", Shape(shape.size(), 1)}, {"shape", taken}});
    }
    if (maker->op == Op::kReshape)
      return Reshaped(rebuild_.fresh(),
                      Taken({maker->inputs[0], cut.axis, cut.first, cut.size}, name), taken, name);
    const int64_t axis = maker->Int("axis");
    std::vector<ValueId> parts;
    int64_t at = 0;
    for (const ValueId part : maker->inputs) {
      const int64_t size = old_.shape(part)[axis];
      if (axis != cut.axis) {
        parts.push_back(Taken({part, cut.axis, cut.first, cut.size}, name));
      } else if (const int64_t first = std::max(cut.first, at),
                 last = std::min(cut.first + cut.size, at + size);
                 first < last) {
        parts.push_back(Taken({part, axis, first - at, last - first}, name));
      }
      at += size;
    }
    if (parts.size() == 1) return parts[0];
    return rebuild_.fresh().Emit(Op::kConcat, name, parts, {{"axis", axis}});
  }

  /// Neighbouring slices of a value, one behind the other, become one, or the value.
  bool JoinParts(const Node& concat) {
    const int64_t axis = concat.Int("axis");
    std::vector<Cut> cuts;
    for (const ValueId part : concat.inputs) {
      const Node* maker = old_.Producer(part);
      auto cut = maker && maker->op == Op::kSlice ? CutOf(*maker) : std::nullopt;
      if (!cut || cut->axis != axis) cut = Cut{part, axis, 0, old_.shape(part)[axis]};
      if (!cuts.empty() && cuts.back().value == cut->value &&
          cuts.back().first + cuts.back().size == cut->first)
        cuts.back().size += cut->size;
      else
        cuts.push_back(*cut);
    }
    if (cuts.size() == concat.inputs.size()) return false;
    std::vector<ValueId> parts;
    for (const Cut& cut : cuts) parts.push_back(Taken(cut, concat.name));
    rebuild_.Replace(concat, parts.size() == 1 ? parts[0]
                                               : rebuild_.fresh().Emit(Op::kConcat, concat.name,
                                                                       parts, concat.attributes));
    return true;
  }

  Rebuild rebuild_;
  const Graph& old_;
  std::vector<bool> only_slices_;  // by value: whether nothing else reads it
  bool changed_ = false;           // whether a slice takes of something else now
};

}  // namespace

Graph JoinSlices(const Graph& graph, const PassContext&) {
  Graph joined = graph;
  for (bool changed = true; changed;) {
    SliceJoiner joiner(joined);
    Graph next = joiner.Run();
    changed = joiner.changed();
    joined = std::move(next);
  }
  return joined;
}

}  // namespace vta::compiler
