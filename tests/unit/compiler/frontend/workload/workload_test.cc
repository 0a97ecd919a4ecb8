// Workloads of other tools: the layers that they stand for, and what is no workload.
#include "compiler/frontend/workload.h"

#include <gmock/gmock.h>

#include "compiler/frontend/model.h"
#include "compiler/graph/ops.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"

namespace vta::compiler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Graph ImportShipped(const std::string& name) {
  return ImportModelFile(SourcePath("tests/workloads/" + name), {.weights_seed = 1});
}

/// What layers compute, in words: "narrow: [1,16,17,17] * [32,16,3,3] -> [1,32,8,8]".
std::vector<std::string> LayersOf(const Graph& graph) {
  std::vector<std::string> layers;
  for (const Node& node : graph.nodes()) {
    const char* const sign = node.op == Op::kAdd ? " + " : " * ";
    layers.push_back(StrCat(node.name, ": ", ToText(graph.shape(node.inputs[0])), sign,
                            ToText(graph.shape(node.inputs[1])), " -> ",
                            ToText(graph.shape(node.output))));
  }
  return layers;
}

TEST(Workload, ScaleSimConvolutions) {
  const Graph graph = ImportShipped("conv.csv");
  // Outputs as SCALE-Sim counts them, ceil((ifmap - filter + stride) / stride).
  EXPECT_THAT(LayersOf(graph),
              ElementsAre("stem: [1,3,18,18] * [16,3,3,3] -> [1,16,16,16]",
                          "narrow: [1,16,17,17] * [32,16,3,3] -> [1,32,8,8]",
                          "beyond_the_edge: [1,16,16,16] * [32,16,3,3] -> [1,32,8,8]",
                          "wide: [1,16,1,20] * [16,16,1,5] -> [1,16,1,16]",
                          "each_DP: [1,32,10,10] * [32,1,3,3] -> [1,32,8,8]",
                          "classifier: [1,128] * [10,128] -> [1,10]"));
  EXPECT_EQ(graph.inputs().size(), 6);
  EXPECT_EQ(graph.outputs().size(), 6);
}

TEST(Workload, ScaleSimGemms) {
  EXPECT_THAT(LayersOf(ImportShipped("gemm.csv")),
              ElementsAre("query: [1,48,64,1] * [96,48,1,1] -> [1,96,64,1]",
                          "feed: [1,96,64,1] * [192,96,1,1] -> [1,192,64,1]"));
}

TEST(Workload, ZigZag) {
  std::vector<std::string> left_out;
  const Graph graph = ImportModelFile(
      SourcePath("tests/workloads/zigzag.yaml"),
      {.weights_seed = 1,
       .on_left_out = [&](const std::string& layer) { left_out.push_back(layer); }});
  EXPECT_THAT(LayersOf(graph), ElementsAre("stem: [1,3,32,32] * [16,3,3,3] -> [1,16,16,16]",
                                           "each: [1,32,10,10] * [32,1,3,3] -> [1,32,8,8]",
                                           "add_3: [1,16,8,8] + [1,16,8,8] -> [1,16,8,8]",
                                           "gemm_4: [1,48,64,1] * [96,48,1,1] -> [1,96,64,1]"));
  EXPECT_THAT(left_out, ElementsAre("layer 1 (Pooling) has no products"));
}

TEST(Workload, Timeloop) {
  EXPECT_THAT(LayersOf(ImportShipped("timeloop.yaml")),
              ElementsAre("narrow: [1,16,17,17] * [32,16,3,3] -> [1,32,8,8]"));
  EXPECT_THAT(LayersOf(ImportShipped("layers/query.yaml")),
              ElementsAre("query: [1,48,64,1] * [96,48,1,1] -> [1,96,64,1]"));
}

TEST(Workload, SeedsAndNamesMakeTheWeights) {
  const std::string csv = "Layer,M,N,K,\na,1,2,3,\na,1,2,3,\n";
  const auto weights = [&](uint64_t seed) {
    const Graph graph = ImportWorkload(csv, "f.csv", {.weights_seed = seed});
    std::vector<Tensor> tensors;
    for (const Node& node : graph.nodes()) tensors.push_back(*graph.constant(node.inputs[1]));
    return tensors;
  };
  EXPECT_EQ(weights(7), weights(7));
  EXPECT_NE(weights(7), weights(8));
  EXPECT_NE(weights(7)[0], weights(7)[1]);
  const Graph graph = ImportWorkload(csv, "f.csv", {.weights_seed = 7});
  EXPECT_EQ(graph.outputs()[1].name, "a_2");
}

std::string Refusal(const std::string& text, std::optional<uint64_t> seed = 1) {
  return ErrorOf([&] { ImportWorkload(text, "f", {.weights_seed = seed}); });
}

TEST(Workload, WantsWeightsToBeAskedFor) {
  EXPECT_EQ(Refusal("Layer,M,N,K,\na,1,2,3,\n", std::nullopt),
            "f: has the shapes of layers alone: --assume int8 gives them weights");
}

TEST(Workload, RefusesTopologies) {
  const std::string conv =
      "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,"
      "Channels,Num Filter,Strides,\n";
  EXPECT_EQ(Refusal(conv), "f: layers = 0: there must be one");
  EXPECT_EQ(Refusal(conv + "a,8,8,3,3,0,4,1,\n"), "f:2: Channels = 0: must be 1 to 2147483648");
  EXPECT_EQ(Refusal(conv + "\na,8,8,3,x,1,4,1,\n"),
            "f:3: Filter Width = x: must be 1 to 2147483648");
  EXPECT_EQ(Refusal(conv + "a,8,8,9,3,1,4,1,\n"),
            "f:2: Filter Height = 9: must not exceed the IFMAP's 8");
  EXPECT_EQ(Refusal(conv + "a,8,8,3,3,1,4,1,2:4,\n"),
            "f:2: sparsity = 2:4: must be N:N: weights are dense");
  EXPECT_EQ(Refusal(conv + "a,8,8,3,\n"), "f:2: cells = 4: must be 8, or one more for sparsity");
  EXPECT_THAT(Refusal("Layer,K,M,N,\na,1,2,3,\n"),
              HasSubstr("f:1: columns: must be name, M, N, K"));
  EXPECT_THAT(Refusal(conv + "a,99999999,99999999,3,3,1,4,1,\n"),
              HasSubstr("f:2: shape = [1,1,99999999,99999999]: must have at most 2^40"));
}

std::string Layer(const std::string& equation, const std::string& more) {
  return StrCat("- {id: 0, operator_type: Conv, equation: '", equation, "', ", more, "}\n");
}

TEST(Workload, RefusesZigZagLayers) {
  const std::string sizes = "loop_dims: [B, C, K], loop_sizes: [2, 3, 4]";
  EXPECT_EQ(Refusal(Layer("O[b][k]+=W[c][k]*I[b][c]", sizes)), "no error");
  EXPECT_THAT(Refusal(Layer("O[b][k]+=W[c][k]", sizes)), HasSubstr("must be O[..]+=W[..]*I[..]"));
  EXPECT_THAT(Refusal(Layer("O[b][k]=W[c][k]*I[b][c]", sizes)),
              HasSubstr("must be O[..]+=W[..]*I[..]"));
  EXPECT_THAT(Refusal(Layer("O[b][k]+=A[c][k]*I[b][c]", sizes)),
              HasSubstr("must be of O, W and I"));
  EXPECT_EQ(Refusal(Layer("O[b][k]+=W[c][k]*I[b][x]", sizes)),
            "f: [0].equation: dimension = x: has no size");
  EXPECT_THAT(Refusal(Layer("O[b][k]+=W[c][k]*I[c]", sizes)),
              HasSubstr("dimension = b: must be of two tensors"));
  EXPECT_THAT(Refusal(Layer("O[b][k]+=W[c][k]*I[b][c]", "loop_dims: [B], loop_sizes: [2, 3]")),
              HasSubstr("must be one a loop_dim"));
  EXPECT_THAT(
      Refusal(Layer("O[b][k]+=W[c][k]*I[b][c]", "loop_dims: [B, C, K], loop_sizes: [0, 3, 4]")),
      HasSubstr("size of b = 0: must be 1 to"));
  EXPECT_THAT(Refusal(Layer("O[b][k]+=W[c][k]*I[b][c]", sizes + ", frequency: 3")),
              HasSubstr("frequency"));
  EXPECT_THAT(
      Refusal(Layer("O[b]+=W[c]*I[ix]",
                    "loop_dims: [B, C], loop_sizes: [2, 3], dimension_relations: [ix=b-c]")),
      HasSubstr("must be as ix=2*ox+1*fx"));
}

TEST(Workload, RefusesTimeloopProblems) {
  const auto problem = [](const std::string& version, const std::string& input,
                          const std::string& instance = "{M: 2, K: 3}") {
    return StrCat("problem:\n  version: ", version, "\n  instance: ", instance,
                  "\n  shape:\n    name: s\n    dimensions: [M, K]\n    data_spaces:\n"
                  "    - {name: A, projection: ",
                  input,
                  "}\n"
                  "    - {name: B, projection: [[[K]]]}\n"
                  "    - {name: Z, projection: [[[M]]], read_write: true}\n");
  };
  EXPECT_EQ(Refusal(problem("0.4", "[[[M]], [[K]]]")), "no error");
  EXPECT_THAT(Refusal(problem("0.3", "[[[M]], [[K]]]")),
              HasSubstr("f: problem.version = \"0.3\": must be 0.4"));
  EXPECT_THAT(Refusal(problem("0.4", "[[M], [K]]")), HasSubstr("must be axes, each a list"));
  EXPECT_THAT(Refusal(problem("0.4", "[[[M, x]], [[K]]]")), HasSubstr("x is no coefficient"));
  EXPECT_THAT(Refusal(problem("0.4", "[[[M]], [[K]]]", "{M: 2}")), HasSubstr("problem.instance.K"));
  EXPECT_THAT(Refusal(problem("0.4", "[[[M], [K]], [[M]], [[K], [M]], [[K], [M]]]")),
              HasSubstr("is a third one of a window"));
}

// Eight files, each of which has the next one in itself many times.
TEST(Workload, RefusesIncludesThatAreMoreThanAFile) {
  const Temporary folder(NewTemporaryFolder("vta-workload"));
  for (int i = 0; i < 7; ++i) {
    std::string text;
    for (int times = 0; times < 30; ++times)
      text += StrCat("{{include_text('", i + 1, ".yaml')}}\n");
    WriteFileAtomically(StrCat(folder.path(), "/", i, ".yaml"), text);
  }
  WriteFileAtomically(folder.path() + "/7.yaml", "");
  WriteFileAtomically(folder.path() + "/top.yaml", "{{include_text('0.yaml')}}\nproblem:\n");
  EXPECT_THAT(ErrorOf([&] { ImportModelFile(folder.path() + "/top.yaml"); }),
              HasSubstr("holds more than 1048576 bytes, with all that is included"));
}

TEST(Workload, RefusesIncludesAndYaml) {
  EXPECT_THAT(Refusal("{{include_text('none.yaml')}}\nproblem:\n"),
              HasSubstr("include_text = none.yaml: must be a file"));
  EXPECT_THAT(Refusal("x: {{macro()}}\nproblem:\n"), HasSubstr("is of a template"));
  EXPECT_THAT(Refusal("problem: {a: 1, a: 2}\n"), HasSubstr("f:1: a: is there twice"));
  EXPECT_THAT(Refusal("problem: [1\n"), HasSubstr("is not YAML"));
  EXPECT_EQ(Refusal("problem: 3\n"), "f: problem: must be a map");
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i)
    bomb += StrCat("a", i, ": &a", i, " [*a", i - 1, ", *a", i - 1, "]\n");
  EXPECT_THAT(Refusal(bomb + "problem: 3\n"), HasSubstr("holds more than a million values"));
  // A file that includes itself ends.
  const std::string path = testing::TempDir() + "self.yaml";
  WriteFileAtomically(path, std::string_view("{{include_text('self.yaml')}}\nproblem:\n"));
  EXPECT_THAT(ErrorOf([&] { ImportModelFile(path, {.weights_seed = 1}); }),
              HasSubstr("is included too deep"));
}

}  // namespace
}  // namespace vta::compiler
