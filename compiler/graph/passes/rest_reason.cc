#include "compiler/graph/passes/rest_reason.h"

#include <algorithm>

#include "compiler/graph/ops.h"

namespace vta::compiler {
namespace {

/// Whether codes go through the op unchanged, or but for a clamp.
bool PassesCodes(Op op) {
  return op == Op::kRelu || op == Op::kClip || op == Op::kMaxPool ||
         (op >= Op::kIdentity && op <= Op::kPad) || op == Op::kDepthToSpace;
}

bool HasWeights(Op op) { return op == Op::kConv2d || op == Op::kGemm || op == Op::kMatMul; }

class Reasons {
 public:
  explicit Reasons(const Graph& graph)
      : graph_(graph), from_codes_(graph.values().size()), to_codes_(graph.values().size()) {
    for (const Node& node : graph.nodes())
      from_codes_[node.output] =
          node.op == Op::kDequantize ||
          (PassesCodes(node.op) && std::all_of(node.inputs.begin(), node.inputs.end(),
                                               [&](ValueId input) { return from_codes_[input]; }));
    for (size_t i = graph.nodes().size(); i-- > 0;) {
      const Node& node = graph.nodes()[i];
      if (node.op != Op::kQuantize && !(PassesCodes(node.op) && to_codes_[node.output])) continue;
      for (ValueId input : node.inputs) to_codes_[input] = true;
    }
  }

  std::string Of(const Node& node) const {
    const std::string from(Name(graph_.type(node.inputs[0]).dtype)),
        to(Name(graph_.type(node.output).dtype));
    switch (node.op) {
      case Op::kCast:
      case Op::kQuantize:
      case Op::kDequantize:
      case Op::kFlipSign:
        return StrCat("converts ", from, " to ", to);
      case Op::kIm2Col:
        return "puts taps of the next layer's window side by side as channels";
      case Op::kPack:
      case Op::kUnpack:
        return "changes the layout";
      case Op::kAddI8:
      case Op::kAddLookupI8:
      case Op::kMulI8:
        if (!IsEach(node) && !IsEachChannel(node))
          return StrCat("its operands differ in shape: ", ToText(graph_.shape(node.inputs[0])),
                        " and ", ToText(graph_.shape(node.inputs[1])));
        [[fallthrough]];
      case Op::kConv2dI8:
      case Op::kDenseI8:
      case Op::kMatMulI8:
      case Op::kMaxPoolI8:
      case Op::kUpsampleI8:
      case Op::kResizeI8:
      case Op::kAvgPoolI8:
      case Op::kRequantI8:
      case Op::kLookupI8:
      case Op::kPreluI8:
        return OfRank(graph_.shape(node.output));
      default:
        if (MovesData(node.op)) return "moves data and computes nothing";
        return StrCat("computes in ", to, ": ", OfReal(node));
    }
  }

 private:
  bool IsEach(const Node& node) const {
    return graph_.shape(node.inputs[0]) == graph_.shape(node.inputs[1]);
  }
  /// Whether the operands are [N,C,H,W] and a number for each channel, [N,C,1,1].
  bool IsEachChannel(const Node& node) const {
    const Shape& all = graph_.shape(node.output);
    if (all.size() != 4 || node.op == Op::kAddLookupI8) return false;
    const Shape channels{all[0], all[1], 1, 1};
    return std::ranges::all_of(node.inputs, [&](ValueId input) {
      return graph_.shape(input) == all || graph_.shape(input) == channels;
    });
  }
  static std::string OfRank(const Shape& shape) {
    if (shape.size() == 2 || shape.size() == 4) return "";
    return StrCat("its result is ", ToText(shape), ", which is neither [N,C] nor [N,C,H,W]");
  }

  /// What keeps a real-valued op from being an integer one.
  std::string OfReal(const Node& node) const {
    if (node.op == Op::kSoftmax || node.op == Op::kNormalize ||
        graph_.type(node.output).dtype == DType::kInt32)
      return StrCat(Spec(node.op).name, " has no int8 form");
    const bool weights = HasWeights(node.op);
    bool constant = false;
    for (size_t i = 0; i < (weights ? 1 : node.inputs.size()); ++i) {
      const ValueId input = node.inputs[i];
      constant |= graph_.constant(input) != nullptr;
      if (!graph_.constant(input) && !from_codes_[input]) return "its input is not quantised";
    }
    if (!to_codes_[node.output]) return "its result is not quantised";
    if (weights && !graph_.constant(node.inputs[1])) return "its weights are not constant";
    if (node.op == Op::kAdd && constant) return "a constant is added in the model's own arithmetic";
    return "its scales, zero points, weights or window have no int8 form";
  }

  const Graph& graph_;
  std::vector<bool> from_codes_;  // by value: codes, dequantised
  std::vector<bool> to_codes_;    // by value: somebody quantises it
};

}  // namespace

std::vector<std::string> RestReasons(const Graph& graph) {
  const Reasons reasons(graph);
  std::vector<std::string> out;
  for (const Node& node : graph.nodes()) out.push_back(reasons.Of(node));
  return out;
}

}  // namespace vta::compiler
