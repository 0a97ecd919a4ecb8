// If, Loop and Scan: what they leave in the graph, and what they refuse.
#include <gtest/gtest.h>

#include <limits>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

constexpr int kBool = onnx::TensorProto::BOOL, kInt64 = onnx::TensorProto::INT64;

/// A graph of one operator on names from around it.
OnnxBuilder Branch(const std::string& type, const std::vector<std::string>& inputs,
                   const std::string& output) {
  OnnxBuilder b;
  b.Output(output).Node(type, inputs, output);
  return b;
}

OnnxBuilder IfOf(const OnnxBuilder& chosen, const OnnxBuilder& other) {
  OnnxBuilder b;
  b.Input("x", {2}).Output("y");
  auto& node = b.Node("If", {"which"}, "y");
  OnnxBuilder::SetGraph(node, "then_branch", chosen);
  OnnxBuilder::SetGraph(node, "else_branch", other);
  return b;
}

const Tensor kX = Tensor::Of<float>({2}, {-3, 4});

TEST(OnnxIf, AConstantConditionLeavesOneBranch) {
  for (const int which : {0, 1}) {
    OnnxBuilder b = IfOf(Branch("Abs", {"x"}, "a"), Branch("Neg", {"x"}, "b"));
    b.Ints("which", {}, {which}, kBool);
    const Graph graph = b.Import();
    EXPECT_EQ(graph.nodes().size(), 1U);
    EXPECT_EQ(Evaluate(graph, {kX})[0], Tensor::Of<float>({2}, {3, which ? 4.0f : -4.0f}));
  }
}

TEST(OnnxIf, ABranchThatIsNotTakenMayHaveAnotherShape) {
  OnnxBuilder other;
  other.Output("b").Ints("axes", {1}, {0});
  other.Node("Unsqueeze", {"x", "axes"}, "b");
  OnnxBuilder b = IfOf(Branch("Abs", {"x"}, "a"), other);
  b.Ints("which", {}, {1}, kBool);
  EXPECT_EQ(b.Import().shape(b.Import().outputs()[0].value), Shape{2});
  OnnxBuilder open = IfOf(Branch("Abs", {"x"}, "a"), other);
  open.Input("which", {}, kBool);
  EXPECT_EQ(open.ImportError(),
            "m.onnx: node \"n_y\" (If, opset 13): output 0 of the branches = float32[2] and "
            "float32[1,2]: must be alike where the condition is not a constant");
}

TEST(OnnxIf, AConditionOfTheRunChoosesBetweenBoth) {
  OnnxBuilder b = IfOf(Branch("Abs", {"x"}, "a"), Branch("Identity", {"x"}, "b"));
  b.Input("which", {1}, kBool);
  const Graph graph = b.Import();
  for (const bool which : {false, true})
    EXPECT_EQ(Evaluate(graph, {kX, Tensor::Of<bool>({1}, {which})})[0],
              which ? Tensor::Of<float>({2}, {3, 4}) : kX);
}

/// x times a matrix of so many rows.
OnnxBuilder Times(int64_t rows, const std::string& output) {
  OnnxBuilder b;
  b.Output(output).Floats("w_" + output, {rows, 1}, std::vector<float>(rows, 2));
  b.Node("MatMul", {"x", "w_" + output}, output);
  return b;
}

TEST(OnnxIf, ABranchThatDoesNotFitTheSizesIsNotTaken) {
  for (const bool first : {false, true}) {
    OnnxBuilder b = first ? IfOf(Times(2, "a"), Times(3, "b")) : IfOf(Times(3, "a"), Times(2, "b"));
    b.Input("which", {}, kBool);
    std::vector<std::string> remarks;
    OnnxOptions options;
    options.on_remark = [&](const std::string& remark) { remarks.push_back(remark); };
    const Graph graph = b.Import(options);
    EXPECT_EQ(Evaluate(graph, {kX, Tensor::Scalar(!first)})[0], Tensor::Of<float>({1}, {2}));
    ASSERT_EQ(remarks.size(), 1U);
    EXPECT_EQ(remarks[0].find(StrCat("m.onnx: node \"n_y\" (If, opset 13): the condition is taken "
                                     "to be ",
                                     first ? "true" : "false",
                                     ", for the other branch does not fit the sizes: ")),
              0U)
        << remarks[0];
  }
  OnnxBuilder none = IfOf(Times(3, "a"), Times(4, "b"));
  none.Input("which", {}, kBool);
  EXPECT_NE(none.ImportError().find("node \"n_a\" (MatMul, opset 13)"), std::string::npos);
}

TEST(OnnxIf, ABranchWithAnotherFaultIsRefused) {
  OnnxBuilder b = IfOf(Branch("Neg", {"elsewhere"}, "a"), Branch("Neg", {"x"}, "b"));
  b.Input("which", {}, kBool);
  EXPECT_NE(b.ImportError().find("input 0 = elsewhere"), std::string::npos);
}

TEST(OnnxIf, NamesInsideMayBeThoseOfWhatItMakes) {
  OnnxBuilder b = IfOf(Branch("Abs", {"x"}, "y"), Branch("Neg", {"x"}, "y"));
  b.Input("which", {}, kBool);
  EXPECT_EQ(Evaluate(b.Import(), {kX, Tensor::Scalar(false)})[0], Tensor::Of<float>({2}, {3, -4}));
}

TEST(OnnxIf, ErrorsInsideNameBothNodes) {
  OnnxBuilder b = IfOf(Branch("Softmax", {"which"}, "a"), Branch("Neg", {"x"}, "b"));
  b.Ints("which", {}, {1}, kBool);
  EXPECT_EQ(
      b.ImportError(),
      "m.onnx: node \"n_y\" (If, opset 13): node \"n_a\" (Softmax, opset 13): axis = -1: must "
      "be in [0, 0)");
  OnnxBuilder missing = IfOf(Branch("Neg", {"elsewhere"}, "a"), Branch("Neg", {"x"}, "b"));
  missing.Ints("which", {}, {1}, kBool);
  EXPECT_EQ(
      missing.ImportError(),
      "m.onnx: node \"n_y\" (If, opset 13): node \"n_a\" (Neg, opset 13): input 0 = elsewhere: "
      "is not a graph input, an initializer or the output of a node");
  OnnxBuilder unknown = IfOf(Branch("Frobnicate", {"x"}, "a"), Branch("Neg", {"x"}, "b"));
  unknown.Ints("which", {}, {1}, kBool);
  EXPECT_EQ(unknown.ImportError(), "m.onnx: operator = Frobnicate (1 node): is not supported");
}

/// carried * 2 + number of the step, with each result collected.
OnnxBuilder Doubling(const std::string& condition) {
  OnnxBuilder body;
  body.Input("i", {}, kInt64).Input("goes_on", {}, kBool).Input("before", {2});
  body.Output("cond").Output("after").Output("seen");
  body.Floats("two", {}, {2}).Ints("last", {}, {2});
  body.Node("Mul", {"before", "two"}, "doubled");
  OnnxBuilder::SetInt(body.Node("Cast", {"i"}, "number"), "to", onnx::TensorProto::FLOAT);
  body.Node("Add", {"doubled", "number"}, "after");
  body.Node("Identity", {"after"}, "seen");
  if (condition == "goes_on") body.Node("Identity", {"goes_on"}, "cond");
  if (condition == "less") body.Node("Less", {"i", "last"}, "cond");
  if (condition == "data") {
    body.Floats("most", {1}, {100});
    body.Node("ReduceSum", {"after"}, "sum");
    body.Node("Less", {"sum", "most"}, "cond");
  }
  return body;
}

OnnxBuilder LoopOf(const OnnxBuilder& body, const std::string& count) {
  OnnxBuilder b;
  b.Input("x", {2}).Output("y").Output("all").Ints("four", {}, {4}).Ints("zero", {}, {0});
  auto& node = b.Node("Loop", {count, "", "x"}, "y");
  node.add_output("all");
  OnnxBuilder::SetGraph(node, "body", body);
  return b;
}

TEST(OnnxLoop, IsUnrolled) {
  const auto run = [](const std::string& condition, const std::string& count) {
    return Evaluate(LoopOf(Doubling(condition), count).Import(), {kX});
  };
  // -3, -6, -11, -20, -37 and 4, 8, 17, 36, 75.
  EXPECT_EQ(run("goes_on", "four")[0], Tensor::Of<float>({2}, {-37, 75}));
  EXPECT_EQ(run("goes_on", "four")[1],
            Tensor::Of<float>({4, 2}, {-6, 8, -11, 17, -20, 36, -37, 75}));
  // Ends once step 2 is not less than 2, with a count and without one.
  EXPECT_EQ(run("less", "four")[0], Tensor::Of<float>({2}, {-20, 36}));
  EXPECT_EQ(run("less", "")[1], Tensor::Of<float>({3, 2}, {-6, 8, -11, 17, -20, 36}));
}

TEST(OnnxLoop, WithoutAConstantCountIsRefused) {
  const std::string at = "m.onnx: node \"n_y\" (Loop, opset 13): ";
  EXPECT_EQ(LoopOf(Doubling("data"), "four").ImportError(),
            at + "condition = known only when it runs: must be known at compile time, as the trip "
                 "count");
  OnnxBuilder open = LoopOf(Doubling("goes_on"), "n");
  open.Input("n", {}, kInt64);
  EXPECT_EQ(open.ImportError(), at + "trip count = n: must be a constant");
  EXPECT_EQ(LoopOf(Doubling("goes_on"), "").ImportError(),
            at + "steps of loops = more than 16384: are not unrolled");
  EXPECT_EQ(LoopOf(Doubling("goes_on"), "zero").ImportError(),
            at + "output 1 = of no step: must not be empty");
}

TEST(OnnxLoop, CountsOfAllSizes) {
  OnnxBuilder body;
  body.Input("i", {}, kInt64).Input("go", {}, kBool).Input("y", {2}).Output("go").Output("after");
  body.Node("Neg", {"y"}, "after");
  OnnxBuilder b;
  b.Input("x", {2}).Output("y").Ints("count", {}, {-1}).Ints("no", {}, {0}, kBool);
  auto& node = b.Node("Loop", {"count", "", "x"}, "y");
  OnnxBuilder::SetGraph(node, "body", body);
  auto& count = *b.graph().mutable_initializer(0);
  EXPECT_EQ(Evaluate(b.Import(), {kX})[0], kX);
  count.set_int64_data(0, 3);
  EXPECT_EQ(Evaluate(b.Import(), {kX})[0], Tensor::Of<float>({2}, {3, -4}));
  count.set_int64_data(0, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(b.ImportError(),
            "m.onnx: node \"n_y\" (Loop, opset 13): steps of loops = more than "
            "16384: are not unrolled");
  node.set_input(1, "no");
  EXPECT_EQ(Evaluate(b.Import(), {kX})[0], kX);
}

/// Nodes that leave nothing in the graph take time, too.
TEST(OnnxLoop, NodesOfAllStepsAreCounted) {
  OnnxBuilder body;
  body.Input("i", {}, kInt64).Input("go", {}, kBool).Input("s", {2}).Output("go").Output("s");
  for (int n = 0; n < 2000; ++n) body.Node("Shape", {"s"}, StrCat("shape", n));
  OnnxBuilder b;
  b.Input("x", {2}).Output("y").Ints("count", {}, {16000});
  OnnxBuilder::SetGraph(b.Node("Loop", {"count", "", "x"}, "y"), "body", body);
  EXPECT_EQ(b.ImportError(),
            "m.onnx: node \"n_y\" (Loop, opset 13): nodes of loops = more than "
            "262144: are not unrolled");
}

TEST(OnnxScan, RunsOverAxesInBothDirections) {
  for (const bool backward : {false, true}) {
    OnnxBuilder body;
    body.Input("sum", {2}).Input("row", {2}).Output("next").Output("seen");
    body.Node("Add", {"sum", "row"}, "next");
    body.Node("Identity", {"next"}, "seen");
    OnnxBuilder b;
    b.Input("x", {2, 3}).Output("y").Output("all").Floats("start", {2}, {10, 20});
    auto& node = b.Node("Scan", {"start", "x"}, "y");
    node.add_output("all");
    OnnxBuilder::SetGraph(node, "body", body);
    OnnxBuilder::SetInt(node, "num_scan_inputs", 1);
    OnnxBuilder::SetInts(node, "scan_input_axes", {1});
    OnnxBuilder::SetInts(node, "scan_input_directions", {backward});
    OnnxBuilder::SetInts(node, "scan_output_axes", {-1});
    OnnxBuilder::SetInts(node, "scan_output_directions", {backward});
    const auto outputs = Evaluate(b.Import(), {Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6})});
    EXPECT_EQ(outputs[0], Tensor::Of<float>({2}, {16, 35}));
    EXPECT_EQ(outputs[1], backward ? Tensor::Of<float>({2, 3}, {16, 15, 13, 35, 31, 26})
                                   : Tensor::Of<float>({2, 3}, {11, 13, 16, 24, 29, 35}));
  }
}

TEST(OnnxScan, HasBatchesInOpset8) {
  OnnxBuilder body;
  body.Input("sum", {2}).Input("row", {2}).Output("next").Output("seen");
  body.Node("Add", {"sum", "row"}, "next");
  body.Node("Identity", {"next"}, "seen");
  OnnxBuilder b(8);
  b.Input("start", {2, 2}).Input("x", {2, 3, 2}).Output("y").Output("all");
  auto& node = b.Node("Scan", {"", "start", "x"}, "y");
  node.add_output("all");
  OnnxBuilder::SetGraph(node, "body", body);
  OnnxBuilder::SetInt(node, "num_scan_inputs", 1);
  const auto outputs =
      Evaluate(b.Import(), {Tensor::Of<float>({2, 2}, {0, 10, 100, 200}),
                            Tensor::Of<float>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 1, 1, 2, 2, 3, 3})});
  EXPECT_EQ(outputs[0], Tensor::Of<float>({2, 2}, {9, 22, 106, 206}));
  EXPECT_EQ(outputs[1],
            Tensor::Of<float>({2, 3, 2}, {1, 12, 4, 16, 9, 22, 101, 201, 103, 203, 106, 206}));
}

}  // namespace
}  // namespace vta::compiler
