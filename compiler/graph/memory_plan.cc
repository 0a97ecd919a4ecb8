#include "compiler/graph/memory_plan.h"

#include <algorithm>
#include <map>

#include "compiler/graph/ops.h"

namespace vta::compiler {
namespace {

// Every value that crosses steps, with its lifetime, in order of value.
std::map<ValueId, PlannedTensor> Lifetimes(const Graph& graph, std::span<const Step> steps) {
  std::map<ValueId, PlannedTensor> tensors;
  const auto touch = [&](ValueId value, int64_t step) {
    if (graph.constant(value)) return;
    auto [it, fresh] = tensors.try_emplace(value);
    PlannedTensor& tensor = it->second;
    if (fresh) tensor = {{graph.value(value).stored().bytes(), step, step}, value};
    tensor.first = std::min(tensor.first, step);
    tensor.last = std::max(tensor.last, step);
  };
  for (ValueId input : graph.inputs()) touch(input, -1);
  const std::vector<StepInterface> interfaces = Interfaces(graph, steps);
  for (size_t i = 0; i < interfaces.size(); ++i) {
    for (ValueId value : interfaces[i].inputs) touch(value, static_cast<int64_t>(i));
    for (ValueId value : interfaces[i].outputs) touch(value, static_cast<int64_t>(i));
  }
  for (const GraphOutput& output : graph.outputs())
    touch(output.value, static_cast<int64_t>(steps.size()));
  return tensors;
}

}  // namespace

const PlannedTensor* MemoryPlan::Find(ValueId value) const {
  for (const PlannedTensor& tensor : tensors)
    if (tensor.value == value) return &tensor;
  return nullptr;
}

MemoryPlan PlanMemory(const Graph& graph, std::span<const Step> steps, int64_t alignment_bytes,
                      const InPlace& in_place, const std::vector<bool>& apart) {
  MemoryPlan plan;
  const std::map<ValueId, PlannedTensor> lifetimes = Lifetimes(graph, steps);
  std::map<ValueId, Lifetime> wholes;
  for (const auto& [value, tensor] : lifetimes) {
    plan.tensors.push_back(tensor);
    plan.tensor_bytes += AlignUp(tensor.size_bytes, alignment_bytes);
    const ValueId whole = in_place.Outermost(value).whole;
    Lifetime& life = wholes.try_emplace(whole, lifetimes.at(whole)).first->second;
    life.first = std::min(life.first, tensor.first);
    life.last = std::max(life.last, tensor.last);
  }
  std::vector<Lifetime*> lives, lives_apart;
  for (auto& [value, life] : wholes)
    (!apart.empty() && apart[value] ? lives_apart : lives).push_back(&life);
  plan.first_bytes = AssignOffsets(lives, alignment_bytes);
  plan.arena_bytes = plan.first_bytes + AssignOffsets(lives_apart, alignment_bytes);
  for (Lifetime* life : lives_apart) life->offset_bytes += plan.first_bytes;
  for (PlannedTensor& tensor : plan.tensors) {
    const PlaceIn place = in_place.Outermost(tensor.value);
    tensor.offset_bytes = wholes.at(place.whole).offset_bytes + place.offset_bytes;
  }
  std::stable_sort(plan.tensors.begin(), plan.tensors.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  CheckMemoryPlan(graph, steps, alignment_bytes, plan, in_place);
  return plan;
}

namespace {

/// Where the parts of each whole lie must be what the concatenation would make of them, and what a
/// slice takes must lie where it begins.
void CheckParts(const Graph& graph, const MemoryPlan& plan, const InPlace& in_place) {
  for (const ValueId view : in_place.views) {
    const Node& slice = *graph.Producer(view);
    const Shape strides = Strides(graph.shape(slice.inputs[0]));
    int64_t at = 0;
    for (size_t axis = 0; slice.op == Op::kSlice && axis < strides.size(); ++axis)
      at += slice.Ints("starts")[axis] * strides[axis];
    at = plan.Find(slice.inputs[0])->offset_bytes + at * Bytes(graph.type(view).dtype);
    if (plan.Find(view)->offset_bytes != at)
      throw Error(
          StrCat(graph.name(), ": memory plan"), graph.value(view).name,
          StrCat("offset ", plan.Find(view)->offset_bytes),
          StrCat("must be ", at, " to be what is taken of ", graph.value(slice.inputs[0]).name));
  }
  for (const ValueId whole : in_place.wholes) {
    int64_t at = plan.Find(whole)->offset_bytes;
    for (const ValueId part : graph.Producer(whole)->inputs) {
      const PlannedTensor& tensor = *plan.Find(part);
      if (tensor.offset_bytes != at)
        throw Error(StrCat(graph.name(), ": memory plan"), graph.value(part).name,
                    StrCat("offset ", tensor.offset_bytes),
                    StrCat("must be ", at, " to lie in ", graph.value(whole).name));
      at += tensor.size_bytes;
    }
  }
}

}  // namespace

void CheckMemoryPlan(const Graph& graph, std::span<const Step> steps, int64_t alignment_bytes,
                     const MemoryPlan& plan, const InPlace& in_place) {
  const auto fail = [&](ValueId value, std::string what, std::string rule) {
    throw Error(StrCat(graph.name(), ": memory plan"), graph.value(value).name, std::move(what),
                std::move(rule));
  };
  // At each step, what is alive must not overlap: sweep the steps, independent of how it was
  // placed.
  std::map<ValueId, PlannedTensor> lifetimes = Lifetimes(graph, steps);
  // What a slice takes lives on in what it was taken of; slices of slices come later.
  for (auto view = in_place.views.rbegin(); view != in_place.views.rend(); ++view) {
    PlannedTensor& source = lifetimes.at(in_place.parts.at(*view).whole);
    source.last = std::max(source.last, lifetimes.at(*view).last);
  }
  std::vector<PlannedTensor> tensors;
  for (const auto& [value, life] : lifetimes) {
    const PlannedTensor* tensor = plan.Find(value);
    if (!tensor) fail(value, "no place", "must have one");
    if (tensor->size_bytes != life.size_bytes)
      fail(value, StrCat(tensor->size_bytes, " bytes"), StrCat("needs ", life.size_bytes));
    const bool aligned =
        in_place.parts.contains(value) || tensor->offset_bytes % alignment_bytes == 0;
    if (tensor->offset_bytes < 0 || !aligned)
      fail(value, StrCat("offset ", tensor->offset_bytes),
           StrCat("must be a multiple of ", alignment_bytes));
    if (tensor->offset_bytes + tensor->size_bytes > plan.arena_bytes)
      fail(value, StrCat("ends at ", tensor->offset_bytes + tensor->size_bytes),
           StrCat("must end inside the arena of ", plan.arena_bytes));
    tensors.push_back(life);
    tensors.back().offset_bytes = tensor->offset_bytes;
  }
  CheckParts(graph, plan, in_place);
  for (int64_t step = -1; step <= static_cast<int64_t>(steps.size()); ++step) {
    const auto lies_in_one_alive = [&](ValueId value) {
      for (auto part = in_place.parts.find(value); part != in_place.parts.end();
           part = in_place.parts.find(part->second.whole)) {
        const PlannedTensor& whole = lifetimes.at(part->second.whole);
        if (whole.first <= step && step <= whole.last) return true;
      }
      return false;
    };
    std::map<int64_t, const PlannedTensor*> alive;  // by offset
    for (const PlannedTensor& tensor : tensors) {
      if (tensor.first > step || tensor.last < step || tensor.size_bytes == 0 ||
          lies_in_one_alive(tensor.value))
        continue;
      const auto [at, fresh] = alive.try_emplace(tensor.offset_bytes, &tensor);
      const auto after = std::next(at);
      const PlannedTensor* clash = nullptr;
      if (!fresh) clash = at->second;
      if (after != alive.end() && tensor.offset_bytes + tensor.size_bytes > after->first)
        clash = after->second;
      if (at != alive.begin()) {
        const PlannedTensor* before = std::prev(at)->second;
        if (before->offset_bytes + before->size_bytes > tensor.offset_bytes) clash = before;
      }
      if (clash)
        fail(tensor.value,
             StrCat("bytes ", tensor.offset_bytes, " to ", tensor.offset_bytes + tensor.size_bytes),
             StrCat("overlaps ", graph.value(clash->value).name, ", alive at step ", step, " too"));
    }
  }
}

std::string Print(const Graph& graph, const MemoryPlan& plan) {
  std::string out =
      StrCat("arena ", plan.arena_bytes, " bytes, tensors ", plan.tensor_bytes, " bytes\n");
  for (const PlannedTensor& t : plan.tensors)
    out += StrCat("  ", Visible(graph.value(t.value).name), ": ", t.offset_bytes, " + ",
                  t.size_bytes, ", steps ", t.first, " to ", t.last, "\n");
  return out;
}

}  // namespace vta::compiler
