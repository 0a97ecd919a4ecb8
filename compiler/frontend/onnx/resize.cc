// Converters of Resize and Upsample: along each axis in turn, an element is the sum of a few
// elements, gathered at places that are known at compile time, times weights.
#include <algorithm>
#include <cmath>

#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {
namespace {

struct Mode {
  std::string kind, coordinates, nearest;
  double cubic = -0.75;
  bool exclude_outside = false;
};

/// An axis of one size that becomes one of another.
struct Axis {
  int64_t in, out;
  double scale;
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
  if (mode.coordinates == "align_corners") {
    // Definitions differ on whether the corners are those of the size before it is rounded down.
    if (in * axis.scale != out)
      throw node.Fail("scale", StrCat(axis.scale),
                      StrCat("must make a whole size of ", axis.in, " where corners are aligned"));
    return axis.out > 1 ? x * (in - 1) / (out - 1) : 0;
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

/// The weights of the elements from floor(x) - (size / 2 - 1) on, for the rest that x has.
std::vector<double> Weights(const Mode& mode, double rest) {
  if (mode.kind == "nearest") return {1};
  if (mode.kind == "linear") return {1 - rest, rest};
  const auto near = [&](double d) {  // up to 1 away
    return ((mode.cubic + 2) * d - (mode.cubic + 3)) * d * d + 1;
  };
  const auto far = [&](double d) {
    return ((mode.cubic * d - 5 * mode.cubic) * d + 8 * mode.cubic) * d - 4 * mode.cubic;
  };
  return {far(1 + rest), near(rest), near(1 - rest), far(2 - rest)};
}

/// One tap for all output elements: places and weights.
struct Tap {
  std::vector<int64_t> places;
  std::vector<double> weights;
};

std::vector<Tap> TapsOf(OnnxNode& node, const Mode& mode, const Axis& axis) {
  std::vector<Tap> taps;
  for (int64_t i = 0; i < axis.out; ++i) {
    const double x = Position(node, mode, axis, i);
    const double whole = mode.kind == "nearest" ? Nearest(node, mode, x) : std::floor(x);
    std::vector<double> weights = Weights(mode, x - whole);
    taps.resize(weights.size());
    const int64_t first =
        static_cast<int64_t>(whole) - static_cast<int64_t>(weights.size() - 1) / 2;
    double sum = 0;
    for (size_t t = 0; t < weights.size(); ++t) {
      const int64_t place = first + static_cast<int64_t>(t);
      if (mode.exclude_outside && (place < 0 || place >= axis.in)) weights[t] = 0;
      sum += weights[t];
      taps[t].places.push_back(std::clamp<int64_t>(place, 0, axis.in - 1));
    }
    for (size_t t = 0; t < weights.size(); ++t)
      taps[t].weights.push_back(mode.exclude_outside ? weights[t] / sum : weights[t]);
  }
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

Mode ReadMode(OnnxNode& node, bool upsample) {
  Mode mode;
  mode.kind = node.String("mode", "nearest");
  const bool old = upsample || node.opset() < 11;
  mode.coordinates =
      old ? "asymmetric" : node.String("coordinate_transformation_mode", "half_pixel");
  mode.nearest = old ? "floor" : node.String("nearest_mode", "round_prefer_floor");
  mode.cubic = node.Float("cubic_coeff_a", -0.75);
  mode.exclude_outside = node.Int("exclude_outside", 0) != 0;
  node.Ignore("extrapolation_value");  // of tf_crop_and_resize, which is refused
  if (node.opset() >= 18 && node.Int("antialias", 0) != 0)
    throw node.Fail("attribute antialias", "1", "is not supported");
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

void Resize(OnnxNode& node, const Mode& mode, const std::vector<Axis>& axes) {
  ValueId y = node.Input(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    constexpr int64_t kMost = 1 << 24;
    if (axes[i].out < 1 || axes[i].out > kMost)
      throw node.Fail("output size", StrCat(axes[i].out), "must be from 1 to 2^24");
    if (axes[i].out != axes[i].in || axes[i].scale != 1)
      y = ResizeAxis(node, y, static_cast<int64_t>(i), mode, axes[i]);
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
