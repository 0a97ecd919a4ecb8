// Converter of LSTM layers of codes, in the integers of TensorFlow Lite Micro's kernel: int8
// inputs, weights and hidden state, gates in Q3.12 and an int16 state of the cell, whose scale is a
// power of two.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/frontend/indexing.h"
#include "compiler/frontend/math.h"
#include "compiler/frontend/tflite/integer_kernels.h"
#include "compiler/frontend/tflite/lstm.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

using L = TfliteLstm;

constexpr double kGateScale = 1.0 / (1 << 12), kFunctionScale = 1.0 / (1 << 15);
constexpr int kGateBits = 12, kFunctionBits = 15, kFunctionRange = 3;  // integer bits of functions

class LstmOfCodes {
 public:
  LstmOfCodes(TfliteNode& node, const TfliteLstm& lstm) : node_(node), lstm_(lstm) {
    for (const auto& [input, what] : {std::pair(int64_t{L::kPeepholes}, "a peephole"),
                                      {L::kPeepholes + 1, "a peephole"},
                                      {L::kPeepholes + 2, "a peephole"},
                                      {L::kProjection, "a projection"}})
      if (node.Has(input))
        throw node.Fail(StrCat("input ", input), what, "is not supported in layers of int8");
    if (lstm.gates.size() != L::kGates)
      throw node.Fail("input gate", "missing", "is required in layers of int8");
    const auto& options = node.Options<schema::UnidirectionalSequenceLSTMOptions>();
    if (options.fused_activation_function() != schema::ActivationFunctionType::TANH)
      throw node.Fail("activation",
                      EnumNameActivationFunctionType(options.fused_activation_function()),
                      "must be TANH in layers of int8");
    input_ = ScaleOf(0, DType::kInt8), hidden_ = ScaleOf(L::kHidden, DType::kInt8);
    const Scale cell = ScaleOf(L::kCell, DType::kInt16);
    int power = 0;
    const bool is_power = std::frexp(cell.scale, &power) == 0.5F;
    cell_power_ = power - 1;
    if (!is_power || cell.zero_point != 0 || cell_power_ < -kMostPower || cell_power_ > kMostPower)
      throw node.Fail("scale of the cell state", StrCat(double{cell.scale}),
                      StrCat("must be a power of two, 2^-", kMostPower, " to 2^", kMostPower,
                             ", with a zero point of 0"));
    cell_scale_ = cell.scale;
    const double clip = double{options.cell_clip()} / double{cell.scale};
    if (clip > 0) cell_clip_ = static_cast<int64_t>(std::min(clip, double{INT16_MAX}));
    const auto output = node.OutputScales();
    if (!output || output->scales != std::vector{hidden_.scale} ||
        output->zero_points != std::vector{hidden_.zero_point})
      throw node.Fail("scale and zero point of the output", "others", "must be the hidden state's");
  }

  void Run() {
    ValueId x = node_.Stored(0);
    if (!lstm_.time_major) x = TurnedLstm(node_, x);
    x = node_.Reshape(x, {lstm_.steps * lstm_.batch, lstm_.inputs});
    const ValueId given = Product(x, Layer(L::kWeights, input_), Biases());
    const Weights recurrent = Layer(L::kRecurrent, hidden_);
    const Cell parts(node_, cell_scale_, cell_power_, hidden_.scale);
    ValueId hidden = Start(hidden_.zero_point, DType::kInt8), cell = Start(0, DType::kInt64);
    std::vector<ValueId> outputs;
    for (int64_t step = 0; step < lstm_.steps; ++step) {
      const ValueId of_step = Slice(node_, given, 0, step * lstm_.batch, lstm_.batch);
      const ValueId of_state = Product(hidden, recurrent, kNone);
      Step(parts, Clipped(node_.Emit(Op::kAdd, {of_step, of_state})), hidden, cell);
      outputs.push_back(hidden);
    }
    node_.ResultStored(JoinedSteps(node_, lstm_, outputs));
  }

 private:
  struct Scale {
    float scale = 0;
    int64_t zero_point = 0;
  };
  static constexpr int kMostPower = 15;

  /// Of the tensor of an input, which may be a state.
  Scale ScaleOf(int64_t input, DType dtype) {
    const auto scales = node_.InputScales(input);
    const DType found = node_.InputType(input);
    if (found != dtype)
      throw node_.Fail(StrCat("type of input ", input), std::string(Name(found)),
                       StrCat("must be ", Name(dtype), " in layers of int8"));
    if (!scales || !scales->PerTensor())
      throw node_.Fail(StrCat("input ", input), std::string(Name(dtype)),
                       "must have one scale and zero point");
    return {scales->scales[0], scales->zero_points[0]};
  }

  /// What a product of codes with the weights of all gates, one beside the other, goes through.
  struct Weights {
    ValueId weights;  // Shape: int32 [I, 4 H]
    int64_t zero_point;
    RescaleTwice rescale;
  };
  Weights Layer(int64_t first, const Scale& scale) {
    std::vector<ValueId> parts;
    std::vector<FixedPoint> factors;
    for (int64_t input = first; input < first + L::kGates; ++input) {
      const Scale weights = ScaleOf(input, DType::kInt8);
      if (weights.zero_point != 0)
        throw node_.Fail(StrCat("zero point of input ", input), StrCat(weights.zero_point),
                         "must be 0");
      const double product = double{scale.scale} * double{weights.scale};
      factors.insert(factors.end(), lstm_.hidden, ToFixedPoint(product / kGateScale));
      parts.push_back(node_.Stored(input));
    }
    const ValueId joined = node_.Emit(Op::kConcat, parts, {{"axis", int64_t{0}}});
    const ValueId turned =
        node_.Emit(Op::kTranspose, {joined}, {{"perm", std::vector<int64_t>{1, 0}}});
    return {Centred(node_, turned, 0, DType::kInt32), scale.zero_point, {node_, factors}};
  }

  /// Constants of a step.
  struct Cell {
    Cell(TfliteNode& node, double cell_scale, int cell_power, float hidden_scale)
        : logistic(Of(node, CodeFunction::kLogistic, -kGateBits)),
          tanh(Of(node, CodeFunction::kTanh, -kGateBits)),
          tanh_of_cell(cell_power == -kGateBits ? tanh : Of(node, CodeFunction::kTanh, cell_power)),
          keep(node, {ToFixedPoint(kFunctionScale * cell_scale / cell_scale)}),
          add(node, {ToFixedPoint(kFunctionScale * kFunctionScale / cell_scale)}),
          show(node, {ToFixedPoint(kFunctionScale * kFunctionScale / double{hidden_scale})}) {}

    static ValueId Of(TfliteNode& node, CodeFunction function, int power) {
      const int shift = kFunctionBits + power - kFunctionRange;
      return node.AddConstant("table", TableOf(function, shift < 0 ? 3 : 0, std::abs(shift)));
    }

    ValueId logistic, tanh, tanh_of_cell;
    RescaleTwice keep, add, show;
  };

  ValueId Biases() {
    std::vector<ValueId> parts;
    for (int64_t input = L::kBias; input < L::kBias + L::kGates; ++input) {
      if (!node_.Has(input))
        parts.push_back(node_.AddConstant("bias", Tensor({DType::kInt32, {lstm_.hidden}})));
      else if (node_.Type(input).dtype == DType::kInt32)
        parts.push_back(node_.Stored(input));
      else
        throw node_.Fail(StrCat("type of input ", input),
                         std::string(Name(node_.Type(input).dtype)),
                         "must be int32 in layers of int8");
    }
    return node_.Emit(Op::kConcat, parts, {{"axis", int64_t{0}}});
  }

  ValueId Clipped(ValueId x) { return Math{node_, x}.Clip(x, INT16_MIN, INT16_MAX); }

  ValueId Product(ValueId x, const Weights& layer, ValueId bias) {
    ValueId sums = node_.Emit(Op::kMatMul,
                              {Centred(node_, x, layer.zero_point, DType::kInt32), layer.weights});
    if (bias != kNone) sums = node_.Emit(Op::kAdd, {sums, bias});
    return Clipped(layer.rescale(Centred(node_, sums, 0)));
  }

  ValueId Start(int64_t value, DType dtype) {
    const TensorType type{dtype, {lstm_.batch, lstm_.hidden}};
    node_.Require(type);
    Tensor start(type);
    if (dtype == DType::kInt8)
      std::ranges::fill(start.mutable_data<int8_t>(), static_cast<int8_t>(value));
    return node_.AddConstant("start", std::move(start));
  }

  /// From the gates before their functions to the next states.
  void Step(const Cell& c, ValueId gates, ValueId& hidden, ValueId& cell) {
    const auto gate = [&](int64_t number, ValueId table) {
      return InTable(node_, table, Slice(node_, gates, 1, number * lstm_.hidden, lstm_.hidden));
    };
    const ValueId input = gate(0, c.logistic), forget = gate(1, c.logistic);
    const ValueId made = gate(2, c.tanh), output = gate(3, c.logistic);
    const Math m{node_, gates};
    const ValueId kept = Clipped(c.keep(m(Op::kMul, forget, cell)));
    const ValueId added = Clipped(c.add(m(Op::kMul, input, made)));
    cell = Clipped(m(Op::kAdd, kept, added));
    if (cell_clip_ > 0)
      cell = m.Clip(cell, static_cast<double>(-cell_clip_), static_cast<double>(cell_clip_));
    const ValueId seen = InTable(node_, c.tanh_of_cell, cell);
    const ValueId shown =
        m(Op::kAdd, c.show(m(Op::kMul, seen, output)), static_cast<double>(hidden_.zero_point));
    hidden = Saturated(node_, shown, DType::kInt8);
  }

  TfliteNode& node_;
  const TfliteLstm& lstm_;
  Scale input_, hidden_;
  double cell_scale_ = 0;
  int cell_power_ = 0;
  int64_t cell_clip_ = 0;  // 0 for none
};

}  // namespace

void ConvertLstmOfCodes(TfliteNode& node, const TfliteLstm& lstm) { LstmOfCodes(node, lstm).Run(); }

}  // namespace vta::compiler
