// The sums of a 2-D convolution, for the real-valued op and the integer one.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {

template <typename T>
struct Operand {
  std::span<const T> data;
  Shape shape;
};

/// sums[n,oc,oy,ox] = the weighted sum of input window (oy,ox), in Acc's arithmetic.
/// Shape: x [N,C,H,W], w [OC,C/groups,KH,KW], out [N,OC,OH,OW].
template <typename T, typename Weight, typename Acc>
std::vector<Acc> Convolve(const Operand<T>& x, const Operand<Weight>& w, const Window& window,
                          int64_t groups, T pad_value, const Shape& out) {
  const int64_t channels = x.shape[1], height = x.shape[2], width = x.shape[3];
  const int64_t padded_height = height + window.pad_begin[0] + window.pad_end[0];
  const int64_t padded_width = width + window.pad_begin[1] + window.pad_end[1];
  std::vector<Acc> padded(x.shape[0] * channels * padded_height * padded_width,
                          static_cast<Acc>(pad_value));
  for (int64_t row = 0; row < x.shape[0] * channels * height; ++row)
    std::copy_n(
        &x.data[row * width], width,
        &padded[(row / height * padded_height + row % height + window.pad_begin[0]) * padded_width +
                window.pad_begin[1]]);

  const int64_t in_per_group = w.shape[1], out_per_group = w.shape[0] / groups;
  const int64_t out_width = out[3];
  std::vector<Acc> sums(Elements(out));
  // One tap at a time: its weight times a whole strided row of the padded input.
  for (int64_t n = 0; n < out[0]; ++n)
    for (int64_t oc = 0; oc < out[1]; ++oc)
      for (int64_t tap = 0; tap < in_per_group * w.shape[2] * w.shape[3]; ++tap) {
        const int64_t kx = tap % w.shape[3], ky = tap / w.shape[3] % w.shape[2];
        const int64_t ic = oc / out_per_group * in_per_group + tap / w.shape[3] / w.shape[2];
        const Acc weight =
            static_cast<Acc>(w.data[oc * in_per_group * w.shape[2] * w.shape[3] + tap]);
        for (int64_t oy = 0; oy < out[2]; ++oy) {
          const int64_t iy = oy * window.stride[0] + ky * window.dilation[0];
          const Acc* row = &padded[((n * channels + ic) * padded_height + iy) * padded_width +
                                   kx * window.dilation[1]];
          Acc* sum = &sums[((n * out[1] + oc) * out[2] + oy) * out_width];
          for (int64_t ox = 0; ox < out_width; ++ox) sum[ox] += weight * row[ox * window.stride[1]];
        }
      }
  return sums;
}

}  // namespace vta::compiler::ops
