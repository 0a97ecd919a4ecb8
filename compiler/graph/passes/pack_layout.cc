// Layout: groups on a target read and write its packed layout. A pack or unpack is inserted where
// an activation crosses the border, once for each value; between groups of one layout nothing is. A
// reshape between [N,C,1,1] and [N,C] moves nothing in the packed layout and is passed through; a
// spatial pad of packed values is done there, and so is what joins or cuts them between
// blocks of channels, or makes codes of them one by one.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

class Packer {
 public:
  Packer(const Graph& graph, const PassContext& context)
      : context_(context), rebuild_(graph), old_(graph), fresh_(rebuild_.fresh()) {
    for (ValueId input : graph.inputs()) plain_[input] = rebuild_.Map(input);
    for (const Target* target : context.targets)
      if (target->Layout()) targets_[target->Name()] = target;
    for (const Node& node : graph.nodes())
      if (targets_.contains(node.target)) wanted_.insert(node.inputs.begin(), node.inputs.end());
  }

  Graph Run() {
    for (const Node& node : old_.nodes()) {
      if (targets_.contains(node.target)) {
        EmitPacked(node);
      } else if (!PassThrough(node) && !PadPacked(node) && !ConcatPacked(node) &&
                 !SlicePacked(node) && !GatherPacked(node) && !EachPacked(node)) {
        std::vector<ValueId> inputs;
        for (ValueId input : node.inputs) inputs.push_back(Plain(input));
        plain_[node.output] = rebuild_.CopyWith(node, inputs, node.attributes);
      }
    }
    for (const GraphOutput& output : old_.outputs()) Plain(output.value);
    return rebuild_.Finish();
  }

 private:
  struct Packed {
    ValueId value;
    ActivationBlocks blocks;
  };

  ValueId Plain(ValueId value) {
    if (old_.constant(value)) return rebuild_.Map(value);
    if (auto found = plain_.find(value); found != plain_.end()) return found->second;
    const std::string& name = old_.value(value).name;
    const ValueId plain = fresh_.Emit(Op::kUnpack, name + ".unpack", {packed_.at(value).value},
                                      {{"shape", old_.shape(value)}});
    PlaceBorder(plain, "takes an activation out of an accelerator's blocks");
    rebuild_.Stand(value, plain);
    return plain_[value] = plain;
  }

  ValueId InLayout(ValueId value, const ActivationBlocks& blocks) {
    auto found = packed_.find(value);
    if (found != packed_.end() && found->second.blocks == blocks) return found->second.value;
    const std::string name = old_.value(value).name + ".pack";
    const ValueId packed =
        fresh_.Emit(Op::kPack, name, {Plain(value)},
                    {{"batch_block", blocks.batch}, {"channel_block", blocks.channel}});
    PlaceBorder(packed, "puts an activation into an accelerator's blocks");
    packed_[value] = {packed, blocks};
    return packed;
  }

  /// The matrices of a product, or its biases with the other parameters.
  ValueId InBlocks(const Node& node, size_t input, const Target& target) {
    const auto blocks = target.BlocksOfProduct(node);
    VTA_CHECK(blocks, node.name);
    const std::string& name = old_.value(node.inputs[input]).name;
    const auto emit = [&](Op op, std::vector<ValueId> inputs, Attributes attributes) {
      const ValueId made =
          fresh_.Emit(op, name + ".blocks", std::move(inputs), std::move(attributes));
      PlaceBorder(made, "puts an activation into an accelerator's weights");
      return made;
    };
    const Shape& shape = old_.shape(node.inputs[input]);
    const int64_t parts = shape[0] / blocks->out;
    const ValueId plain = Plain(node.inputs[input]);
    if (input == 1) {
      const Shape apart{parts, blocks->out, shape[1] / blocks->in, blocks->in};
      return emit(Op::kTranspose, {emit(Op::kReshape, {plain}, {{"shape", apart}})},
                  {{"perm", Shape{0, 2, 1, 3}}});
    }
    ValueId bias = emit(Op::kReshape, {plain}, {{"shape", Shape{parts, 1, 1, blocks->out}}});
    if (blocks->batch > 1)
      bias = emit(Op::kExpand, {bias}, {{"shape", Shape{parts, 1, blocks->batch, blocks->out}}});
    Shape all = blocks->further.shape();
    all.insert(all.begin(), parts);
    std::vector<int32_t> rows;
    for (int64_t part = 0; part < parts; ++part)
      for (const int32_t value : blocks->further.data<int32_t>()) rows.push_back(value);
    const ValueId further = fresh_.AddConstant(name + ".rows", Tensor::Of<int32_t>(all, rows));
    return emit(Op::kConcat, {bias, further}, {{"axis", int64_t{1}}});
  }

  void PlaceBorder(ValueId value, const char* why) {
    PlaceInRest(fresh_, fresh_.value(value).producer, why, context_);
  }

  void EmitPacked(const Node& node) {
    const Target& target = *targets_.at(node.target);
    const ActivationBlocks layout = *target.Layout();
    const size_t activations = Activations(node);
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      inputs.push_back(i < activations ? InLayout(node.inputs[i], layout)
                       : node.op == Op::kMatMulI8 && !old_.constant(node.inputs[i])
                           ? InBlocks(node, i, target)
                           : rebuild_.Map(node.inputs[i]));
    packed_[node.output] = {rebuild_.CopyWith(node, inputs, node.attributes), layout};
  }

  bool PassThrough(const Node& node) {
    if (node.op != Op::kReshape || !packed_.contains(node.inputs[0])) return false;
    const auto vector_of = [](const Shape& s) {
      const bool vector = s.size() == 2 || (s.size() == 4 && s[2] == 1 && s[3] == 1);
      return vector ? Shape{s[0], s[1]} : Shape{};
    };
    const Shape from = vector_of(old_.shape(node.inputs[0])),
                to = vector_of(old_.shape(node.output));
    if (from.empty() || from != to) return false;
    packed_[node.output] = packed_.at(node.inputs[0]);
    return true;
  }

  bool PadPacked(const Node& node) {
    if (node.op != Op::kPad || !packed_.contains(node.inputs[0])) return false;
    const std::vector<int64_t>& pads = node.Ints("pads");  // in plain axes: begins, then ends
    if (pads.size() != 8 || pads[0] || pads[1] || pads[4] || pads[5]) return false;
    Attributes attributes = node.attributes;
    attributes.Set("pads", Shape{0, 0, pads[2], pads[3], 0, 0, 0, 0, pads[6], pads[7], 0, 0});
    const Packed& from = packed_.at(node.inputs[0]);
    packed_[node.output] = {rebuild_.CopyWith(node, {from.value}, attributes), from.blocks};
    return true;
  }

  /// Whether moving packed values in blocks saves a change of the layout: what is moved is not
  /// there otherwise, or what comes of it is read in blocks.
  bool Saves(const Node& node) const {
    return wanted_.contains(node.output) ||
           std::ranges::any_of(node.inputs, [&](ValueId v) { return !plain_.contains(v); });
  }

  /// Of packed parts that fill their blocks of channels; the last need not.
  bool ConcatPacked(const Node& node) {
    if (node.op != Op::kConcat || node.Int("axis") != 1) return false;
    std::vector<ValueId> parts;
    for (const ValueId input : node.inputs) {
      const auto part = packed_.find(input);
      if (part == packed_.end()) return false;
      const ActivationBlocks& blocks = part->second.blocks;
      const bool last = parts.size() + 1 == node.inputs.size();
      if (!(blocks == packed_.at(node.inputs[0]).blocks) ||
          (!last && old_.shape(input)[1] % blocks.channel != 0))
        return false;
      parts.push_back(part->second.value);
    }
    if (!Saves(node)) return false;
    packed_[node.output] = {rebuild_.CopyWith(node, parts, node.attributes),
                            packed_.at(node.inputs[0]).blocks};
    return true;
  }

  /// Whether all that is cut off are channels that fill the last block.
  bool IsAllBlocks(const Node& slice, int64_t block) const {
    const auto all = [](const Shape& numbers, int64_t wanted) {
      return std::ranges::all_of(numbers, [&](int64_t number) { return number == wanted; });
    };
    Shape whole = old_.shape(slice.inputs[0]), part = old_.shape(slice.output);
    for (Shape* shape : {&whole, &part}) (*shape)[1] = ((*shape)[1] - 1) / block;
    return whole == part && all(slice.Ints("starts"), 0) && all(slice.Ints("steps"), 1);
  }

  /// Of whole batches, from the first channel of a block on.
  bool SlicePacked(const Node& node) {
    if (node.op != Op::kSlice || !packed_.contains(node.inputs[0])) return false;
    const Packed& from = packed_.at(node.inputs[0]);
    const Shape& shape = old_.shape(node.output);
    if (Saves(node) && IsAllBlocks(node, from.blocks.channel)) {
      packed_[node.output] = from;
      return true;
    }
    Shape starts = node.Ints("starts"), steps = node.Ints("steps");
    const bool in_order = steps[1] == 1 || shape[1] == 1;
    const bool whole = shape[0] == old_.shape(node.inputs[0])[0] && steps[0] == 1;
    if (!whole || !in_order || starts[1] % from.blocks.channel != 0 || !Saves(node)) return false;
    Shape packed = fresh_.shape(from.value);
    packed[1] = (shape[1] - 1) / from.blocks.channel + 1;
    std::copy(shape.begin() + 2, shape.end(), packed.begin() + 2);
    starts[1] /= from.blocks.channel;
    steps[1] = 1;
    starts.resize(packed.size(), 0);
    steps.resize(packed.size(), 1);
    packed_[node.output] = {
        rebuild_.CopyWith(node, {from.value},
                          {{"starts", starts}, {"steps", steps}, {"shape", packed}}),
        from.blocks};
    return true;
  }

  /// Lines or columns of a plane, at known indices: nearest neighbours.
  bool GatherPacked(const Node& node) {
    const bool of_planes = node.op == Op::kGather && node.Int("axis") >= 2 &&
                           packed_.contains(node.inputs[0]) && old_.shape(node.output).size() == 4;
    if (!of_planes || !Saves(node)) return false;
    const Packed& from = packed_.at(node.inputs[0]);
    packed_[node.output] = {
        rebuild_.CopyWith(node, {from.value, Plain(node.inputs[1])}, node.attributes), from.blocks};
    return true;
  }

  /// How many inputs of an integer op are activations; the others are parameters.
  static size_t Activations(const Node& node) {
    const bool is_two = node.op == Op::kAddI8 || node.op == Op::kAddLookupI8 ||
                        node.op == Op::kMulI8 ||
                        (node.op == Op::kResizeI8 && node.inputs.size() > 1);
    return is_two ? 2 : 1;
  }

  /// Codes made one by one of packed codes. An operand may be the same at all places of a plane,
  /// but not for all channels.
  bool EachPacked(const Node& node) {
    const size_t activations = Activations(node);
    if (node.op == Op::kResizeI8) return false;
    if (activations == 1 && node.op != Op::kLookupI8 && node.op != Op::kRequantI8) return false;
    const Shape& shape = old_.shape(node.output);
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < activations; ++i) {
      const auto found = packed_.find(node.inputs[i]);
      const Shape& own = old_.shape(node.inputs[i]);
      if (found == packed_.end() || own.size() != shape.size() || own[0] != shape[0] ||
          own[1] != shape[1] || !(found->second.blocks == packed_.at(node.inputs[0]).blocks))
        return false;
      inputs.push_back(found->second.value);
    }
    if (!Saves(node)) return false;
    for (size_t i = activations; i < node.inputs.size(); ++i)
      inputs.push_back(rebuild_.Map(node.inputs[i]));
    packed_[node.output] = {rebuild_.CopyWith(node, inputs, node.attributes),
                            packed_.at(node.inputs[0]).blocks};
    return true;
  }

  const PassContext& context_;
  Rebuild rebuild_;
  const Graph& old_;
  Graph& fresh_;
  std::map<ValueId, ValueId> plain_;              // by old value
  std::map<ValueId, Packed> packed_;              // by old value: the layout it was last needed in
  std::map<std::string, const Target*> targets_;  // those with a layout
  std::set<ValueId> wanted_;                      // old values that are read in blocks
};

}  // namespace

Graph PackLayout(const Graph& graph, const PassContext& context) {
  return Packer(graph, context).Run();
}

}  // namespace vta::compiler
