#include "tests/network/exported.h"

#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include "compiler/frontend/onnx.h"
#include "compiler/frontend/onnx/export.h"
#include "compiler/graph/evaluate.h"

namespace vta::test {

using namespace vta::compiler;  // NOLINT: these are tests of it

void ExpectExported(const Graph& graph, const std::vector<Tensor>& inputs,
                    const std::vector<Tensor>& outputs, const std::string& name) {
  std::vector<uint8_t> bytes;
  try {
    bytes = ExportOnnx(graph);
  } catch (const Error& error) {
    std::printf("not written: %s: %s\n", name.c_str(), error.what());
    EXPECT_TRUE(error.rule().find("ONNX") != std::string::npos) << error.what();
    return;
  }
  constexpr int64_t kMostChecked = 17;  // the newest opset of the checker that is installed
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) << name;
  if (model.opset_import(0).version() <= kMostChecked) {
    EXPECT_NO_THROW(onnx::checker::check_model(model)) << name;
  }
  EXPECT_EQ(Evaluate(ImportOnnx(bytes, name), inputs), outputs) << name;
}

}  // namespace vta::test
