// Converter of LSTM layers: a cell for each step. What the inputs give to all gates of all steps is
// one product; a step adds what its state gives. States are 0 before the first step of a run.
#include "compiler/frontend/tflite/lstm.h"

#include <algorithm>

#include "compiler/frontend/indexing.h"
#include "compiler/frontend/math.h"
#include "compiler/frontend/tflite/layer_operands.h"
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

using L = TfliteLstm;

class Lstm {
 public:
  Lstm(TfliteNode& node, const TfliteLstm& lstm)
      : node_(node),
        options_(node.Options<schema::UnidirectionalSequenceLSTMOptions>()),
        lstm_(lstm) {}

  void Run() {
    ValueId x = node_.Real(0);
    if (!lstm_.time_major) x = TurnedLstm(node_, x);
    const ValueId given = Product(node_.Reshape(x, {lstm_.steps * lstm_.batch, lstm_.inputs}),
                                  Joined(L::kWeights), Biases());
    const ValueId recurrent = Joined(L::kRecurrent);
    ValueId hidden = Zeros(lstm_.state), cell = Zeros(lstm_.hidden);
    std::vector<ValueId> outputs;
    for (int64_t step = 0; step < lstm_.steps; ++step) {
      const ValueId of_step = Slice(node_, given, 0, step * lstm_.batch, lstm_.batch);
      Step(Product(hidden, recurrent, of_step), hidden, cell);
      outputs.push_back(hidden);
    }
    node_.Result(JoinedSteps(node_, lstm_, outputs));
  }

 private:
  ValueId Zeros(int64_t size) {
    const TensorType type{DType::kFloat32, {lstm_.batch, size}};
    node_.Require(type);
    return node_.AddConstant("start", Tensor(type));
  }

  /// Of all gates, one below the other.
  ValueId Joined(int64_t first) {
    std::vector<ValueId> parts;
    for (const int64_t gate : lstm_.gates) parts.push_back(node_.Real(first + gate));
    return node_.Emit(Op::kConcat, parts, {{"axis", int64_t{0}}});
  }

  ValueId Biases() {
    std::vector<ValueId> parts;
    for (const int64_t gate : lstm_.gates)
      parts.push_back(node_.Has(L::kBias + gate)
                          ? node_.Real(L::kBias + gate)
                          : node_.AddConstant("bias", Tensor({DType::kFloat32, {lstm_.hidden}})));
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
    const int64_t missing = lstm_.gates[0];
    const auto sum = [&](int64_t gate) {
      return Slice(node_, sums, 1, (gate - missing) * lstm_.hidden, lstm_.hidden);
    };
    // Gate and its peephole, through which it sees a state of the cell.
    const auto opened = [&](int64_t gate, int64_t peephole, ValueId state) {
      const ValueId x = sum(gate);
      if (!node_.Has(L::kPeepholes + peephole)) return m(Op::kSigmoid, x);
      const ValueId seen = m(Op::kMul, node_.Real(L::kPeepholes + peephole), state);
      return m(Op::kSigmoid, m(Op::kAdd, x, seen));
    };
    const ValueId forget = opened(1, 1, cell);
    const ValueId input = missing == 0 ? opened(0, 0, cell) : m(Op::kSub, 1.0, forget);
    cell = m(Op::kAdd, m(Op::kMul, forget, cell), m(Op::kMul, input, Activated(sum(2))));
    cell = Clipped(m, cell, options_.cell_clip());
    hidden = m(Op::kMul, opened(3, 2, cell), Activated(cell));
    if (!node_.Has(L::kProjection)) return;
    hidden = Product(hidden, node_.Real(L::kProjection),
                     node_.Has(L::kProjectionBias) ? node_.Real(L::kProjectionBias) : kNone);
    hidden = Clipped(m, hidden, options_.proj_clip());
  }

  static ValueId Clipped(const Math& m, ValueId x, float most) {
    return most > 0 ? m.Clip(x, -most, most) : x;
  }

  TfliteNode& node_;
  const schema::UnidirectionalSequenceLSTMOptions& options_;
  const TfliteLstm& lstm_;
};

}  // namespace

TfliteLstm::TfliteLstm(TfliteNode& node)
    : time_major(node.Options<schema::UnidirectionalSequenceLSTMOptions>().time_major()) {
  for (int64_t i = kNorms; i < kNorms + kGates; ++i)
    if (node.Has(i))
      throw node.Fail(StrCat("input ", i), "given", "layer normalisation is not supported");
  for (int64_t gate = node.Has(kWeights) ? 0 : 1; gate < kGates; ++gate) gates.push_back(gate);
  RequireRank(node, 0, 3, "input shape", "[T,N,I] or [N,T,I]");
  const Shape x = node.InputShape(0), r = node.InputShape(kRecurrent + 1);
  if (r.size() != 2) throw node.Fail("recurrent weight shape", ToText(r), "must be [H,P]");
  steps = x[time_major ? 0 : 1], batch = x[time_major ? 1 : 0], inputs = x[2];
  hidden = r[0], state = r[1];
  constexpr int64_t kMostSteps = 1 << 14;
  if (steps > kMostSteps)
    throw node.Fail("steps", StrCat(steps), StrCat("more than ", kMostSteps, " are not unrolled"));
  const auto require = [&](int64_t input, const Shape& shape) {
    if (node.InputShape(input) != shape)
      throw node.Fail(StrCat("shape of input ", input), ToText(node.InputShape(input)),
                      StrCat("must be ", ToText(shape)));
  };
  for (const int64_t gate : gates) {
    require(kWeights + gate, {hidden, inputs});
    require(kRecurrent + gate, r);
    if (node.Has(kBias + gate)) require(kBias + gate, {hidden});
  }
  if (node.Has(kProjection)) require(kProjection, {state, hidden});
  if (!node.Has(kProjection) && state != hidden)
    throw node.Fail("recurrent weight shape", ToText(r), "must be [H,H] without a projection");
}

ValueId TurnedLstm(TfliteNode& node, ValueId x) {
  return node.Emit(Op::kTranspose, {x}, {{"perm", std::vector<int64_t>{1, 0, 2}}});
}

ValueId JoinedSteps(TfliteNode& node, const TfliteLstm& lstm, const std::vector<ValueId>& outputs) {
  std::vector<ValueId> steps;
  for (const ValueId output : outputs)
    steps.push_back(node.Reshape(output, {1, lstm.batch, lstm.state}));
  const ValueId y =
      steps.size() == 1 ? steps[0] : node.Emit(Op::kConcat, steps, {{"axis", int64_t{0}}});
  return lstm.time_major ? y : TurnedLstm(node, y);
}

void ConvertSequenceLstm(TfliteNode& node) {
  const DType x = node.Type(0).dtype;
  if (x == DType::kInt8 && node.OutputType() == DType::kInt8)
    return ConvertLstmOfCodes(node, TfliteLstm(node));
  if (x != DType::kFloat32 || node.OutputType() != DType::kFloat32)
    throw node.Fail("input and output type", StrCat(Name(x), " and ", Name(node.OutputType())),
                    "must be float32 or int8, both");
  Lstm(node, TfliteLstm(node)).Run();
}

}  // namespace vta::compiler
