// Ops that move elements and change none, and the packed layout.
#include "compiler/graph/ops/int8_common.h"
#include "compiler/operators/lowering.h"

namespace vta::compiler::operators {

using Index = const std::vector<Expr>&;

te::Tensor LowerIdentity(const Lowering& l) {
  return te::Compute("y", l.OutputAxes(), [&](Index i) { return l.x().At(i); });
}

te::Tensor LowerCopy(const Lowering& l) {
  return te::Compute("y", {Elements(l.output.shape)}, [&](Expr i) { return l.x()(i); });
}

te::Tensor LowerTranspose(const Lowering& l) {
  const std::vector<int64_t>& perm = l.Ints("perm");
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    std::vector<Expr> from(perm.size());
    for (size_t d = 0; d < perm.size(); ++d) from[perm[d]] = i[d];
    return l.x().At(from);
  });
}

te::Tensor LowerConcat(const Lowering& l) {
  const int64_t axis = l.Int("axis");
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    // From the last input backwards: select(i < end of 0, x0, select(i < end of 1, x1, ...)).
    int64_t end = l.output.shape[axis];
    Expr value;
    for (size_t input = l.tensors.size(); input-- > 0;) {
      const int64_t start = end - l.x(input).shape()[axis];
      std::vector<Expr> from = i;
      from[axis] = i[axis] - start;
      const Expr element = l.x(input).At(from);
      value = value ? Select(i[axis] < Expr(end), element, value) : element;
      end = start;
    }
    return value;
  });
}

te::Tensor LowerPad(const Lowering& l) {
  const std::vector<int64_t>& pads = l.Ints("pads");
  const std::string& mode = l.node.attributes.String("mode");
  const Expr fill = loop::ConstOf(l.x().dtype(), l.node.attributes.Double("value"));
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    std::vector<Expr> from;
    Expr inside = loop::BoolConst(true);
    for (size_t d = 0; d < i.size(); ++d) {
      const int64_t size = l.shape(0)[d];
      const Expr at = i[d] - pads[d];
      if (mode == "constant") {
        inside = inside && Expr(0) <= at && at < Expr(size);
        from.push_back(at);
      } else if (mode == "edge" || size == 1) {
        from.push_back(Min(Max(at, Expr(0)), Expr(size - 1)));
      } else {  // reflect: a wave of period 2 * (size - 1)
        const Expr phase = FloorMod(at, Expr(2 * (size - 1)));
        from.push_back(Min(phase, Expr(2 * (size - 1)) - phase));
      }
    }
    return mode == "constant" ? Select(inside, l.x().At(from), fill) : l.x().At(from);
  });
}

te::Tensor LowerUpsampleI8(const Lowering& l) {
  l.Require(l.shape(0).size() == 4, "input shape", ToText(l.shape(0)), "must be [N,C,H,W]");
  const std::vector<int64_t>& scales = l.Ints("scales");
  return te::Compute("y", l.OutputAxes(), [&](Expr n, Expr c, Expr y, Expr x) {
    return l.x()(n, c, FloorDiv(y, Expr(scales[0])), FloorDiv(x, Expr(scales[1])));
  });
}

te::Tensor LowerDepthToSpace(const Lowering& l) {
  const ops::SpaceBlocks b = ops::ReadSpaceBlocks(l);
  const int64_t phases = b.phases(), per_group = l.output.shape[1] / b.groups;
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    std::vector<Expr> from = i;
    Expr phase(0);
    for (size_t axis = 0; axis < b.blocks.size(); ++axis) {
      const Expr place = i[2 + axis] + b.crop_begin(axis), block(b.blocks[axis]);
      phase = phase * b.blocks[axis] + FloorMod(place, block);
      from[2 + axis] = FloorDiv(place, block);
    }
    const Expr group = FloorMod(FloorDiv(i[1], Expr(per_group)), Expr(b.groups)),
               in_group = FloorMod(i[1], Expr(per_group));  // guards alone may not show their ends
    from[1] = (group * phases + phase) * per_group + in_group;
    return l.x().At(from);
  });
}

te::Tensor LowerPack(const Lowering& l) {
  const ops::Activation plain = ops::ReadActivation(l, 0);
  const int64_t batch = l.Int("batch_block"), channels = l.Int("channel_block");
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    const Expr n = i[0] * batch + i[4], c = i[1] * channels + i[5];
    // Where the input lies in blocks, only an index that is in range itself has one.
    const Expr at = plain.c % channels ? Min(c, Expr(plain.c - 1)) : c;
    const Expr element = plain.rank == 2 ? l.x()(n, at) : l.x()(n, at, i[2], i[3]);
    return Select(n < Expr(plain.n) && c < Expr(plain.c), element,
                  loop::IntConst(loop::DType::kInt8, 0));
  });
}

te::Tensor LowerUnpack(const Lowering& l) {
  const ops::Activation packed = ops::ReadActivation(l, 0);
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    const Expr h = i.size() == 4 ? i[2] : Expr(0), w = i.size() == 4 ? i[3] : Expr(0);
    const Expr batch(packed.batch_block), channels(packed.channel_block);
    return l.x()(FloorDiv(i[0], batch), FloorDiv(i[1], channels), h, w, FloorMod(i[0], batch),
                 FloorMod(i[1], channels));
  });
}

}  // namespace vta::compiler::operators
