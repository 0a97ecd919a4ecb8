// Whole float models against ONNX Runtime's outputs.
#include <algorithm>
#include <cmath>

#include "compiler/frontend/onnx.h"
#include "compiler/graph/evaluate.h"
#include "tests/unit/compiler/cases.h"

namespace vta::compiler {
namespace {

using cases::CaseFolder;
using cases::ReadArray;

struct Result {
  double worst = 0;    // difference
  double largest = 0;  // reference magnitude
  int64_t correct = 0, samples = 0;
};

/// Runs the first `samples` inputs; convert(sample, i) is element i of the model's input.
template <typename Stored, typename Convert>
Result RunModel(const std::string& name, const std::string& inputs_file, int64_t samples,
                Convert convert) {
  const auto folder = CaseFolder(name);
  const Graph graph = ImportOnnxFile(folder / "model.onnx");
  const auto inputs = ReadArray<Stored>(folder / inputs_file);
  const auto expected = ReadArray<float>(folder / "ort_outputs_noopt.bin");
  const auto labels = cases::ReadLabels(folder / "labels.txt");
  const TensorType type = graph.type(graph.inputs()[0]);
  const int64_t size = Elements(type.shape);
  Result result;
  for (int64_t i = 0; i < samples; ++i) {
    Tensor input(type);
    for (int64_t j = 0; j < size; ++j)
      input.mutable_data<float>()[j] = convert(&inputs[i * size], j);
    const Tensor output = Evaluate(graph, {input})[0];
    auto y = output.data<float>();
    for (size_t j = 0; j < y.size(); ++j) {
      result.worst = std::max<double>(result.worst, std::abs(y[j] - expected[i * y.size() + j]));
      result.largest = std::max<double>(result.largest, std::abs(expected[i * y.size() + j]));
    }
    result.correct += std::max_element(y.begin(), y.end()) - y.begin() == labels[i];
    ++result.samples;
  }
  std::printf("%s: %ld of %ld correct, worst difference %g of %g\n", name.c_str(), result.correct,
              result.samples, result.worst, result.largest);
  return result;
}

TEST(FloatModels, Mnist) {
  VTA_SKIP_WITHOUT_CASE("mnist_cntk_f32");
  const Result r =
      RunModel<uint8_t>("mnist_cntk_f32", "inputs_u8.bin", 60,
                        [](const uint8_t* x, int64_t i) { return static_cast<float>(x[i]); });
  EXPECT_LE(r.worst, 1e-5 * r.largest);
  EXPECT_GE(r.correct, 58);
}

TEST(FloatModels, KeywordSpotting) {
  VTA_SKIP_WITHOUT_CASE("kws_alibaba_f32");
  const Result r =
      RunModel<int8_t>("kws_alibaba_f32", "inputs_i8.bin", 60,
                       [](const int8_t* x, int64_t i) { return (x[i] - 83) * 0.5847029f; });
  EXPECT_LE(r.worst, 1e-3);
  EXPECT_GE(r.correct, 53);
}

TEST(FloatModels, Resnet8) {
  VTA_SKIP_WITHOUT_CASE("resnet8_cifar_f32");
  const Result r = RunModel<uint8_t>("resnet8_cifar_f32", "inputs_u8.bin", 10,
                                     [](const uint8_t* x, int64_t i) {  // stored HWC, read CHW
                                       return static_cast<float>(x[i % 1024 * 3 + i / 1024]);
                                     });
  EXPECT_LE(r.worst, 1e-4);
  EXPECT_GE(r.correct, 8);
}

}  // namespace
}  // namespace vta::compiler
