// Channels that are padded behind others: where they fill the last block of a target's layout, the
// layers that make the others make them too, of weights that are zeros; where they need blocks of
// their own, no more than there were, a sum with a convolution becomes two side by side, of the
// blocks that were there and of those that are padded. Neither moves anything.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/ops/int8_common.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

using ops::RoundUp;

/// What a parameter of channels that are padded is.
enum class Padding : uint8_t { kZero, kFirst };

/// Of a parameter of the op, by channel, that of channels [begin, end); those behind the last are
/// as `padding` says.
Tensor RowsOf(Op op, const Tensor& tensor, int64_t begin, int64_t end, Padding padding) {
  Shape shape = tensor.shape();
  int64_t& channels = shape[op == Op::kPreluI8 ? 1 : 0];
  const int64_t rows = channels, row_bytes = tensor.type().bytes() / rows;
  channels = end - begin;
  Tensor taken({tensor.dtype(), shape});
  for (int64_t row = begin; row < end; ++row)
    if (row < rows || padding == Padding::kFirst)
      std::memcpy(&taken.mutable_bytes()[(row - begin) * row_bytes],
                  &tensor.bytes()[(row < rows ? row : 0) * row_bytes], row_bytes);
  return taken;
}

class ChannelAligner {
 public:
  ChannelAligner(const Graph& graph, const PassContext& context, const Target& target)
      : old_(graph),
        context_(context),
        target_(target),
        block_(target.Layout()->channel),
        uses_(graph.UseCounts()),
        rebuild_(graph),
        fresh_(rebuild_.fresh()) {}

  Graph Run() {
    for (const Node& node : old_.nodes()) {
      if (FillsLastBlock(node)) MarkWide(node.inputs[0]);
      if (const auto pad = PaddedOperand(node)) MarkWide(PadOf(node, *pad)->inputs[0]);
    }
    for (const Node& node : old_.nodes()) {
      if (const auto pad = PaddedOperand(node))
        EmitSideBySide(node, *pad);
      else if (IsOfParts(node))
        EmitOfParts(node);
      else if (FillsLastBlock(node))
        Settle(node, WideOf(node.inputs[0]));
      else if (wide_.contains(node.output))
        EmitWide(node);
      else
        rebuild_.Copy(node);
    }
    return rebuild_.Finish();
  }

 private:
  int64_t Channels(ValueId value) const { return old_.shape(value)[1]; }
  int64_t WholeBlocks(ValueId value) const { return RoundUp(Channels(value), block_); }
  bool IsWhole(ValueId value) const { return Channels(value) % block_ == 0; }

  bool IsTakenHere(ValueId made) const {
    const NodeId node = old_.value(made).producer;
    return node != kNone && FirstTaker(old_, {&node, 1}, context_) == &target_;
  }

  bool HasConstantParameters(const Node& node) const {
    return std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                       [&](ValueId input) { return old_.constant(input) != nullptr; });
  }

  /// Whether codes of one number are padded behind the channels of codes that the target makes.
  bool IsChannelPad(const Node* node) const {
    if (!node || node->op != Op::kPad || old_.type(node->output).dtype != DType::kInt8 ||
        node->attributes.String("mode") != "constant" || old_.shape(node->output).size() != 4)
      return false;
    Shape pads = node->Ints("pads");
    const bool behind = std::exchange(pads[5], 0) > 0;
    return behind && pads == Shape(8) && IsTakenHere(node->inputs[0]);
  }

  /// Whether a pad has no more blocks than what it pads, whose lanes behind can be what it pads
  /// with.
  bool FillsLastBlock(const Node& node) {
    return IsChannelPad(&node) && WholeBlocks(node.inputs[0]) == WholeBlocks(node.output) &&
           CodeBehind(node.inputs[0]) == PadCode(node);
  }

  static int8_t PadCode(const Node& pad) {
    return static_cast<int8_t>(pad.attributes.Double("value"));
  }
  const Node* PadOf(const Node& sum, size_t operand) const {
    return old_.Producer(sum.inputs[operand]);
  }

  /// The operand of a sum that is a pad by blocks of their own, if the other is a convolution.
  std::optional<size_t> PaddedOperand(const Node& node) {
    if (node.op != Op::kAddI8) return {};
    const auto [found, is_new] = padded_operands_.try_emplace(node.output);
    for (size_t i = 0; is_new && i < 2; ++i)
      if (IsPadBesideConvolution(node, i)) found->second = i;
    return found->second;
  }

  bool IsPadBesideConvolution(const Node& sum, size_t operand) {
    const Node* const pad = PadOf(sum, operand);
    const ValueId other = sum.inputs[1 - operand];
    const Node* const conv = old_.Producer(other);
    if (!IsChannelPad(pad) || uses_[pad->output] != 1 || !conv || conv->op != Op::kConv2dI8 ||
        conv->Int("groups") != 1 || uses_[other] != 1 || !HasConstantParameters(*conv) ||
        old_.shape(other) != old_.shape(pad->output) ||
        WholeBlocks(pad->inputs[0]) == WholeBlocks(pad->output))
      return false;
    // A convolution reads its input once for each part: more than two, or one that the CPU lays
    // out, take longer than the pad.
    const ValueId x = pad->inputs[0];
    if (WholeBlocks(pad->output) > 2 * WholeBlocks(x) || !IsTakenHere(conv->inputs[0]))
      return false;
    if (const int64_t bias = BiasWithCode(sum, operand, *pad); bias != static_cast<int32_t>(bias))
      return false;
    return IsTakenHere(other) && IsTakenHere(sum.output) &&
           (IsWhole(x) || CodeBehind(x) == PadCode(*pad));
  }

  /// The code in lanes behind a value's channels, if what makes it can make them, too.
  std::optional<int8_t> CodeBehind(ValueId value) {
    const auto [found, is_new] = codes_.try_emplace(value);
    if (is_new) {
      const std::optional<int8_t> code = FindCodeBehind(value);
      return codes_[value] = code;
    }
    return found->second;
  }

  std::optional<int8_t> FindCodeBehind(ValueId value) {
    const Node* const node = old_.Producer(value);
    if (!node || old_.shape(value).size() != 4) return {};
    if (FillsLastBlock(*node)) return PadCode(*node);
    if (!IsTakenHere(value)) return {};
    if (node->op == Op::kConv2dI8) {
      const bool of_channel = IsDepthwise(*node) && CodeBehind(node->inputs[0]);
      if (!HasConstantParameters(*node) || !(node->Int("groups") == 1 || of_channel)) return {};
      return static_cast<int8_t>(
          std::clamp(node->Int("zero_point"), node->Int("low"), node->Int("high")));
    }
    return OfOneChannel(*node);
  }

  bool IsDepthwise(const Node& conv) const {
    return conv.Int("groups") > 1 && conv.Int("groups") == Channels(conv.inputs[0]) &&
           Channels(conv.inputs[0]) == Channels(conv.output);
  }

  /// How many inputs of an op that works channel by channel are activations; 0 of others.
  static size_t OperandsOf(Op op) {
    switch (op) {
      case Op::kAddI8:
      case Op::kMulI8:
        return 2;
      case Op::kMaxPoolI8:
      case Op::kUpsampleI8:
      case Op::kResizeI8:  // of one tensor
      case Op::kRequantI8:
      case Op::kLookupI8:
      case Op::kPreluI8:
        return 1;
      default:
        return 0;
    }
  }

  /// The code that the op makes of the codes behind its operands, if it is one code everywhere.
  std::optional<int8_t> OfOneChannel(const Node& node) {
    const size_t operands = OperandsOf(node.op);
    const std::optional<size_t> padded = PaddedOperand(node);
    if (operands == 0) return {};
    Graph alone("channel", old_.rounding());
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Tensor* const constant = old_.constant(node.inputs[i]);
      if (i >= operands) {
        if (!constant) return {};
        inputs.push_back(alone.AddConstant(
            "c", node.op == Op::kPreluI8 ? RowsOf(node.op, *constant, 0, 1, Padding::kZero)
                                         : *constant));
        continue;
      }
      const std::optional<int8_t> code =
          padded == i ? PadCode(*PadOf(node, i)) : CodeBehind(node.inputs[i]);
      if (!code) return {};
      Shape shape = old_.shape(node.inputs[i]);
      shape[0] = shape[1] = 1;
      inputs.push_back(alone.AddConstant("x", Filled(shape, *code)));
    }
    alone.AddOutput("y", alone.Emit(node.op, node.name, inputs, node.attributes));
    const Tensor made = Evaluate(alone, {})[0];
    const auto codes = made.data<int8_t>();
    const bool one = std::ranges::all_of(codes, [&](int8_t code) { return code == codes[0]; });
    return one ? std::optional(codes[0]) : std::nullopt;
  }

  static Tensor Filled(const Shape& shape, int8_t code) {
    Tensor filled({DType::kInt8, shape});
    std::ranges::fill(filled.mutable_data<int8_t>(), code);
    return filled;
  }

  /// What makes the value, and what it makes it of channel by channel, fill their blocks.
  void MarkWide(ValueId value) {
    if (IsWhole(value) || !wide_.try_emplace(value, kNone).second) return;
    const Node& node = *old_.Producer(value);
    if (node.op == Op::kPad || (node.op == Op::kConv2dI8 && IsDepthwise(node))) {
      MarkWide(node.inputs[0]);
    } else if (!PaddedOperand(node)) {  // else the pad's operand is marked as such
      for (size_t i = 0; i < OperandsOf(node.op); ++i) MarkWide(node.inputs[i]);
    }
  }

  ValueId WideOf(ValueId value) { return IsWhole(value) ? rebuild_.Map(value) : wide_.at(value); }

  /// `made` has all channels of what the node made, or fills its blocks.
  void Settle(const Node& node, ValueId made) {
    if (const auto wide = wide_.find(node.output); wide != wide_.end()) wide->second = made;
    rebuild_.Replace(node, FirstChannels(made, Channels(node.output), node.name));
  }

  ValueId FirstChannels(ValueId made, int64_t channels, const std::string& name) {
    Shape shape = fresh_.shape(made);
    if (std::exchange(shape[1], channels) == channels) return made;
    return fresh_.Emit(Op::kSlice, name, {made},
                       {{"starts", Shape(4)}, {"steps", Shape{1, 1, 1, 1}}, {"shape", shape}});
  }

  /// The parameters of channels [begin, end) from input `first` on, into `inputs`. Of a
  /// convolution those behind the last are zeros, with some scale.
  void AddParameters(const Node& node, size_t first, int64_t begin, int64_t end,
                     std::vector<ValueId>* inputs) {
    constexpr size_t kBias = 2;
    for (size_t i = first; i < node.inputs.size(); ++i) {
      if (node.op == Op::kLookupI8) {
        inputs->push_back(rebuild_.Map(node.inputs[i]));
        continue;
      }
      const Padding padding =
          node.op == Op::kConv2dI8 && i <= kBias ? Padding::kZero : Padding::kFirst;
      inputs->push_back(
          fresh_.AddConstant(old_.value(node.inputs[i]).name,
                             RowsOf(node.op, *old_.constant(node.inputs[i]), begin, end, padding)));
    }
  }

  void EmitWide(const Node& node) {
    const int64_t channels = WholeBlocks(node.output);
    Attributes attributes = node.attributes;
    std::vector<ValueId> inputs;
    if (node.op == Op::kConv2dI8) {
      const bool depthwise = IsDepthwise(node);
      inputs.push_back(depthwise ? WideOf(node.inputs[0]) : rebuild_.Map(node.inputs[0]));
      if (depthwise) attributes.Set("groups", channels);
    } else {
      for (size_t i = 0; i < OperandsOf(node.op); ++i) inputs.push_back(WideOf(node.inputs[i]));
    }
    AddParameters(node, inputs.size(), 0, channels, &inputs);
    Settle(node, fresh_.Emit(node.op, node.name, inputs, attributes));
  }

  /// The sums of what was there, and of what is padded: there the pad's code is part of the bias,
  /// and its operand, any blocks that are there, counts nothing.
  void EmitSideBySide(const Node& sum, size_t operand) {
    const Node& pad = *PadOf(sum, operand);
    const Node& conv = *old_.Producer(sum.inputs[1 - operand]);
    const ValueId x = WideOf(pad.inputs[0]);
    const int64_t there = fresh_.shape(x)[1],
                  all = wide_.contains(sum.output) ? WholeBlocks(sum.output) : Channels(sum.output);
    const auto emit = [&](int64_t begin, int64_t end, const char* suffix, Attributes attributes) {
      std::vector<ValueId> inputs{rebuild_.Map(conv.inputs[0])};
      AddParameters(conv, 1, begin, end, &inputs);
      std::array<ValueId, 2> operands;
      operands[operand] = FirstChannels(x, end - begin, pad.name);
      operands[1 - operand] = fresh_.Emit(conv.op, conv.name + suffix, inputs, conv.attributes);
      return fresh_.Emit(sum.op, sum.name + suffix, {operands[0], operands[1]},
                         std::move(attributes));
    };
    Join(sum, {emit(0, there, "", sum.attributes),
               emit(there, all, ".padded", WithCode(sum, operand, pad))});
  }

  static const char* MultiplierOf(size_t operand) {
    return operand == 0 ? "multiplier_a" : "multiplier_b";
  }
  static int64_t BiasWithCode(const Node& sum, size_t operand, const Node& pad) {
    return sum.Int("bias") + sum.Int(MultiplierOf(operand)) * PadCode(pad);
  }
  static Attributes WithCode(const Node& sum, size_t operand, const Node& pad) {
    Attributes attributes = sum.attributes;
    attributes.Set("bias", BiasWithCode(sum, operand, pad));
    attributes.Set(MultiplierOf(operand), int64_t{0});
    return attributes;
  }

  /// Whether the node works on each code of what lies side by side, and nobody else reads that.
  bool IsOfParts(const Node& node) const {
    return (node.op == Op::kLookupI8 || node.op == Op::kPreluI8) &&
           parts_.contains(node.inputs[0]) && uses_[node.inputs[0]] == 1 &&
           HasConstantParameters(node);
  }

  void EmitOfParts(const Node& node) {
    std::vector<ValueId> made;
    int64_t begin = 0;
    for (const ValueId part : parts_.at(node.inputs[0])) {
      const int64_t end = begin + fresh_.shape(part)[1];
      std::vector<ValueId> inputs{part};
      AddParameters(node, 1, begin, end, &inputs);
      made.push_back(fresh_.Emit(node.op, node.name, inputs, node.attributes));
      begin = end;
    }
    Join(node, std::move(made));
  }

  void Join(const Node& node, std::vector<ValueId> parts) {
    Settle(node, fresh_.Emit(Op::kConcat, node.name, parts, {{"axis", int64_t{1}}}));
    parts_[node.output] = std::move(parts);
  }

  const Graph& old_;
  const PassContext& context_;
  const Target& target_;
  const int64_t block_;
  const std::vector<int64_t> uses_;
  Rebuild rebuild_;
  Graph& fresh_;
  std::map<ValueId, std::optional<int8_t>> codes_;
  std::map<ValueId, std::optional<size_t>> padded_operands_;
  std::map<ValueId, ValueId> wide_;                // those that fill their blocks, by old value
  std::map<ValueId, std::vector<ValueId>> parts_;  // of what is made side by side, by old value
};

}  // namespace

Graph AlignChannels(const Graph& graph, const PassContext& context) {
  for (const Target* const target : context.targets)
    if (target->Layout()) return ChannelAligner(graph, context, *target).Run();
  return graph;
}

}  // namespace vta::compiler
