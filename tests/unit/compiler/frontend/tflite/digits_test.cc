// The digits network as TensorFlow Lite against its ONNX form: the same numbers from both.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/frontend/model.h"
#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text.h"
#include "isa/support/file.h"
#include "tests/support/files.h"

namespace vta::compiler {
namespace {

Graph Normalized(const std::string& name, isa::Rounding rounding) {
  Graph graph = ImportModelFile(SourcePath("tools/demo/" + name));
  graph.set_rounding(rounding);
  return RunPasses(graph, NormalizePipeline(), {});
}

/// Calls f with each of so many images, as the ONNX form takes them.
template <typename F>
void ForEachImage(int64_t count, F f) {
  constexpr int64_t kPixels = 64;
  const std::vector<uint8_t> pixels = ReadFile(SourcePath("tools/demo/images.bin"));
  for (int64_t i = 0; i < count; ++i) {
    Tensor image(TensorType{DType::kFloat32, {1, 1, 8, 8}});
    for (int64_t p = 0; p < kPixels; ++p)
      image.mutable_data<float>()[p] = static_cast<float>(pixels[i * kPixels + p]) / 16;
    f(i, image);
  }
}

TEST(TfliteDigits, GiveTheBytesOfTheOnnxForm) {
  for (const char* name : {"digits_int8", "digits_f32"})
    for (const isa::Rounding rounding : {isa::Rounding::kSingle, isa::Rounding::kDouble}) {
      const Graph onnx = Normalized(StrCat(name, ".onnx"), rounding);
      const Graph tflite = Normalized(StrCat(name, ".tflite"), rounding);
      for (const Node& node : tflite.nodes()) EXPECT_NE(node.op, Op::kTranspose) << Print(tflite);
      ForEachImage(100, [&](int64_t i, const Tensor& image) {
        const Tensor pixels = image.Reshaped({1, 8, 8, 1});
        ASSERT_EQ(Evaluate(tflite, {pixels})[0], Evaluate(onnx, {image})[0]) << name << " " << i;
      });
    }
}

TEST(TfliteDigits, EachFormatHasItsOwnRounding) {
  EXPECT_EQ(ImportModelFile(SourcePath("tools/demo/digits_int8.tflite")).rounding(),
            isa::Rounding::kDouble);
  EXPECT_EQ(ImportModelFile(SourcePath("tools/demo/digits_int8.onnx")).rounding(),
            isa::Rounding::kSingle);
}

TEST(TfliteDigits, ReadAlmostAllImages) {
  const Graph graph = Normalized("digits_int8.tflite", isa::Rounding::kDouble);
  const std::string labels = ReadTextFile(SourcePath("tools/demo/labels.txt"));
  int64_t correct = 0;
  ForEachImage(400, [&](int64_t i, const Tensor& image) {
    const Tensor logits = Evaluate(graph, {image.Reshaped({1, 8, 8, 1})})[0];
    const auto y = logits.data<float>();
    correct += std::max_element(y.begin(), y.end()) - y.begin() == labels[2 * i] - '0';
  });
  EXPECT_EQ(correct, 397);
}

}  // namespace
}  // namespace vta::compiler
