// Linear interpolation along an axis that becomes a whole number of times as long.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/graph/ops.h"

namespace vta::compiler::ops {

/// What weights of a pixel may add up to: times a code that is below 2^31.
inline constexpr int64_t kMostResizeSum = 1 << 22;

/// Element i * scale + p of the result, p its phase, is the sum over taps of Weight(p, tap) *
/// x[i + First(p) + tap] over denominator(). Beyond the ends of x are the elements there.
struct LinearTaps {
  int64_t scale = 1;
  bool half_pixel = false;  // pixels' centres correspond, not their first edges

  int64_t taps() const { return scale == 1 ? 1 : 2; }
  /// The phases, from the first on, that begin with the element before their own.
  int64_t phases_before() const { return half_pixel ? scale / 2 : 0; }
  int64_t First(int64_t phase) const { return phase < phases_before() ? -1 : 0; }
  /// The least for all phases. Units: what weights of an element add up to.
  int64_t denominator() const { return half_pixel && scale % 2 == 0 ? 2 * scale : scale; }
  int64_t Weight(int64_t phase, int64_t tap) const {
    const int64_t halves = half_pixel ? (2 * phase + 1 + scale) % (2 * scale) : 2 * phase;
    const int64_t second = halves * denominator() / (2 * scale);
    return tap == 0 ? denominator() - second : second;
  }
  int64_t most_weight() const {
    int64_t most = 0;
    for (int64_t phase = 0; phase < scale; ++phase)
      for (int64_t tap = 0; tap < taps(); ++tap) most = std::max(most, Weight(phase, tap));
    return most;
  }
};

/// Of resize_i8: along height and width; `factor` multiplies all weights.
struct LinearResize {
  LinearTaps height, width;
  int64_t factor = 1;

  LinearResize(const LinearTaps& of_height, const LinearTaps& of_width)
      : height(of_height), width(of_width) {}
  explicit LinearResize(const OpView& view) : LinearResize(view.node) {}
  explicit LinearResize(const Node& node)
      : height{node.Ints("scales").at(0), node.Int("half_pixel") != 0},
        width{node.Ints("scales").at(1), height.half_pixel},
        factor(node.Int("factor")) {}
  /// What the weights of a pixel add up to.
  int64_t sum() const { return factor * height.denominator() * width.denominator(); }
  int64_t most_weight() const { return factor * height.most_weight() * width.most_weight(); }
};

}  // namespace vta::compiler::ops
