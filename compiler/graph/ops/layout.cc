// Between plain activations and the packed layout of an accelerator.
#include "compiler/graph/ops/int8_common.h"

namespace vta::compiler::ops {
namespace {

Activation PackedActivation(const OpView& view) {
  Activation a = ReadActivation(view, 0);
  view.Require(a.rank != 6, "input shape", ToText(view.shape(0)), "must not be packed already");
  a.batch_block = CheckRange(view, "batch_block", 1, 1 << 16);
  a.channel_block = CheckRange(view, "channel_block", 1, 1 << 16);
  a.n = RoundUp(a.n, a.batch_block);
  a.c = RoundUp(a.c, a.channel_block);
  a.rank = 6;
  return a;
}

/// Copies what two NCHW tensors have in common, from the origin on.
void CopyCommon(const std::vector<int8_t>& from, const Activation& a, std::vector<int8_t>& to,
                const Activation& b) {
  const int64_t plane = a.h * a.w;
  for (int64_t n = 0; n < std::min(a.n, b.n); ++n)
    for (int64_t i = 0; i < std::min(a.c, b.c) * plane; ++i)
      to[n * b.c * plane + i] = from[n * a.c * plane + i];
}

}  // namespace

TensorType InferPack(const OpView& view) { return {DType::kInt8, PackedActivation(view).stored()}; }

Tensor EvalPack(const EvalView& view) {
  const Activation plain = ReadActivation(view, 0), packed = PackedActivation(view);
  std::vector<int8_t> nchw(Elements(packed.nchw()));
  CopyCommon(Unpack(view.tensor(0), plain), plain, nchw, packed);
  return Pack(nchw, packed);
}

TensorType InferUnpack(const OpView& view) {
  const Activation packed = ReadActivation(view, 0);
  const Shape& shape = view.Ints("shape");
  view.Require(packed.rank == 6, "input shape", ToText(view.shape(0)),
               "must be packed [N/b,C/c,H,W,b,c]");
  const bool spatial = shape.size() == 4 && shape[2] == packed.h && shape[3] == packed.w;
  const bool flat = shape.size() == 2 && packed.h == 1 && packed.w == 1;
  view.Require((spatial || flat) && RoundUp(shape[0], packed.batch_block) == packed.n &&
                   RoundUp(shape[1], packed.channel_block) == packed.c,
               "shape", ToText(shape), StrCat("must be a shape packed as ", ToText(view.shape(0))));
  return {DType::kInt8, shape};
}

Tensor EvalUnpack(const EvalView& view) {
  const Activation packed = ReadActivation(view, 0);
  const Shape& shape = view.output.shape;
  const Activation plain{shape[0], shape[1], packed.h, packed.w, shape.size()};
  std::vector<int8_t> nchw(Elements(shape));
  CopyCommon(Unpack(view.tensor(0), packed), packed, nchw, plain);
  return Pack(nchw, plain);
}

}  // namespace vta::compiler::ops
