#include "compiler/targets/cpu/epilogue.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/graph/ops.h"
#include "compiler/operators/chain.h"
#include "compiler/operators/lowering.h"
#include "compiler/operators/operators.h"
#include "compiler/targets/cpu/layout.h"
#include "compiler/targets/cpu/lines.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

/// Ops that make a finite number of any finite ones: where they follow each other, what fills up a
/// block of channels stays finite, and a weight of 0 stops it.
constexpr Op kFinite[] = {
    Op::kAdd,      Op::kSub,     Op::kMul,      Op::kMin,      Op::kMax,         Op::kRelu,
    Op::kClip,     Op::kCast,    Op::kAddI8,    Op::kMulI8,    Op::kAddLookupI8, Op::kRequantI8,
    Op::kLookupI8, Op::kPreluI8, Op::kFlipSign, Op::kQuantize, Op::kDequantize};

bool StaysFinite(Op op) {
  return std::find(std::begin(kFinite), std::end(kFinite), op) != std::end(kFinite);
}

/// An element of it is a code that lies elsewhere.
bool MovesCodes(const Graph& graph, const Node& node) {
  return graph.type(node.output).dtype == DType::kInt8 &&
         (MovesData(node.op) || node.op == Op::kPack || node.op == Op::kUnpack ||
          node.op == Op::kIm2Col);
}

/// Whether codes, or what is made of codes, that all that is before moved or made element by
/// element, are only moved on, none more than once.
bool MovesOn(const Graph& graph, const Node& node, std::span<const NodeId> before) {
  const auto makes_each = [&](NodeId id) {
    const Node& made = graph.nodes()[id];
    return MovesCodes(graph, made) || MovesData(made.op) || Spec(made.op).traits.elementwise;
  };
  const auto codes = [&](ValueId value) { return graph.type(value).dtype == DType::kInt8; };
  const bool moves =
      MovesCodes(graph, node) || (MovesData(node.op) && codes(graph.nodes()[before[0]].inputs[0]));
  int64_t read = 0;
  for (const NodeId id : before) {
    const int64_t count = std::ranges::count(node.inputs, graph.nodes()[id].output);
    if (count > 1) return false;
    read += count;
  }
  return moves && read > 0 && node.op != Op::kIm2Col && node.op != Op::kExpand &&
         std::ranges::all_of(before, makes_each);
}

/// Whether codes from elsewhere begin to be moved, beside those that all that is before moves or
/// makes element by element: parts of a concatenation.
bool MovesOthers(const Graph& graph, const Node& node, std::span<const NodeId> before) {
  const auto is_made = [&](ValueId value) {
    return std::ranges::any_of(before,
                               [&](NodeId id) { return graph.nodes()[id].output == value; });
  };
  return node.op == Op::kUnpack && MovesCodes(graph, node) && !is_made(node.inputs[0]) &&
         std::ranges::all_of(before, [&](NodeId id) {
           const Node& made = graph.nodes()[id];
           return MovesCodes(graph, made) || MovesData(made.op) || Spec(made.op).traits.elementwise;
         });
}

/// Ops of a few instructions, which may be done once more for each element that is taken twice.
constexpr Op kCheap[] = {Op::kAdd,  Op::kSub,  Op::kMul,  Op::kMin,      Op::kMax,
                         Op::kRelu, Op::kClip, Op::kCast, Op::kQuantize, Op::kDequantize};

/// Whether it takes elements at known places of what some node before makes by moves and ops of a
/// few instructions: resizing takes each several times.
bool TakesCheap(const Graph& graph, const Node& node, std::span<const NodeId> before) {
  const auto is_cheap = [&](NodeId id) {
    const Op op = graph.nodes()[id].op;
    return MovesData(op) || op == Op::kUnpack || std::ranges::find(kCheap, op) != std::end(kCheap);
  };
  return node.op == Op::kGather && graph.constant(node.inputs[1]) &&
         std::ranges::all_of(before, is_cheap) && std::ranges::any_of(before, [&](NodeId id) {
           return graph.nodes()[id].output == node.inputs[0];
         });
}

/// Whether it is made, element by element or as a part, of what others of the kernel read as well:
/// x * f(x), where x is stored.
bool IsBeside(const Graph& graph, const Node& node, std::span<const NodeId> before) {
  const bool is_part = node.op == Op::kSlice;
  const auto is_read = [&](ValueId input) {
    return (is_part || graph.shape(input) == graph.shape(node.output)) &&
           std::ranges::any_of(before, [&](NodeId id) {
             return std::ranges::count(graph.nodes()[id].inputs, input) > 0;
           });
  };
  return (is_part || Spec(node.op).traits.elementwise) &&
         graph.shape(node.output) == graph.shape(graph.nodes()[before.front()].output) &&
         std::ranges::any_of(node.inputs, is_read);
}

/// Whether it puts side by side what all that is before makes of parts of others, element by
/// element: so few elements that to ask each where it is from takes less than a kernel's call.
bool JoinsFew(const Graph& graph, const Node& node, std::span<const NodeId> before) {
  constexpr int64_t kFew = 16 * 1024;
  return node.op == Op::kConcat && graph.type(node.output).dtype == DType::kFloat32 &&
         Elements(graph.shape(node.output)) <= kFew && std::ranges::all_of(before, [&](NodeId id) {
           const Op op = graph.nodes()[id].op;
           return op == Op::kSlice || StaysFinite(op);
         });
}

/// Whether an operand has an element at each channel that fills up a block.
bool FillsBlocks(const Graph& graph, ValueId value, const Storage& storage) {
  const Shape& shape = graph.shape(value);
  const auto& own = graph.value(value).storage;
  if (own) return shape[1] == 1 || own->channels >= storage.channels;
  return Elements(shape) == 1;
}

/// A block's codes, biased, as one number.
Expr Word(const te::Tensor& value, int64_t channels, const Expr& n, const Expr& h, const Expr& w) {
  std::vector<Expr> bytes;
  for (int64_t c = 0; c < channels; ++c) bytes.push_back(Biased(value(n, Expr(c), h, w)));
  return WordOf(bytes);
}

}  // namespace

bool IsEpilogue(const Graph& graph, std::span<const NodeId> nodes, Arithmetic arithmetic,
                std::string* why) {
  const auto refuse = [&](std::string broken) {
    if (why) *why = std::move(broken);
    return false;
  };
  // Operators of a value as it is written out: what is read twice is written twice.
  constexpr int64_t kMostWritten = 256;
  std::map<ValueId, int64_t> written = {{graph.nodes()[nodes[0]].output, 1}};
  // Gathers of gathers: each writes out the index of those before it several times.
  constexpr int64_t kMostGathers = 4;
  std::map<ValueId, int64_t> gathers;
  const auto gathers_behind = [&](const Node& node) {
    int64_t most = 0;
    for (ValueId input : node.inputs)
      if (const auto of = gathers.find(input); of != gathers.end())
        most = std::max(most, of->second);
    return most + (node.op == Op::kGather);
  };
  gathers[graph.nodes()[nodes[0]].output] = gathers_behind(graph.nodes()[nodes[0]]);
  const size_t head = FindLines(graph, nodes, arithmetic);
  for (size_t i = 1; i < nodes.size(); ++i) {
    const Node &node = graph.nodes()[nodes[i]], &before = graph.nodes()[nodes[i - 1]];
    if ((i == head && node.inputs[0] == before.output) ||
        (i == head + 1 && WeighsColumns(graph, before, node))) {
      written = {{node.output, 1}};
      continue;
    }
    if (i > head)
      for (const NodeId id : nodes.first(head))
        if (const Node& early = graph.nodes()[id];
            std::ranges::count(node.inputs, early.output) > 0)
          return refuse(StrCat("reads \"", early.name, "\" behind a reduction"));
    int64_t count = 1;
    for (ValueId input : node.inputs)
      if (const auto of = written.find(input); of != written.end()) count += of->second;
    written[node.output] = count;
    gathers[node.output] = gathers_behind(node);
    if (gathers[node.output] > kMostGathers)
      return refuse(StrCat("takes elements of elements ", kMostGathers, " times at most"));
    if (count > kMostWritten)
      return refuse(StrCat("writes out at most ", kMostWritten, " operators"));
    const bool moves =
        MovesOn(graph, node, nodes.first(i)) || MovesOthers(graph, node, nodes.first(i));
    if (!moves && !TakesCheap(graph, node, nodes.first(i)) &&
        !(i < head &&
          (IsBeside(graph, node, nodes.first(i)) || JoinsFew(graph, node, nodes.first(i))))) {
      std::string broken = operators::WhyNotBehind(graph, node, nodes.first(i));
      if (!broken.empty()) return refuse(std::move(broken));
    }
    const bool is_read = std::ranges::any_of(nodes.subspan(i), [&](NodeId id) {
      return std::ranges::count(graph.nodes()[id].inputs, before.output) > 0;
    });
    if (!is_read)
      return refuse(StrCat("writes what its last node makes, not \"", before.name, "\""));
  }
  return true;
}

NodeId JoinOfFew(const Graph& graph, std::span<const NodeId> nodes) {
  for (size_t i = 1; i < nodes.size(); ++i) {
    const Node& node = graph.nodes()[nodes[i]];
    if (node.op != Op::kConcat) continue;
    const bool moves_on = std::ranges::any_of(nodes.subspan(i + 1), [&](NodeId id) {
      return !Spec(graph.nodes()[id].op).traits.elementwise;
    });
    return !moves_on && JoinsFew(graph, node, nodes.first(i)) ? nodes[i] : kNone;
  }
  return kNone;
}

te::Tensor EpilogueValue(const Graph& graph, std::span<const NodeId> nodes, te::Tensor value,
                         Operands& operands) {
  std::map<ValueId, te::Tensor> made = {{graph.nodes()[nodes[0]].output, value}};
  for (const NodeId id : nodes.subspan(1)) {
    const Node& node = graph.nodes()[id];
    std::vector<te::Tensor> inputs;
    for (ValueId input : node.inputs) {
      const auto found = made.find(input);
      inputs.push_back(found == made.end() ? operands.Of(input) : found->second);
    }
    value = te::Inlined(operators::Define(graph, node, inputs));
    made.emplace(node.output, value);
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
    fills = FindAnchor(graph, graph.nodes()[nodes[0]], Arithmetic::kExact) != nullptr;
    std::set<ValueId> made = {graph.nodes()[nodes[0]].output};
    for (const NodeId id : nodes.subspan(1)) {
      const Node& node = graph.nodes()[id];
      fills &= StaysFinite(node.op);
      for (ValueId input : node.inputs)
        fills &= made.contains(input) || FillsBlocks(graph, input, storage);
      made.insert(node.output);
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
