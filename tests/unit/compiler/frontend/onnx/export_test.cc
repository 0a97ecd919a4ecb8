// What is written is ONNX to ONNX's own checker, and read back it computes the same.
#include "compiler/frontend/onnx/export.h"

#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <unistd.h>

#include <filesystem>

#include "compiler/frontend/narrow_floats.h"
#include "compiler/frontend/onnx.h"
#include "compiler/frontend/onnx/writers.h"
#include "compiler/models/models.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"
#include "tests/unit/compiler/cases.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

onnx::ModelProto Written(const Graph& graph) {
  const std::vector<uint8_t> bytes = ExportOnnx(graph);
  EXPECT_EQ(ExportOnnx(graph), bytes);
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  constexpr int64_t kMostChecked = 17;  // the newest opset of the checker that is installed
  if (model.opset_import(0).version() <= kMostChecked) {
    EXPECT_NO_THROW(onnx::checker::check_model(model)) << Print(graph);
  }
  return model;
}

Graph Again(const Graph& graph) { return ImportOnnx(ExportOnnx(graph), "written"); }

/// The graph's text with numbers for the names of its values.
std::string Structure(const Graph& graph) {
  std::string text;
  for (size_t id = 0; id < graph.values().size(); ++id) {
    const Value& value = graph.value(static_cast<ValueId>(id));
    text += StrCat(id, ": ", ToText(value.type));
    if (value.constant) text += StrCat(" = #", Hex(ContentHash(*value.constant)));
    if (const Node* const node = graph.Producer(static_cast<ValueId>(id))) {
      text += StrCat(" = ", Spec(node->op).name, ToText(node->inputs));
      for (const auto& [name, attribute] : node->attributes)
        text += StrCat(" ", name, "=", ToText(attribute));
    }
    text += "\n";
  }
  for (const GraphOutput& output : graph.outputs())
    text += StrCat("output ", output.name, " = ", output.value, "\n");
  return text;
}

/// The same inputs and outputs by name and type, and equal bytes come out; float64 is read as
/// float32.
void ExpectSame(const Graph& written) {
  Written(written);
  const Graph again = Again(written), graph = NarrowFloats(written);
  ASSERT_EQ(again.inputs().size(), graph.inputs().size());
  for (size_t i = 0; i < graph.inputs().size(); ++i)
    EXPECT_EQ(again.value(again.inputs()[i]).name, graph.value(graph.inputs()[i]).name);
  ASSERT_EQ(again.outputs().size(), graph.outputs().size());
  const std::vector<Tensor> inputs = RandomInputs(graph, 1);
  const std::vector<Tensor> want = Evaluate(graph, inputs), got = Evaluate(again, inputs);
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(again.outputs()[i].name, graph.outputs()[i].name);
    EXPECT_EQ(got[i], want[i]) << Print(graph);
  }
}

TEST(OnnxExport, HasAllOpsThatOnnxCanExpress) {
  for (const OpSpec& spec : AllOps())
    EXPECT_EQ(FindOnnxWriter(spec.op) != nullptr, spec.op < Op::kIm2Col) << spec.name;
}

TEST(OnnxExport, OpsWithoutAttributesOfEveryType) {
  int64_t graphs = 0;
  for (const OpSpec& spec : AllOps()) {
    const OnnxWriterRow* const row = FindOnnxWriter(spec.op);
    if (!row || !spec.attributes.empty() || spec.op == Op::kMatMul) continue;
    for (int i = 0; i <= static_cast<int>(DType::kFloat64); ++i) {
      const auto dtype = static_cast<DType>(i);
      if (((row->types | row->later_types) & SetOf(dtype)) == 0) continue;
      Graph graph;
      std::vector<ValueId> inputs;
      for (int64_t input = 0; input < spec.min_inputs; ++input) {
        const DType type = input < row->typed ? DType::kBool : dtype;
        inputs.push_back(
            graph.AddInput(StrCat("x", input), {type, input == 1 ? Shape{3} : Shape{2, 3}}));
      }
      graph.AddOutput("y", graph.Emit(spec.op, "node", inputs, {}));
      ExpectSame(graph);
      ++graphs;
    }
  }
  EXPECT_GE(graphs, 100);
}

TEST(OnnxExport, OpsWithAttributes) {
  for (const char* const body : {
           R"(%x : float32[1,4,6,5] = input
%w : float32[6,2,3,2] = input
%b : float32[6] = input
%y : float32[1,6,4,3] = conv2d(%x, %w, %b) {dilations=[2,1], groups=2, pads=[1,0,1,2], strides=[1,2]} "c"
%p : float32[1,6,2,2] = max_pool(%y) {dilations=[2,1], kernel=[2,2], pads=[0,0,0,0], strides=[1,1]} "p"
%a : float32[1,6,2,2] = avg_pool(%y) {count_include_pad=0, kernel=[2,3], pads=[1,1,0,0], strides=[2,1]} "a"
%i : float32[1,6,2,2] = avg_pool(%y) {count_include_pad=1, kernel=[2,3], pads=[1,1,0,0], strides=[2,1]} "i"
output "y" = %y
output "p" = %p
output "a" = %a
output "i" = %i
)",
           R"(%a : float64[3,2] = input
%b : float64[4,3] = input
%c : float64[4] = input
%g : float64[2,4] = gemm(%a, %b, %c) {alpha=0.5, beta=-2.0, trans_a=1, trans_b=1} "g"
%m : float64[3,4] = matmul(%a, %g) "m"
%s : float64[3,4] = softmax(%m) {axis=0} "s"
output "s" = %s
)",
           R"(%x : int32[2,3,4] = input
%y : int32[2,1,4] = reduce_sum(%x) {axes=[1], keepdims=1} "sum"
%z : int32[3] = reduce_max(%x) {axes=[0,2], keepdims=0} "max"
%n : int32[2,3,4] = reduce_min(%x) {axes=[], keepdims=0} "none"
%a : int64[2,3,1] = arg_max(%x) {axis=2, last=1} "arg"
%t : int64[2,2,4] = top_k(%x) {axis=1, k=2} "top"
%f : float32[2,3,4] = cast(%x) {to="float32"} "cast"
%m : float32[2,4] = reduce_mean(%f) {axes=[1], keepdims=0} "mean"
%c : int32[2,3,4] = clip(%x) {high=1e9, low=-5.0} "clip"
%d : float32[2,3,4] = clip(%f) {high=inf, low=-0.5} "low"
%e : float32[2,3,4] = clip(%f) {high=2.5, low=-inf} "high"
output "y" = %y
output "z" = %z
output "n" = %n
output "a" = %a
output "t" = %t
output "m" = %m
output "c" = %c
output "d" = %d
output "e" = %e
)",
           R"(%x : int16[2,3,4] = input
%i : int64[2] = input
%r : int16[4,6] = reshape(%x) {shape=[4,6]} "r"
%t : int16[6,4] = transpose(%r) {perm=[1,0]} "t"
%c : int16[6,8] = concat(%t, %t) {axis=1} "c"
%p : int16[7,7] = pad(%c) {mode="constant", pads=[1,-1,0,0], value=7.0} "p"
%e : int16[7,9] = pad(%p) {mode="edge", pads=[0,2,0,0], value=0.0} "e"
%f : int16[7,11] = pad(%e) {mode="reflect", pads=[0,1,0,1], value=0.0} "f"
%s : int16[3,4] = slice(%f) {shape=[3,4], starts=[6,9], steps=[-3,-2]} "s"
%g : int16[3,2] = gather(%s, %i) {axis=1} "g"
%o : int16[1,2] = slice(%g) {shape=[1,2], starts=[2,0], steps=[0,1]} "o"
%w : int16[5,2] = expand(%o) {shape=[5,2]} "w"
output "g" = %g
)",
           R"(%x : int16[1,8,2,3] = input
%s : int16[2,8,3] = input
%d : int16[1,2,4,6] = depth_to_space(%x) {blocks=[2,2], crops=[0,0,0,0], groups=1} "d"
%k : int16[1,2,2,5] = depth_to_space(%x) {blocks=[2,2], crops=[1,0,1,1], groups=2} "k"
%l : int16[1,1,7,5] = depth_to_space(%x) {blocks=[4,2], crops=[0,1,1,0], groups=1} "l"
%q : int16[2,4,5] = depth_to_space(%s) {blocks=[2], crops=[0,1], groups=2} "q"
output "d" = %d
output "k" = %k
output "l" = %l
output "q" = %q
)"})
    ExpectSame(Parse(body));
}

TEST(OnnxExport, CodesAndWhatTheyStandFor) {
  for (const char* const type : {"int8", "uint8", "int16", "uint16"}) {
    std::string body = R"(%x : float32[2,3] = input
%s : float32[] = const [0.25]
%z : T[] = const [3]
%sc : float32[3] = const [0.5,0.125,2.0]
%zc : T[3] = const [0,1,2]
%q : T[2,3] = quantize(%x, %s, %z) {axis=0} "q"
%d : float32[2,3] = dequantize(%q, %s, %z) {axis=0} "d"
%qc : T[2,3] = quantize(%d, %sc, %zc) {axis=1} "qc"
%dc : float32[2,3] = dequantize(%qc, %sc, %zc) {axis=1} "dc"
output "q" = %q
output "dc" = %dc
)";
    for (size_t at; (at = body.find(" T[")) != std::string::npos;) body.replace(at + 1, 1, type);
    const Graph graph = Parse(body);
    ExpectSame(graph);
    const bool is_short = std::string(type).ends_with("16");
    EXPECT_EQ(Written(graph).opset_import(0).version(), is_short ? 21 : 13);
    EXPECT_EQ(Written(graph).ir_version(), is_short ? 10 : 7);
  }
  ExpectSame(Parse(R"(%x : int32[2,3] = input
%s : float32[3] = const [0.5,0.125,2.0]
%z : int32[3] = const [0,0,0]
%y : float32[2,3] = dequantize(%x, %s, %z) {axis=1} "d"
output "y" = %y
)"));
}

// From opset 18 on, which another node asks for here, all reductions have their axes as an input.
TEST(OnnxExport, AFormThatNewerOpsetsChanged) {
  const Graph graph = Parse(R"(%x : int16[2,3] = input
%s : float32[] = const [0.25]
%z : int16[] = const [3]
%d : float32[2,3] = dequantize(%x, %s, %z) {axis=0} "d"
%y : float32[2,1] = reduce_mean(%d) {axes=[1], keepdims=1} "mean"
output "y" = %y
)");
  EXPECT_EQ(Written(graph).graph().node(1).input_size(), 2);
  ExpectSame(graph);
}

TEST(OnnxExport, NamesOfInputsAndOutputsAreKept) {
  const Graph graph = Parse(R"(%x : float32[2] = input
%w : float32[2] = const [1.0,2.0]
%y : float32[2] = add(%x, %w) "sum"
%z : float32[2] = relu(%y) "rectify"
output "first" = %y
output "y" = %z
output "second" = %y
output "x" = %x
output "copy" = %x
output "w" = %w
)");
  ExpectSame(graph);
  const onnx::ModelProto model = Written(graph);
  ASSERT_EQ(model.graph().node_size(), 5);  // and three copies
  EXPECT_EQ(model.graph().node(0).name(), "sum");
  EXPECT_EQ(model.graph().node(0).output(0), "first");
  EXPECT_EQ(model.graph().node(1).name(), "rectify");
  EXPECT_EQ(model.graph().node(1).output(0), "y");
  EXPECT_EQ(model.graph().initializer(0).name(), "w.1");
}

// Runtimes refuse two of one name, which nodes that one operator became have.
TEST(OnnxExport, NodesOfOneNameGetNumbers) {
  const Graph graph = Parse(R"(%x : float32[2,3] = input
%a : float32[6] = reshape(%x) {shape=[6]} "n"
%b : float32[6] = softmax(%a) {axis=0} "n"
output "b" = %b
)");
  const onnx::ModelProto model = Written(graph);
  EXPECT_EQ(model.graph().node(0).name(), "n");
  EXPECT_EQ(model.graph().node(1).name(), "n.1");
}

TEST(OnnxExport, AMeanOverAllOfAnImageIsTheOperatorOfThat) {
  const Graph graph = Parse(R"(%x : float32[1,3,4,4] = input
%y : float32[1,3,1,1] = reduce_mean(%x) {axes=[2,3], keepdims=1} "y"
%z : float32[1,3] = reduce_mean(%x) {axes=[2,3], keepdims=0} "z"
output "y" = %y
output "z" = %z
)");
  const onnx::ModelProto model = Written(graph);
  EXPECT_EQ(model.graph().node(0).op_type(), "GlobalAveragePool");
  EXPECT_EQ(model.graph().node(1).op_type(), "ReduceMean");
  ExpectSame(graph);
}

std::string ExportError(const std::string& body) {
  return ErrorOf([&] { ExportOnnx(Parse(body)); });
}

TEST(OnnxExport, WhatOnnxCannotExpressIsRefused) {
  EXPECT_EQ(ExportError(R"(%x : int8[1,4,2,2] = input
%y : int8[1,4,1,1] = max_pool_i8(%x) {kernel=[2,2], pads=[0,0,0,0], strides=[1,1]} "p"
output "y" = %y
)"),
            "g: max_pool_i8 \"p\": has no ONNX operator");
  EXPECT_EQ(ExportError(R"(%x : int8[2,2] = input
%y : int8[2,2] = matmul(%x, %x) "m"
output "y" = %y
)"),
            "g: matmul \"m\": element type = int8: must be one that ONNX's MatMul takes: int32, "
            "uint32, int64, float32, float64");
  EXPECT_EQ(ExportError(R"(%x : float64[2,2] = input
%y : float64[2,2] = gemm(%x, %x) {alpha=0.1, beta=1.0, trans_a=0, trans_b=0} "m"
output "y" = %y
)"),
            "g: gemm \"m\": attribute alpha = 0.1: must be a float32 in ONNX");
  EXPECT_EQ(ExportError(R"(%x : float64[2] = input
%y : float64[2] = slice(%x) {shape=[2], starts=[1], steps=[0]} "s"
output "y" = %y
)"),
            "g: slice \"s\": steps = [0]: must not be 0 in ONNX");
  const std::string dequantize = R"(%s : float32[] = const [0.5]
%y : float32[2] = dequantize(%x, %s, %z) {axis=0} "d"
output "y" = %y
)";
  EXPECT_EQ(ExportError("%x : int32[2] = input\n%z : int32[] = const [7]\n" + dequantize),
            "g: dequantize \"d\": zero point of int32 = 7: must be 0 in ONNX");
  EXPECT_EQ(ExportError("%x : int32[2] = input\n%z : int32[] = input\n" + dequantize),
            "g: dequantize \"d\": zero point of int32 = z: must be a constant in ONNX");
}

TEST(OnnxExport, NamesThatOnnxCannotTellApartAreRefused) {
  const std::string body = "%x : float32[2] = input\n%y : float32[2] = relu(%x) \"r\"\n";
  EXPECT_EQ(ExportError(body + "output \"x\" = %y\n"),
            "g: output = x: must have a name of its own");
  EXPECT_EQ(ExportError(body + "output \"y\" = %y\noutput \"y\" = %y\n"),
            "g: output = y: must have a name of its own");
  EXPECT_EQ(ExportError(body + "output \"\" = %y\n"), "g: output: must have a name of its own");
}

TEST(OnnxExport, WhatIsTooLargeForTheFormatIsRefusedBeforeItIsWritten) {
  constexpr int64_t kEach = int64_t{64} << 20, kCount = 32;
  const auto tensor = std::make_shared<const Tensor>(TensorType{DType::kInt8, {kEach}});
  Graph graph("g");
  for (int64_t i = 0; i < kCount; ++i)
    graph.AddOutput(StrCat("y", i), graph.AddConstant(StrCat("c", i), tensor));
  EXPECT_EQ(ErrorOf([&] { ExportOnnx(graph); }),
            "g: constants = 2147483648 bytes: must be smaller than 2 GiB in ONNX");
}

TEST(OnnxExport, NetworksComeBackAsTheyWere) {
  for (const char* const name : {"resnet_tiny", "mobilenet_tiny", "squeezenet", "shufflenet_v2"}) {
    for (const ModelTypeInfo& type : kModelTypes) {
      const std::string path =
          StrCat(testing::TempDir(), "/vta_export_test_", getpid(), "_", name, ".onnx");
      BuildModel(name, 1, path, type.type);
      const Graph graph = ImportOnnxFile(path);
      std::filesystem::remove(path);
      EXPECT_EQ(Structure(Again(graph)), Structure(graph)) << name << " " << type.name;
      if (std::string(name).ends_with("_tiny")) ExpectSame(graph);
    }
  }
}

TEST(OnnxExport, RealModelsComeBackAsTheyWere) {
  const std::filesystem::path folder = CasesFolder() / "public";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "skipped: no cases " << folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    SCOPED_TRACE(entry.path());
    const Graph graph = ImportOnnxFile(entry.path());
    EXPECT_EQ(Structure(Again(graph)), Structure(graph));
    const bool is_large = entry.path().filename().string().starts_with("light_");
    if (!is_large) ExpectSame(graph);
  }
}

}  // namespace
}  // namespace vta::compiler
