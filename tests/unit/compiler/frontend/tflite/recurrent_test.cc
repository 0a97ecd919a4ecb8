// LSTM layers and Fourier transforms of TensorFlow Lite, against sums that are written out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <random>

#include "tests/unit/compiler/frontend/tflite/builder.h"

namespace vta::compiler {
namespace {

namespace tfl = tflite_schema;
using Code = TfliteBuilder::Code;

constexpr int32_t kSteps = 3, kSequences = 2, kInputs = 2, kHidden = 3, kGates = 4;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// A layer whose parts may be missing, as a model has it and as numbers.
struct Layer {
  bool input_gate = true, peepholes = false, projection = false, time_major = false;
  float cell_clip = 0;
  std::mt19937 random{7};
  TfliteBuilder b;
  std::vector<std::vector<float>> parts = std::vector<std::vector<float>>(18);
  int32_t state = kHidden;

  int32_t Part(int32_t input, const std::vector<int32_t>& shape) {
    int32_t count = 1;
    for (const int32_t size : shape) count *= size;
    for (int32_t i = 0; i < count; ++i)
      parts[input].push_back(static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 900);
    return b.Constant<float>("part", shape, parts[input]);
  }

  void Build() {
    state = projection ? 2 : kHidden;
    const std::vector<int32_t> outer =
        time_major ? std::vector{kSteps, kSequences} : std::vector{kSequences, kSteps};
    std::vector<int32_t> inputs = {b.Input("x", {outer[0], outer[1], kInputs})};
    for (int32_t i = 1; i < 18; ++i) {
      const bool of_input_gate = i == 1 || i == 5 || i == 9 || i == 12;
      const bool given = (input_gate || !of_input_gate) && (peepholes || i < 9 || i > 11) &&
                         (projection || i < 16);
      const std::vector<int32_t> shape = i < 5    ? std::vector{kHidden, kInputs}
                                         : i < 9  ? std::vector{kHidden, state}
                                         : i < 16 ? std::vector{kHidden}
                                         : i < 17 ? std::vector{state, kHidden}
                                                  : std::vector{state};
      inputs.push_back(given ? Part(i, shape) : -1);
    }
    for (const int32_t size : {state, kHidden}) {
      inputs.push_back(b.Tensor("state", {kSequences, size}));
      b.tensor(inputs.back()).is_variable = true;
    }
    tfl::UnidirectionalSequenceLSTMOptionsT options;
    options.fused_activation_function = tfl::ActivationFunctionType::TANH;
    options.cell_clip = cell_clip;
    options.time_major = time_major;
    b.Operator(Code::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs,
               {b.Output("y", {outer[0], outer[1], state})}, options);
  }

  double Product(int32_t input, int64_t row, const std::vector<double>& values) const {
    double sum = 0;
    for (size_t k = 0; k < values.size(); ++k)
      sum += parts[input][row * static_cast<int64_t>(values.size()) + k] * values[k];
    return sum;
  }

  void Check() {
    Build();
    std::vector<float> x(kSteps * kSequences * kInputs);
    for (float& v : x) v = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 700;
    const Tensor y = b.Run({Tensor::Of<float>(
        time_major ? Shape{kSteps, kSequences, kInputs} : Shape{kSequences, kSteps, kInputs}, x)});
    for (int32_t n = 0; n < kSequences; ++n) {
      std::vector<double> hidden(state), cell(kHidden);
      for (int32_t step = 0; step < kSteps; ++step) {
        const int64_t row = time_major ? step * kSequences + n : n * kSteps + step;
        const std::vector<double> in(&x[row * kInputs], &x[row * kInputs] + kInputs);
        std::vector<double> made(kHidden);
        for (int64_t j = 0; j < kHidden; ++j) {
          const auto sum = [&](int32_t gate) {
            return Product(1 + gate, j, in) + Product(5 + gate, j, hidden) + parts[12 + gate][j];
          };
          const auto seen = [&](int32_t peephole) {
            return peepholes ? double{parts[9 + peephole][j]} * cell[j] : 0;
          };
          const double forget = Sigmoid(sum(1) + seen(1));
          const double input = input_gate ? Sigmoid(sum(0) + seen(0)) : 1 - forget;
          cell[j] = forget * cell[j] + input * std::tanh(sum(2));
          if (cell_clip > 0)
            cell[j] = std::clamp<double>(cell[j], -double{cell_clip}, double{cell_clip});
          made[j] = Sigmoid(sum(3) + seen(2)) * std::tanh(cell[j]);
        }
        hidden = made;
        if (projection) {
          hidden.assign(state, 0);
          for (int64_t j = 0; j < state; ++j) hidden[j] = Product(16, j, made) + parts[17][j];
        }
        for (int64_t j = 0; j < state; ++j)
          EXPECT_NEAR(y.At(row * state + j), hidden[j], 1e-5) << "step " << step << " of " << n;
      }
    }
  }
};

TEST(TfliteLstm, CellsOfEveryKind) {
  Layer{}.Check();
  Layer{.time_major = true}.Check();
  Layer{.input_gate = false}.Check();
  Layer{.peepholes = true, .cell_clip = 0.3f}.Check();
  Layer{.input_gate = false, .peepholes = true, .projection = true}.Check();
}

TEST(TfliteLstm, WhatDoesNotFitIsRefused) {
  const auto error = [](const std::function<void(TfliteBuilder&)>& change) {
    Layer layer;
    layer.Build();
    change(layer.b);
    return layer.b.ImportError();
  };
  const std::string at = "m.tflite: operator 0 \"y\" (UNIDIRECTIONAL_SEQUENCE_LSTM): ";
  EXPECT_EQ(error([](auto& b) {
              b.tensor(1).shape = {1, 6};
            }),
            at + "shape of input 1 = [1,6]: must be [3,2]");
  EXPECT_EQ(error([](auto& b) { b.op(0).inputs.push_back(13); }),
            at + "input 20 = given: layer normalisation is not supported");
  EXPECT_EQ(error([](auto& b) {
              b.tensor(0).shape = {2, 1 << 20, 2};
            }),
            at + "steps = 1048576: more than 16384 are not unrolled");
}

/// x [1,H,W] in a transform, whose result loses the first axis.
struct Transform {
  TfliteBuilder b;
  int32_t result;

  Transform(const std::vector<int32_t>& shape, const std::vector<int32_t>& length) {
    const int32_t x = b.Input("x", shape);
    const std::vector<int32_t> made = {length[0], length[1] / 2 + 1};
    const int32_t transformed =
        b.Tensor("f", {1, made[0], made[1]}, TfliteBuilder::Type::COMPLEX64);
    b.Operator(Code::RFFT2D, {x, b.Ints(length)}, {transformed});
    result = b.Tensor("squeezed", made, TfliteBuilder::Type::COMPLEX64);
    tfl::SqueezeOptionsT options;
    options.squeeze_dims = {0};
    b.Operator(Code::SQUEEZE, {transformed}, {result}, options);
  }
};

TEST(TfliteFourier, TransformsAlongTwoAxes) {
  std::mt19937 random(3);
  for (const auto& [high, wide, rows, columns] :
       {std::tuple(1, 8, 1, 8), {1, 5, 1, 8}, {3, 9, 4, 8}, {4, 4, 2, 6}}) {
    std::vector<float> x(high * wide);
    for (float& v : x) v = static_cast<float>(random() % 1000) / 500 - 1;
    for (const Code code : {Code::REAL, Code::IMAG, Code::COMPLEX_ABS}) {
      Transform t({1, high, wide}, {rows, columns});
      t.b.Operator(code, {t.result}, {t.b.Output("y", {rows, columns / 2 + 1})});
      const Tensor y = t.b.Run({Tensor::Of<float>({1, high, wide}, x)});
      for (int u = 0; u < rows; ++u)
        for (int v = 0; v <= columns / 2; ++v) {
          std::complex<double> sum = 0;
          for (int i = 0; i < std::min(high, rows); ++i)
            for (int j = 0; j < std::min(wide, columns); ++j)
              sum += double{x[i * wide + j]} *
                     std::polar(
                         1.0, -2 * std::acos(-1.0) * (1.0 * u * i / rows + 1.0 * v * j / columns));
          const double want = code == Code::REAL   ? sum.real()
                              : code == Code::IMAG ? sum.imag()
                                                   : std::abs(sum);
          EXPECT_NEAR(y.At(u * (columns / 2 + 1) + v), want, 1e-5);
        }
    }
  }
}

TEST(TfliteFourier, ComplexNumbersGoNowhereElse) {
  Transform out({1, 2, 4}, {2, 4}), abs({1, 2, 4}, {2, 4}), real({1, 2, 4}, {2, 4});
  out.b.graph().outputs.push_back(out.result);
  EXPECT_EQ(
      out.b.ImportError(),
      "m.tflite: output \"squeezed\": element type = COMPLEX64: is not supported for outputs");
  abs.b.Operator(Code::ABS, {abs.result}, {abs.b.Output("y", {2, 3})});
  EXPECT_EQ(abs.b.ImportError(),
            "m.tflite: operator 2 \"y\" (ABS): input 0 = squeezed: is complex, which the operator "
            "is not supported for");
  real.b.Operator(Code::REAL, {0}, {real.b.Output("y", {1, 2, 4})});
  EXPECT_EQ(real.b.ImportError(),
            "m.tflite: operator 2 \"y\" (REAL): input 0 = float32[1,2,4]: must be complex");
  EXPECT_EQ(Transform({1, 2, 4}, {2, 0}).b.ImportError(),
            "m.tflite: operator 0 \"f\" (RFFT2D): input fft_length = [2,0]: must be two numbers "
            "from 1 to 2^24");
}

/// Each input adds its product with the window to outputs that lie a stride apart.
TEST(TfliteTransposeConvBias, SameAndValid) {
  for (const int32_t padding : {1, 2})
    for (const auto& [size, kernel, stride] : {std::tuple(3, 2, 2), {4, 4, 2}, {3, 3, 1}}) {
      const int32_t left_out = padding == 1 ? std::max(kernel - (size - 1) % stride - 1, 0) : 0;
      const int32_t made = stride * (size - 1) + kernel - left_out;
      TfliteBuilder b;
      const int32_t x = b.Input("x", {1, 1, size, 1});
      std::vector<float> w(kernel), values(size), want(made, 0.5f);
      for (int32_t k = 0; k < kernel; ++k) w[k] = static_cast<float>(k + 1);
      for (int32_t i = 0; i < size; ++i) values[i] = static_cast<float>(10 * i + 1);
      for (int32_t i = 0; i < size; ++i)
        for (int32_t k = 0; k < kernel; ++k)
          if (const int32_t at = i * stride + k - left_out / 2; at >= 0 && at < made)
            want[at] += values[i] * w[k];
      const int32_t weights = b.Constant<float>("w", {1, 1, kernel, 1}, w);
      const int32_t bias = b.Constant<float>("b", {1}, {0.5f});
      auto& op = b.Operator(Code::CUSTOM, {x, weights, bias}, {b.Output("y", {1, 1, made, 1})});
      b.model.operator_codes[0]->custom_code = "Convolution2DTransposeBias";
      const int32_t options[] = {padding, stride, 1};
      const auto* bytes = reinterpret_cast<const uint8_t*>(options);
      op.custom_options.assign(bytes, bytes + sizeof options);
      EXPECT_EQ(b.Run({Tensor::Of<float>({1, 1, size, 1}, values)}),
                Tensor::Of<float>({1, 1, made, 1}, want));
      const std::string at = "m.tflite: operator 0 \"y\" (CUSTOM Convolution2DTransposeBias): ";
      b.op(0).custom_options[0] = 0;
      EXPECT_EQ(b.ImportError(), at + "padding = 0: must be SAME or VALID");
      b.op(0).custom_options.resize(11);
      EXPECT_EQ(b.ImportError(), at + "options = 11 bytes: must be 12 or more");
    }
}

}  // namespace
}  // namespace vta::compiler
