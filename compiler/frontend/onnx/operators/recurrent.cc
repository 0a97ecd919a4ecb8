// Converters of RNN, GRU and LSTM: a cell for each step and direction. What the inputs give to all
// gates of all steps is one product; a step adds what its state gives.
// Shape: X [T,N,I], W [D,gates*H,I], R [D,gates*H,H], B [D,2*gates*H], states [D,N,H]; codes of
// weights W [D,I,gates*H], R [D,H,gates*H].
#include <algorithm>

#include "compiler/frontend/math.h"
#include "compiler/frontend/onnx/operators.h"
#include "compiler/frontend/onnx/operators/integers.h"

namespace vta::compiler {
namespace {

/// A cell's states; the second is LSTM's.
struct States {
  ValueId hidden = kNone, cell = kNone;
};

/// [gates*H, K]; codes with a scale are [K, gates*H].
struct Weights {
  ValueId values = kNone, scale = kNone, zero = kNone;
};

/// One direction: its weights, and what its inputs give to each step.
struct Direction {
  std::vector<ValueId (*)(const Math&)> functions;
  Weights recurrent;
  ValueId recurrent_bias = kNone, peepholes = kNone;
};

ValueId SigmoidAt(const Math& m) { return m(Op::kSigmoid, m.x); }
ValueId TanhAt(const Math& m) { return m(Op::kTanh, m.x); }
ValueId ReluAt(const Math& m) { return m.Above(); }

class Recurrent {
 public:
  /// Coded: inputs 8 to 11 are the scale and the zero point of W, then those of R.
  Recurrent(OnnxNode& node, int64_t gates, std::vector<std::string> functions, bool coded)
      : node_(node), gates_(gates), defaults_(std::move(functions)), coded_(coded) {
    if (node.HasAttribute("clip"))
      throw node.Fail("attribute clip", StrCat(node.Float("clip", 0)), "is not supported");
    for (const char* name : {"activation_alpha", "activation_beta"})
      if (!node.Floats(name).empty())
        throw node.Fail(StrCat("attribute ", name), "given", "is not supported");
    batch_first_ = node.opset() >= 14 && node.Int("layout", 0) != 0;
    const Shape x = node.InputShape(0), r = node.InputShape(2);
    direction_ = node.String("direction", "forward");
    if (direction_ != "forward" && direction_ != "reverse" && direction_ != "bidirectional")
      throw node.Fail("attribute direction", direction_,
                      "must be forward, reverse or bidirectional");
    directions_ = direction_ == "bidirectional" ? 2 : 1;
    hidden_ = node.Int("hidden_size", r.size() == 3 ? r[coded ? 1 : 2] : 0);
    const auto weights = [&](int64_t inputs) {
      return coded ? Shape{directions_, inputs, gates * hidden_}
                   : Shape{directions_, gates * hidden_, inputs};
    };
    if (x.size() != 3 || r != weights(hidden_) || node.InputShape(1) != weights(x[2])) {
      const auto asked = [&](const char* inputs) {
        return coded ? StrCat("[D,", inputs, ",", gates, "*H]")
                     : StrCat("[D,", gates, "*H,", inputs, "]");
      };
      throw node.Fail("shapes of X, W and R",
                      StrCat(ToText(x), ", ", ToText(node.InputShape(1)), " and ", ToText(r)),
                      StrCat("must be [T,N,I], ", asked("I"), " and ", asked("H"), " of ",
                             directions_, " directions and H = ", hidden_));
    }
    steps_ = x[batch_first_ ? 1 : 0];
    batch_ = x[batch_first_ ? 0 : 1];
  }
  virtual ~Recurrent() = default;

  /// Binds Y, Y_h and, of LSTM, Y_c.
  void Run() {
    std::vector<ValueId> outputs, hidden, cells;
    for (int64_t d = 0; d < directions_; ++d) {
      States states = Initial(d);
      const Direction weights = ReadDirection(d);
      const std::vector<ValueId> given = FromInputs(d);
      std::vector<ValueId> made(steps_);
      for (int64_t i = 0; i < steps_; ++i) {
        node_.CountStep();
        const bool backward = direction_ == "reverse" || d == 1;
        const int64_t step = backward ? steps_ - 1 - i : i;
        made[step] = Step(weights, given[step], step, states);
      }
      outputs.push_back(Concat(made, 0));
      hidden.push_back(node_.Reshape(states.hidden, {1, batch_, hidden_}));
      if (states.cell != kNone) cells.push_back(node_.Reshape(states.cell, {1, batch_, hidden_}));
    }
    node_.Result(BatchFirst(Concat(outputs, 1), {2, 0, 1, 3}), 0);
    node_.Result(BatchFirst(Concat(hidden, 0), {1, 0, 2}), 1);
    if (!cells.empty()) node_.Result(BatchFirst(Concat(cells, 0), {1, 0, 2}), 2);
  }

 protected:
  /// The states after a step, of what the inputs give to its gates and of the states before.
  virtual States Next(const Direction& weights, ValueId given, const States& before) = 0;

  Math Of(ValueId x) const { return {node_, x}; }
  ValueId Gate(ValueId all, int64_t gate) const {
    return Slice(node_, all, 1, gate * hidden_, hidden_);
  }
  /// state * R^T + more, of the gates from `first` on.
  ValueId FromState(const Direction& weights, ValueId state, int64_t first, int64_t count,
                    ValueId more) const {
    Weights part = weights.recurrent;
    part.values = Slice(node_, part.values, coded_ ? 1 : 0, first * hidden_, count * hidden_);
    return Product(state, part, more);
  }
  ValueId Apply(const Direction& weights, size_t function, ValueId x) const {
    return weights.functions[function](Of(x));
  }

  OnnxNode& node_;
  int64_t gates_, steps_ = 0, batch_ = 0, hidden_ = 0;
  /// LSTM's alone.
  bool has_cell_ = false;
  /// Whether what the recurrent bias gives can be added to what the inputs give.
  bool bias_is_common_ = true;

 private:
  ValueId Concat(const std::vector<ValueId>& parts, int64_t axis) const {
    return parts.size() == 1 ? parts[0] : node_.Emit(Op::kConcat, parts, {{"axis", axis}});
  }
  ValueId BatchFirst(ValueId x, std::vector<int64_t> perm) const {
    return batch_first_ ? node_.Emit(Op::kTranspose, {x}, {{"perm", std::move(perm)}}) : x;
  }

  /// x * weights + more, which may be kNone.
  ValueId Product(ValueId x, const Weights& weights, ValueId more) const {
    if (coded_)
      return DynamicProduct(node_, x, {weights.values, weights.scale, weights.zero}, more);
    std::vector<ValueId> operands = {x, weights.values};
    if (more != kNone) operands.push_back(more);
    return node_.Emit(
        Op::kGemm, operands,
        {{"alpha", 1.0}, {"beta", 1.0}, {"trans_a", int64_t{0}}, {"trans_b", int64_t{1}}});
  }

  /// Of a direction, at input 1 or 2.
  Weights WeightsOf(int64_t input, int64_t d) const {
    if (!coded_) return {PartOf(input, d)};
    const int64_t scale = 6 + 2 * input, width = gates_ * hidden_;
    for (int64_t i : {scale, scale + 1}) {
      const Shape shape = node_.InputShape(i);
      if (shape != Shape{directions_} && shape != Shape{directions_, width})
        throw node_.Fail("shape of a scale or zero point", ToText(shape),
                         StrCat("must be [", directions_, "] or [", directions_, ",", width, "]"));
    }
    return {PartOf(input, d), PartOf(scale, d), PartOf(scale + 1, d)};
  }

  /// The part of a direction, of an input [D,...]; without that axis.
  ValueId PartOf(int64_t input, int64_t d) const {
    const ValueId part = Slice(node_, node_.Input(input), 0, d, 1);
    const Shape shape = node_.type(part).shape;  // [1,...]
    return node_.Reshape(part, Shape(shape.begin() + 1, shape.end()));
  }

  States Initial(int64_t d) const {
    const auto read = [&](int64_t input) -> ValueId {
      if (!node_.Has(input)) {
        const TensorType type{node_.Type(0).dtype, {batch_, hidden_}};
        return node_.AddConstant("start", Tensor(type));
      }
      ValueId state = node_.Input(input);
      if (batch_first_)
        state = node_.Emit(Op::kTranspose, {state}, {{"perm", std::vector<int64_t>{1, 0, 2}}});
      if (node_.type(state).shape != Shape{directions_, batch_, hidden_})
        throw node_.Fail("initial state shape", ToText(node_.type(state).shape),
                         StrCat("must be ", ToText(Shape{directions_, batch_, hidden_})));
      return node_.Reshape(Slice(node_, state, 0, d, 1), {batch_, hidden_});
    };
    return {read(5), has_cell_ ? read(6) : kNone};
  }

  Direction ReadDirection(int64_t d) const {
    Direction weights;
    weights.recurrent = WeightsOf(2, d);
    if (node_.Has(3)) {
      const ValueId bias = PartOf(3, d);
      if (node_.type(bias).shape != Shape{2 * gates_ * hidden_})
        throw node_.Fail("bias shape", ToText(node_.InputShape(3)),
                         StrCat("must be [D,", 2 * gates_ * hidden_, "]"));
      weights.recurrent_bias = Slice(node_, bias, 0, gates_ * hidden_, gates_ * hidden_);
    }
    if (has_cell_ && node_.Has(7)) weights.peepholes = PartOf(7, d);
    const std::vector<std::string> names = FunctionNames(d);
    for (const std::string& name : names) {
      if (name == "Sigmoid") weights.functions.push_back(SigmoidAt);
      if (name == "Tanh") weights.functions.push_back(TanhAt);
      if (name == "Relu") weights.functions.push_back(ReluAt);
    }
    if (weights.functions.size() != defaults_.size())
      throw node_.Fail(
          "attribute activations", names.empty() ? "none" : names[0],
          StrCat("must be ", defaults_.size(), " of Sigmoid, Tanh and Relu for each direction"));
    return weights;
  }

  std::vector<std::string> FunctionNames(int64_t d) const {
    const std::vector<std::string> all = node_.Strings("activations");
    if (all.empty()) return defaults_;
    const int64_t count = std::ssize(defaults_);
    if (std::ssize(all) != count * directions_)
      throw node_.Fail("attribute activations", StrCat(all.size()),
                       StrCat("must be ", count * directions_, " names"));
    return {all.begin() + d * count, all.begin() + (d + 1) * count};
  }

  /// For each step [N, gates*H].
  std::vector<ValueId> FromInputs(int64_t d) const {
    ValueId x = node_.Input(0);
    if (batch_first_)
      x = node_.Emit(Op::kTranspose, {x}, {{"perm", std::vector<int64_t>{1, 0, 2}}});
    const int64_t width = gates_ * hidden_, inputs = node_.type(x).shape[2];
    ValueId bias = kNone;
    if (node_.Has(3)) {
      const ValueId both = PartOf(3, d);
      bias = Slice(node_, both, 0, 0, width);
      if (bias_is_common_) bias = node_.Emit(Op::kAdd, {bias, Slice(node_, both, 0, width, width)});
    }
    const ValueId rows = node_.Reshape(x, {steps_ * batch_, inputs});
    const ValueId all = Product(rows, WeightsOf(1, d), bias);
    std::vector<ValueId> steps;
    for (int64_t i = 0; i < steps_; ++i) steps.push_back(Slice(node_, all, 0, i * batch_, batch_));
    return steps;
  }

  /// The output of a step, and the states after it: those of sequences that have ended stay.
  ValueId Step(const Direction& weights, ValueId given, int64_t step, States& states) {
    States next = Next(weights, given, states);
    ValueId output = next.hidden;
    if (node_.Has(4)) {
      const ValueId lengths = node_.Reshape(node_.Input(4), {batch_, 1});
      const ValueId lasts =
          node_.Emit(Op::kLess, {node_.Number(lengths, static_cast<double>(step)), lengths});
      const auto keep = [&](ValueId now, ValueId before) {
        return node_.Emit(Op::kWhere, {lasts, now, before});
      };
      output = keep(next.hidden, node_.Number(next.hidden, 0));
      next.hidden = keep(next.hidden, states.hidden);
      if (has_cell_) next.cell = keep(next.cell, states.cell);
    }
    states = next;
    return node_.Reshape(output, {1, 1, batch_, hidden_});
  }

  std::vector<std::string> defaults_;  // the activation functions of a direction
  std::string direction_;
  int64_t directions_ = 1;
  bool batch_first_ = false, coded_;
};

class RnnCells : public Recurrent {
 public:
  explicit RnnCells(OnnxNode& node) : Recurrent(node, 1, {"Tanh"}, false) {}

 private:
  States Next(const Direction& weights, ValueId given, const States& before) override {
    return {Apply(weights, 0, FromState(weights, before.hidden, 0, 1, given)), kNone};
  }
};

/// Gates: update, reset, hidden.
class GruCells : public Recurrent {
 public:
  explicit GruCells(OnnxNode& node)
      : Recurrent(node, 3, {"Sigmoid", "Tanh"}, false),
        after_(node.Int("linear_before_reset", 0) != 0) {
    bias_is_common_ = !after_;
  }

 private:
  States Next(const Direction& weights, ValueId given, const States& before) override {
    const ValueId h = before.hidden;
    ValueId first = Slice(node_, given, 1, 0, 2 * hidden_), bias = kNone;
    if (after_ && weights.recurrent_bias != kNone) {
      first =
          node_.Emit(Op::kAdd, {first, Slice(node_, weights.recurrent_bias, 0, 0, 2 * hidden_)});
      bias = Slice(node_, weights.recurrent_bias, 0, 2 * hidden_, hidden_);
    }
    const ValueId gates = Apply(weights, 0, FromState(weights, h, 0, 2, first));
    const ValueId update = Gate(gates, 0), reset = Gate(gates, 1), of_input = Gate(given, 2);
    const Math m = Of(h);
    const ValueId candidate =
        after_ ? m(Op::kAdd, of_input, m(Op::kMul, reset, FromState(weights, h, 2, 1, bias)))
               : FromState(weights, m(Op::kMul, reset, h), 2, 1, of_input);
    const ValueId made = Apply(weights, 1, candidate);
    // (1 - update) * made + update * h
    return {m(Op::kAdd, made, m(Op::kMul, update, m(Op::kSub, h, made))), kNone};
  }

  bool after_;  // whether the reset gate takes the product of the state, with its bias
};

/// Gates: input, output, forget, cell.
class LstmCells : public Recurrent {
 public:
  explicit LstmCells(OnnxNode& node, bool coded = false)
      : Recurrent(node, 4, {"Sigmoid", "Tanh", "Tanh"}, coded) {
    has_cell_ = true;
    if (node.Int("input_forget", 0) != 0)
      throw node.Fail("attribute input_forget", "1", "is not supported");
  }

 private:
  States Next(const Direction& weights, ValueId given, const States& before) override {
    const ValueId all = FromState(weights, before.hidden, 0, 4, given);
    const Math m = Of(all);
    // Peepholes, in the gates' order, let a gate see a state.
    const auto seeing = [&](int64_t gate, ValueId state) {
      const ValueId x = Gate(all, gate);
      if (weights.peepholes == kNone) return Apply(weights, 0, x);
      const ValueId seen = Slice(node_, weights.peepholes, 0, gate * hidden_, hidden_);
      return Apply(weights, 0, m(Op::kAdd, x, m(Op::kMul, seen, state)));
    };
    const ValueId kept = m(Op::kMul, seeing(2, before.cell), before.cell);
    const ValueId added = m(Op::kMul, seeing(0, before.cell), Apply(weights, 1, Gate(all, 3)));
    const ValueId cell = m(Op::kAdd, kept, added);
    return {m(Op::kMul, seeing(1, cell), Apply(weights, 2, cell)), cell};
  }
};

}  // namespace

void ConvertRNN(OnnxNode& node) { RnnCells(node).Run(); }
void ConvertGRU(OnnxNode& node) { GruCells(node).Run(); }
void ConvertLSTM(OnnxNode& node) { LstmCells(node).Run(); }
/// Of ONNX Runtime: what a step multiplies is quantised by its own range.
void ConvertDynamicQuantizeLSTM(OnnxNode& node) { LstmCells(node, true).Run(); }

}  // namespace vta::compiler
