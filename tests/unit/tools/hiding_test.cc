// A network compiled for each way of hiding latency: other programs, the same outputs.
#include "compiler/targets/vta/kernels/hiding.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/support/files.h"
#include "tools/vta/common/session.h"

namespace vta::tools {
namespace {

using compiler::targets::Hiding;

TEST(HidingWays, GiveTheSameOutputs) {
  std::vector<std::vector<uint8_t>> wanted;
  std::set<std::vector<uint8_t>> codes;
  for (const Hiding hiding : {Hiding::kAny, Hiding::kOneSlot, Hiding::kSlots, Hiding::kThreads}) {
    ModelOptions options;
    options.model = SourcePath("tools/demo/digits_int8.onnx");
    options.hiding = hiding;
    OpenedModel opened = OpenModel(options);
    codes.insert(opened.package.code);
    EngineSession session(LoadModel(std::move(opened.package), options.model, nullptr), {});
    std::mt19937 random(1);
    std::vector<std::vector<uint8_t>> inputs;
    for (const int64_t tensor : session.package().inputs) {
      std::vector<uint8_t>& bytes = inputs.emplace_back(session.package().tensors[tensor].bytes());
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() % 64);
    }
    const std::vector<std::vector<uint8_t>> outputs = session.Run(inputs);
    if (wanted.empty()) wanted = outputs;
    EXPECT_EQ(outputs, wanted) << static_cast<int>(hiding);
  }
  EXPECT_GE(codes.size(), 3);
}

}  // namespace
}  // namespace vta::tools
