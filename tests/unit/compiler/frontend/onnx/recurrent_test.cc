// RNN, GRU and LSTM against cells that are written out number by number, in double.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/graph/evaluate.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

constexpr int64_t kSteps = 4, kSequences = 3, kInputs = 2, kHidden = 3;

std::vector<float> Random(int64_t count, std::mt19937& random) {
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 700;
  return values;
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// What a model is asked for, and its tensors.
struct Example {
  std::string type;
  int64_t gates, directions = 1, after = 0;
  std::string direction = "forward";
  std::vector<int32_t> lengths = {};
  bool peepholes = false, bias = true, initial = true;
  std::vector<float> x, w, r, b, p, h, c;

  void Fill(std::mt19937& random) {
    const int64_t d = directions, gh = gates * kHidden;
    x = Random(kSteps * kSequences * kInputs, random);
    w = Random(d * gh * kInputs, random);
    r = Random(d * gh * kHidden, random);
    b = Random(d * 2 * gh, random);
    p = Random(d * 3 * kHidden, random);
    h = Random(d * kSequences * kHidden, random);
    c = Random(d * kSequences * kHidden, random);
  }

  std::vector<Tensor> Run() const {
    const int64_t d = directions, gh = gates * kHidden;
    const bool lstm = type == "LSTM";
    OnnxBuilder model(14);
    model.Input("x", {kSteps, kSequences, kInputs}).Output("y").Output("last");
    model.Floats("w", {d, gh, kInputs}, w).Floats("r", {d, gh, kHidden}, r);
    model.Floats("b", {d, 2 * gh}, b).Floats("p", {d, 3 * kHidden}, p);
    model.Floats("h", {d, kSequences, kHidden}, h).Floats("c", {d, kSequences, kHidden}, c);
    if (!lengths.empty())
      model.Ints("n", {kSequences}, {lengths.begin(), lengths.end()}, onnx::TensorProto::INT32);
    std::vector<std::string> inputs = {
        "x", "w", "r", bias ? "b" : "", lengths.empty() ? "" : "n", initial ? "h" : ""};
    if (lstm) inputs.push_back(initial ? "c" : "");
    if (lstm && peepholes) inputs.push_back("p");
    auto& node = model.Node(type, inputs, "y");
    node.add_output("last");
    if (lstm) {
      node.add_output("cell");
      model.Output("cell");
    }
    OnnxBuilder::SetInt(node, "hidden_size", kHidden);
    OnnxBuilder::SetString(node, "direction", direction);
    if (type == "GRU") OnnxBuilder::SetInt(node, "linear_before_reset", after);
    return Evaluate(model.Import(), {Tensor::Of<float>({kSteps, kSequences, kInputs}, x)});
  }

  /// The weighted sum of gate g for hidden element j, of one operand.
  double Sum(const std::vector<float>& weights, int64_t d, int64_t g, int64_t j, int64_t size,
             const double* values) const {
    double sum = 0;
    for (int64_t k = 0; k < size; ++k)
      sum += double{weights[((d * gates + g) * kHidden + j) * size + k]} * values[k];
    return sum;
  }
  double Bias(int64_t d, int64_t half, int64_t g, int64_t j) const {
    return bias ? double{b[((d * 2 + half) * gates + g) * kHidden + j]} : 0;
  }

  /// The next states of one sequence.
  void Cell(int64_t d, const double* in, std::vector<double>& state,
            std::vector<double>& cell) const {
    const std::vector<double> before = state, cell_before = cell;
    const auto gate = [&](int64_t g, int64_t j) {
      return Sum(w, d, g, j, kInputs, in) + Sum(r, d, g, j, kHidden, before.data()) +
             Bias(d, 0, g, j) + Bias(d, 1, g, j);
    };
    for (int64_t j = 0; j < kHidden; ++j) {
      const auto seen = [&](int64_t g, double value) {
        return peepholes ? double{p[(d * 3 + g) * kHidden + j]} * value : 0;
      };
      if (type == "RNN") state[j] = std::tanh(gate(0, j));
      if (type == "LSTM") {
        cell[j] = Sigmoid(gate(2, j) + seen(2, cell_before[j])) * cell_before[j] +
                  Sigmoid(gate(0, j) + seen(0, cell_before[j])) * std::tanh(gate(3, j));
        state[j] = Sigmoid(gate(1, j) + seen(1, cell[j])) * std::tanh(cell[j]);
      }
      if (type == "GRU") {
        std::vector<double> reset(kHidden);
        for (int64_t k = 0; k < kHidden; ++k) reset[k] = Sigmoid(gate(1, k)) * before[k];
        const double inner =
            after
                ? Sigmoid(gate(1, j)) * (Sum(r, d, 2, j, kHidden, before.data()) + Bias(d, 1, 2, j))
                : Sum(r, d, 2, j, kHidden, reset.data()) + Bias(d, 1, 2, j);
        const double made = std::tanh(Sum(w, d, 2, j, kInputs, in) + Bias(d, 0, 2, j) + inner);
        const double update = Sigmoid(gate(0, j));
        state[j] = (1 - update) * made + update * before[j];
      }
    }
  }

  void Check() const {
    const std::vector<Tensor> got = Run();
    for (int64_t d = 0; d < directions; ++d)
      for (int64_t n = 0; n < kSequences; ++n) {
        std::vector<double> state(kHidden), cell(kHidden);
        for (int64_t j = 0; initial && j < kHidden; ++j) {
          state[j] = h[(d * kSequences + n) * kHidden + j];
          cell[j] = c[(d * kSequences + n) * kHidden + j];
        }
        const int64_t length = lengths.empty() ? kSteps : lengths[n];
        const auto expect = [&](const Tensor& tensor, int64_t row, double value, int64_t j) {
          EXPECT_NEAR(tensor.At(row * kHidden + j), value, 1e-5)
              << type << " " << direction << " direction " << d << " of sequence " << n;
        };
        for (int64_t i = 0; i < length; ++i) {
          const bool backward = d == 1 || direction == "reverse";
          const int64_t step = backward ? length - 1 - i : i;
          double in[kInputs];
          for (int64_t k = 0; k < kInputs; ++k) in[k] = x[(step * kSequences + n) * kInputs + k];
          Cell(d, in, state, cell);
          for (int64_t j = 0; j < kHidden; ++j)
            expect(got[0], (step * directions + d) * kSequences + n, state[j], j);
        }
        for (int64_t step = length; step < kSteps; ++step)
          for (int64_t j = 0; j < kHidden; ++j)
            expect(got[0], (step * directions + d) * kSequences + n, 0, j);
        for (int64_t j = 0; j < kHidden; ++j) {
          expect(got[1], d * kSequences + n, state[j], j);
          if (type == "LSTM") expect(got[2], d * kSequences + n, cell[j], j);
        }
      }
  }
};

TEST(OnnxRecurrent, CellsOfEveryKindAndDirection) {
  std::mt19937 random(5);
  for (const auto& [type, gates] : {std::pair("RNN", 1), {"GRU", 3}, {"LSTM", 4}})
    for (const char* direction : {"forward", "reverse", "bidirectional"})
      for (const bool ends : {false, true}) {
        Example e{type, gates};
        e.direction = direction;
        e.directions = e.direction == "bidirectional" ? 2 : 1;
        if (ends) e.lengths = {2, 4, 1};
        e.peepholes = ends;
        e.after = ends;
        e.Fill(random);
        e.Check();
        e.bias = e.initial = false;
        e.Check();
      }
}

/// Of ONNX Runtime, with what version 1.32 of it computed.
TEST(OnnxRecurrent, DynamicQuantizeLstm) {
  constexpr int kInt8 = onnx::TensorProto::INT8;
  OnnxBuilder b;
  b.Domain("com.microsoft", 1).Input("x", {2, 1, 2}).Output("y").Output("last").Output("cell");
  b.Ints("w", {1, 2, 4}, {10, -20, 30, 127, -128, 5, 60, -70}, kInt8);
  b.Ints("r", {1, 1, 4}, {100, -50, 25, -12}, kInt8);
  b.Floats("b", {1, 8}, {0.1f, 0.2f, -0.3f, 0.4f, 0, 0, 0.1f, 0});
  b.Floats("h", {1, 1, 1}, {0.5f}).Floats("c", {1, 1, 1}, {-0.25f});
  b.Floats("ws", {1}, {0.01f}).Ints("wz", {1}, {3}, kInt8);
  b.Floats("rs", {1, 4}, {0.01f, 0.02f, 0.005f, 0.03f}).Ints("rz", {1, 4}, {0, 0, 0, 0}, kInt8);
  auto& node = b.Node("DynamicQuantizeLSTM",
                      {"x", "w", "r", "b", "", "h", "c", "", "ws", "wz", "rs", "rz"}, "y");
  node.set_domain("com.microsoft");
  node.add_output("last");
  node.add_output("cell");
  OnnxBuilder::SetInt(node, "hidden_size", 1);
  const auto outputs = Evaluate(b.Import(), {Tensor::Of<float>({2, 1, 2}, {1, -0.5f, 0.25f, 2})});
  EXPECT_NEAR(outputs[0].At(0), 0.20660563, 1e-6);
  EXPECT_NEAR(outputs[0].At(1), 0.19030194, 1e-6);
  EXPECT_NEAR(outputs[1].At(0), 0.19030194, 1e-6);
  EXPECT_NEAR(outputs[2].At(0), 0.40646484, 1e-6);
  b.graph().mutable_initializer(5)->set_dims(0, 0);
  b.graph().mutable_initializer(5)->clear_float_data();
  EXPECT_EQ(b.ImportError(),
            "m.onnx: node \"n_y\" (com.microsoft.DynamicQuantizeLSTM, opset 1): input \"ws\" = "
            "float32[0]: must not be empty");
  OnnxBuilder::SetInt(node, "input_forget", 0);
  node.mutable_attribute(0)->set_i(4);
  EXPECT_EQ(b.ImportError(),
            "m.onnx: node \"n_y\" (com.microsoft.DynamicQuantizeLSTM, opset 1): shapes of X, W and "
            "R = [2,1,2], [1,2,4] and [1,1,4]: must be [T,N,I], [D,I,4*H] and [D,H,4*H] of 1 "
            "directions and H = 4");
}

OnnxBuilder Lstm() {
  OnnxBuilder b(14);
  b.Input("x", {4, 3, 2}).Output("y");
  b.Floats("w", {1, 12, 2}, std::vector<float>(24)).Floats("r", {1, 12, 3}, std::vector<float>(36));
  b.Node("LSTM", {"x", "w", "r"}, "y");
  return b;
}

TEST(OnnxRecurrent, ErrorsNameNodeAndAttribute) {
  const auto error = [](const std::function<void(onnx::NodeProto&)>& change) {
    OnnxBuilder b = Lstm();
    change(*b.graph().mutable_node(0));
    return b.ImportError();
  };
  const std::string at = "m.onnx: node \"n_y\" (LSTM, opset 14): ";
  EXPECT_EQ(error([](auto& n) { OnnxBuilder::SetFloat(n, "clip", 2); }),
            at + "attribute clip = 2: is not supported");
  EXPECT_EQ(error([](auto& n) { OnnxBuilder::SetInt(n, "input_forget", 1); }),
            at + "attribute input_forget = 1: is not supported");
  EXPECT_EQ(error([](auto& n) { OnnxBuilder::SetString(n, "direction", "both"); }),
            at + "attribute direction = both: must be forward, reverse or bidirectional");
  EXPECT_EQ(error([](auto& n) { OnnxBuilder::SetInt(n, "hidden_size", 5); }),
            at + "shapes of X, W and R = [4,3,2], [1,12,2] and [1,12,3]: must be [T,N,I], "
                 "[D,4*H,I] and [D,4*H,H] of 1 directions and H = 5");
  EXPECT_EQ(error([](auto& n) {
              auto& names = *n.add_attribute();
              names.set_name("activations");
              names.set_type(onnx::AttributeProto::STRINGS);
              for (const char* name : {"Affine", "Tanh", "Tanh"}) names.add_strings(name);
            }),
            at + "attribute activations = Affine: must be 3 of Sigmoid, Tanh and Relu for each "
                 "direction");
}

}  // namespace
}  // namespace vta::compiler
