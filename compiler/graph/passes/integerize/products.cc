// Integerize: products of two activations. One is the pixels of a convolution of one tap, the other
// its weights, a group for each product of a batch: the sides of its matrices fill blocks of
// channels with zeros. The first one's zero point is in the bias, by the sums of the matrices'
// rows. Elsewhere they are products of codes as reals, with the same sums.
#include <algorithm>
#include <cmath>

#include "compiler/graph/ops/int8_common.h"
#include "compiler/graph/passes/integerize/integerizer.h"
#include "compiler/graph/passes/number_of.h"

namespace vta::compiler {
namespace {

/// The channels of a block on the first target that has blocks; 1 where none has.
int64_t BlockOf(const PassContext& context) {
  for (const Target* const target : context.targets)
    if (const auto layout = target->Layout()) return layout->channel;
  return 1;
}

/// Whether all that takes any op adds float32 without rounding what it holds. Targets with memory
/// of their own may have units of less precision.
bool RestAddsExactly(const PassContext& context) {
  const std::vector<const Target*> takers = context.Takers();
  return !takers.empty() && std::ranges::none_of(takers, &Target::HasOwnMemory);
}

/// Emits moves of one product's operands and result under its name.
struct Moves {
  Graph& graph;
  const std::string& name;

  ValueId Reshaped(ValueId x, const Shape& shape) const {
    return compiler::Reshaped(graph, x, shape, name);
  }
  ValueId Turned(ValueId x) const {
    return graph.Emit(Op::kTranspose, name, {x}, {{"perm", Shape{0, 2, 1}}});
  }
  /// To at least these sizes.
  ValueId Padded(ValueId x, const Shape& sizes) const {
    const Shape& shape = graph.shape(x);
    if (shape == sizes) return x;
    Shape pads(2 * shape.size());
    for (size_t i = 0; i < shape.size(); ++i) pads[shape.size() + i] = sizes[i] - shape[i];
    return graph.Emit(Op::kPad, name, {x},
                      {{"pads", pads}, {"mode", std::string("constant")}, {"value", 0.0}});
  }
  ValueId First(ValueId x, const Shape& sizes) const {
    if (graph.shape(x) == sizes) return x;
    const Shape zeros(sizes.size(), 0), ones(sizes.size(), 1);
    return graph.Emit(Op::kSlice, name, {x},
                      {{"starts", zeros}, {"steps", ones}, {"shape", sizes}});
  }
};

}  // namespace

/// Two matrices, or stacks of them: x * w, of which one is the pixels and one the weights.
struct Integerizer::Operands {
  Codes x, w;
  int64_t groups, rows, depth, columns;

  /// Whether w is the pixels: of x * w the transpose is w' * x'.
  bool turns() const { return w.zero_point != 0; }
};

ValueId Integerizer::EmitProduct(const Node& node, const Operands& of, int64_t block,
                                 const WantedCodes& target) {
  const bool turns = of.turns();
  const Codes &x = turns ? of.w : of.x, &w = turns ? of.x : of.w;
  const Moves moves{fresh_, node.name};
  const Shape left{of.groups, of.rows, of.depth}, right{of.groups, of.depth, of.columns};
  // Shape: [groups, outputs, depth] and [groups, depth, pixels].
  ValueId matrices = moves.Reshaped(w.value, turns ? left : right),
          image = moves.Reshaped(x.value, turns ? right : left);
  if (!turns) matrices = moves.Turned(matrices), image = moves.Turned(image);
  const int64_t outputs = turns ? of.rows : of.columns, pixels = turns ? of.columns : of.rows;
  const int64_t deep = ops::RoundUp(of.depth, block), wide = ops::RoundUp(outputs, block);
  matrices =
      moves.Reshaped(moves.Padded(matrices, {of.groups, wide, deep}), {of.groups * wide, deep});
  image = moves.Reshaped(moves.Padded(image, {of.groups, deep, pixels}),
                         {1, of.groups * deep, 1, pixels});
  ValueId bias = fresh_.AddConstant("bias", Tensor({DType::kInt32, {of.groups * wide}}));
  if (x.zero_point != 0) {
    const ValueId codes = fresh_.Emit(Op::kCast, node.name, {matrices},
                                      {{"to", std::string(Name(DType::kInt32))}}),
                  sums = fresh_.Emit(Op::kReduceSum, node.name, {codes},
                                     {{"axes", Shape{1}}, {"keepdims", int64_t{0}}}),
                  zero = fresh_.AddConstant(
                      "zero", Tensor::Of<int32_t>({}, {static_cast<int32_t>(-x.zero_point)}));
    bias = fresh_.Emit(Op::kMul, node.name, {sums, zero}, {});
  }
  Attributes attributes{{"groups", of.groups}, {"outputs", outputs}, {"depth", of.depth}};
  SetRequant(attributes, x.scale * w.scale / target.scale, target);
  ValueId made = fresh_.Emit(Op::kMatMulI8, node.name, {image, matrices, bias}, attributes);
  if (!IsTaken(fresh_, made, *context_)) return kNone;
  made = moves.First(moves.Reshaped(made, {of.groups, wide, pixels}), {of.groups, outputs, pixels});
  return moves.Reshaped(turns ? made : moves.Turned(made), fresh_.shape(node.output));
}

/// As real-valued codes, whose sums are whole numbers that float32 holds.
ValueId Integerizer::EmitProductOfCodes(const Node& node, const Operands& of,
                                        const WantedCodes& target) {
  const auto distance = [&](const Codes& codes) {
    const auto code = fresh_.Emit(Op::kCast, node.name, {codes.value},
                                  {{"to", std::string(Name(DType::kFloat32))}});
    if (codes.zero_point == 0) return code;
    const ValueId zero =
        fresh_.AddConstant("zero", Tensor::Of<float>({}, {static_cast<float>(codes.zero_point)}));
    return fresh_.Emit(Op::kSub, node.name, {code, zero}, {});
  };
  const ValueId x = distance(of.x), w = distance(of.w);
  const ValueId sums = fresh_.Emit(Op::kMatMul, node.name, {x, w}, {});
  const ValueId whole =
      fresh_.Emit(Op::kCast, node.name, {sums}, {{"to", std::string(Name(DType::kInt32))}});
  Attributes attributes{{"bias", int64_t{0}}};
  SetRequant(attributes, of.x.scale * of.w.scale / target.scale, target);
  return fresh_.Emit(Op::kRequantI8, node.name, {whole}, attributes);
}

ValueId Integerizer::Product(const Node& node, const WantedCodes& target) {
  const auto x = AsCodes(node.inputs[0]), w = AsCodes(node.inputs[1]);
  const Shape a = fresh_.shape(node.inputs[0]), b = fresh_.shape(node.inputs[1]);
  const bool one_each =
      a.size() >= 2 && a.size() == b.size() && std::equal(a.begin(), a.end() - 2, b.begin());
  if (!x || !w || !one_each) return kNone;
  const int64_t rows = a[a.size() - 2], depth = a.back();
  const Operands of{*x, *w, Elements(a) / rows / depth, rows, depth, b.back()};
  if (x->zero_point == 0 || w->zero_point == 0)
    if (const ValueId made = EmitProduct(node, of, BlockOf(*context_), target); made != kNone)
      return made;
  const auto most = [](const Codes& codes) {
    return std::max(128 + codes.zero_point, 127 - codes.zero_point);
  };
  constexpr int64_t kMostWhole = 1 << 24;
  const bool is_exact = depth * most(*x) * most(*w) <= kMostWhole;
  return is_exact && RestAddsExactly(*context_) ? EmitProductOfCodes(node, of, target) : kNone;
}

ValueId Integerizer::MakeProduct(const Node& node, const WantedCodes& target) {
  if (node.op == Op::kMatMul) return Product(node, target);
  if (node.op != Op::kMul && node.op != Op::kDiv) return kNone;
  for (const size_t side : {1, 0}) {
    const std::optional<double> number = NumberOf(fresh_, node.inputs[side]);
    if (!number || (side == 0 && node.op == Op::kDiv)) continue;
    const double factor = node.op == Op::kMul ? *number : 1 / *number;
    const ValueId other = node.inputs[1 - side];
    if (!(factor > 0) || !std::isfinite(factor) || fresh_.type(other) != fresh_.type(node.output))
      return kNone;
    WantedCodes inner = target;
    inner.scale /= factor;
    return Quantise(other, inner);
  }
  return kNone;
}

}  // namespace vta::compiler
