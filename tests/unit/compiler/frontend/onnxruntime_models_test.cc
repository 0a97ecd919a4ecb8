// The digits network in the ways in which ONNX Runtime's quantiser makes integers of it, against
// that runtime's logits (tests/models/make_quantised.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "compiler/frontend/onnx.h"
#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text.h"
#include "isa/support/file.h"
#include "tests/support/files.h"
#include "tests/support/trials.h"

namespace vta::compiler {
namespace {

constexpr int64_t kImages = 400, kPixels = 64, kClasses = 10;

Tensor Image(const std::vector<uint8_t>& pixels, int64_t index) {
  Tensor image(TensorType{DType::kFloat32, {1, 1, 8, 8}});
  for (int64_t p = 0; p < kPixels; ++p)
    image.mutable_data<float>()[p] = static_cast<float>(pixels[index * kPixels + p]) / 16;
  return image;
}

/// The scale of the logits' codes.
float LogitScale(const Graph& graph) {
  const Node* last = graph.Producer(graph.outputs()[0].value);
  VTA_CHECK(last && last->op == Op::kDequantize);
  return graph.constant(last->inputs[1])->data<float>()[0];
}

class OnnxRuntimeModel : public testing::TestWithParam<std::string> {};

TEST_P(OnnxRuntimeModel, GivesItsLogits) {
  const std::string path = SourcePath("tests/models/onnxruntime/" + GetParam());
  const Graph graph = RunPasses(ImportOnnxFile(path + ".onnx"), NormalizePipeline(), {});
  for (const Node& node : graph.nodes())
    EXPECT_TRUE(graph.type(node.output).dtype != DType::kFloat32 || node.op == Op::kDequantize)
        << Print(graph);
  const std::vector<uint8_t> pixels = ReadFile(SourcePath("tools/demo/images.bin"));
  const std::vector<uint8_t> expected = ReadFile(path + ".bin");
  ASSERT_EQ(std::ssize(expected), kImages * kClasses * int64_t{sizeof(float)});
  const auto* logits = reinterpret_cast<const float*>(expected.data());
  const float step = LogitScale(graph);
  int64_t differ = 0;
  const int64_t images = Trials(kImages);
  for (int64_t i = 0; i < images; ++i) {
    const Tensor got = Evaluate(graph, {Image(pixels, i)})[0];
    const auto y = got.data<float>();
    const float* want = logits + i * kClasses;
    for (int64_t c = 0; c < kClasses; ++c) {
      ASSERT_NEAR(y[c], want[c], 1.01 * step) << "image " << i;
      differ += std::abs(y[c] - want[c]) > step / 2;
    }
    EXPECT_EQ(std::max_element(y.begin(), y.end()) - y.begin(),
              std::max_element(want, want + kClasses) - want)
        << "image " << i;
  }
  std::printf("%s: %ld of %ld logits differ, by one code\n", GetParam().c_str(), differ,
              images * kClasses);
  EXPECT_LE(differ, 8);  // codes on the border between two, which real arithmetic rounds itself
}

INSTANTIATE_TEST_SUITE_P(Ways, OnnxRuntimeModel,
                         testing::Values("operators_u8s8_channel", "operators_s8s8_tensor",
                                         "operators_u8u8_channel", "qdq_u8s8_tensor",
                                         "qdq_s8s8_channel", "qdq_u8u8_tensor"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace vta::compiler
