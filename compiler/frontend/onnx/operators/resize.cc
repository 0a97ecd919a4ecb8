// Converters of Resize and Upsample: along each axis in turn, an element is the sum of a few
// elements, gathered at places that are known at compile time, times weights.
#include <algorithm>
#include <cmath>

#include "compiler/frontend/onnx/operators.h"
#include "compiler/frontend/onnx/operators/cubic.h"
#include "compiler/horner.h"

namespace vta::compiler {
namespace {

struct Mode {
  std::string kind, coordinates, nearest;
  double cubic = -0.75, extrapolation = 0;
  bool exclude_outside = false, antialias = false;

  bool crops() const { return coordinates == "tf_crop_and_resize"; }
};

/// An axis of one size that becomes one of another. Of one that is cropped, the part from `start`
/// to `end`, in shares of its size.
struct Axis {
  int64_t in, out;
  double scale;
  double start = 0, end = 1;
};

/// Where an output element lies among those of the input.
double Position(OnnxNode& node, const Mode& mode, const Axis& axis, int64_t i) {
  const double x = static_cast<double>(i), in = static_cast<double>(axis.in);
  const double out = static_cast<double>(axis.out);
  if (mode.coordinates == "half_pixel") return (x + 0.5) / axis.scale - 0.5;
  if (mode.coordinates == "asymmetric") return x / axis.scale;
  if (mode.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / axis.scale;
  if (mode.coordinates == "pytorch_half_pixel")
    return axis.out > 1 ? (x + 0.5) / axis.scale - 0.5 : 0;
  // Of the size before it is rounded down.
  const double last = in * axis.scale - 1;
  if (mode.coordinates == "align_corners") return last != 0 ? x * (in - 1) / last : 0;
  if (mode.crops()) {
    const double part = (axis.end - axis.start) * (in - 1);
    return axis.start * (in - 1) + (last != 0 ? x * part / last : part / 2);
  }
  if (mode.coordinates == "half_pixel_symmetric") {
    const double adjustment = out / (axis.scale * in), centre = in / 2;
    return centre * (1 - adjustment) + (x + 0.5) / axis.scale - 0.5;
  }
  throw node.Fail("attribute coordinate_transformation_mode", mode.coordinates, "is not supported");
}

double Nearest(OnnxNode& node, const Mode& mode, double x) {
  if (mode.nearest == "round_prefer_floor") return std::ceil(x - 0.5);
  if (mode.nearest == "round_prefer_ceil") return std::floor(x + 0.5);
  if (mode.nearest == "floor") return std::floor(x);
  if (mode.nearest == "ceil") return std::ceil(x);
  throw node.Fail("attribute nearest_mode", mode.nearest, "is not supported");
}

/// What an element counts that lies d away.
double Weight(const Mode& mode, double d) {
  d = std::abs(d);
  if (mode.kind == "linear") return std::max(1 - d, 0.0);
  if (d >= 2) return 0;
  return Horner(
      CubicWeight(mode.cubic, d <= 1), [](double c) { return c; },
      [&](double sum, double c) { return sum * d + c; });
}

/// One tap for all output elements: places and weights.
struct Tap {
  std::vector<int64_t> places;
  std::vector<double> weights;
};

/// Where a picture shrinks, antialiasing lets each element of the result take as many as it stands
/// for.
std::vector<Tap> TapsOf(OnnxNode& node, const Mode& mode, const Axis& axis) {
  const bool nearest = mode.kind == "nearest";
  const double shrink = mode.antialias ? std::min(axis.scale, 1.0) : 1;
  const auto reach = static_cast<int64_t>(std::ceil((mode.kind == "cubic" ? 2 : 1) / shrink));
  constexpr int64_t kMostReach = 1024;
  if (reach > kMostReach)
    throw node.Fail("scale", StrCat(axis.scale), "antialiasing must not take over 2048 elements");
  std::vector<Tap> taps(nearest ? 1 : 2 * reach);
  for (int64_t i = 0; i < axis.out; ++i) {
    const double x = Position(node, mode, axis, i);
    const auto whole =
        static_cast<int64_t>(nearest ? Nearest(node, mode, x) : std::floor(x) - reach + 1);
    double sum = 0;
    for (size_t t = 0; t < taps.size(); ++t) {
      const int64_t place = whole + static_cast<int64_t>(t);
      const bool outside = place < 0 || place >= axis.in;
      double weight = nearest ? 1 : Weight(mode, (static_cast<double>(place) - x) * shrink);
      if (mode.exclude_outside && outside) weight = 0;
      sum += weight;
      taps[t].places.push_back(std::clamp<int64_t>(place, 0, axis.in - 1));
      taps[t].weights.push_back(weight);
    }
    if (mode.exclude_outside || mode.antialias)
      for (Tap& tap : taps) tap.weights.back() /= sum;
  }
  std::erase_if(taps, [](const Tap& tap) {
    return std::ranges::all_of(tap.weights, [](double weight) { return weight == 0; });
  });
  return taps;
}

ValueId ResizeAxis(OnnxNode& node, ValueId x, int64_t at, const Mode& mode, const Axis& axis) {
  ValueId sum = kNone;
  Shape line(node.type(x).shape.size(), 1);
  line[at] = axis.out;
  for (const Tap& tap : TapsOf(node, mode, axis)) {
    const ValueId places = node.AddConstant("places", Tensor::Of({axis.out}, tap.places));
    ValueId part = node.Emit(Op::kGather, {x, places}, {{"axis", at}});
    if (mode.kind == "nearest") return part;
    const std::vector<float> weights(tap.weights.begin(), tap.weights.end());
    part = node.Emit(Op::kMul, {part, node.AddConstant("weights", Tensor::Of(line, weights))});
    sum = sum == kNone ? part : node.Emit(Op::kAdd, {sum, part});
  }
  return sum;
}

/// What a crop has beyond the input is one value.
ValueId Extrapolate(OnnxNode& node, ValueId x, int64_t at, const Mode& mode, const Axis& axis) {
  Shape line(node.type(x).shape.size(), 1);
  line[at] = axis.out;
  Tensor outside(TensorType{DType::kBool, line});
  for (int64_t i = 0; i < axis.out; ++i) {
    const double place = Position(node, mode, axis, i);
    outside.mutable_data<bool>()[i] = place < 0 || place > static_cast<double>(axis.in - 1);
  }
  if (std::ranges::count(outside.data<bool>(), true) == 0) return x;
  return node.Emit(Op::kWhere, {node.AddConstant("outside", std::move(outside)),
                                node.Number(x, mode.extrapolation), x});
}

Mode ReadMode(OnnxNode& node, bool upsample) {
  Mode mode;
  mode.kind = node.String("mode", "nearest");
  const bool old = upsample || node.opset() < 11;
  mode.coordinates =
      old ? "asymmetric" : node.String("coordinate_transformation_mode", "half_pixel");
  mode.nearest = old ? "floor" : node.String("nearest_mode", "round_prefer_floor");
  mode.cubic = node.Float("cubic_coeff_a", -0.75);
  mode.exclude_outside = node.Int("exclude_outside", 0) != 0;
  mode.extrapolation = node.Float("extrapolation_value", 0);
  mode.antialias = node.opset() >= 18 && node.Int("antialias", 0) != 0;
  if (mode.kind == "bilinear" || mode.kind == "trilinear") mode.kind = "linear";
  if (mode.kind != "nearest" && mode.kind != "linear" && mode.kind != "cubic")
    throw node.Fail("attribute mode", mode.kind, "must be nearest, linear or cubic");
  if (mode.kind != "nearest" && node.Type(0).dtype != DType::kFloat32)
    throw node.Fail("input type", std::string(Name(node.Type(0).dtype)),
                    "must be float32 where elements are interpolated");
  return mode;
}

/// A list with a number for each axis, or for those that the attribute `axes` names.
std::vector<double> ForAxes(OnnxNode& node, const std::vector<double>& list,
                            std::vector<double> otherwise) {
  const int64_t rank = static_cast<int64_t>(otherwise.size());
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  if (node.opset() >= 18) axes = node.Ints("axes").value_or(axes);
  if (list.size() != axes.size())
    throw node.Fail("scales or sizes", StrCat(list.size(), " numbers"),
                    StrCat("must be ", axes.size()));
  for (size_t i = 0; i < axes.size(); ++i) otherwise[node.Axis(axes[i], rank)] = list[i];
  return otherwise;
}

std::vector<double> Numbers(OnnxNode& node, int64_t input, const char* what) {
  const Tensor& tensor = node.Constant(input, what);
  std::vector<double> list;
  for (int64_t i = 0; i < tensor.elements(); ++i) list.push_back(tensor.At(i));
  return list;
}

/// Of sizes that need not be met all, one scale for all axes.
void KeepAspect(OnnxNode& node, std::vector<Axis>& axes) {
  const std::string policy = node.String("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch") return;
  if (policy != "not_larger" && policy != "not_smaller")
    throw node.Fail("attribute keep_aspect_ratio_policy", policy, "is not supported");
  const auto asked = node.Ints("axes");
  const int64_t rank = static_cast<int64_t>(axes.size());
  std::vector<bool> named(axes.size(), !asked);
  for (int64_t axis : asked.value_or(std::vector<int64_t>{})) named[node.Axis(axis, rank)] = true;
  double scale = 0;
  for (size_t i = 0; i < axes.size(); ++i)
    if (named[i] && (scale == 0 || (axes[i].scale < scale) == (policy == "not_larger")))
      scale = axes[i].scale;
  for (size_t i = 0; i < axes.size(); ++i)
    if (named[i])
      axes[i] = {axes[i].in, std::llround(scale * static_cast<double>(axes[i].in)), scale};
}

/// Starts of all axes, then ends.
void ReadCrop(OnnxNode& node, std::vector<Axis>& axes) {
  const std::vector<double> list = Numbers(node, 1, "input roi");
  if (list.size() % 2 != 0)
    throw node.Fail("input roi", StrCat(list.size(), " numbers"), "must be two for each axis");
  const auto half = list.begin() + std::ssize(list) / 2;
  const auto starts = ForAxes(node, {list.begin(), half}, std::vector<double>(axes.size(), 0));
  const auto ends = ForAxes(node, {half, list.end()}, std::vector<double>(axes.size(), 1));
  for (size_t i = 0; i < axes.size(); ++i) {
    axes[i].start = starts[i];
    axes[i].end = ends[i];
  }
}

void Resize(OnnxNode& node, const Mode& mode, std::vector<Axis> axes) {
  if (mode.crops()) ReadCrop(node, axes);
  ValueId y = node.Input(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    constexpr int64_t kMost = 1 << 24;
    if (axes[i].out < 1 || axes[i].out > kMost)
      throw node.Fail("output size", StrCat(axes[i].out), "must be from 1 to 2^24");
    const Axis& axis = axes[i];
    const auto at = static_cast<int64_t>(i);
    if (axis.out == axis.in && axis.scale == 1 && axis.start == 0 && axis.end == 1) continue;
    y = ResizeAxis(node, y, at, mode, axis);
    if (mode.crops()) y = Extrapolate(node, y, at, mode, axis);
  }
  node.Result(y);
}

std::vector<Axis> ByScales(OnnxNode& node, const std::vector<double>& scales) {
  const Shape x = node.InputShape(0);
  std::vector<Axis> axes;
  const std::vector<double> all = ForAxes(node, scales, std::vector<double>(x.size(), 1));
  for (size_t i = 0; i < x.size(); ++i) {
    constexpr double kMost = 1 << 20;
    if (!(all[i] > 0 && all[i] < kMost))
      throw node.Fail("scale", StrCat(all[i]), "must be positive and at most 2^20");
    const double size = std::floor(static_cast<double>(x[i]) * all[i]);
    axes.push_back({x[i], static_cast<int64_t>(size), all[i]});
  }
  return axes;
}

std::vector<Axis> BySizes(OnnxNode& node, const std::vector<double>& sizes) {
  const Shape x = node.InputShape(0);
  const std::vector<double> all = ForAxes(node, sizes, std::vector<double>(x.begin(), x.end()));
  std::vector<Axis> axes;
  for (size_t i = 0; i < x.size(); ++i)
    axes.push_back({x[i], static_cast<int64_t>(all[i]), all[i] / static_cast<double>(x[i])});
  if (node.opset() >= 18) KeepAspect(node, axes);
  return axes;
}

}  // namespace

void ConvertResize(OnnxNode& node) {
  const Mode mode = ReadMode(node, false);
  const int64_t scales = node.opset() < 11 ? 1 : 2, sizes = 3;
  if (node.Has(sizes)) {
    Resize(node, mode, BySizes(node, Numbers(node, sizes, "input sizes")));
  } else {
    node.Ignore("keep_aspect_ratio_policy");  // of sizes
    Resize(node, mode, ByScales(node, Numbers(node, scales, "input scales")));
  }
}

void ConvertUpsample(OnnxNode& node) {
  const Mode mode = ReadMode(node, true);
  if (node.opset() >= 9) {
    Resize(node, mode, ByScales(node, Numbers(node, 1, "input scales")));
    return;
  }
  Resize(node, mode, ByScales(node, node.Floats("scales")));
}

}  // namespace vta::compiler
