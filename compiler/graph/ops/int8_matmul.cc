// Products of two activations: int8 x int8 -> int32, bias, requantisation. The bias already holds
// -x_zero_point * sum(w); the codes of w stand for themselves times a scale.
#include "compiler/graph/ops/int8_common.h"
#include "isa/support/plural.h"

namespace vta::compiler::ops {
namespace {

/// The matrices: [O,K], or in blocks [O/o,K/k,o,k].
struct Matrices {
  int64_t outputs, depth, block_out = 1, block_in = 1;
};

Matrices ReadMatrices(const OpView& view) {
  const Shape& w = view.shape(1);
  view.Require(w.size() == 2 || w.size() == 4, "matrices' shape", ToText(w),
               "must be [O,K] or in blocks [O/o,K/k,o,k]");
  view.Require(view.dtype(1) == DType::kInt8, "matrices' type", Name(view.dtype(1)),
               "must be int8");
  if (w.size() == 2) return {w[0], w[1]};
  return {w[0] * w[2], w[1] * w[3], w[2], w[3]};
}

/// The bias of an output in [O], or in rows of parameters [O/o,R,b,o], of which it is the first.
int64_t PlaceOfBias(const Shape& shape, int64_t output) {
  if (shape.size() == 1) return output;
  return output / shape[3] * shape[1] * shape[2] * shape[3] + output % shape[3];
}

}  // namespace

TensorType InferMatMulI8(const OpView& view) {
  const Activation x = ReadActivation(view, 0);
  view.Require(x.rank >= 4 && x.n == x.batch_block, "input shape", ToText(view.shape(0)),
               "must be [1,C,H,W] or that packed");
  const Matrices w = ReadMatrices(view);
  const int64_t groups = CheckRange(view, "groups", 1, w.outputs);
  view.Require(w.outputs % groups == 0, "groups", StrCat(groups),
               StrCat("must divide the ", w.outputs, " rows"));
  CheckRange(view, "outputs", 1, w.outputs / groups);
  CheckRange(view, "depth", 1, w.depth);
  view.Require(
      RoundUp(w.depth * groups, x.channel_block) == x.c, "matrices' shape", ToText(view.shape(1)),
      StrCat("times ", Counted(groups, "group"), " must be the input's ", Counted(x.c, "channel")));
  const Shape& bias = view.shape(2);
  const bool in_rows =
      bias.size() == 4 && bias[0] * bias[3] == w.outputs && bias[1] > 0 && bias[2] > 0;
  view.Require(view.dtype(2) == DType::kInt32 && (in_rows || bias == Shape{w.outputs}), "bias",
               ToText(*view.inputs[2]),
               StrCat("must be int32 ", ToText(Shape{w.outputs}), " or rows of parameters"));
  CheckRequant(view);
  return {DType::kInt8, WithSizes(x, w.outputs, x.h, x.w).stored()};
}

Tensor EvalMatMulI8(const EvalView& view) {
  const Activation x = ReadActivation(view, 0);
  const Matrices w = ReadMatrices(view);
  const Activation out = WithSizes(x, w.outputs, x.h, x.w);
  const std::vector<int8_t> input = Unpack(view.tensor(0), x);
  const auto matrices = view.tensor(1).data<int8_t>();
  const auto bias = view.tensor(2).data<int32_t>();
  const int64_t plane = x.h * x.w, per_group = w.outputs / view.Int("groups");
  std::vector<int8_t> y(Elements(out.nchw()));
  isa::RequantLane lane = ReadRequant(view);
  for (int64_t o = 0; o < w.outputs; ++o) {
    lane.bias = bias[PlaceOfBias(view.shape(2), o)];
    const int64_t first = o / per_group * w.depth;
    for (int64_t at = 0; at < x.n * plane; ++at) {
      const int64_t n = at / plane, pixel = at % plane;
      uint32_t sum = 0;
      for (int64_t k = 0; k < w.depth; ++k) {
        const int64_t block = o / w.block_out * (w.depth / w.block_in) + k / w.block_in;
        const int64_t of_w = (block * w.block_out + o % w.block_out) * w.block_in + k % w.block_in;
        sum += static_cast<uint32_t>(input[(n * x.c + first + k) * plane + pixel] * matrices[of_w]);
      }
      y[(n * out.c + o) * plane + pixel] =
          static_cast<int8_t>(isa::Requant(static_cast<int32_t>(sum), lane, view.rounding));
    }
  }
  return Pack(y, out);
}

}  // namespace vta::compiler::ops
