#include "compiler/frontend/transposed_conv.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace vta::compiler {
namespace {

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/// Where output 0 lies in its block is a choice.
PhaseAxis Phases(const TransposedAxis& axis, int64_t crop) {
  // In the plane of blocks tap k of input i meets output i * stride + At(k).
  const auto at = [&](int64_t k) { return k * axis.dilation - axis.before + crop; };
  const auto behind = [&](int64_t k) { return FloorDiv(at(k), axis.stride); };
  const int64_t first = behind(0), last = behind(axis.kernel - 1);
  int64_t step = 0;
  for (int64_t k = 0; k < axis.kernel; ++k) step = std::gcd(step, last - behind(k));
  PhaseAxis out;
  out.dilation = std::max<int64_t>(step, 1);
  out.taps = (last - first) / out.dilation + 1;
  out.places = (axis.output + crop + axis.stride - 1) / axis.stride;
  out.before = last;
  out.after = out.places - first - axis.input;
  out.crop_begin = crop;
  out.crop_end = out.places * axis.stride - crop - axis.output;
  return out;
}

void FindTaps(const TransposedAxis& axis, PhaseAxis* out) {
  out->tap_of.assign(axis.stride * out->taps, axis.kernel);
  for (int64_t k = 0; k < axis.kernel; ++k) {
    const int64_t at = k * axis.dilation - axis.before + out->crop_begin;
    const int64_t behind = FloorDiv(at, axis.stride), phase = at - behind * axis.stride;
    out->tap_of[phase * out->taps + (out->before - behind) / out->dilation] = k;
  }
}

}  // namespace

TransposedConv::TransposedConv(Emitter& emitter, std::vector<TransposedAxis> axes, int64_t groups)
    : emitter_(emitter), axes_(std::move(axes)), pads_(2 * axes_.size() + 4), groups_(groups) {
  for (size_t i = 0; i < axes_.size(); ++i) {
    TransposedAxis axis = axes_[i];
    if (axis.output < 1)
      throw emitter_.Fail("output size", StrCat(axis.output), "must be at least 1");
    // The phases begin with output 0, or with tap 0: as the window over them has less work.
    PhaseAxis window = Phases(axis, 0);
    const int64_t before = axis.before - FloorDiv(axis.before, axis.stride) * axis.stride;
    const PhaseAxis other = Phases(axis, before);
    if (other.taps * other.places < window.taps * window.places) window = other;
    emitter_.Require({DType::kInt64, {axis.stride, window.taps}});
    FindTaps(axis, &window);
    if (window.before < 0 || window.after < 0) {
      pads_[2 + i] = std::exchange(window.before, 0);
      pads_[4 + axes_.size() + i] = std::exchange(window.after, 0);
    }
    phases_ *= axis.stride;
    window_.push_back(std::move(window));
  }
}

std::vector<ValueId> TransposedConv::Operands(ValueId x, ValueId w, ValueId bias) {
  const int64_t channels = emitter_.type(w).shape[0];
  std::vector<ValueId> operands = {Cut(x), Weights(w)};
  if (bias != kNone)
    operands.push_back(
        emitter_.Emit(Op::kGather, {bias, ChannelTable(channels, 0)}, {{"axis", int64_t{0}}}));
  return operands;
}

ValueId TransposedConv::Cut(ValueId x) const {
  if (std::ranges::all_of(pads_, [](int64_t pad) { return pad == 0; })) return x;
  return emitter_.Emit(Op::kPad, {x}, {{"mode", "constant"}, {"pads", pads_}, {"value", 0.0}});
}

ValueId TransposedConv::Weights(ValueId w) const {
  const int64_t channels = emitter_.type(w).shape[0];
  std::vector<int64_t> perm, taps;
  Shape shape = {phases_ * channels, emitter_.type(w).shape[1]};
  for (size_t i = 0; i < axes_.size(); ++i) {
    const int64_t at = static_cast<int64_t>(2 + 2 * i);  // each axis before has become two
    const std::vector<int64_t>& tap_of = window_[i].tap_of;
    if (std::ranges::find(tap_of, axes_[i].kernel) != tap_of.end()) {
      std::vector<int64_t> pads(2 * emitter_.type(w).shape.size());
      pads[pads.size() / 2 + at] = 1;
      w = emitter_.Emit(Op::kPad, {w}, {{"mode", "constant"}, {"pads", pads}, {"value", 0.0}});
    }
    const ValueId table = emitter_.AddConstant(
        "taps", Tensor::Of<int64_t>({axes_[i].stride, window_[i].taps}, tap_of));
    w = emitter_.Emit(Op::kGather, {w, table}, {{"axis", at}});
    perm.push_back(at);
    taps.push_back(at + 1);
    shape.push_back(window_[i].taps);
  }
  perm.insert(perm.end(), {0, 1});
  perm.insert(perm.end(), taps.begin(), taps.end());
  w = emitter_.Reshape(emitter_.Emit(Op::kTranspose, {w}, {{"perm", perm}}), shape);
  if (groups_ == 1) return w;
  return emitter_.Emit(Op::kGather, {w, ChannelTable(channels, channels)}, {{"axis", int64_t{0}}});
}

ValueId TransposedConv::ChannelTable(int64_t channels, int64_t apart) const {
  emitter_.Require({DType::kInt64, {phases_, channels}});
  const int64_t per_group = channels / groups_;
  std::vector<int64_t> table;
  for (int64_t group = 0; group < groups_; ++group)
    for (int64_t phase = 0; phase < phases_; ++phase)
      for (int64_t c = 0; c < per_group; ++c)
        table.push_back(phase * apart + group * per_group + c);
  return emitter_.AddConstant("channels", Tensor::Of<int64_t>({phases_ * channels}, table));
}

ValueId TransposedConv::Interleave(ValueId y) {
  std::vector<int64_t> blocks, crops;
  for (const TransposedAxis& axis : axes_) blocks.push_back(axis.stride);
  for (const PhaseAxis& axis : window_) crops.push_back(axis.crop_begin);
  for (const PhaseAxis& axis : window_) crops.push_back(axis.crop_end);
  return emitter_.Emit(Op::kDepthToSpace, {y},
                       {{"blocks", blocks}, {"crops", crops}, {"groups", groups_}});
}

}  // namespace vta::compiler
