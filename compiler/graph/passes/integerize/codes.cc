// Integerize: operators that read and make 8-bit codes as a model has them between a quantize and a
// dequantize: they move codes, or take the greatest. Codes that are uint8 are int8 for them too.
#include <algorithm>

#include "compiler/graph/passes/integerize/integerizer.h"

namespace vta::compiler {
bool IsUndilatedMaxPool(const Node& node) {
  return node.op == Op::kMaxPool &&
         std::ranges::all_of(node.Ints("dilations"), [](int64_t d) { return d == 1; });
}

ValueId Integerizer::OnCodes(const Node& node) {
  const Graph& old = rebuild_.old();
  const DType dtype = old.type(node.output).dtype;
  const bool pools = IsUndilatedMaxPool(node) && old.shape(node.output).size() == 4;
  // Int8 that is only moved is in its form already.
  if (!Is8Bit(dtype) || !(pools || (MovesData(node.op) && dtype == DType::kUint8))) return kNone;
  std::vector<ValueId> inputs;
  for (ValueId input : node.inputs) {
    const ValueId mapped = rebuild_.Map(input);
    inputs.push_back(old.type(input).dtype == dtype ? ToInt8(mapped) : mapped);
  }
  Attributes attributes = node.attributes;
  if (attributes.Has("value"))  // of uint8
    attributes.Set("value", attributes.Double("value") - 128);
  const ValueId codes =
      pools ? EmitMaxPool(node, inputs[0]) : fresh_.Emit(node.op, node.name, inputs, attributes);
  if (dtype == DType::kInt8) return codes;
  return fresh_.Emit(Op::kFlipSign, node.name, {codes}, {});
}

}  // namespace vta::compiler
