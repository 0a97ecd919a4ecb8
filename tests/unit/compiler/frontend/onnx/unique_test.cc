// Unique of what is known at compile time.
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/graph/evaluate.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

/// All four outputs.
OnnxBuilder UniqueOf(const std::vector<int64_t>& shape, const std::vector<float>& values) {
  OnnxBuilder b;
  b.Floats("x", shape, values).Output("y").Output("first").Output("numbers").Output("counts");
  auto& node = b.Node("Unique", {"x"}, "y");
  for (const char* output : {"first", "numbers", "counts"}) node.add_output(output);
  return b;
}

Tensor Ints(const std::vector<int64_t>& values) { return Tensor::Of({std::ssize(values)}, values); }

TEST(OnnxUnique, InOrderAndAsTheyCome) {
  OnnxBuilder b = UniqueOf({2, 3}, {2, 1, 1, NAN, 4, NAN});
  const auto sorted = Evaluate(b.Import(), {});
  ASSERT_EQ(sorted[0].shape(), Shape{4});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(sorted[0].At(i), (std::vector{1, 2, 4})[i]);
  EXPECT_TRUE(std::isnan(sorted[0].At(3)));
  EXPECT_EQ(sorted[1], Ints({1, 0, 4, 3}));
  EXPECT_EQ(sorted[2], Ints({1, 0, 0, 3, 2, 3}));
  EXPECT_EQ(sorted[3], Ints({2, 1, 1, 2}));
  OnnxBuilder::SetInt(*b.graph().mutable_node(0), "sorted", 0);
  const auto as_they_come = Evaluate(b.Import(), {});
  EXPECT_EQ(as_they_come[1], Ints({0, 1, 3, 4}));
  EXPECT_EQ(as_they_come[2], Ints({0, 1, 1, 2, 3, 2}));
  EXPECT_EQ(as_they_come[3], Ints({1, 2, 2, 1}));
}

TEST(OnnxUnique, SlicesAlongAnAxis) {
  OnnxBuilder b = UniqueOf({2, 3, 2}, {1, 2, 0, 5, 1, 2, 3, 4, 9, 9, 3, 4});
  OnnxBuilder::SetInt(*b.graph().mutable_node(0), "axis", -2);
  const auto outputs = Evaluate(b.Import(), {});
  EXPECT_EQ(outputs[0], Tensor::Of<float>({2, 2, 2}, {0, 5, 1, 2, 9, 9, 3, 4}));
  EXPECT_EQ(outputs[1], Ints({1, 0}));
  EXPECT_EQ(outputs[2], Ints({1, 0, 1}));
  EXPECT_EQ(outputs[3], Ints({1, 2}));
}

TEST(OnnxUnique, OfARunIsRefused) {
  OnnxBuilder b;
  b.Input("x", {4}).Output("y").Node("Unique", {"x"}, "y");
  EXPECT_EQ(b.ImportError(),
            "m.onnx: node \"n_y\" (Unique, opset 13): input X = x: must be a constant");
}

}  // namespace
}  // namespace vta::compiler
