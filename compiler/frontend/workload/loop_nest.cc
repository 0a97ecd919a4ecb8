#include "compiler/frontend/workload/loop_nest.h"

#include <algorithm>
#include <optional>
#include <set>

#include "isa/support/error.h"

namespace vta::compiler {
namespace {

std::string TextOf(const LoopIndex& index) {
  std::string text;
  for (const LoopTerm& term : index)
    text += StrCat(text.empty() ? "" : " + ", term.factor == 1 ? "" : StrCat(term.factor, " * "),
                   term.dimension);
  return text;
}

class Classifier {
 public:
  explicit Classifier(const LoopNest& nest) : nest_(nest) {
    layer_.name = nest.name;
    layer_.where = nest.where;
    for (const auto& [indices, set] :
         {std::pair(&nest.output, &in_output_), {&nest.weights, &in_weights_}})
      for (const LoopIndex& index : *indices) set->insert(Plain(index));
  }

  ShapeLayer Run() {
    for (size_t axis = 0; axis < nest_.input.size(); ++axis) AddAxis(axis);
    for (const auto& [dimension, size] : nest_.sizes)
      if (!windowed_.contains(dimension)) AddPlain(dimension, size);
    if (windows_ == 1) {  // a line is a picture of one row
      for (std::array<int64_t, 2>* sizes :
           {&layer_.input, &layer_.kernel, &layer_.strides, &layer_.dilations})
        std::swap((*sizes)[0], (*sizes)[1]);
      std::swap(layer_.pads[0], layer_.pads[1]);
      std::swap(layer_.pads[2], layer_.pads[3]);
    }
    if (windows_ == 0) std::swap(layer_.batch, layer_.input[0]);
    return layer_;
  }

 private:
  Error Fail(std::string what, std::string value, std::string rule) const {
    return {nest_.where, std::move(what), std::move(value), std::move(rule)};
  }

  int64_t SizeOf(const std::string& dimension) const {
    const auto found = nest_.sizes.find(dimension);
    if (found == nest_.sizes.end()) throw Fail("dimension", dimension, "has no size");
    if (found->second < 1 || found->second > kMostShape)
      throw Fail(StrCat("size of ", dimension), StrCat(found->second),
                 StrCat("must be 1 to ", kMostShape));
    return found->second;
  }

  std::string Plain(const LoopIndex& index) const {
    if (index.size() != 1 || index[0].factor != 1)
      throw Fail("axis", TextOf(index), "must be one dimension, of output and weights");
    SizeOf(index[0].dimension);
    return index[0].dimension;
  }

  void AddAxis(size_t axis) {
    const LoopIndex& index = nest_.input[axis];
    if (index.size() == 1 && index[0].factor == 1) {
      in_input_.insert(Plain(index));
      return;
    }
    std::optional<LoopTerm> place, tap;
    for (const LoopTerm& term : index) {
      const bool of_output = in_output_.contains(term.dimension);
      std::optional<LoopTerm>& role = of_output ? place : tap;
      if (role || of_output == in_weights_.contains(term.dimension))
        throw Fail("axis", TextOf(index),
                   "must be one dimension, or one of the output and one of the weights");
      role = term;
      windowed_.insert(term.dimension);
    }
    if (!place) throw Fail("axis", TextOf(index), "must have a dimension of the output");
    if (windows_ == 2) throw Fail("axis", TextOf(index), "is a third one of a window");
    AddWindow(axis, *place, tap.value_or(LoopTerm{"", 1}));
  }

  void AddWindow(size_t axis, const LoopTerm& place, const LoopTerm& tap) {
    const int64_t places = SizeOf(place.dimension);
    const int64_t taps = tap.dimension.empty() ? 1 : SizeOf(tap.dimension);
    for (const LoopTerm& term : {place, tap})
      if (term.factor < 1 || term.factor > kMostShape)
        throw Fail(StrCat("factor of ", term.dimension), StrCat(term.factor),
                   StrCat("must be 1 to ", kMostShape));
    std::array<int64_t, 2> pads = {0, 0};
    if (const auto found = nest_.pads.find(axis); found != nest_.pads.end()) pads = found->second;
    const size_t at = windows_++;
    layer_.kernel[at] = taps;
    layer_.strides[at] = place.factor;
    layer_.dilations[at] = tap.factor;
    layer_.pads[at] = pads[0];
    layer_.pads[2 + at] = pads[1];
    layer_.input[at] =
        (places - 1) * place.factor + (taps - 1) * tap.factor + 1 - pads[0] - pads[1];
    if (layer_.input[at] < 1 || layer_.input[at] > kMostShape)
      throw Fail("size of the input", StrCat(layer_.input[at]),
                 StrCat("must be 1 to ", kMostShape, ", pads apart"));
  }

  void AddPlain(const std::string& dimension, int64_t size) {
    const bool o = in_output_.contains(dimension), w = in_weights_.contains(dimension),
               i = in_input_.contains(dimension);
    if (o + w + i < 2) {
      if (size == 1) return;
      throw Fail("dimension", dimension,
                 "must be of two tensors at least, or with another one an axis of the input");
    }
    int64_t& sizes = !w ? layer_.batch : !o ? layer_.channels : !i ? layer_.filters : layer_.groups;
    sizes *= SizeOf(dimension);
    if (sizes > kMostShape)
      throw Fail("size", StrCat(sizes), StrCat("must not exceed ", kMostShape));
  }

  const LoopNest& nest_;
  std::set<std::string> in_output_, in_weights_, in_input_, windowed_;
  size_t windows_ = 0;
  ShapeLayer layer_;
};

}  // namespace

ShapeLayer LayerOf(const LoopNest& nest) { return Classifier(nest).Run(); }

}  // namespace vta::compiler
