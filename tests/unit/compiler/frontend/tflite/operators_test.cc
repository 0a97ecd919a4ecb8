// Operators of TensorFlow Lite models against values worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/compiler/frontend/tflite/builder.h"

namespace vta::compiler {
namespace {

namespace tfl = tflite_schema;
using Code = TfliteBuilder::Code;
using Type = TfliteBuilder::Type;

std::vector<int32_t> Dims(const Shape& shape) { return {shape.begin(), shape.end()}; }

/// The outputs of an operator on float inputs.
struct Operands : TfliteOperands<Operands> {
  std::vector<Tensor> inputs;

  Operands& In(const Shape& shape, const std::vector<float>& values) {
    operands.push_back(b.Input("x", Dims(shape)));
    inputs.push_back(Tensor::Of<float>(shape, values));
    return *this;
  }
  template <typename Options>
  Tensor Out(Code code, Options options, Type type = Type::FLOAT32) {
    b.Operator(code, operands, {b.Output("y", {}, type)}, std::move(options));
    return b.Run(inputs);
  }
  Tensor Out(Code code, Type type = Type::FLOAT32) {
    b.Operator(code, operands, {b.Output("y", {}, type)});
    return b.Run(inputs);
  }
};

Tensor Floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::Of<float>(shape, values);
}

void ExpectNear(const Tensor& y, const std::vector<double>& values) {
  ASSERT_EQ(y.elements(), std::ssize(values));
  for (int64_t i = 0; i < y.elements(); ++i)
    EXPECT_NEAR(y.At(i), values[i], 1e-6 * std::max(1.0, std::abs(values[i]))) << i;
}

TEST(TfliteOperators, OfOneNumber) {
  const std::vector<float> x = {-2.5f, -0.5f, 0.5f, 4};
  const auto y = [&](Code code) { return Operands().In({4}, x).Out(code); };
  EXPECT_EQ(y(Code::ABS), Floats({4}, {2.5f, 0.5f, 0.5f, 4}));
  EXPECT_EQ(y(Code::NEG), Floats({4}, {2.5f, 0.5f, -0.5f, -4}));
  EXPECT_EQ(y(Code::FLOOR), Floats({4}, {-3, -1, 0, 4}));
  EXPECT_EQ(y(Code::CEIL), Floats({4}, {-2, -0.0f, 1, 4}));
  EXPECT_EQ(y(Code::ROUND), Floats({4}, {-2, -0.0f, 0, 4}));
  EXPECT_EQ(y(Code::SIGN), Floats({4}, {-1, -1, 1, 1}));
  EXPECT_EQ(y(Code::SQUARE), Floats({4}, {6.25f, 0.25f, 0.25f, 16}));
  EXPECT_EQ(y(Code::RELU), Floats({4}, {0, 0, 0.5f, 4}));
  EXPECT_EQ(y(Code::RELU_N1_TO_1), Floats({4}, {-1, -0.5f, 0.5f, 1}));
  EXPECT_EQ(y(Code::RELU_0_TO_1), Floats({4}, {0, 0, 0.5f, 1}));
  ExpectNear(y(Code::EXP), {std::exp(-2.5), std::exp(-0.5), std::exp(0.5), std::exp(4)});
  ExpectNear(y(Code::TANH), {std::tanh(-2.5), std::tanh(-0.5), std::tanh(0.5), std::tanh(4)});
  ExpectNear(y(Code::ELU), {std::expm1(-2.5), std::expm1(-0.5), 0.5, 4});
  ExpectNear(y(Code::LOGISTIC), {1 / (1 + std::exp(2.5)), 1 / (1 + std::exp(0.5)),
                                 1 / (1 + std::exp(-0.5)), 1 / (1 + std::exp(-4))});
  ExpectNear(y(Code::HARD_SWISH), {-2.5 * 0.5 / 6, -0.5 * 2.5 / 6, 0.5 * 3.5 / 6, 4});
  EXPECT_EQ(Operands().In({2}, {7, 3}).Out(Code::RELU6), Floats({2}, {6, 3}));
  ExpectNear(Operands().In({2}, {4, 0.25f}).Out(Code::SQRT), {2, 0.5});
  ExpectNear(Operands().In({2}, {4, 0.25f}).Out(Code::RSQRT), {0.5, 2});
  ExpectNear(Operands().In({2}, {1, 0.5f}).Out(Code::LOG), {0, std::log(0.5)});
  tfl::LeakyReluOptionsT leaky;
  leaky.alpha = 0.25f;
  EXPECT_EQ(Operands().In({2}, {-2, 3}).Out(Code::LEAKY_RELU, leaky), Floats({2}, {-0.5f, 3}));
  tfl::GeluOptionsT exact, tanh;
  tanh.approximate = true;
  ExpectNear(Operands().In({2}, {-1, 2}).Out(Code::GELU, exact),
             {-0.5 * std::erfc(std::sqrt(0.5)), 1 + std::erf(std::sqrt(2.0))});
  ExpectNear(Operands().In({1}, {2}).Out(Code::GELU, tanh),
             {1 + std::tanh(std::sqrt(2 / M_PI) * (2 + 0.044715 * 8))});
}

TEST(TfliteOperators, OfTwoNumbers) {
  const auto y = [](Code code) {
    return Operands().In({2, 2}, {7, -7, 2, -2}).In({2}, {2, 3}).Out(code);
  };
  EXPECT_EQ(y(Code::MAXIMUM), Floats({2, 2}, {7, 3, 2, 3}));
  EXPECT_EQ(y(Code::MINIMUM), Floats({2, 2}, {2, -7, 2, -2}));
  EXPECT_EQ(y(Code::SQUARED_DIFFERENCE), Floats({2, 2}, {25, 100, 0, 25}));
  EXPECT_EQ(y(Code::FLOOR_DIV), Floats({2, 2}, {3, -3, 1, -1}));
  EXPECT_EQ(y(Code::FLOOR_MOD), Floats({2, 2}, {1, 2, 0, 1}));
  EXPECT_EQ(y(Code::POW), Floats({2, 2}, {49, -343, 4, -8}));
  EXPECT_EQ(y(Code::PRELU), Floats({2, 2}, {7, -21, 2, -6}));
  EXPECT_EQ(y(Code::SUB), Floats({2, 2}, {5, -10, 0, -5}));
  EXPECT_EQ(y(Code::DIV), Floats({2, 2}, {3.5f, -7.0f / 3, 1, -2.0f / 3}));
  tfl::MulOptionsT relu;
  relu.fused_activation_function = tfl::ActivationFunctionType::RELU;
  EXPECT_EQ(Operands().In({2}, {7, -7}).In({1}, {2}).Out(Code::MUL, relu), Floats({2}, {14, 0}));
  EXPECT_EQ(Operands().In({1}, {1}).In({1}, {2}).In({1}, {4}).Out(Code::ADD_N), Floats({1}, {7}));
}

TEST(TfliteOperators, OfIntegers) {
  const auto y = [](Code code) {
    TfliteBuilder b;
    b.Input("x", {4}, Type::INT32);
    b.Constant<int32_t>("c", {4}, {2, 2, -2, -2});
    b.Output("y", {4}, Type::INT32);
    b.Operator(code, {0, 1}, {2});
    return b.Run({Tensor::Of<int32_t>({4}, {7, -7, 7, -7})});
  };
  EXPECT_EQ(y(Code::FLOOR_DIV), Tensor::Of<int32_t>({4}, {3, -4, -4, 3}));
  EXPECT_EQ(y(Code::FLOOR_MOD), Tensor::Of<int32_t>({4}, {1, 1, -1, -1}));
  EXPECT_EQ(y(Code::DIV), Tensor::Of<int32_t>({4}, {3, -3, -3, 3}));
}

TEST(TfliteOperators, ComparisonsAndChoices) {
  const auto bits = [](Code code) {
    const Tensor y = Operands().In({3}, {1, 2, 3}).In({3}, {2, 2, 2}).Out(code, Type::BOOL);
    return StrCat(int(y.data<bool>()[0]), int(y.data<bool>()[1]), int(y.data<bool>()[2]));
  };
  EXPECT_EQ(bits(Code::LESS), "100");
  EXPECT_EQ(bits(Code::LESS_EQUAL), "110");
  EXPECT_EQ(bits(Code::GREATER), "001");
  EXPECT_EQ(bits(Code::GREATER_EQUAL), "011");
  EXPECT_EQ(bits(Code::EQUAL), "010");
  EXPECT_EQ(bits(Code::NOT_EQUAL), "101");
  const auto logic = [](Code code, int operands) {
    TfliteBuilder b;
    std::vector<int32_t> inputs;
    std::vector<Tensor> values;
    for (int i = 0; i < operands; ++i) {
      inputs.push_back(b.Input("x", {2}, Type::BOOL));
      values.push_back(Tensor({DType::kBool, {2}}, {1, static_cast<uint8_t>(i == 0)}));
    }
    b.Operator(code, inputs, {b.Output("y", {2}, Type::BOOL)});
    const Tensor y = b.Run(values);
    return StrCat(int(y.data<bool>()[0]), int(y.data<bool>()[1]));
  };
  EXPECT_EQ(logic(Code::LOGICAL_AND, 2), "10");
  EXPECT_EQ(logic(Code::LOGICAL_OR, 2), "11");
  EXPECT_EQ(logic(Code::LOGICAL_NOT, 1), "00");
  for (const bool rows : {false, true}) {
    TfliteBuilder b;
    b.Input("c", rows ? std::vector<int32_t>{2} : std::vector<int32_t>{2, 2}, Type::BOOL);
    b.Input("x", {2, 2});
    b.Constant<float>("z", {2, 2}, {5, 6, 7, 8});
    b.Output("y", {2, 2});
    b.Operator(rows ? Code::SELECT : Code::SELECT_V2, {0, 1, 2}, {3});
    const Tensor condition =
        rows ? Tensor({DType::kBool, {2}}, {0, 1}) : Tensor({DType::kBool, {2, 2}}, {1, 0, 0, 1});
    EXPECT_EQ(b.Run({condition, Floats({2, 2}, {1, 2, 3, 4})}),
              rows ? Floats({2, 2}, {5, 6, 3, 4}) : Floats({2, 2}, {1, 6, 7, 4}));
  }
}

TEST(TfliteOperators, Reductions) {
  const auto y = [](Code code, const std::vector<int32_t>& axes, bool keep) {
    tfl::ReducerOptionsT options;
    options.keep_dims = keep;
    return Operands().In({2, 3}, {1, 2, 6, -1, 5, 8}).Ints(axes).Out(code, options);
  };
  EXPECT_EQ(y(Code::MEAN, {1}, false), Floats({2}, {3, 4}));
  EXPECT_EQ(y(Code::SUM, {0, -2}, true), Floats({1, 3}, {0, 7, 14}));
  EXPECT_EQ(y(Code::REDUCE_MAX, {-1}, true), Floats({2, 1}, {6, 8}));
  EXPECT_EQ(y(Code::REDUCE_MIN, {0, 1}, false), Floats({}, {-1}));
  EXPECT_EQ(Operands().In({2, 3}, {1, 6, 6, -1, 5, 8}).Ints({1}).Out(Code::ARG_MAX, Type::INT64),
            Tensor::Of<int64_t>({2}, {1, 2}));
  EXPECT_EQ(Operands().In({2, 3}, {1, 6, 6, -1, 5, 8}).Ints({0}).Out(Code::ARG_MIN, Type::INT32),
            Tensor::Of<int32_t>({3}, {1, 1, 0}));
  tfl::SoftmaxOptionsT beta;
  beta.beta = 2;
  const double e = std::exp(2.0);
  ExpectNear(Operands().In({1, 2}, {1, 2}).Out(Code::SOFTMAX, beta), {1 / (1 + e), e / (1 + e)});
  ExpectNear(Operands().In({1, 2}, {2, 4}).Out(Code::LOG_SOFTMAX),
             {-std::log(1 + e), 2 - std::log(1 + e)});
  ExpectNear(Operands().In({2, 2}, {3, 4, 0, 0}).Out(Code::L2_NORMALIZATION), {0.6, 0.8, 0, 0});
}

TEST(TfliteOperators, Products) {
  tfl::BatchMatMulOptionsT turned;
  turned.adj_x = turned.adj_y = true;
  const auto c = [] { return Operands().In({2, 2}, {1, 2, 3, 4}).In({2, 2}, {5, 6, 7, 8}); };
  EXPECT_EQ(c().Out(Code::BATCH_MATMUL), Floats({2, 2}, {19, 22, 43, 50}));
  EXPECT_EQ(c().Out(Code::BATCH_MATMUL, turned), Floats({2, 2}, {23, 31, 34, 46}));
}

TEST(TfliteOperators, Conversions) {
  EXPECT_EQ(Operands().In({3}, {-1.75f, 0, 2.5f}).Out(Code::CAST, Type::INT32),
            Tensor::Of<int32_t>({3}, {-1, 0, 2}));
  TfliteBuilder half;
  half.Input("x", {4});
  half.Constant<int16_t>("h", {4}, {0x3e00, static_cast<int16_t>(0xc080), 0x7bff, 1},
                         Type::FLOAT16);
  const int32_t wide = half.Tensor("w", {4});
  half.Output("y", {4});
  half.Operator(Code::DEQUANTIZE, {1}, {wide});
  half.Operator(Code::ADD, {0, wide}, {3});
  EXPECT_EQ(half.Run({Floats({4}, {0, 0, 0, 0})}), Floats({4}, {1.5f, -2.25f, 65504, 0x1p-24f}));
  TfliteBuilder codes;  // from one scale to another, and int8 to uint8
  codes.Scaled(codes.Input("x", {4}, Type::INT8), {0.5f}, {1});
  codes.Scaled(codes.Output("y", {4}, Type::UINT8), {0.25f}, {100});
  codes.Operator(Code::QUANTIZE, {0}, {1});
  EXPECT_EQ(codes.Run({Tensor::Of<int8_t>({4}, {1, 2, -128, 127})}),
            Tensor::Of<uint8_t>({4}, {100, 102, 0, 255}));
}

/// 1 is 42.5 steps of the scale: the kernels clamp to 43 of them.
TEST(TfliteOperators, CodesAreClampedToTheOuterOfTwo) {
  for (const bool fused : {false, true}) {
    const float scale = 6.0f / 255;
    TfliteBuilder b;
    b.Scaled(b.Input("x", {4}, Type::INT8), {scale}, {0});
    b.Scaled(b.Output("y", {4}, Type::INT8), {scale}, {0});
    if (fused) {
      tfl::AddOptionsT options;
      options.fused_activation_function = tfl::ActivationFunctionType::RELU_N1_TO_1;
      b.Scaled(b.Constant<int8_t>("zero", {1}, {0}), {scale}, {0});
      b.Operator(Code::ADD, {0, 2}, {1}, options);
    } else {
      b.Operator(Code::RELU_N1_TO_1, {0}, {1});
    }
    EXPECT_EQ(b.Run({Tensor::Of<int8_t>({4}, {-44, 42, 43, 44})}),
              Tensor::Of<int8_t>({4}, {-43, 42, 43, 43}));
  }
}

TEST(TfliteOperators, QuantisedSums) {
  TfliteBuilder b;
  b.Scaled(b.Input("x", {3}, Type::INT8), {0.5f}, {0});
  b.Scaled(b.Input("z", {3}, Type::INT8), {0.25f}, {4});
  b.Scaled(b.Output("y", {3}, Type::INT8), {1}, {-10});
  tfl::AddOptionsT relu6;
  relu6.fused_activation_function = tfl::ActivationFunctionType::RELU6;
  b.Operator(Code::ADD, {0, 1}, {2}, relu6);
  EXPECT_EQ(b.Run({Tensor::Of<int8_t>({3}, {4, -100, 100}), Tensor::Of<int8_t>({3}, {8, 8, 8})}),
            Tensor::Of<int8_t>({3}, {-7, -10, -4}));
}

TEST(TfliteOperators, SumsProductsAndPlaces) {
  ExpectNear(Operands().In({3}, {0, 1, -2}).Out(Code::SIN), {0, std::sin(1), std::sin(-2)});
  ExpectNear(Operands().In({3}, {0, 1, -2}).Out(Code::COS), {1, std::cos(1), std::cos(-2)});
  tfl::CumsumOptionsT sums;
  sums.exclusive = sums.reverse = true;
  EXPECT_EQ(Operands().In({2, 3}, {1, 2, 3, 4, 5, 6}).Ints({1}).Out(Code::CUMSUM, sums),
            Floats({2, 3}, {5, 3, 0, 11, 6, 0}));
  tfl::ReducerOptionsT kept, dropped;
  kept.keep_dims = true;
  const auto product = [](tfl::ReducerOptionsT options) {
    return Operands().In({2, 3}, {1, 2, 3, 4, 5, 6}).Ints({0, -2}).Out(Code::REDUCE_PROD, options);
  };
  EXPECT_EQ(product(kept), Floats({1, 3}, {4, 10, 18}));
  EXPECT_EQ(product(dropped), Floats({3}, {4, 10, 18}));
  TfliteBuilder places;
  places.Input("x", {2, 2, 2});
  places.Constant<int32_t>("at", {2, 2}, {1, 0, 0, 1});
  places.Output("y", {2, 2});
  places.Operator(Code::GATHER_ND, {0, 1}, {2});
  EXPECT_EQ(places.Run({Floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}),
            Floats({2, 2}, {5, 6, 3, 4}));
  TfliteBuilder range;
  for (const int32_t number : {2, 11, 3}) range.Constant<int32_t>("n", {}, {number});
  range.Output("y", {3}, Type::INT32);
  range.Operator(Code::RANGE, {0, 1, 2}, {3});
  EXPECT_EQ(range.Run({}), Tensor::Of<int32_t>({3}, {2, 5, 8}));
}

TEST(TfliteOperators, OfBools) {
  const auto y = [](Code code) {
    TfliteBuilder b;
    b.Input("x", {2, 3}, Type::BOOL);
    b.Ints({1});
    b.Output("y", {2}, Type::BOOL);
    b.Operator(code, {0, 1}, {2}, tfl::ReducerOptionsT());
    return b.Run({Tensor::Of<bool>({2, 3}, {true, true, true, false, true, false})});
  };
  EXPECT_EQ(y(Code::REDUCE_ALL), Tensor::Of<bool>({2}, {true, false}));
  EXPECT_EQ(y(Code::REDUCE_ANY), Tensor::Of<bool>({2}, {true, true}));
}

/// x + w, where w [4,4] has blocks of 2 by 2, of which the file has the second of the first row and
/// the first of the last.
TfliteBuilder Sparse() {
  TfliteBuilder b;
  b.Input("x", {4, 4});
  b.Constant<float>("w", {4, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  b.Tensor("dense", {4, 4});
  b.Output("y", {4, 4});
  b.Operator(Code::DENSIFY, {1}, {2});
  b.Operator(Code::ADD, {0, 2}, {3});
  auto sparsity = std::make_unique<tfl::SparsityParametersT>();
  sparsity->traversal_order = {0, 1, 2, 3};
  sparsity->block_map = {0, 1};
  for (const bool sparse : {false, true, false, false}) {
    auto level = std::make_unique<tfl::DimensionMetadataT>();
    level->dense_size = 2;
    if (sparse) {
      level->format = tfl::DimensionType::SPARSE_CSR;
      tfl::Uint8VectorT segments;
      tfl::Int32VectorT indices;
      segments.values = {0, 1, 2};
      indices.values = {1, 0};
      level->array_segments.Set(segments);
      level->array_indices.Set(indices);
    }
    sparsity->dim_metadata.push_back(std::move(level));
  }
  b.tensor(1).sparsity = std::move(sparsity);
  return b;
}

TEST(TfliteOperators, SparseWeightsAreFilledUp) {
  EXPECT_EQ(Sparse().Run({Floats({4, 4}, std::vector<float>(16))}),
            Floats({4, 4}, {0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0}));
  const auto error = [](const std::function<void(tfl::SparsityParametersT&)>& change) {
    TfliteBuilder b = Sparse();
    change(*b.tensor(1).sparsity);
    return b.ImportError();
  };
  const std::string at = "m.tflite: operator 0 \"dense\" (DENSIFY): tensor \"w\": sparsity ";
  EXPECT_EQ(error([](auto& s) { s.dim_metadata[1]->array_indices.AsInt32Vector()->values[0] = 2; }),
            at + "index = 2: must rise within 2");
  EXPECT_EQ(
      error([](auto& s) { s.dim_metadata[1]->array_segments.AsUint8Vector()->values[2] = 3; }),
      at + "array_segments = [0,1,3]: must rise within 2 indices");
  EXPECT_EQ(error([](auto& s) { s.traversal_order[3] = 2; }),
            at + "traversal_order = [0,1,2,2]: must have each of 4 dimensions once");
  EXPECT_EQ(error([](auto& s) { s.dim_metadata[3]->dense_size = 3; }),
            at + "block size = 3: must divide 4");
  EXPECT_EQ(error([](auto& s) { s.dim_metadata[0]->dense_size = 1; }),
            at + "dense_size = [2,4]: must cover [4,4]");
  TfliteBuilder large = Sparse();  // which is refused before it is filled up
  large.tensor(1).shape = {4, 1 << 30};
  EXPECT_NE(large.ImportError().find("memory for all tensors = 17179869"), std::string::npos);
}

}  // namespace
}  // namespace vta::compiler
