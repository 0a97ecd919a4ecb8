// What importers of all formats share of operators that choose, place and accumulate elements.
#pragma once

#include <optional>

#include "compiler/frontend/emitter.h"

namespace vta::compiler {

/// The shape itself, that `what` holds.
/// Errors: throws Error naming it where no tensor has it.
Shape CheckedShape(const Emitter& node, Shape shape, const char* what);
/// [0, 1, ..., count - 1].
Tensor Places(int64_t count);
/// `count` elements of x from `first` on along an axis.
ValueId Slice(Emitter& node, ValueId x, int64_t axis, int64_t first, int64_t count);
/// Errors: throws Error where indices are known and one does not lie on its axis. `sizes` are those
/// of axes that indices name in turn.
void CheckIndices(Emitter& node, ValueId indices, const Shape& sizes);
/// Indices as int64 from 0 on: those below 0 count from the end, and those that lie outside when it
/// runs become the nearest. Shape: indices [..., axes] of as many sizes, or any of one.
/// Errors: as CheckIndices.
ValueId FromTheFront(Emitter& node, ValueId indices, const Shape& sizes);
/// The elements of x at those places along the axis that `indices` names for each element of its
/// own shape.
ValueId GatherAlong(Emitter& node, ValueId x, ValueId indices, int64_t axis);

/// The first axes of a tensor as one, and where the elements that index tuples name lie on it.
struct NamedPlaces {
  int64_t count = 0;  // of the axis
  Shape rest;         // the axes that tuples do not name
  ValueId places = kNone;
};
/// Shape: indices [batches..., ..., depth], of a tensor [batches..., inner (depth axes), rest...].
/// Errors: throws Error naming the indices where they do not fit x.
NamedPlaces PlacesOf(Emitter& node, Shape x, ValueId indices, int64_t batch_axes);
/// The elements, or slices, of x that tuples of the last axis of `indices` name.
ValueId GatherNd(Emitter& node, ValueId x, ValueId indices, int64_t batch_axes);

/// A new axis of `depth` places, with `on` at the place that an index names and `off` elsewhere.
ValueId OneHot(Emitter& node, ValueId indices, int64_t depth, int64_t axis, ValueId on,
               ValueId off);

/// The sums of the elements up to each along an axis, or of those from it on; without the element
/// itself where `exclusive`.
ValueId CumulativeSum(Emitter& node, ValueId x, int64_t axis, bool exclusive, bool reverse);
/// start, start + delta, ... before the limit. Nothing where that is more than 2^24 numbers, or the
/// delta is 0.
std::optional<Tensor> RangeOf(double start, double limit, double delta, DType dtype);

/// The product of the elements along the axes, which are kept as size 1 or go.
ValueId ProductAlong(Emitter& node, ValueId x, const std::vector<int64_t>& axes,
                     bool keepdims = true);

}  // namespace vta::compiler
