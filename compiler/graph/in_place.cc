#include "compiler/graph/in_place.h"

#include <algorithm>
#include <optional>

#include "compiler/graph/ops.h"

namespace vta::compiler {
namespace {

/// Whether the inputs, one behind the other, may be the output: nothing is cut before its axis. A
/// reshape is that of one.
bool IsInRow(const Graph& graph, const Node& node) {
  if (node.op == Op::kReshape) return true;
  if (node.op != Op::kConcat) return false;
  const Shape& shape = graph.shape(node.output);
  return std::all_of(shape.begin(), shape.begin() + node.Int("axis"),
                     [](int64_t size) { return size == 1; });
}

/// At which byte of the input the slice begins, if what it takes lies there in a row: one axis is
/// cut, and nothing before it. A reshape takes all.
std::optional<int64_t> StartOfRow(const Graph& graph, const Node& node) {
  if (node.op != Op::kSlice && node.op != Op::kReshape) return std::nullopt;
  const Value &whole = graph.value(node.inputs[0]), &part = graph.value(node.output);
  if (whole.storage || part.storage) return std::nullopt;
  if (node.op == Op::kReshape) return 0;
  const Shape &from = whole.type.shape, &to = part.type.shape;
  const std::vector<int64_t>&starts = node.Ints("starts"), &steps = node.Ints("steps");
  const auto cut = std::ranges::mismatch(from, to).in1 - from.begin();
  const bool in_a_row =
      cut < std::ssize(from) &&
      std::equal(from.begin() + cut + 1, from.end(), to.begin() + cut + 1) &&
      std::all_of(from.begin(), from.begin() + cut, [](int64_t size) { return size == 1; }) &&
      std::ranges::all_of(steps, [](int64_t step) { return step == 1; });
  if (!in_a_row) return std::nullopt;
  return starts[cut] * (whole.type.bytes() / from[cut]);
}

/// Whether the part is stored as its elements of the whole are.
bool IsStoredAlike(const Value& part, const Value& whole, const Node& node, bool last) {
  if (part.storage != whole.storage) return false;
  constexpr int64_t kChannels = 1;
  return !part.storage || (node.op == Op::kConcat && node.Int("axis") == kChannels &&
                           (last || part.type.shape[kChannels] % part.storage->channels == 0));
}

/// Whether the value, and all that lies in it, is loose; a concatenation has to be in place.
bool IsLoose(const Graph& graph, const InPlace& found, const LooseValues& loose, ValueId value) {
  if (loose.are.empty() || !loose.are[value]) return false;
  const Op op = graph.Producer(value)->op;
  if ((op == Op::kConcat || op == Op::kReshape) && !found.wholes.contains(value)) return false;
  return std::ranges::all_of(found.parts, [&](const auto& part) {
    return part.second.whole != value || IsLoose(graph, found, loose, part.first);
  });
}

}  // namespace

PlaceIn InPlace::Outermost(ValueId value) const {
  PlaceIn place{value, 0};
  for (auto at = parts.find(value); at != parts.end(); at = parts.find(place.whole))
    place = {at->second.whole, place.offset_bytes + at->second.offset_bytes};
  return place;
}

bool InPlace::Covers(const Graph& graph, const Step& step) const {
  if (step.nodes.size() > 1) return false;
  const ValueId made = graph.nodes()[step.nodes[0]].output;
  return wholes.contains(made) || views.contains(made);
}

namespace {

/// Whether the view would be an output of the graph that no step makes: memory of an input's.
bool ShowsInput(const Graph& graph, const InPlace& found, const Node& view) {
  return !graph.Producer(found.Outermost(view.inputs[0]).whole) &&
         std::ranges::any_of(graph.outputs(), [&](const GraphOutput& output) {
           return output.value == view.output;
         });
}

}  // namespace

InPlace FindInPlace(const Graph& graph, std::span<const Step> steps, int64_t alignment_bytes,
                    const LooseValues& loose) {
  InPlace found;
  for (const Step& step : steps) {
    const Node& node = graph.nodes()[step.nodes[0]];
    if (step.nodes.size() > 1) continue;
    const ValueId x = node.inputs[0];
    const bool joins = node.op == Op::kReshape && graph.Producer(x) && !found.parts.contains(x);
    if (const auto start = StartOfRow(graph, node);
        start && !joins && *start % alignment_bytes == 0 && !graph.constant(x) &&
        !ShowsInput(graph, found, node)) {
      found.parts[node.output] = {x, *start};
      found.views.insert(node.output);
      continue;
    }
    if (!IsInRow(graph, node)) continue;
    std::map<ValueId, PlaceIn> parts;
    int64_t offset = 0;
    bool before = false;  // whether the part before it is loose: they may share a line of a cache
    for (const ValueId input : node.inputs) {
      const Value& value = graph.value(input);
      const bool last = parts.size() + 1 == node.inputs.size();
      const bool is_loose = value.producer != kNone && IsLoose(graph, found, loose, input);
      const bool lies =
          offset % alignment_bytes == 0 ||
          (offset % std::max<int64_t>(loose.alignment_bytes, 1) == 0 && is_loose && before);
      before = is_loose;
      const bool fits = value.producer != kNone && !found.parts.contains(input) && lies &&
                        IsStoredAlike(value, graph.value(node.output), node, last);
      if (!fits || !parts.try_emplace(input, PlaceIn{node.output, offset}).second) break;
      offset += value.stored().bytes();
    }
    if (parts.size() != node.inputs.size()) continue;
    found.parts.merge(parts);
    found.wholes.insert(node.output);
  }
  return found;
}

}  // namespace vta::compiler
