// Which range of real values codes cover: methods of calibration.
#pragma once

#include <span>
#include <string_view>

#include "compiler/quantize/code_sum.h"
#include "compiler/quantize/histogram.h"

namespace vta::compiler::quantize {

/// kAuto chooses no range by itself.
enum class Method { kAuto, kMinMax, kPercentile, kEntropy, kMse };
struct MethodInfo {
  Method method;
  std::string_view name, summary;
};
inline constexpr MethodInfo kMethods[] = {
    {Method::kAuto, "auto",
     "each tensor's by what it does to the layers behind it; or one of the others for all, where "
     "that is better"},
    {Method::kMinMax, "minmax", "from the least to the greatest value"},
    {Method::kPercentile, "percentile", "leaves a share of the values out at either end"},
    {Method::kEntropy, "entropy", "loses the least information (Kullback-Leibler)"},
    {Method::kMse, "mse", "least mean square error"},
};

/// Holds 0, which codes must represent.
struct Range {
  double low = 0, high = 0;
  bool operator==(const Range&) const = default;
};

inline constexpr double kUsualPercentile = 99.99;

/// By a method that is not kAuto. `percentile`: of the values, how many lie below the high end, and
/// above the low one.
Range ChooseRange(const Histogram& values, Method method, double percentile = kUsualPercentile);

/// The mean square error of the codes of a range. Units: of the values, squared.
double MeanSquareError(const Histogram& values, const Range& range);

/// Scale and zero point of int8 codes for a range: 0 is a code, both ends are nearly covered; a
/// range of width 0 has scale 1. The scale is a float32.
/// Errors: throws Error where a scale is no normal float32.
CodeScale ScaleOfRange(const Range& range);
/// What the codes of a scale cover.
Range RangeOfScale(const CodeScale& scale);

}  // namespace vta::compiler::quantize
