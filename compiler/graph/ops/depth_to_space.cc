// Blocks of channels as blocks of places: the phases of a sub-pixel convolution, interleaved.
#include <cstring>
#include <functional>
#include <numeric>

#include "compiler/graph/ops/int8_common.h"

namespace vta::compiler::ops {
namespace {

constexpr size_t kPackedRank = 6;

/// Whether x is [N/b,C/c,H,W,b,c], with blocks for two axes.
bool IsPacked(const OpView& view) {
  return view.shape(0).size() == kPackedRank && view.Ints("blocks").size() == 2;
}

/// [N,C,...] -> [N,C/phases,...].
Shape Interleaved(const OpView& view, Shape shape) {
  const SpaceBlocks b = ReadSpaceBlocks(view);
  shape[1] /= b.phases();
  for (size_t axis = 0; axis < b.blocks.size(); ++axis)
    shape[2 + axis] = shape[2 + axis] * b.blocks[axis] - b.crop_begin(axis) - b.crop_end(axis);
  return shape;
}

/// Calls visit(element of x, element of y) for all of y. Shape: x and y [N,C,...].
template <typename F>
void ForEachPlace(const SpaceBlocks& b, const Shape& x, const Shape& y, F visit) {
  const int64_t phases = b.phases(), per_group = y[1] / b.groups;
  const Shape strides = Strides(x);
  Shape at(y.size(), 0);
  for (int64_t i = 0; i < Elements(y); ++i) {
    int64_t phase = 0, from = at[0] * strides[0];
    for (size_t axis = 0; axis < b.blocks.size(); ++axis) {
      const int64_t place = at[2 + axis] + b.crop_begin(axis);
      phase = phase * b.blocks[axis] + place % b.blocks[axis];
      from += place / b.blocks[axis] * strides[2 + axis];
    }
    const int64_t channel = (at[1] / per_group * phases + phase) * per_group + at[1] % per_group;
    visit(from + channel * strides[1], i);
    for (size_t d = y.size(); d-- > 0;) {
      if (++at[d] < y[d]) break;
      at[d] = 0;
    }
  }
}

}  // namespace

int64_t SpaceBlocks::phases() const {
  return std::accumulate(blocks.begin(), blocks.end(), int64_t{1}, std::multiplies<>());
}

SpaceBlocks ReadSpaceBlocks(const OpView& view) {
  return {view.Ints("blocks"), view.Ints("crops"), view.Int("groups")};
}

TensorType InferDepthToSpace(const OpView& view) {
  constexpr int64_t kMost = int64_t{1} << 31;
  const SpaceBlocks b = ReadSpaceBlocks(view);
  const Shape& x = view.shape(0);
  const bool packed = IsPacked(view);
  view.Require(!b.blocks.empty() && (packed || x.size() == b.blocks.size() + 2), "blocks",
               ToText(b.blocks), StrCat("must have a number for each axis after C of ", ToText(x)));
  bool sound = b.crops.size() == 2 * b.blocks.size() && CheckedElements(b.blocks).has_value();
  for (const int64_t block : b.blocks) sound &= block < kMost;
  for (size_t axis = 0; sound && axis < b.blocks.size(); ++axis)
    sound &= b.crop_begin(axis) >= 0 && b.crop_end(axis) >= 0 && b.crop_begin(axis) < kMost &&
             b.crop_end(axis) < kMost && x[2 + axis] < kMost;
  view.Require(sound, "blocks and crops", StrCat(ToText(b.blocks), " and ", ToText(b.crops)),
               "must be a size from 1 on, and two numbers from 0 on, for each axis");
  const int64_t block = packed ? x[5] : 1, channels = x[1] * block;
  view.Require(b.groups >= 1 && channels % b.groups == 0 && channels / b.groups % b.phases() == 0 &&
                   x[1] % b.phases() == 0,
               "groups", StrCat(b.groups),
               StrCat("times the ", b.phases(), " places of a block must divide the channels of ",
                      ToText(x)));
  return {view.dtype(0), Interleaved(view, x)};
}

Tensor EvalDepthToSpace(const EvalView& view) {
  const SpaceBlocks b = ReadSpaceBlocks(view);
  if (IsPacked(view)) {
    const Activation x = ReadActivation(view, 0);
    const Shape shape = Interleaved(view, x.nchw());
    const std::vector<int8_t> from = Unpack(view.tensor(0), x);
    std::vector<int8_t> to(Elements(shape));
    ForEachPlace(b, x.nchw(), shape, [&](int64_t i, int64_t o) { to[o] = from[i]; });
    return Pack(to, WithSizes(x, shape[1], shape[2], shape[3]));
  }
  Tensor result(view.output);
  const int64_t size = Bytes(view.output.dtype);
  ForEachPlace(b, view.shape(0), view.output.shape, [&](int64_t i, int64_t o) {
    std::memcpy(&result.mutable_bytes()[o * size], &view.tensor(0).bytes()[i * size], size);
  });
  return result;
}

}  // namespace vta::compiler::ops
