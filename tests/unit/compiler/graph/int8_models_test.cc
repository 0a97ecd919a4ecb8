// Trained int8 models in integer normal form against the outputs that devices and reference kernels
// gave.
#include <algorithm>
#include <fstream>

#include "compiler/frontend/model.h"
#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text.h"
#include "tests/unit/compiler/cases.h"

namespace vta::compiler {
namespace {

using cases::CaseFolder;
using cases::ReadArray;

/// How many samples a test runs: a few, or as many as VTA_SAMPLES says.
int64_t Samples(int64_t few, int64_t all) {
  const char* given = std::getenv("VTA_SAMPLES");
  return std::min<int64_t>(all, given ? std::atoll(given) : few);
}

/// The two forms of a model, which must compute the same.
constexpr const char* kForms[] = {"model_qdq.onnx", "model.tflite"};

Graph Normalize(const std::string& path, isa::Rounding rounding) {
  Graph graph = ImportModelFile(path);
  graph.set_rounding(rounding);
  return RunPasses(graph, NormalizePipeline(), {});
}

std::map<std::string, int64_t> CountOps(const Graph& graph) {
  std::map<std::string, int64_t> counts;
  for (const Node& node : graph.nodes()) ++counts[std::string(Spec(node.op).name)];
  return counts;
}

/// The number of samples whose output bytes are the expected ones.
int64_t ExactSamples(const Graph& graph, const std::vector<int8_t>& inputs,
                     const std::vector<int8_t>& expected, int64_t samples) {
  const TensorType in = graph.type(graph.inputs()[0]);
  int64_t exact = 0;
  for (int64_t i = 0; i < samples; ++i) {
    const int64_t size = Elements(in.shape);
    const Tensor x =
        Tensor::Of<int8_t>(in.shape, {inputs.begin() + i * size, inputs.begin() + (i + 1) * size});
    const Tensor y = Evaluate(graph, {x})[0];
    exact += std::equal(y.data<int8_t>().begin(), y.data<int8_t>().end(),
                        expected.begin() + i * y.elements());
  }
  return exact;
}

TEST(Int8Models, KeywordSpottingGivesTheDevicesBytes) {
  VTA_SKIP_WITHOUT_CASE("kws_dscnn_int8");
  const auto folder = CaseFolder("kws_dscnn_int8");
  const auto inputs = ReadArray<int8_t>(folder / "inputs_i8.bin");
  const struct {
    isa::Rounding rounding;
    const char* expected;
  } kModes[] = {{isa::Rounding::kSingle, "expected_int8_single_rounding.bin"},
                {isa::Rounding::kDouble, "expected_int8.bin"}};
  for (const auto& mode : kModes)
    for (const char* form : kForms) {
      const Graph graph = Normalize(folder / form, mode.rounding);
      const int64_t samples = Samples(40, 300);
      const int64_t exact =
          ExactSamples(graph, inputs, ReadArray<int8_t>(folder / mode.expected), samples);
      std::printf("%s, %s: %ld of %ld samples equal\n", form, mode.expected, exact, samples);
      EXPECT_EQ(exact, samples) << form << " " << mode.expected;
      auto ops = CountOps(graph);
      EXPECT_EQ(ops["conv2d_i8"], 9);
      EXPECT_EQ(ops["avg_pool_i8"], 1);
      EXPECT_EQ(ops["dense_i8"], 1);
      EXPECT_EQ(ops["transpose"] + ops["conv2d"] + ops["gemm"] + ops["requant_i8"], 0);
      EXPECT_EQ(graph.nodes().size(), 16u) << Print(graph);
    }
}

TEST(Int8Models, PersonDetectionGivesTheGoldenOutputs) {
  VTA_SKIP_WITHOUT_CASE("person_detect_int8");
  const auto folder = CaseFolder("person_detect_int8");
  for (const char* form : kForms) {
    const Graph graph = Normalize(folder / form, isa::Rounding::kDouble);
    for (const std::string name : {"zeros", "person", "no_person"}) {
      const auto x = ReadArray<int8_t>(folder / ("in_" + name + ".i8.bin"));
      const auto y = ReadArray<int8_t>(folder / ("out_" + name + ".i8.bin"));
      EXPECT_EQ(ExactSamples(graph, x, y, 1), 1) << form << " " << name;
    }
    EXPECT_EQ(CountOps(graph)["conv2d_i8"], 28);
  }
}

TEST(Int8Models, Resnet8AgreesWithOnnxRuntime) {
  VTA_SKIP_WITHOUT_CASE("resnet8_cifar_qdq");
  const auto folder = CaseFolder("resnet8_cifar_qdq");
  const Graph graph = Normalize(folder / "model.onnx", isa::Rounding::kSingle);
  const auto inputs = ReadArray<uint8_t>(folder / "inputs_u8.bin");
  const auto reference = ReadArray<float>(folder / "ort_outputs.bin");
  const auto labels = cases::ReadLabels(folder / "labels.txt");
  const int64_t samples = Samples(20, 246);
  int64_t agree = 0, correct = 0, reference_correct = 0;
  for (int64_t i = 0; i < samples; ++i) {
    Tensor x(graph.type(graph.inputs()[0]));
    std::copy_n(&inputs[i * x.elements()], x.elements(), x.mutable_data<float>().begin());
    const Tensor output = Evaluate(graph, {x})[0];
    auto y = output.data<float>();
    const int64_t best = std::max_element(y.begin(), y.end()) - y.begin();
    const auto* first = &reference[i * 10];
    const int64_t reference_best = std::max_element(first, first + 10) - first;
    agree += best == reference_best;
    correct += best == labels[i];
    reference_correct += reference_best == labels[i];
  }
  std::printf("resnet8: %ld of %ld correct (ONNX Runtime %ld), argmax agrees %ld\n", correct,
              samples, reference_correct, agree);
  EXPECT_GE(agree, samples * 96 / 100);
  EXPECT_LE(std::abs(correct - reference_correct), samples * 15 / 1000 + 1);
  auto ops = CountOps(graph);
  EXPECT_EQ(ops["conv2d_i8"], 9);
  EXPECT_EQ(ops["add_i8"], 3);
}

}  // namespace
}  // namespace vta::compiler
