// ONNX's own single-operator cases: every case whose operator we list must import and give the
// published output.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "compiler/frontend/onnx.h"
#include "compiler/frontend/onnx_operators.h"
#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text.h"
#include "isa/support/file.h"

namespace vta::compiler {
namespace {

namespace fs = std::filesystem;
constexpr const char* kCases = "/usr/include/onnx/backend/test/data/node";

onnx::ModelProto ReadModel(const fs::path& path) {
  const auto bytes = ReadFile(path);
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  return model;
}

bool ListsAllOperators(const onnx::ModelProto& model) {
  return std::all_of(
      model.graph().node().begin(), model.graph().node().end(),
      [](const auto& node) { return FindOnnxOperator(node.domain(), node.op_type()) != nullptr; });
}

Tensor ReadTensor(const fs::path& path) { return ParseOnnxTensor(ReadFile(path), path); }

/// The cases give shapes, axes and scales as graph inputs, which we need as constants: all inputs
/// but the first become initializers with the case's data.
void MakeConstants(onnx::ModelProto& model, const fs::path& folder) {
  for (int i = 1; i < model.graph().input_size(); ++i) {
    const auto bytes = ReadFile(folder / StrCat("input_", i, ".pb"));
    auto* tensor = model.mutable_graph()->add_initializer();
    ASSERT_TRUE(tensor->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
    tensor->set_name(model.graph().input(i).name());
  }
}

Graph Import(const onnx::ModelProto& model, const std::string& name) {
  const std::string text = model.SerializeAsString();
  return ImportOnnx({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, name);
}

/// The largest difference, relative to the reference where that is above 1.
double Difference(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type()) return INFINITY;
  double most = 0;
  for (int64_t i = 0; i < a.elements(); ++i) {
    const double want = b.At(i), got = a.At(i);
    if (want == got || (std::isnan(want) && std::isnan(got))) continue;
    const double difference = std::abs(got - want) / std::max(1.0, std::abs(want));
    most = std::max(most, std::isnan(difference) ? INFINITY : difference);
  }
  return most;
}

/// Runs one case; an empty text is a pass, another the reason why the importer refused it.
std::string RunCase(onnx::ModelProto model, const fs::path& folder) {
  Graph graph;
  const fs::path data = folder / "test_data_set_0";
  try {
    graph = Import(model, folder.filename());
  } catch (const Error& first) {
    MakeConstants(model, data);
    try {
      graph = Import(model, folder.filename());
    } catch (const Error& second) {
      return second.what();
    }
  }
  const std::string text = Print(graph);
  EXPECT_EQ(Print(ParseGraph(text, Constants(graph), "text")), text);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < graph.inputs().size(); ++i)
    inputs.push_back(ReadTensor(data / StrCat("input_", i, ".pb")));
  const std::vector<Tensor> outputs = Evaluate(graph, inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor expected = ReadTensor(data / StrCat("output_", i, ".pb"));
    EXPECT_LT(Difference(outputs[i], expected), 2e-6) << folder << " output " << i;
  }
  return "";
}

TEST(OnnxBackend, EveryListedOperator) {
  if (!fs::exists(kCases)) GTEST_SKIP() << "skipped: libonnx-testdata is not installed";
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(kCases)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  std::map<std::string, int> passed;
  std::vector<std::string> refused;
  for (const fs::path& folder : folders) {
    onnx::ModelProto model = ReadModel(folder / "model.onnx");
    if (!ListsAllOperators(model)) continue;
    for (auto& opset : *model.mutable_opset_import())  // GlobalAveragePool's cases say 1
      opset.set_version(std::max(opset.version(), kLeastOpset));
    const std::string reason = RunCase(model, folder);
    if (reason.empty()) {
      ++passed[model.graph().node(0).op_type()];
    } else {
      refused.push_back(reason);
    }
  }
  int total = 0;
  for (const auto& [op, count] : passed) {
    std::printf("%s %d, ", op.c_str(), count);
    total += count;
  }
  std::printf("\n%d passed, %zu refused:\n", total, refused.size());
  for (const std::string& reason : refused) std::printf("  %s\n", reason.c_str());
  EXPECT_GE(total, 100);
}

TEST(OnnxBackend, QuantisedLayersBecomeIntegersWhateverTheirZeroPoints) {
  if (!fs::exists(kCases)) GTEST_SKIP() << "skipped: libonnx-testdata is not installed";
  // Weights less their zero points: -255 alone; -114 to 141.
  for (const char* name : {"test_qlinearconv", "test_qlinearmatmul_2D"}) {
    const fs::path folder = fs::path(kCases) / name, data = folder / "test_data_set_0";
    onnx::ModelProto model = ReadModel(folder / "model.onnx");
    MakeConstants(model, data);
    const Graph integers = RunPasses(Import(model, name), NormalizePipeline(), {});
    for (const Node& node : integers.nodes()) EXPECT_GE(node.op, Op::kConv2dI8) << Print(integers);
    EXPECT_NE(Print(integers).find(": int16["), std::string::npos) << Print(integers);
    EXPECT_EQ(Evaluate(integers, {ReadTensor(data / "input_0.pb")})[0],
              ReadTensor(data / "output_0.pb"));
  }
}

}  // namespace
}  // namespace vta::compiler
