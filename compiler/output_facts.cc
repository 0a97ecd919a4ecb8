#include "compiler/output_facts.h"

#include "compiler/graph/ops.h"

namespace vta::compiler {
namespace {

// Has the values of its first input, in another form or place.
bool KeepsValues(Op op) {
  switch (op) {
    case Op::kQuantize:
    case Op::kDequantize:
    case Op::kIdentity:
    case Op::kReshape:
    case Op::kTranspose:
    case Op::kCast:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<isa::OutputFacts> OutputFactsOf(const Graph& imported) {
  std::vector<isa::OutputFacts> all;
  for (const GraphOutput& output : imported.outputs()) {
    isa::OutputFacts& facts = all.emplace_back();
    const Node* node = imported.Producer(output.value);
    if (node && node->op == Op::kQuantize) {
      const Tensor *scale = imported.constant(node->inputs[1]),
                   *zero = imported.constant(node->inputs[2]);
      if (scale && zero && scale->elements() == 1 && zero->elements() == 1 && scale->At(0) > 0)
        facts.scale = scale->At(0), facts.zero_point = static_cast<int64_t>(zero->At(0));
    }
    while (node && KeepsValues(node->op)) node = imported.Producer(node->inputs[0]);
    facts.is_probability = node && (node->op == Op::kSoftmax || node->op == Op::kSigmoid);
  }
  return all;
}

}  // namespace vta::compiler
