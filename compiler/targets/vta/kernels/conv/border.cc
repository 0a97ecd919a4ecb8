#include "compiler/targets/vta/kernels/conv/border.h"

#include <algorithm>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/lower/intrinsics.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

using loop::Expr;
using te::Tensor;

Border::Border(int64_t outputs, int64_t inputs, int64_t stride, int64_t pad, int64_t reach)
    : size(outputs) {
  const int64_t inside = std::min(CeilDiv(pad, stride), outputs);  // where the first is, if one is
  const int64_t room = inputs + pad - reach;                       // how far windows may move
  const int64_t end = room < 0 ? 0 : std::min(room / stride + 1, outputs);
  before = inside < end ? inside : outputs;
  after = inside < end ? outputs - end : 0;
}

std::vector<Border::Part> Border::Parts() const {
  std::vector<Part> parts = {{0, before, 0, false},
                             {before, size - after, before, true},
                             {size - after, size, classes() - after, false}};
  std::erase_if(parts, [](const Part& part) { return part.begin == part.end; });
  return parts;
}

int64_t EpilogueSets(const ConvShape& shape) {
  const int64_t own =
      shape.border_scales ? shape.border_h().classes() * shape.border_w().classes() : 1;
  return own + (shape.residual ? 1 : 0) + (shape.bend ? 2 : 0);
}

int64_t BorderRows(const ConvShape& shape) {
  return shape.border_rows ? shape.border_h().classes() * shape.border_w().classes() : 0;
}

namespace {

/// An output of a convolution, and of the classes of the border the one that it is in.
using ValueInClass =
    std::function<Expr(const Expr& before, const std::vector<Expr>& at, const Expr& number)>;

/// A stage for each part of the border, and for what is inside it where `inside` is true.
Tensor AddParts(const ConvShape& shape, const Tensor& conv, const std::vector<te::Axis>& axes,
                bool inside, const std::string& name, const std::string& intrinsic,
                const ValueInClass& value, std::vector<Stage>* stages) {
  const Border lines = shape.border_h(), columns = shape.border_w();
  auto class_of = [](const Border::Part& part, const Expr& at) {
    return part.inside ? Expr(part.first) : at + (part.first - part.begin);
  };
  Tensor last = conv;
  for (const Border::Part& y : lines.Parts())
    for (const Border::Part& x : columns.Parts()) {
      if (y.inside && x.inside && !inside) continue;
      const Tensor before = last;
      stages->push_back({StrCat(name, "_", stages->size()), "conv", intrinsic});
      last = te::Compute(
          stages->back().block, axes,
          [&](const std::vector<Expr>& at) -> te::Value {
            const Expr number = class_of(y, at[3]) * columns.classes() + class_of(x, at[4]);
            const Expr in_part =
                at[3] >= y.begin && at[3] < y.end && at[4] >= x.begin && at[4] < x.end;
            return Select(in_part, value(before.At(at), at, number), before.At(at));
          },
          kAccScope);
    }
  return last;
}

}  // namespace

Tensor AddBorder(const ConvShape& shape, const Tensor& conv, const std::vector<te::Axis>& axes,
                 const Tensor& parameters, int64_t first,
                 const std::function<Expr(const std::vector<Expr>&)>& block_of,
                 std::vector<Stage>* stages) {
  return AddParts(
      shape, conv, axes, false, "border", "vta.add",
      [&](const Expr& before, const std::vector<Expr>& at, const Expr& number) {
        return before + parameters(block_of(at), first + number, at[6], at[7]);
      },
      stages);
}

Tensor AddEpilogues(const ConvShape& shape, isa::Rounding rounding, const Tensor& conv,
                    const std::vector<te::Axis>& axes, const Tensor& parameters,
                    const std::function<Expr(const std::vector<Expr>&)>& block_of,
                    const std::optional<Tensor>& table, std::vector<Stage>* stages) {
  return AddParts(
      shape, conv, axes, true, table ? "lut" : "requant", table ? "vta.lut" : "vta.requant",
      [&](const Expr& before, const std::vector<Expr>& at, const Expr& number) {
        const auto row = [&](int64_t r) {
          return parameters(block_of(at), number * isa::kRequantRows + r, at[6], at[7]);
        };
        const Expr code = Apply(RequantOp(rounding), {before, row(0), row(1), row(2)});
        return table ? LutEntry(*table, code) : code;
      },
      stages);
}

}  // namespace vta::compiler::targets
