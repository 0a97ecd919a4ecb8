// Linear resizing of codes: first along lines of pixels, which lie side by side, then across them.
#include "compiler/graph/ops/int8_common.h"
#include "compiler/graph/ops/linear_taps.h"
#include "compiler/operators/lowering.h"

namespace vta::compiler::operators {
namespace {

/// The sum over taps of weights times element(place) at an index of the longer axis, of one that
/// had `size` elements.
template <typename F>
Expr Between(const ops::LinearTaps& axis, const Expr& at, int64_t size, const F& element) {
  const int64_t scale = axis.scale, halves = 2 * scale;
  if (axis.taps() == 1) return element(at);
  const Expr own = FloorDiv(at, Expr(scale)), phase = FloorMod(at, Expr(scale));
  const Expr second = axis.half_pixel ? FloorMod(phase * 2 + (1 + scale), Expr(halves)) : phase * 2;
  const Expr weight = FloorDiv(second * axis.denominator(), Expr(halves));
  const Expr first = axis.half_pixel ? own + FloorDiv(phase * 2 + 1, Expr(scale)) - 1 : own;
  const auto inside = [&](const Expr& place) {
    return element(Min(Max(place, Expr(0)), Expr(size - 1)));
  };
  const auto narrow = [](const Expr& e) { return Cast(loop::DType::kInt32, e); };
  return narrow(Expr(axis.denominator()) - weight) * inside(first) +
         narrow(weight) * inside(first + 1);
}

}  // namespace

te::Tensor LowerResizeI8(const Lowering& l) {
  l.Require(l.shape(0).size() == 4, "input shape", ToText(l.shape(0)), "must be [N,C,H,W]");
  const ops::LinearResize resize(l);
  const isa::RequantLane lane = ops::ReadRequant(l);
  std::vector<te::Axis> axes = l.OutputAxes();
  axes[3].extent = l.shape(0)[3];
  std::vector<te::Tensor> lines;
  for (int64_t input = 0; input < (l.Has(1) ? 2 : 1); ++input)
    lines.push_back(
        te::Compute(StrCat("lines", input), axes, [&](Expr n, Expr c, Expr y, Expr x) -> te::Value {
          return Between(resize.height, y, l.shape(0)[2],
                         [&](const Expr& at) {
                           return Cast(loop::DType::kInt32, l.x(input)(n, c, at, x));
                         }) *
                 loop::IntConst(loop::DType::kInt32, resize.factor);
        }));
  return te::Compute("y", l.OutputAxes(), [&](Expr n, Expr c, Expr y, Expr x) {
    const auto sum = [&](size_t input) {
      return Between(resize.width, x, l.shape(0)[3],
                     [&](const Expr& at) { return lines[input](n, c, y, at); });
    };
    const std::vector<Expr> channel = {Expr(0), c, Expr(0), Expr(0)};
    const Expr all = l.Has(1) ? sum(0) * l.x(2).At(channel) + sum(1) * l.x(3).At(channel) : sum(0);
    return Requant(l.rounding, all, lane);
  });
}

}  // namespace vta::compiler::operators
