// Programs of two layers as one: the tasks, the tokens at the seam, and where each part begins.
#include "compiler/targets/vta/tasks/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/targets/vta/tasks/emit.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler::targets {
namespace {

using testing::ElementsAre;

/// Two tiles, each of which is loaded, widened and stored: x at `from` becomes y at `to`, one
/// element each, in rows `slot` and behind it of the scratchpads.
TaskProgram Layer(int64_t from, int64_t to, int64_t slot) {
  TaskBuilder builder("layer");
  const int64_t x = builder.AddTensor({"x", isa::MemoryType::kInp, 2, from});
  const int64_t y = builder.AddTensor({"y", isa::MemoryType::kOut, 2, to});
  for (int64_t tile = 0; tile < 2; ++tile) {
    Dma load;
    load.tensor = x, load.x_size = load.x_stride = 1, load.sram = slot + tile, load.dram = tile;
    builder.Add(load);
    Gemm gemm;
    gemm.nest.kernel = builder.Intern({{slot + tile, slot + tile, 0}});
    builder.Add(gemm);
    Dma store;
    store.store = true;
    store.tensor = y, store.x_size = store.x_stride = 1, store.sram = slot + tile,
    store.dram = tile;
    builder.Add(store);
  }
  builder.Add(Finish{});
  return std::move(builder).Take();
}

/// Where its tensors are in these tests.
std::vector<int64_t> Offsets(const TaskProgram& program) {
  std::vector<int64_t> offsets;
  for (const DramTensor& tensor : program.tensors) offsets.push_back(tensor.offset_bytes);
  return offsets;
}

std::string TokensOf(const Task& task) {
  const Tokens& t = task.tokens;
  return StrCat(t.pop_prev ? "<p" : "", t.pop_next ? "<n" : "", t.push_prev ? ">p" : "",
                t.push_next ? ">n" : "");
}

TEST(JoinTasks, LetsALayerBeginWhereItNeedNotWait) {
  const isa::Config config = ConfigNamed("default");
  // The second layer reads what the first one stores: its first load waits for the first store
  // alone, by way of the compute task between them, and its second one for the second store.
  const TaskProgram first = Layer(0, 4096, 0), second = Layer(4096, 8192, 0);
  const std::vector<int64_t> at = Offsets(first), behind = Offsets(second);
  const PlacedTasks parts[] = {{&first, at}, {&second, behind}};
  auto [joined, counts] = JoinTasks(parts);
  ASSERT_EQ(joined.tasks.size(), 13u);
  EXPECT_EQ(joined.kernels.size(), 2u);  // both layers have the same
  ConnectTasks(config, 65536, &joined);
  EXPECT_THAT(PartStarts(counts, joined), ElementsAre(0, 7));
  std::vector<std::string> tokens;
  for (const Task& task : joined.tasks) tokens.push_back(TokensOf(task));
  EXPECT_THAT(tokens, ElementsAre("",                          // micro-ops
                                  ">n", "<p>n", "<p>p",        // load, gemm, store
                                  ">n", "<p<n>p>n", "<p>p",    // the gemm waits for that store,
                                  "<n>n", "<p<n>p>n", "<p",    // the load for that gemm,
                                  "<n>n", "<p>n", "<p", ""));  // and so again
}

TEST(JoinTasks, WaitsForNothingBetweenLayersThatShareNothing) {
  const isa::Config config = ConfigNamed("default");
  const TaskProgram first = Layer(0, 4096, 0), second = Layer(8192, 16384, 2);
  const std::vector<int64_t> at = Offsets(first), behind = Offsets(second);
  const PlacedTasks parts[] = {{&first, at}, {&second, behind}};
  TaskProgram joined = JoinTasks(parts).program;
  EXPECT_EQ(ConnectTasks(config, 65536, &joined).nops, 0);
  for (const Task& task : joined.tasks) {
    EXPECT_FALSE(task.tokens.push_prev || task.tokens.pop_next) << PrintTask(joined, task);
  }
}

}  // namespace
}  // namespace vta::compiler::targets
