// Attention of ONNX and of ONNX Runtime against loops in double, head by head.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/graph/evaluate.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

constexpr int64_t kBatch = 2, kLength = 3, kKeys = 4, kHeads = 4, kSize = 2;

Tensor RandomOf(const Shape& shape, std::mt19937& random) {
  std::vector<float> values(Elements(shape));
  for (float& v : values) v = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 500;
  return Tensor::Of<float>(shape, values);
}

/// [N, L, C] of heads beside each other; `bias(n, i, j)` is added to scores before the softmax.
template <typename Bias>
std::vector<double> Expected(const Tensor& q, const Tensor& k, const Tensor& v, int64_t key_heads,
                             const Bias& bias) {
  const int64_t group = kHeads / key_heads, keys = k.shape()[1];
  std::vector<double> y(kBatch * kLength * kHeads * kSize);
  for (int64_t n = 0; n < kBatch; ++n)
    for (int64_t h = 0; h < kHeads; ++h)
      for (int64_t i = 0; i < kLength; ++i) {
        std::vector<double> weights(keys);
        double sum = 0;
        for (int64_t j = 0; j < keys; ++j) {
          double score = 0;
          for (int64_t c = 0; c < kSize; ++c)
            score += q.At(((n * kLength + i) * kHeads + h) * kSize + c) *
                     k.At(((n * keys + j) * key_heads + h / group) * kSize + c);
          sum += weights[j] = std::exp(score / std::sqrt(double{kSize}) + bias(n, i, j));
        }
        for (int64_t j = 0; sum > 0 && j < keys; ++j)
          for (int64_t c = 0; c < kSize; ++c)
            y[((n * kLength + i) * kHeads + h) * kSize + c] +=
                weights[j] / sum * v.At(((n * keys + j) * key_heads + h / group) * kSize + c);
      }
  return y;
}

void ExpectNearAll(const Tensor& y, const std::vector<double>& want) {
  ASSERT_EQ(y.elements(), std::ssize(want));
  for (int64_t i = 0; i < y.elements(); ++i) EXPECT_NEAR(y.At(i), want[i], 1e-5) << i;
}

TEST(OnnxAttention, HeadsThatShareKeysWithMasks) {
  std::mt19937 random(4);
  for (const int64_t key_heads : {1, 2, 4})
    for (const bool causal : {false, true}) {
      const Tensor q = RandomOf({kBatch, kLength, kHeads * kSize}, random);
      const Tensor k = RandomOf({kBatch, kKeys, key_heads * kSize}, random);
      const Tensor v = RandomOf({kBatch, kKeys, key_heads * kSize}, random);
      std::vector<bool> allowed(kLength * kKeys);
      for (size_t i = 0; i < allowed.size(); ++i) allowed[i] = i % 3 != 0 && i >= kKeys;
      OnnxBuilder b(23);
      b.Input("q", q.shape()).Input("k", k.shape()).Input("v", v.shape()).Output("y");
      b.Input("mask", {kLength, kKeys}, onnx::TensorProto::BOOL);
      auto& node = b.Node("Attention", {"q", "k", "v", "mask"}, "y");
      OnnxBuilder::SetInt(node, "q_num_heads", kHeads);
      OnnxBuilder::SetInt(node, "kv_num_heads", key_heads);
      OnnxBuilder::SetInt(node, "is_causal", causal);
      const Tensor mask = Tensor::Of<bool>({kLength, kKeys}, allowed);
      // The first query may look at no key: its result is 0.
      ExpectNearAll(Evaluate(b.Import(), {q, k, v, mask})[0],
                    Expected(q, k, v, key_heads, [&](int64_t, int64_t i, int64_t j) {
                      const bool seen = allowed[i * kKeys + j] && (!causal || j <= i);
                      return seen ? 0.0 : -std::numeric_limits<double>::infinity();
                    }));
    }
}

TEST(OnnxAttention, MultiHeadAttentionOfOnnxRuntime) {
  std::mt19937 random(9);
  constexpr int64_t kChannels = kHeads * kSize;
  const Tensor q = RandomOf({kBatch, kLength, kChannels}, random);
  const Tensor k = RandomOf({kBatch, kKeys, kChannels}, random);
  const Tensor v = RandomOf({kBatch, kKeys, kChannels}, random);
  const Tensor bias = RandomOf({3 * kChannels}, random);
  OnnxBuilder b;
  b.Domain("com.microsoft", 1).Input("q", q.shape()).Input("k", k.shape()).Input("v", v.shape());
  b.Input("bias", bias.shape()).Output("y");
  b.Ints("padding", {kBatch, kKeys}, {1, 1, 1, 0, 1, 0, 1, 1}, onnx::TensorProto::INT32);
  auto& node = b.Node("MultiHeadAttention", {"q", "k", "v", "bias", "padding"}, "y");
  node.set_domain("com.microsoft");
  OnnxBuilder::SetInt(node, "num_heads", kHeads);
  const auto biased = [&](Tensor x, int64_t part) {
    for (int64_t i = 0; i < x.elements(); ++i)
      x.mutable_data<float>()[i] += bias.data<float>()[part * kChannels + i % kChannels];
    return x;
  };
  ExpectNearAll(
      Evaluate(b.Import(), {q, k, v, bias})[0],
      Expected(biased(q, 0), biased(k, 1), biased(v, 2), kHeads, [](int64_t n, int64_t, int64_t j) {
        return j == (n == 0 ? 3 : 1) ? -10000.0 : 0.0;
      }));
  node.mutable_input()->DeleteSubrange(1, 4);
  EXPECT_EQ(b.ImportError(),
            "m.onnx: node \"n_y\" (com.microsoft.MultiHeadAttention, opset 1): input 1 = missing: "
            "packed queries, keys and values are not supported");
}

TEST(OnnxAttention, ShapesThatDoNotFitAreRefused) {
  const auto error = [](const Shape& q, const Shape& k, int64_t heads) {
    OnnxBuilder b(23);
    b.Input("q", q).Input("k", k).Output("y");
    auto& node = b.Node("Attention", {"q", "k", "k"}, "y");
    if (heads > 0) OnnxBuilder::SetInt(node, "q_num_heads", heads);
    return b.ImportError();
  };
  const std::string at = "m.onnx: node \"n_y\" (Attention, opset 23): ";
  EXPECT_EQ(error({1, 3, 5, 2}, {1, 2, 5, 2}, 0),
            at + "shapes of queries, keys and values = [1,3,5,2], [1,2,5,2], [1,2,5,2]: must be of "
                 "one batch, keys of one size, and heads that share keys evenly");
  EXPECT_EQ(error({1, 3, 5}, {1, 3, 5}, 2),
            at + "input shape = [1,3,5]: must be [N,L,C], with the channels of 2 heads");
  OnnxBuilder masked(23);
  masked.Input("q", {1, 2, 5, 2}).Floats("mask", {}, {0}).Output("y");
  masked.Node("Attention", {"q", "q", "q", "mask"}, "y");
  EXPECT_EQ(masked.ImportError(),
            at + "mask shape = []: must be [L,M], [heads,L,M] or [N,heads,L,M]");
}

TEST(OnnxAttention, RotaryEmbeddingTurnsPairs) {
  for (const bool interleaved : {false, true}) {
    OnnxBuilder b(23);
    b.Input("x", {1, 1, 2, 6}).Output("y");  // one head, two places, of six elements four turn
    b.Floats("cos", {1, 2, 2}, {1, 0, 0.6f, 0.8f}).Floats("sin", {1, 2, 2}, {0, 1, 0.8f, -0.6f});
    auto& node = b.Node("RotaryEmbedding", {"x", "cos", "sin"}, "y");
    OnnxBuilder::SetInt(node, "interleaved", interleaved);
    OnnxBuilder::SetInt(node, "rotary_embedding_dim", 4);
    const Tensor x = Tensor::Of<float>({1, 1, 2, 6}, {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60});
    const std::vector<double> apart = {1, -4, 3, 2, 5, 6, -18, 40, 26, 20, 50, 60};
    const std::vector<double> beside = {1, 2, -4, 3, 5, 6, -10, 20, 48, 14, 50, 60};
    ExpectNearAll(Evaluate(b.Import(), {x})[0], interleaved ? beside : apart);
    OnnxBuilder::SetInt(node, "num_heads", 1);
    node.mutable_attribute(1)->set_i(3);
    EXPECT_EQ(
        b.ImportError(),
        "m.onnx: node \"n_y\" (RotaryEmbedding, opset 23): attribute rotary_embedding_dim = 3: "
        "must be even and at most 6");
  }
}

}  // namespace
}  // namespace vta::compiler
