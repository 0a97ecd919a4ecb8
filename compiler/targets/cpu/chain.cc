#include "compiler/targets/cpu/chain.h"

#include <algorithm>

#include "compiler/graph/ops.h"
#include "compiler/operators/chain.h"
#include "compiler/operators/lowering.h"
#include "compiler/operators/operators.h"
#include "compiler/targets/cpu/heads.h"
#include "compiler/targets/cpu/keep.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

/// Ops that make a finite number of any finite ones: where they follow each other, what fills up a
/// block of channels stays finite, and a weight of 0 stops it.
constexpr Op kFinite[] = {Op::kAdd,      Op::kSub,      Op::kMul,         Op::kMin,
                          Op::kMax,      Op::kRelu,     Op::kClip,        Op::kCast,
                          Op::kAddI8,    Op::kMulI8,    Op::kAddLookupI8, Op::kRequantI8,
                          Op::kLookupI8, Op::kFlipSign, Op::kQuantize,    Op::kDequantize};

bool StaysFinite(Op op) {
  return std::find(std::begin(kFinite), std::end(kFinite), op) != std::end(kFinite);
}

/// A pack reads each of its elements once, and an element of im2col is a code that lies elsewhere.
bool IsPackOfTaps(const Node& node, const Node& before) {
  return node.op == Op::kPack && before.op == Op::kIm2Col && node.inputs[0] == before.output;
}

/// Whether an operand has an element at each channel that fills up a block.
bool FillsBlocks(const Graph& graph, ValueId value, const Storage& storage) {
  const Shape& shape = graph.shape(value);
  const auto& own = graph.value(value).storage;
  if (own) return shape[1] == 1 || own->channels >= storage.channels;
  return Elements(shape) == 1;
}

/// A block's codes, biased, as one number: the first in its lowest byte.
Expr Word(const te::Tensor& value, int64_t channels, const Expr& n, const Expr& h, const Expr& w) {
  constexpr loop::DType kWord = loop::DType::kInt32;
  Expr word = loop::IntConst(kWord, 0);
  for (int64_t c = 0; c < channels; ++c)
    word = word + Cast(kWord, Biased(value(n, Expr(c), h, w))) *
                      loop::IntConst(kWord, int64_t{1} << (8 * c));
  return word;
}

}  // namespace

bool IsChain(const Graph& graph, std::span<const NodeId> nodes, std::string* why) {
  for (size_t i = 1; i < nodes.size(); ++i) {
    const Node &node = graph.nodes()[nodes[i]], &before = graph.nodes()[nodes[i - 1]];
    if (IsPackOfTaps(node, before)) continue;
    const std::string broken = operators::WhyNotBehind(graph, node, before);
    if (broken.empty()) continue;
    if (why) *why = broken;
    return false;
  }
  return true;
}

te::Tensor ChainValue(const Graph& graph, std::span<const NodeId> nodes, te::Tensor value,
                      Operands& operands) {
  for (size_t i = 1; i < nodes.size(); ++i) {
    const Node& node = graph.nodes()[nodes[i]];
    std::vector<te::Tensor> inputs;
    for (ValueId input : node.inputs)
      inputs.push_back(input == graph.nodes()[nodes[i - 1]].output ? value : operands.Of(input));
    value = te::Inlined(operators::Define(graph, node, inputs));
  }
  return value;
}

te::Tensor StoredResult(const Graph& graph, std::span<const NodeId> nodes,
                        const te::Tensor& value) {
  const Node& last = graph.nodes()[nodes.back()];
  const Shape shape = operators::LoopShape(graph.shape(last.output));
  if (!graph.value(last.output).storage) {
    std::vector<te::Axis> axes;
    for (int64_t extent : shape) axes.emplace_back(extent);
    return te::Compute("out", axes, [&](const std::vector<Expr>& at) { return value.At(at); });
  }
  const Storage storage = *graph.value(last.output).storage;
  const Shape lies = Storage{.channels = storage.channels}.Of(graph.type(last.output)).shape;
  if (IsWords(storage))
    return te::Compute(
        "out", {{"n", lies[0]}, {"b", 1}, {"h", lies[2]}, {"w", lies[3]}, {"o", 1}},
        [&](Expr n, Expr, Expr h, Expr w, Expr) { return Word(value, shape[1], n, h, w); });
  bool fills = shape[1] % storage.channels == 0;
  if (!fills) {
    fills = FindHead(graph, graph.nodes()[nodes[0]], Arithmetic::kExact) != nullptr;
    for (size_t i = 1; i < nodes.size(); ++i) {
      fills &= StaysFinite(graph.nodes()[nodes[i]].op);
      for (ValueId input : graph.nodes()[nodes[i]].inputs)
        fills &= input == graph.nodes()[nodes[i - 1]].output || FillsBlocks(graph, input, storage);
    }
  }
  return te::Compute(
      "out", {{"n", lies[0]}, {"b", lies[1]}, {"h", lies[2]}, {"w", lies[3]}, {"o", lies[4]}},
      [&](Expr n, Expr b, Expr h, Expr w, Expr o) {
        const Expr c = b * storage.channels + o;
        Expr element = value(n, c, h, w);
        if (!fills)
          element = Select(c < Expr(shape[1]), element, loop::ConstOf(element.dtype(), 0));
        return storage.biased ? Biased(element) : element;
      });
}

}  // namespace vta::compiler::targets
