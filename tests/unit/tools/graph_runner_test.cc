// Graphs on this CPU, with as many threads as somebody asked for.
#include "tools/vta/common/graph_runner.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "compiler/graph/graph.h"
#include "compiler/graph/ops.h"

namespace vta::tools {
namespace {

int64_t ThreadsOfThisProcess() {
  using Entries = std::filesystem::directory_iterator;
  return std::distance(Entries("/proc/self/task"), Entries());
}

TEST(OnCpu, HasSoManyThreads) {
  compiler::Graph graph("relu");
  const compiler::TensorType type{compiler::DType::kFloat32, {1, 16, 64, 64}};
  const compiler::ValueId x = graph.AddInput("x", type);
  graph.AddOutput("y", graph.Emit(compiler::Op::kRelu, "y", {x}, {}));
  const std::vector<compiler::Tensor> inputs = {compiler::Tensor(type)};
  const int64_t before = ThreadsOfThisProcess();
  for (const int64_t threads : {1, 2, 5}) {
    const compiler::quantize::Runner runner = OnCpu(threads)(graph);
    EXPECT_EQ(runner(inputs).size(), 1);
    EXPECT_EQ(ThreadsOfThisProcess() - before, threads - 1);
  }
  EXPECT_EQ(ThreadsOfThisProcess(), before);
}

}  // namespace
}  // namespace vta::tools
