// Layout: groups on a target read and write its packed layout. A pack or unpack is inserted where
// an activation crosses the border, once for each value; between groups of one layout nothing is. A
// reshape between [N,C,1,1] and [N,C] moves nothing in the packed layout and is passed through; a
// spatial pad of a packed value is done there.
#include <map>

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
      if (const auto layout = target->Layout()) layouts_[target->Name()] = *layout;
  }

  Graph Run() {
    for (const Node& node : old_.nodes()) {
      if (layouts_.contains(node.target)) {
        EmitPacked(node);
      } else if (!PassThrough(node) && !PadPacked(node)) {
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

  void PlaceBorder(ValueId value, const char* why) {
    PlaceInRest(fresh_, fresh_.value(value).producer, why, context_);
  }

  void EmitPacked(const Node& node) {
    const ActivationBlocks& layout = layouts_.at(node.target);
    const size_t activations = node.op == Op::kAddI8 || node.op == Op::kMulI8 ? 2 : 1;
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      inputs.push_back(i < activations ? InLayout(node.inputs[i], layout)
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

  const PassContext& context_;
  Rebuild rebuild_;
  const Graph& old_;
  Graph& fresh_;
  std::map<ValueId, ValueId> plain_;  // by old value
  std::map<ValueId, Packed> packed_;  // by old value: the layout it was last needed in
  std::map<std::string, ActivationBlocks> layouts_;
};

}  // namespace

Graph PackLayout(const Graph& graph, const PassContext& context) {
  return Packer(graph, context).Run();
}

}  // namespace vta::compiler
