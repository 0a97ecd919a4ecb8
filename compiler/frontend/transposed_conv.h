// Transposed convolutions by their phases. Outputs that lie a stride apart see the same taps: these
// are a phase, and a convolution of the input. All phases are one convolution whose output channels
// they are, and depth_to_space interleaves them.
#pragma once

#include <vector>

#include "compiler/frontend/emitter.h"

namespace vta::compiler {

/// Input i adds its product with tap k to output i * stride + k * dilation - before.
struct TransposedAxis {
  int64_t input, kernel, stride, dilation, before, output;
};

/// One axis of the convolution of the phases: output v of phase p is output v * stride + p - crop.
struct PhaseAxis {
  int64_t places;                // outputs of each phase
  int64_t taps, dilation;        // of the window, whose stride is 1
  int64_t before, after;         // its pads; negative where it leaves elements out
  int64_t crop_begin, crop_end;  // outputs that nobody asked for
  /// The tap of the transposed convolution that is tap t of phase p, at [p * taps + t]; `kernel`,
  /// one too many, where there is none.
  std::vector<int64_t> tap_of;
};

class TransposedConv {
 public:
  /// Errors: throws Error at the emitter's place where an output size is below 1, or memory for the
  /// tables of the taps has no room.
  TransposedConv(Emitter& emitter, std::vector<TransposedAxis> axes, int64_t groups);

  /// Of the convolution; pads are not negative.
  const std::vector<PhaseAxis>& window() const { return window_; }
  /// Its operands of those of the transposed one, the bias kNone if there is none.
  /// Shape: x [N,C,...], w [OC,C/groups,...], bias [OC].
  std::vector<ValueId> Operands(ValueId x, ValueId w, ValueId bias);
  /// [N,phases*OC,...] -> [N,OC,...].
  ValueId Interleave(ValueId y);

 private:
  ValueId Cut(ValueId x) const;
  ValueId Weights(ValueId w) const;
  /// For each output channel of the convolution, in the order of depth_to_space, phase *
  /// `apart` + output channel of the transposed one.
  ValueId ChannelTable(int64_t channels, int64_t apart) const;

  Emitter& emitter_;
  const std::vector<TransposedAxis> axes_;
  std::vector<PhaseAxis> window_;
  std::vector<int64_t> pads_;  // of x before the convolution
  int64_t groups_, phases_ = 1;
};

}  // namespace vta::compiler
