// ONNX's own single-operator cases: each gives the published outputs, by the graph's evaluator and
// as a package, or is refused by one error.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "compiler/compile.h"
#include "compiler/frontend/onnx.h"
#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text.h"
#include "compiler/targets/cpu/target.h"
#include "isa/support/file.h"
#include "runtime/session.h"
#include "tests/support/interpreter/interpreted_module.h"
#include "tests/support/trials.h"
#include "tools/vta/native_code.h"

namespace vta::test {
namespace {

using namespace vta::compiler;  // NOLINT: these are tests of it

namespace fs = std::filesystem;
constexpr const char* kCases = "/usr/include/onnx/backend/test/data/node";

onnx::ModelProto ReadModel(const fs::path& path) {
  const auto bytes = ReadFile(path);
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  return model;
}

Tensor ReadTensor(const fs::path& path) { return ParseOnnxTensor(ReadFile(path), path); }

/// The cases give shapes, axes and scales as graph inputs, which we need as constants: all inputs
/// from `first` on become initializers with the case's data.
void MakeConstants(onnx::ModelProto& model, const fs::path& data, int first) {
  for (int i = first; i < model.graph().input_size(); ++i) {
    const auto bytes = ReadFile(data / StrCat("input_", i, ".pb"));
    auto* tensor = model.mutable_graph()->add_initializer();
    ASSERT_TRUE(tensor->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
    tensor->set_name(model.graph().input(i).name());
  }
}

Graph Import(const onnx::ModelProto& model, const std::string& name) {
  const std::string text = model.SerializeAsString();
  return ImportOnnx({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, name);
}

/// How far beyond the tolerance of ONNX's own runner any element is: 0 where none is.
double Beyond(const Tensor& got, const Tensor& want) {
  constexpr double kRelative = 1e-3, kAbsolute = 1e-7;
  if (got.type() != want.type()) return INFINITY;
  double most = 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    const double a = got.At(i), b = want.At(i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double beyond = std::abs(a - b) - kAbsolute - kRelative * std::abs(b);
    most = std::max(most, std::isnan(beyond) ? INFINITY : beyond);
  }
  return most;
}

/// A case as it was imported, or why it was not.
struct Imported {
  std::optional<Graph> graph;
  std::vector<Tensor> inputs, outputs;
  std::string refusal;
};

Imported ImportCase(const fs::path& folder) {
  const fs::path data = folder / "test_data_set_0";
  Imported imported;
  for (const int constants_from : {INT32_MAX, 1, 0}) {
    try {
      onnx::ModelProto model = ReadModel(folder / "model.onnx");
      MakeConstants(model, data, constants_from);
      imported.graph = Import(model, folder.filename());
      const size_t inputs = imported.graph->inputs().size();
      for (size_t i = 0; i < inputs; ++i)
        imported.inputs.push_back(ReadTensor(data / StrCat("input_", i, ".pb")));
      for (size_t i = 0; i < imported.graph->outputs().size(); ++i)
        imported.outputs.push_back(ReadTensor(data / StrCat("output_", i, ".pb")));
      return imported;
    } catch (const Error& error) {
      imported = {{}, {}, {}, error.what()};
    }
  }
  return imported;
}

std::vector<Tensor> RunPackage(const Graph& graph, const std::vector<Tensor>& inputs, bool native) {
  const lower::CpuSpec machine = tools::NativeCpu();
  const std::span<const lower::CpuSpec> cpus(&machine, native ? 1 : 0);
  const targets::CpuTarget cpu({cpus.begin(), cpus.end()});
  const CodeTarget* const targets[] = {&cpu};
  const CompileResult compiled =
      Compile(graph, {.targets = targets, .cpus = cpus, .build_module = tools::BuildModule});
  const InterpretedModule interpreted(compiled.package, compiled.kernels);
  runtime::Session session(std::make_shared<runtime::Model>(
                               compiled.package, "case",
                               runtime::ModelOptions{.kernels = native ? nullptr : &interpreted}),
                           nullptr);
  std::vector<std::span<const uint8_t>> bytes;
  for (const Tensor& tensor : inputs) bytes.push_back(tensor.bytes());
  std::vector<Tensor> outputs;
  for (const auto& output : runtime::Infer(session, bytes))
    outputs.emplace_back(graph.type(graph.outputs()[outputs.size()].value), output);
  return outputs;
}

/// Why no package could be made of it, or "".
std::string RunCase(const Imported& imported, const std::string& name, bool native) {
  const Graph& graph = *imported.graph;
  const std::string text = Print(graph);
  EXPECT_EQ(Print(ParseGraph(text, Constants(graph), "text")), text);
  const std::vector<Tensor> evaluated = Evaluate(graph, imported.inputs);
  std::vector<Tensor> ran;
  try {
    ran = RunPackage(graph, imported.inputs, native);
  } catch (const Error& error) {
    return error.what();
  }
  for (size_t i = 0; i < imported.outputs.size(); ++i) {
    EXPECT_EQ(Beyond(evaluated[i], imported.outputs[i]), 0) << name << " evaluated, output " << i;
    EXPECT_EQ(Beyond(ran[i], imported.outputs[i]), 0) << name << " run, output " << i;
  }
  return "";
}

/// All are run on the interpreter of kernels, one in kNativeOneOf as native code; all of them with
/// VTA_TEST_NATIVE=all.
TEST(OnnxCases, EachIsRightOrRefused) {
  if (!fs::exists(kCases)) GTEST_SKIP() << "skipped: libonnx-testdata is not installed";
  constexpr size_t kLeast = 932, kLeastPassed = 500, kNativeOneOf = 10;
  const char* const asked = std::getenv("VTA_TEST_NATIVE");
  const bool all_native = asked && std::string_view(asked) == "all";
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(kCases)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  EXPECT_GE(folders.size(), kLeast);
  size_t passed = 0;
  std::vector<std::string> refused;
  for (size_t i = 0; i < folders.size(); i += kOneTrialOf) {
    const fs::path& folder = folders[i];
    const std::string name = folder.filename();
    const Imported imported = ImportCase(folder);
    std::string refusal = imported.refusal;
    if (imported.graph) refusal = RunCase(imported, name, all_native || passed % kNativeOneOf == 0);
    if (refusal.empty()) {
      ++passed;
    } else {
      refused.push_back(StrCat(name, ": ", refusal));
    }
  }
  std::printf("%zu passed, %zu refused:\n", passed, refused.size());
  for (const std::string& reason : refused) std::printf("  %s\n", reason.c_str());
  EXPECT_GE(passed, kLeastPassed / kOneTrialOf);
}

TEST(OnnxCases, QuantisedLayersBecomeIntegersWhateverTheirZeroPoints) {
  if (!fs::exists(kCases)) GTEST_SKIP() << "skipped: libonnx-testdata is not installed";
  // Weights less their zero points: -255 alone; -114 to 141.
  for (const char* name : {"test_qlinearconv", "test_qlinearmatmul_2D"}) {
    const fs::path folder = fs::path(kCases) / name, data = folder / "test_data_set_0";
    onnx::ModelProto model = ReadModel(folder / "model.onnx");
    MakeConstants(model, data, 1);
    const Graph integers = RunPasses(Import(model, name), NormalizePipeline(), {});
    for (const Node& node : integers.nodes()) EXPECT_GE(node.op, Op::kConv2dI8) << Print(integers);
    EXPECT_NE(Print(integers).find(": int16["), std::string::npos) << Print(integers);
    EXPECT_EQ(Evaluate(integers, {ReadTensor(data / "input_0.pb")})[0],
              ReadTensor(data / "output_0.pb"));
  }
}

}  // namespace
}  // namespace vta::test
