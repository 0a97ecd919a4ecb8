// Sizes of inputs that follow from others, from constants and from what operators need.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

using Names = std::vector<std::string>;
using Sized = std::map<std::string, int64_t>;

/// Dimensions are numbers, names, or "" for none.
void Declare(OnnxBuilder& b, const std::string& name, const Names& dims) {
  b.Input(name, std::vector<int64_t>(dims.size(), 1));
  auto& info = *b.graph().mutable_input(b.graph().input_size() - 1);
  auto& shape = *info.mutable_type()->mutable_tensor_type()->mutable_shape();
  for (size_t i = 0; i < dims.size(); ++i) {
    auto& dim = *shape.mutable_dim(static_cast<int>(i));
    dim.clear_dim_value();
    if (!dims[i].empty() && std::isdigit(dims[i][0]) != 0)
      dim.set_dim_value(std::stoll(dims[i]));
    else if (!dims[i].empty())
      dim.set_dim_param(dims[i]);
  }
}

std::vector<float> Zeros(int64_t count) { return std::vector<float>(count); }

/// What inputs become, or the error: "[1,48]", "[1,2] [1,2]".
std::string Inferred(const OnnxBuilder& b, const Sized& given = {}) {
  const std::string error = b.ImportError({.dimensions = given});
  if (error != "no error") return error;
  const Graph graph = b.Import({.dimensions = given});
  std::string text;
  for (ValueId input : graph.inputs())
    text += StrCat(text.empty() ? "" : " ", ToText(graph.shape(input)));
  return text;
}

struct Case {
  std::string name;
  std::function<void(OnnxBuilder&)> build;
  std::string inferred;
};

class OnnxSizes : public testing::TestWithParam<Case> {};

TEST_P(OnnxSizes, Follow) {
  OnnxBuilder b;
  GetParam().build(b);
  b.Output("y");
  EXPECT_EQ(Inferred(b), GetParam().inferred);
}

const Case kCases[] = {
    {"MatMul",
     [](OnnxBuilder& b) {
       Declare(b, "x", {"N", "L"});
       b.Floats("w", {3, 2}, Zeros(6)).Node("MatMul", {"x", "w"}, "y");
     },
     "[1,3]"},
    {"VectorOfAProduct",  // its only dimension is no batch
     [](OnnxBuilder& b) {
       Declare(b, "x", {"N"});
       b.Floats("w", {3, 2}, Zeros(6)).Node("MatMul", {"x", "w"}, "y");
     },
     "[3]"},
    {"Gemm",
     [](OnnxBuilder& b) {
       Declare(b, "x", {"", ""});
       b.Floats("w", {2, 3}, Zeros(6));
       OnnxBuilder::SetInt(b.Node("Gemm", {"x", "w"}, "y"), "transB", 1);
     },
     "[1,3]"},
    {"ConvAndWhatComesBefore",
     [](OnnxBuilder& b) {
       Declare(b, "x", {"N", "8", "8", ""});
       b.Floats("w", {4, 3, 3, 3}, Zeros(108)).Node("Relu", {"x"}, "r");
       OnnxBuilder::SetInts(b.Node("Transpose", {"r"}, "t"), "perm", {0, 3, 1, 2});
       b.Node("Conv", {"t", "w"}, "y");
     },
     "[1,8,8,3]"},
    {"GroupsOfAConv",
     [](OnnxBuilder& b) {
       Declare(b, "x", {"N", "C", "8", "8"});
       b.Floats("w", {4, 3, 3, 3}, Zeros(108));
       OnnxBuilder::SetInt(b.Node("Conv", {"x", "w"}, "y"), "group", 2);
     },
     "[1,6,8,8]"},
    {"ConcatAndAnUnsqueeze",
     [](OnnxBuilder& b) {
       Declare(b, "x", {"N", "4"});
       Declare(b, "z", {"L"});
       OnnxBuilder::SetInts(b.Node("Transpose", {"x"}, "t"), "perm", {1, 0});
       b.Ints("axes", {1}, {1}).Node("Unsqueeze", {"z", "axes"}, "u");
       OnnxBuilder::SetInt(b.Node("Concat", {"t", "u"}, "y"), "axis", 1);
     },
     "[1,4] [4]"},
    {"ReshapeToConstants",
     [](OnnxBuilder& b) {
       Declare(b, "x", {"N", "L", "2"});
       b.Ints("shape", {3}, {0, 4, 6}).Node("Reshape", {"x", "shape"}, "y");
     },
     "[1,12,2]"},
    {"ReshapeThatInfers",  // and what a product then needs
     [](OnnxBuilder& b) {
       Declare(b, "x", {"N", "L", "1"});
       b.Ints("shape", {2}, {0, -1}).Node("Reshape", {"x", "shape"}, "r");
       b.Floats("w", {5, 2}, Zeros(10)).Node("MatMul", {"r", "w"}, "y");
     },
     "[1,5,1]"},
    {"BroadcastWithAConstant",
     [](OnnxBuilder& b) {
       Declare(b, "x", {"N", "L"});
       b.Floats("c", {7, 3}, Zeros(21)).Node("Add", {"x", "c"}, "y");
     },
     "[1,3]"},  // the first is a batch
    {"BroadcastOfInputs",
     [](OnnxBuilder& b) {
       Declare(b, "x", {"N", "4"});
       Declare(b, "z", {"M", ""});
       b.Node("Mul", {"x", "z"}, "y");
     },
     "[1,4] [1,4]"},
    {"Split",
     [](OnnxBuilder& b) {
       Declare(b, "x", {"N", "L"});
       b.Ints("parts", {2}, {2, 3});
       auto& node = b.Node("Split", {"x", "parts"}, "y");
       node.add_output("z");
       OnnxBuilder::SetInt(node, "axis", 1);
     },
     "[1,5]"},
    {"Lstm",
     [](OnnxBuilder& b) {
       Declare(b, "x", {"2", "batch", "L"});
       Declare(b, "h", {"1", "batch", "H"});
       b.Floats("w", {1, 12, 4}, Zeros(48)).Floats("r", {1, 12, 3}, Zeros(36));
       Declare(b, "c", {"1", "1", "3"});
       OnnxBuilder::SetInt(b.Node("LSTM", {"x", "w", "r", "", "", "h", "c"}, "y"), "hidden_size",
                           3);
     },
     "[2,1,4] [1,1,3] [1,1,3]"},
};

INSTANTIATE_TEST_SUITE_P(OfOperators, OnnxSizes, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(OnnxSizes, OfANameGoForItsOtherPlaces) {
  OnnxBuilder b;
  Declare(b, "x", {"1", "L"});
  Declare(b, "z", {"1", "L"});
  b.Node("Relu", {"x"}, "y"), b.Node("Relu", {"z"}, "q");
  b.Output("y").Output("q");
  EXPECT_EQ(Inferred(b, {{"x:1", 5}}), "[1,5] [1,5]");
  EXPECT_EQ(Inferred(b, {{"x:1", 5}, {"z:1", 3}}), "[1,5] [1,3]");
  EXPECT_EQ(Inferred(b, {{"L", 4}, {"z:1", 3}}), "[1,4] [1,3]");
}

TEST(OnnxSizes, GivenGoBeforeWhatFollows) {
  OnnxBuilder b;
  Declare(b, "x", {"N", "L"});
  b.Floats("c", {3}, Zeros(3)).Node("Add", {"x", "c"}, "y");
  b.Output("y");
  EXPECT_EQ(Inferred(b), "[1,3]");
  EXPECT_EQ(Inferred(b, {{"L", 1}, {"N", 2}}), "[2,1]");
  OnnxBuilder wrong;
  Declare(wrong, "x", {"N", "L"});
  wrong.Floats("w", {3, 2}, Zeros(6)).Node("MatMul", {"x", "w"}, "y");
  wrong.Output("y");
  EXPECT_NE(Inferred(wrong, {{"L", 4}}).find("node \"n_y\" (MatMul, opset 13)"), std::string::npos);
}

TEST(OnnxSizes, OutputsThatTheModelDeclares) {
  OnnxBuilder b;
  Declare(b, "x", {"N", "L"});
  b.Node("Relu", {"x"}, "y");
  b.Output("y");
  auto& shape = *b.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
  shape.mutable_shape()->add_dim()->set_dim_param("N");
  shape.mutable_shape()->add_dim()->set_dim_value(9);
  EXPECT_EQ(Inferred(b), "[1,9]");
}

TEST(OnnxSizes, ThatDoAreLookedFor) {
  // Two equal ones are asked for once; of 224, 128, 64 and 48 no square is 16 * 16 * 4.
  OnnxBuilder b;
  Declare(b, "x", {"1", "4", "H", "W"});
  Declare(b, "z", {"1", "4", "", "W"});
  OnnxBuilder::SetInt(b.Node("Concat", {"x", "z"}, "c"), "axis", 1);
  b.Ints("shape", {3}, {1, 512, -1}).Node("Reshape", {"c", "shape"}, "r");
  b.Ints("whole", {1}, {2048}).Node("Reshape", {"r", "whole"}, "y");
  b.Output("y");
  EXPECT_EQ(Inferred(b),
            "m.onnx: symbolic dimensions = H, W: give their sizes, such as --dim H=16 --dim W=16");
  EXPECT_EQ(b.ImportError({.command = "vta run 'a b.onnx'"}),
            "m.onnx: symbolic dimensions = H, W: give their sizes, such as vta run 'a b.onnx' "
            "--dim H=16 --dim W=16");
  EXPECT_EQ(Inferred(b, {{"H", 8}, {"W", 32}}), "[1,4,8,32] [1,4,8,32]");
  OnnxBuilder none;  // of no size that is tried
  Declare(none, "x", {"1", "H", "H"});
  none.Ints("shape", {1}, {49}).Node("Reshape", {"x", "shape"}, "y");
  none.Output("y");
  EXPECT_EQ(Inferred(none), "m.onnx: symbolic dimension = H: give its size, such as --dim H=SIZE");
  EXPECT_EQ(Inferred(none, {{"H", 7}}), "[1,7,7]");
}

/// What is a batch elsewhere is 1 in what is proposed; what has to be small, too.
TEST(OnnxSizes, ThatDoAreNotAlike) {
  OnnxBuilder b;
  Declare(b, "x", {"N", "L"});
  Declare(b, "h", {"2", "N", "4"});
  b.Node("Relu", {"x"}, "y"), b.Node("Relu", {"h"}, "z");
  b.Output("y").Output("z");
  EXPECT_EQ(Inferred(b),
            "m.onnx: symbolic dimensions = N, L: give their sizes, such as --dim N=1 --dim L=224");
  OnnxBuilder small;
  Declare(small, "x", {"1", "L"});
  Declare(small, "h", {"2", "M", "4"});
  small.Ints("eight", {1}, {8}).Node("Reshape", {"h", "eight"}, "y");
  small.Ints("wide", {2}, {16, -1}).Node("Reshape", {"x", "wide"}, "z");
  small.Output("y").Output("z");
  EXPECT_EQ(Inferred(small), "m.onnx: symbolic dimension = L: give its size, such as --dim L=224");
  OnnxBuilder apart;
  Declare(apart, "x", {"1", "L", "2"});
  Declare(apart, "h", {"1", "M", "K"});
  apart.Ints("four", {1}, {32}).Node("Reshape", {"h", "four"}, "y");
  apart.Ints("wide", {2}, {64, -1}).Node("Reshape", {"x", "wide"}, "z");
  apart.Output("y").Output("z");
  EXPECT_EQ(Inferred(apart),
            "m.onnx: symbolic dimensions = L, M, K: give their sizes, such as --dim L=SIZE --dim "
            "M=SIZE --dim K=SIZE");
  EXPECT_EQ(Inferred(apart, {{"M", 32}}),
            "m.onnx: symbolic dimension = L: give its size, such as --dim L=224");
  EXPECT_EQ(Inferred(apart, {{"L", 64}}),
            "m.onnx: symbolic dimensions = M, K: give their sizes, such as --dim M=32 --dim K=1");
}

TEST(OnnxSizes, BrokenNodesSayNothing) {
  OnnxBuilder b;
  Declare(b, "x", {"N", "L", "4"});
  OnnxBuilder::SetInt(b.Node("Concat", {"x", "gone"}, "a"), "axis", 9);
  OnnxBuilder::SetInts(b.Node("Transpose", {"x"}, "t"), "perm", {0, 7, -1});
  b.Ints("axes", {2}, {5, -9}).Node("Unsqueeze", {"x", "axes"}, "u");
  b.Ints("shape", {2}, {INT64_MIN, INT64_MAX}).Node("Reshape", {"x", "shape"}, "r");
  b.Ints("parts", {1}, {-3}).Node("Split", {"x", "parts"}, "s");
  OnnxBuilder::SetInts(b.Node("MaxPool", {"x"}, "p"), "kernel_shape", {INT64_MAX});
  b.Node("Conv", {"x", "x", "x", "x"}, "c");
  b.Node("LSTM", {"x"}, "l");
  b.Node("Flatten", {""}, "f");
  b.Output("r");
  EXPECT_EQ(Inferred(b), "m.onnx: symbolic dimension = L: give its size, such as --dim L=SIZE");
}

}  // namespace
}  // namespace vta::compiler
