// Converter of LSTM layers: a cell for each step. What the inputs give to all gates of all steps is
// one product; a step adds what its state gives. States are 0 before the first step of a run.
#include <algorithm>

#include "compiler/frontend/indexing.h"
#include "compiler/frontend/math.h"
#include "compiler/frontend/tflite/layer_operands.h"
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

/// Inputs of the first gate; those of the other gates follow it. Gates: input, forget, cell,
/// output. Without an input gate it is 1 - forget.
enum : int64_t { kWeights = 1, kRecurrent = 5, kPeepholes = 9, kBias = 12, kNorms = 20 };
constexpr int64_t kProjection = 16, kProjectionBias = 17, kGates = 4;

class Lstm {
 public:
  explicit Lstm(TfliteNode& node)
      : node_(node), options_(node.Options<schema::UnidirectionalSequenceLSTMOptions>()) {
    if (node.Type(0).dtype != DType::kFloat32 || node.OutputType() != DType::kFloat32)
      throw node.Fail("input type", std::string(Name(node.Type(0).dtype)),
                      "must be float32: LSTM layers of codes are not supported");
    for (int64_t i = kNorms; i < kNorms + kGates; ++i)
      if (node.Has(i))
        throw node.Fail(StrCat("input ", i), "given", "layer normalisation is not supported");
    for (int64_t gate = node.Has(kWeights) ? 0 : 1; gate < kGates; ++gate) gates_.push_back(gate);
    RequireRank(node, 0, 3, "input shape", "[T,N,I] or [N,T,I]");
    const Shape x = node.InputShape(0), r = node.InputShape(kRecurrent + 1);
    if (r.size() != 2) throw node.Fail("recurrent weight shape", ToText(r), "must be [H,P]");
    steps_ = x[options_.time_major() ? 0 : 1], batch_ = x[options_.time_major() ? 1 : 0];
    hidden_ = r[0];
    constexpr int64_t kMostSteps = 1 << 14;
    if (steps_ > kMostSteps)
      throw node.Fail("steps", StrCat(steps_),
                      StrCat("more than ", kMostSteps, " are not unrolled"));
    for (const int64_t gate : gates_) {
      RequireShape(kWeights + gate, {hidden_, x[2]});
      RequireShape(kRecurrent + gate, r);
      if (node.Has(kBias + gate)) RequireShape(kBias + gate, {hidden_});
    }
    if (node.Has(kProjection)) RequireShape(kProjection, {r[1], hidden_});
    if (!node.Has(kProjection) && r[1] != hidden_)
      throw node.Fail("recurrent weight shape", ToText(r), "must be [H,H] without a projection");
    state_ = r[1];
  }

  void Run() {
    ValueId x = node_.Real(0);
    if (!options_.time_major()) x = Turned(x);
    const int64_t inputs = node_.type(x).shape[2];
    const ValueId given =
        Product(node_.Reshape(x, {steps_ * batch_, inputs}), Joined(kWeights), Biases());
    const ValueId recurrent = Joined(kRecurrent);
    ValueId hidden = Zeros(state_), cell = Zeros(hidden_);
    std::vector<ValueId> outputs;
    for (int64_t step = 0; step < steps_; ++step) {
      const ValueId of_step = Slice(node_, given, 0, step * batch_, batch_);
      Step(Product(hidden, recurrent, of_step), hidden, cell);
      outputs.push_back(node_.Reshape(hidden, {1, batch_, state_}));
    }
    const ValueId y =
        steps_ == 1 ? outputs[0] : node_.Emit(Op::kConcat, outputs, {{"axis", int64_t{0}}});
    node_.Result(options_.time_major() ? y : Turned(y));
  }

 private:
  void RequireShape(int64_t input, const Shape& shape) {
    if (node_.InputShape(input) != shape)
      throw node_.Fail(StrCat("shape of input ", input), ToText(node_.InputShape(input)),
                       StrCat("must be ", ToText(shape)));
  }

  ValueId Turned(ValueId x) {
    return node_.Emit(Op::kTranspose, {x}, {{"perm", std::vector<int64_t>{1, 0, 2}}});
  }

  ValueId Zeros(int64_t size) {
    const TensorType type{DType::kFloat32, {batch_, size}};
    node_.Require(type);
    return node_.AddConstant("start", Tensor(type));
  }

  /// Of all gates, one below the other.
  ValueId Joined(int64_t first) {
    std::vector<ValueId> parts;
    for (const int64_t gate : gates_) parts.push_back(node_.Real(first + gate));
    return node_.Emit(Op::kConcat, parts, {{"axis", int64_t{0}}});
  }

  ValueId Biases() {
    std::vector<ValueId> parts;
    for (const int64_t gate : gates_)
      parts.push_back(node_.Has(kBias + gate)
                          ? node_.Real(kBias + gate)
                          : node_.AddConstant("bias", Tensor({DType::kFloat32, {hidden_}})));
    return node_.Emit(Op::kConcat, parts, {{"axis", int64_t{0}}});
  }

  ValueId Product(ValueId x, ValueId weights, ValueId more) {
    std::vector<ValueId> operands = {x, weights};
    if (more != kNone) operands.push_back(more);
    return node_.Emit(
        Op::kGemm, operands,
        {{"alpha", 1.0}, {"beta", 1.0}, {"trans_a", int64_t{0}}, {"trans_b", int64_t{1}}});
  }

  ValueId Activated(ValueId x) {
    return Activate(node_, x, static_cast<int>(options_.fused_activation_function()));
  }

  /// From the sums of the gates to the next states.
  void Step(ValueId sums, ValueId& hidden, ValueId& cell) {
    const Math m{node_, sums};
    const int64_t missing = gates_[0];
    const auto sum = [&](int64_t gate) {
      return Slice(node_, sums, 1, (gate - missing) * hidden_, hidden_);
    };
    // Gate and its peephole, through which it sees a state of the cell.
    const auto opened = [&](int64_t gate, int64_t peephole, ValueId state) {
      const ValueId x = sum(gate);
      if (!node_.Has(kPeepholes + peephole)) return m(Op::kSigmoid, x);
      const ValueId seen = m(Op::kMul, node_.Real(kPeepholes + peephole), state);
      return m(Op::kSigmoid, m(Op::kAdd, x, seen));
    };
    const ValueId forget = opened(1, 1, cell);
    const ValueId input = missing == 0 ? opened(0, 0, cell) : m(Op::kSub, 1.0, forget);
    cell = m(Op::kAdd, m(Op::kMul, forget, cell), m(Op::kMul, input, Activated(sum(2))));
    cell = Clipped(m, cell, options_.cell_clip());
    hidden = m(Op::kMul, opened(3, 2, cell), Activated(cell));
    if (!node_.Has(kProjection)) return;
    hidden = Product(hidden, node_.Real(kProjection),
                     node_.Has(kProjectionBias) ? node_.Real(kProjectionBias) : kNone);
    hidden = Clipped(m, hidden, options_.proj_clip());
  }

  static ValueId Clipped(const Math& m, ValueId x, float most) {
    return most > 0 ? m.Clip(x, -most, most) : x;
  }

  TfliteNode& node_;
  const schema::UnidirectionalSequenceLSTMOptions& options_;
  std::vector<int64_t> gates_;
  int64_t steps_, batch_, hidden_, state_;
};

}  // namespace

void ConvertSequenceLstm(TfliteNode& node) { Lstm(node).Run(); }

}  // namespace vta::compiler
