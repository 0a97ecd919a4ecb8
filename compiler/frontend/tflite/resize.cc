// Converters of resized pictures: along height and width in turn, an element is one element, or two
// times weights, gathered at places that are known at compile time.
#include <algorithm>
#include <cmath>

#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

/// An axis of one size that becomes one of another, and how places correspond.
struct Axis {
  int64_t in, out;
  bool align_corners, half_pixel;

  float scale() const {  // in float, as the kernels have it
    return align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                    : static_cast<float>(in) / static_cast<float>(out);
  }
  int64_t Nearest(int64_t i) const {
    const float x = (static_cast<float>(i) + (half_pixel ? 0.5f : 0.0f)) * scale();
    return std::clamp<int64_t>(std::llround(align_corners ? std::round(x) : std::floor(x)), 0,
                               in - 1);
  }
  float Between(int64_t i) const {
    return half_pixel ? (static_cast<float>(i) + 0.5f) * scale() - 0.5f
                      : static_cast<float>(i) * scale();
  }
};

ValueId Gathered(TfliteNode& node, ValueId x, int64_t at, const std::vector<int64_t>& places) {
  const ValueId table =
      node.AddConstant("places", Tensor::Of<int64_t>({std::ssize(places)}, places));
  return node.Emit(Op::kGather, {x, table}, {{"axis", at}});
}

ValueId Nearest(TfliteNode& node, ValueId x, int64_t at, const Axis& axis) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < axis.out; ++i) places.push_back(axis.Nearest(i));
  return Gathered(node, x, at, places);
}

/// Beyond the borders are the elements there.
ValueId Linear(TfliteNode& node, ValueId x, int64_t at, const Axis& axis) {
  std::vector<int64_t> low, high;
  std::vector<float> low_weights, high_weights;
  for (int64_t i = 0; i < axis.out; ++i) {
    const float place = axis.Between(i), whole = std::floor(place);
    low.push_back(std::clamp<int64_t>(std::llround(whole), 0, axis.in - 1));
    high.push_back(std::clamp<int64_t>(std::llround(whole) + 1, 0, axis.in - 1));
    high_weights.push_back(place - whole);
    low_weights.push_back(1 - high_weights.back());
  }
  Shape line(4, 1);
  line[at] = axis.out;
  const auto part = [&](const std::vector<int64_t>& places, const std::vector<float>& weights) {
    const ValueId factors = node.AddConstant("weights", Tensor::Of<float>(line, weights));
    return node.Emit(Op::kMul, {Gathered(node, x, at, places), factors});
  };
  const ValueId first = part(low, low_weights);
  return node.Emit(Op::kAdd, {first, part(high, high_weights)});
}

/// Resizes the height and width of x [N,C,H,W]; the result is [N,H,W,C] again.
template <typename Options, typename F>
ValueId Resize(TfliteNode& node, const Options& options, ValueId x, F resize) {
  constexpr int64_t kMost = 1 << 24;
  const auto sizes = node.ConstantInts(1, "input size");
  if (sizes.size() != 2 || std::ranges::min(sizes) < 1 || std::ranges::max(sizes) > kMost)
    throw node.Fail("input size", ToText(sizes), "must be a height and a width from 1 to 2^24");
  if (options.align_corners() && options.half_pixel_centers())
    throw node.Fail("align_corners and half_pixel_centers", "true", "must not both be");
  for (int64_t i = 0; i < 2; ++i) {
    const Axis axis{node.type(x).shape[2 + i], sizes[i], options.align_corners(),
                    options.half_pixel_centers()};
    node.Require({DType::kInt64, {axis.out}});
    if (axis.in != axis.out) x = resize(node, x, 2 + i, axis);
  }
  return node.Emit(Op::kTranspose, {x}, {{"perm", kToChannelsLast}});
}

}  // namespace

/// Codes stay codes.
void ConvertResizeNearestNeighbor(TfliteNode& node) {
  node.RequirePicture();
  const auto& options = node.Options<schema::ResizeNearestNeighborOptions>();
  const ValueId x = node.Emit(Op::kTranspose, {node.Stored(0)}, {{"perm", kToChannelsFirst}});
  node.ResultStored(Resize(node, options, x, Nearest));
}

void ConvertResizeBilinear(TfliteNode& node) {
  node.RequirePicture();
  const auto& options = node.Options<schema::ResizeBilinearOptions>();
  node.Result(Resize(node, options, node.Real(0, kToChannelsFirst), Linear));
}

}  // namespace vta::compiler
