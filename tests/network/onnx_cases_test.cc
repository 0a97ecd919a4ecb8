// ONNX's own single-operator cases: each gives the published outputs, by the graph's evaluator and
// as a package, or is refused by one error.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "compiler/compile.h"
#include "compiler/frontend/half.h"
#include "compiler/frontend/onnx.h"
#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text.h"
#include "compiler/native_code.h"
#include "compiler/targets/cpu/target.h"
#include "isa/support/file.h"
#include "runtime/session.h"
#include "tests/network/exported.h"
#include "tests/support/interpreter/interpreted_module.h"
#include "tests/support/trials.h"
#include "tools/vta/common/trials/native_cpu.h"

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

/// As the graph has it: float64 is computed in float32, as is bfloat16, of which some files have
/// the bits.
Tensor ReadTensor(const fs::path& path, int32_t declared = onnx::TensorProto::UNDEFINED) {
  const Tensor tensor = ParseOnnxTensor(ReadFile(path), path);
  const bool bits = declared == onnx::TensorProto::BFLOAT16 && tensor.dtype() == DType::kUint16;
  if (tensor.dtype() != DType::kFloat64 && !bits) return tensor;
  Tensor narrow(TensorType{DType::kFloat32, tensor.shape()});
  for (int64_t i = 0; i < tensor.elements(); ++i)
    narrow.mutable_data<float>()[i] =
        bits ? FromBfloat16(tensor.data<uint16_t>()[i]) : static_cast<float>(tensor.At(i));
  return narrow;
}

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

/// How far beyond the tolerance of ONNX's own runner any element is: 0 where none is. Of shorter
/// floats, which are computed in float32 here, that of their last bit.
double Beyond(const Tensor& got, const Tensor& want, int32_t declared) {
  const bool brain = declared == onnx::TensorProto::BFLOAT16;
  const bool half = declared == onnx::TensorProto::FLOAT16;
  const double relative = brain ? 0x1p-7 : 1e-3, absolute = brain ? 0x1p-7 : half ? 1e-5 : 1e-7;
  if (got.type() != want.type()) return INFINITY;
  double most = 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    const double a = got.At(i), b = want.At(i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double beyond = std::abs(a - b) - absolute - relative * std::abs(b);
    most = std::max(most, std::isnan(beyond) ? INFINITY : beyond);
  }
  return most;
}

/// The outputs that a case has: of those with as many rows, or columns, as there can be, what is
/// found.
std::vector<Tensor> FoundOf(const Graph& graph, const std::vector<Tensor>& outputs) {
  std::vector<Tensor> found;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = graph.outputs()[i].name;
    if (name.ends_with(".count")) continue;
    found.push_back(outputs[i]);
    for (size_t j = 0; j < outputs.size(); ++j) {
      if (graph.outputs()[j].name != name + ".count") continue;
      const Shape all = outputs[i].shape();
      constexpr int64_t kRowOfBox = 3;  // or else columns of places
      Shape part = all;
      part[all[1] == kRowOfBox ? 0 : 1] = outputs[j].data<int64_t>()[0];
      found.back() = Tensor(TensorType{DType::kInt64, part});
      for (int64_t k = 0; k < found.back().elements(); ++k)
        found.back().mutable_data<int64_t>()[k] =
            outputs[i].data<int64_t>()[k / part[1] * all[1] + k % part[1]];
    }
  }
  return found;
}

/// A case as it was imported, or why it was not.
struct Imported {
  std::optional<Graph> graph;
  std::vector<Tensor> inputs, outputs;
  std::vector<int32_t> declared = {};  // element types of outputs
  std::optional<Error> refusal = {};
};

Imported ImportCase(const fs::path& folder, int constants_from) {
  const fs::path data = folder / "test_data_set_0";
  Imported imported;
  try {
    onnx::ModelProto model = ReadModel(folder / "model.onnx");
    MakeConstants(model, data, constants_from);
    imported.graph = Import(model, folder.filename());
    for (size_t i = 0; i < imported.graph->inputs().size(); ++i) {
      const auto& info = model.graph().input(static_cast<int>(i));
      imported.inputs.push_back(
          ReadTensor(data / StrCat("input_", i, ".pb"), info.type().tensor_type().elem_type()));
      const TensorType type = imported.graph->type(imported.graph->inputs()[i]);
      if (imported.inputs.back().type() != type)
        throw Error("", StrCat("input ", i), ToText(imported.inputs.back().type()),
                    "the case declares another type");
    }
    for (int i = 0; i < model.graph().output_size(); ++i) {
      const int32_t declared = model.graph().output(i).type().tensor_type().elem_type();
      imported.outputs.push_back(ReadTensor(data / StrCat("output_", i, ".pb"), declared));
      imported.declared.push_back(declared);
    }
    return imported;
  } catch (const Error& error) {
    return {{}, {}, {}, {}, error};
  }
}

/// With as many inputs as the importer lets a case have.
Imported ImportCase(const fs::path& folder) {
  Imported imported;
  for (const int constants_from : {INT32_MAX, 1, 0}) {
    imported = ImportCase(folder, constants_from);
    if (imported.graph) break;
  }
  return imported;
}

/// Converters may do otherwise where all inputs but the first are constants.
void EvaluateWithConstants(const fs::path& folder) {
  const Imported imported = ImportCase(folder, 1);
  if (!imported.graph) return;
  const std::vector<Tensor> evaluated =
      FoundOf(*imported.graph, Evaluate(*imported.graph, imported.inputs));
  for (size_t i = 0; i < imported.outputs.size(); ++i)
    EXPECT_EQ(Beyond(evaluated[i], imported.outputs[i], imported.declared[i]), 0)
        << folder << " with constants, output " << i;
}

std::vector<Tensor> RunPackage(const Graph& graph, const std::vector<Tensor>& inputs, bool native) {
  const lower::CpuSpec machine = tools::NativeCpu();
  const std::span<const lower::CpuSpec> cpus(&machine, native ? 1 : 0);
  const targets::CpuTarget cpu({cpus.begin(), cpus.end()});
  const CodeTarget* const targets[] = {&cpu};
  const CompileResult compiled =
      Compile(graph, {.targets = targets, .cpus = cpus, .build_module = compiler::BuildModule});
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

/// Why no package could be made of it.
std::optional<Error> RunCase(const Imported& imported, const std::string& name, bool native) {
  const Graph& graph = *imported.graph;
  const std::string text = Print(graph);
  EXPECT_EQ(Print(ParseGraph(text, Constants(graph), "text")), text);
  std::vector<Tensor> evaluated = Evaluate(graph, imported.inputs);
  ExpectExported(graph, imported.inputs, evaluated, name);
  std::vector<Tensor> ran;
  try {
    ran = RunPackage(graph, imported.inputs, native);
  } catch (const Error& error) {
    return error;
  }
  evaluated = FoundOf(graph, evaluated);
  ran = FoundOf(graph, ran);
  for (size_t i = 0; i < imported.outputs.size(); ++i) {
    EXPECT_EQ(Beyond(evaluated[i], imported.outputs[i], imported.declared[i]), 0)
        << name << " evaluated, output " << i;
    EXPECT_EQ(Beyond(ran[i], imported.outputs[i], imported.declared[i]), 0)
        << name << " run, output " << i;
  }
  return std::nullopt;
}

/// What became of the cases of an operator.
struct Cases {
  int64_t passed = 0, refused = 0;
  int64_t aside = 0;            // of those that are refused
  std::set<std::string> rules;  // that refuse them
};

/// Losses, training, text, random numbers, and types that are no tensors: networks that people run
/// have none.
bool IsAside(const std::string& name, const std::string& op) {
  constexpr std::string_view kCasesOf[] = {"test_sce_", "test_nllloss_", "test_strnorm"};
  constexpr std::string_view kOperators[] = {"training", "Sequence", "Optional",
                                             "String",   "TfIdf",    "Bernoulli"};
  return std::ranges::any_of(kCasesOf, [&](auto part) { return name.starts_with(part); }) ||
         std::ranges::any_of(kOperators, [&](auto part) {
           return op.find(part) != std::string::npos && op != "ReverseSequence";
         });
}

std::string OperatorOf(const fs::path& folder) {
  const onnx::ModelProto model = ReadModel(folder / "model.onnx");
  if (model.graph().node_size() != 1) return "(several in one model)";
  const auto& node = model.graph().node(0);
  return (node.domain().empty() ? "" : node.domain() + ".") + node.op_type();
}

std::string TableOf(const std::map<std::string, Cases>& operators) {
  Cases all;
  std::string rows;
  for (const auto& [name, cases] : operators) {
    all.passed += cases.passed;
    all.refused += cases.refused;
    all.aside += cases.aside;
    std::string why;
    for (const std::string& rule : cases.rules) why += (why.empty() ? "" : "; ") + rule;
    rows += StrCat("| ", name, " | ", cases.passed, " | ", cases.refused, " | ", why, " |\n");
  }
  return StrCat(
      "<!-- Generated from ONNX's node tests, do not edit: VTA_UPDATE_DOCS=1 ./vta test "
      "OnnxCases.EachIsRightOrRefused -->\n# ONNX operators\n\nOf ONNX's own tests of single "
      "operators ",
      all.passed, " pass as packages for the CPU at ONNX's tolerance and ", all.refused,
      " are refused by one error before anything runs.\nWithout losses, training, text, random "
      "numbers, sequences and optional values ",
      all.passed, " of ", all.passed + all.refused - all.aside,
      " pass.\nShapes, axes and scales that a test gives "
      "as inputs are constants here. [How to run them](developing.md#onnxs-node-tests).\n\n"
      "| operator | pass | refused | because it |\n| --- | ---: | ---: | --- |\n",
      rows);
}

/// The table must be the one in docs/, or becomes it.
void HoldTable(const std::string& table) {
  const char* const docs = std::getenv("VTA_DOCS");
  if (!docs) return;  // not run by ctest
  const std::string path = StrCat(docs, "/operators.md");
  if (std::getenv("VTA_UPDATE_DOCS")) WriteFileAtomically(path, table);
  const auto bytes = ReadFile(path);
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), table)
      << "to write it: VTA_UPDATE_DOCS=1 ./vta test OnnxCases.EachIsRightOrRefused";
}

/// Runs each case of a folder on the interpreter of kernels, one in kNativeOneOf as native code;
/// all of them with VTA_TEST_NATIVE=all.
std::map<std::string, Cases> RunFolder(const fs::path& cases, size_t least, size_t least_passed) {
  constexpr size_t kNativeOneOf = 10;
  const char* const asked = std::getenv("VTA_TEST_NATIVE");
  const bool all_native = asked && std::string_view(asked) == "all";
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(cases)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  EXPECT_GE(folders.size(), least);
  size_t passed = 0;
  std::map<std::string, Cases> operators;
  for (size_t i = 0; i < folders.size(); i += OneTrialOf()) {
    const fs::path& folder = folders[i];
    const std::string name = folder.filename();
    const Imported imported = ImportCase(folder);
    std::optional<Error> refusal = imported.refusal;
    if (imported.graph) refusal = RunCase(imported, name, all_native || passed % kNativeOneOf == 0);
    Cases& of_operator = operators[OperatorOf(folder)];
    ++(refusal ? of_operator.refused : of_operator.passed);
    if (refusal && IsAside(name, OperatorOf(folder))) ++of_operator.aside;
    if (refusal) {
      of_operator.rules.insert(refusal->rule());
      std::printf("refused: %s: %s\n", name.c_str(), refusal->what());
    } else {
      EvaluateWithConstants(folder);
      ++passed;
    }
  }
  std::printf("%zu of %zu pass\n", passed, folders.size());
  EXPECT_GE(passed, least_passed / OneTrialOf());
  return operators;
}

TEST(OnnxCases, EachIsRightOrRefused) {
  if (!fs::exists(kCases)) GTEST_SKIP() << "skipped: libonnx-testdata is not installed";
  constexpr size_t kLeast = 932, kLeastPassed = 500;
  const auto operators = RunFolder(kCases, kLeast, kLeastPassed);
  if (OneTrialOf() == 1) HoldTable(TableOf(operators));
}

/// Those of a newer release, in a folder that onnx_cases.py has written: for onnx_release_test.py.
TEST(OnnxCases, DISABLED_EachOfAFolderIsRightOrRefused) {
  const char* const folder = std::getenv("VTA_ONNX_CASES");
  ASSERT_TRUE(folder) << "VTA_ONNX_CASES names no folder of cases";
  const auto cases = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  RunFolder(folder, 1, static_cast<size_t>(cases) / 3);  // losses, strings and sequences are many
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
