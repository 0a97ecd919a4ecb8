// What a package says of its model: the names of its outputs, and why its layers are on the CPU.
#include "compiler/compile.h"

#include <gmock/gmock.h>

#include "compiler/frontend/model.h"
#include "compiler/graph/ops.h"
#include "compiler/targets/cpu/target.h"
#include "compiler/targets/vta/target.h"
#include "isa/support/file.h"
#include "tests/support/files.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

isa::Package PackageOf(const Graph& graph, bool on_vta = true) {
  CompileOptions options;
  const isa::Config config = isa::LoadConfig(SourcePath("isa/configs/default.json"));
  const targets::VtaTarget vta(config);
  const targets::CpuTarget cpu;
  const CodeTarget* const both[] = {&vta, &cpu};
  options.targets = on_vta ? both : std::span(both).subspan(1);
  if (on_vta) options.config = config;
  return Compile(graph, options).package;
}

std::vector<std::string> Names(const isa::Package& package, const std::vector<int64_t>& list) {
  std::vector<std::string> names;
  for (int64_t index : list) names.push_back(package.tensors[index].name);
  return names;
}

TEST(Compile, OutputsKeepTheModelsNames) {
  OnnxBuilder b;
  b.Input("x", {1, 4}).Output("y").Output("same").Output("x").Output("copy").Output("c");
  b.Node("Relu", {"x"}, "r");
  b.Node("Identity", {"r"}, "y");
  b.Node("Identity", {"y"}, "same");
  b.Node("Identity", {"x"}, "copy");
  b.Floats("c", {2}, {1, 2});
  const isa::Package package = PackageOf(b.Import());
  EXPECT_EQ(Names(package, package.inputs), std::vector<std::string>{"x"});
  EXPECT_EQ(Names(package, package.outputs),
            (std::vector<std::string>{"y", "same", "x", "copy", "c"}));
  // Outputs that are one value lie at one place.
  const auto offset = [&](size_t i) { return package.tensors[package.outputs[i]].offset_bytes; };
  EXPECT_EQ(offset(0), offset(1));
  EXPECT_EQ(offset(2), offset(3));
  EXPECT_NE(offset(0), offset(2));
}

TEST(Compile, OutputsOfAnIntegerNetworkKeepTheirNames) {
  const isa::Package package =
      PackageOf(ImportOnnxFile(SourcePath("tests/fuzz/corpus/onnx/qlinear.onnx")));
  EXPECT_EQ(Names(package, package.outputs), std::vector<std::string>{"y"});
}

TEST(Compile, OutputsSayWhatTheirValuesAre) {
  OnnxBuilder b;
  b.Input("x", {1, 4}).Output("logits").Output("shares").Output("codes").Output("gate");
  b.Node("Relu", {"x"}, "logits");
  b.Node("Softmax", {"x"}, "s");
  b.Node("Identity", {"s"}, "shares");
  b.Floats("scale", {}, {0.25});
  b.Ints("zero", {}, {-128}, onnx::TensorProto::INT8);
  b.Node("QuantizeLinear", {"s", "scale", "zero"}, "codes");
  b.Node("Sigmoid", {"x"}, "gate");
  using Facts = std::vector<isa::OutputFacts>;
  const isa::Package package = PackageOf(b.Import(), false);
  EXPECT_EQ(package.output_facts, (Facts{{}, {1, 0, true}, {0.25, -128, true}, {1, 0, true}}));
  EXPECT_EQ(isa::ParsePackage(isa::SerializePackage(package), "p").output_facts,
            package.output_facts);
  // Of codes, a softmax is a table by the time that it runs.
  const isa::Package tflite =
      PackageOf(ImportModelFile(SourcePath("tools/demo/digits_int8.tflite")));
  EXPECT_FALSE(tflite.output_facts.at(0).is_probability);
}

TEST(Compile, EveryLayerThatTheCpuHasToTakeSaysWhy) {
  const Graph digits = ImportOnnxFile(SourcePath("tools/demo/digits_int8.onnx"));
  std::map<std::string, std::string> whys;
  for (const isa::PackageStep& step : PackageOf(digits).steps) {
    EXPECT_EQ(step.facts.why.empty(), step.kind == isa::PackageStep::Kind::kProgram) << step.name;
    whys[step.facts.op] = step.facts.why;
  }
  EXPECT_EQ(whys["quantize"], "converts float32 to int8");
  EXPECT_THAT(whys["im2col+pack"],
              testing::MatchesRegex("puts the next layer's 3x3 taps side by side as channels: .* "
                                    "cycles and 1,024 bytes to pack, .* us"));
  for (const isa::PackageStep& step : PackageOf(digits, false).steps)
    EXPECT_EQ(step.facts.why, "") << step.name;
  for (const isa::PackageStep& step :
       PackageOf(ImportOnnxFile(SourcePath("tools/demo/digits_f32.onnx"))).steps)
    EXPECT_EQ(step.facts.why == "computes in float32: its input is not quantised",
              step.facts.op != "reshape" && step.facts.op != "identity")
        << step.name;
}

}  // namespace
}  // namespace vta::compiler
