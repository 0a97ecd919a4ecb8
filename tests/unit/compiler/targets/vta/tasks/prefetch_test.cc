// Weights that are loaded while the parts in front of theirs compute: where, and from when on.
#include "compiler/targets/vta/tasks/prefetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/targets/vta/tasks/emit.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler::targets {
namespace {

using testing::ElementsAre;

constexpr int64_t kElement = 32;  // cycles of an element of weights on the config of these tests

/// Tiles that load an input, multiply it by each of so many weights `times` times, and store the
/// sum. Shape: x, y [tiles] elements, w [weights].
TaskProgram Layer(int64_t from, int64_t to, int64_t weights_at, int64_t tiles, int64_t weights,
                  int64_t times) {
  TaskBuilder builder("layer");
  const int64_t w = builder.AddTensor({"w", isa::MemoryType::kWgt, weights, weights_at});
  const int64_t x = builder.AddTensor({"x", isa::MemoryType::kInp, tiles, from});
  const int64_t y = builder.AddTensor({"y", isa::MemoryType::kOut, tiles, to});
  Dma load;
  load.tensor = w, load.x_size = load.x_stride = weights;
  builder.Add(load);
  UopKernel products;
  for (int64_t i = 0; i < weights; ++i) products.push_back({0, 0, i});
  for (int64_t tile = 0; tile < tiles; ++tile) {
    const int64_t slot = tile % 2;
    load.tensor = x, load.x_size = load.x_stride = 1, load.sram = slot, load.dram = tile;
    builder.Add(load);
    for (GemmWrites writes : {GemmWrites::kZero, GemmWrites::kSum}) {
      const bool sums = writes == GemmWrites::kSum;
      UopKernel kernel = sums ? products : UopKernel{{0, 0, 0}};
      for (isa::Uop& uop : kernel) uop.dst = uop.src = slot;
      builder.Add(Gemm{{.kernel = builder.Intern(kernel), .iter_out = sums ? times : 1}, writes});
    }
    Dma store{.store = true, .tensor = y, .sram = slot, .dram = tile};
    store.x_size = store.x_stride = 1;
    builder.Add(store);
  }
  builder.Add(Finish{});
  return std::move(builder).Take();
}

std::vector<int64_t> OffsetsIn(const TaskProgram& program) {
  std::vector<int64_t> offsets;
  for (const DramTensor& tensor : program.tensors) offsets.push_back(tensor.offset_bytes);
  return offsets;
}

JoinedTasks Joined(std::initializer_list<const TaskProgram*> programs, const isa::Config* config) {
  std::vector<std::vector<int64_t>> offsets;
  std::vector<PlacedTasks> parts;
  for (const TaskProgram* program : programs) offsets.push_back(OffsetsIn(*program));
  for (const TaskProgram* program : programs) parts.push_back({program, offsets[parts.size()]});
  JoinedTasks joined = JoinTasks(parts);
  if (config) PrefetchWeights(*config, &joined);
  return joined;
}

/// The loads of weights: where each stands, of its tensor, rows and elements.
struct Load {
  int64_t task;
  std::string tensor;
  int64_t sram, dram, size;
};
std::vector<Load> Weights(const TaskProgram& program) {
  std::vector<Load> loads;
  for (int64_t i = 0; i < std::ssize(program.tasks); ++i)
    if (const Dma* dma = std::get_if<Dma>(&program.tasks[i].op);
        dma && program.tensors[dma->tensor].element == isa::MemoryType::kWgt)
      loads.push_back(
          {i, program.tensors[dma->tensor].name, dma->sram, dma->dram, dma->y_size * dma->x_size});
  return loads;
}

/// The memory after the program ran on random tensors, whose elements may be stored as well.
std::vector<uint8_t> After(const isa::Config& config, JoinedTasks joined) {
  constexpr int64_t kUops = 1 << 18;
  ConnectTasks(config, kUops, &joined.program);
  VerifyTasks(config, joined.program);
  const isa::Layout layout(config);
  std::mt19937 random(3);
  std::vector<uint8_t> memory = RandomBytes(kUops, random);
  const std::vector<uint8_t> uops = EncodeKernels(layout, joined.program);
  memory.insert(memory.end(), uops.begin(), uops.end());
  memory.resize((memory.size() + 4095) / 4096 * 4096);
  const std::vector<uint8_t> code = CodeBytes(EncodeTasks(layout, joined.program));
  const auto program = memory.size();
  memory.insert(memory.end(), code.begin(), code.end());
  for (const sim::ModuleOrder order :
       {sim::ModuleOrder::kStoreFirst, sim::ModuleOrder::kOldestFirst}) {
    std::vector<uint8_t> ran = memory;
    const isa::LaunchResult result =
        sim::Machine(config, {.order = order})
            .Run({program, std::ssize(code) / isa::kInstructionBytes, {}}, ran);
    EXPECT_EQ(result.outcome, isa::Outcome::kFinished);
    ran.resize(kUops);
    if (order == sim::ModuleOrder::kOldestFirst) return ran;
  }
  return {};
}

TEST(PrefetchWeights, LoadsThemWhileOthersCompute) {
  const isa::Config config = ConfigNamed("default");
  // Each tile of the first layer computes for 4 x 200 cycles, and loads for 2.
  const TaskProgram first = Layer(0, 8192, 65536, 8, 4, 200);
  const TaskProgram second = Layer(8192, 16384, 131072, 2, 100, 1);
  const JoinedTasks plain = Joined({&first, &second}, nullptr);
  const JoinedTasks joined = Joined({&first, &second}, &config);
  const std::vector<Load> loads = Weights(joined.program);
  ASSERT_GT(loads.size(), 3u);
  EXPECT_EQ(loads[0].size, 4);
  EXPECT_EQ(loads[0].sram, 0);
  // In pieces, none while everything waits for the first input; behind the first layer's rows.
  int64_t next = 0;
  for (size_t i = 1; i < loads.size(); ++i) {
    EXPECT_EQ(loads[i].tensor, "layer1_w");
    EXPECT_EQ(loads[i].dram, next);
    EXPECT_EQ(loads[i].sram, 4 + next);
    EXPECT_GT(loads[i].task, 3);
    next += loads[i].size;
    if (i + 1 < loads.size()) {
      EXPECT_LT(loads[i].size * kElement, 800);
    }
  }
  EXPECT_EQ(next, 100);
  EXPECT_EQ(joined.counts[0] + joined.counts[1], std::ssize(joined.program.tasks) - 1);
  EXPECT_GE(joined.counts[0], plain.counts[0] + std::ssize(loads) - 2);
  EXPECT_EQ(After(config, joined), After(config, plain));
}

TEST(PrefetchWeights, LeavesRowsThatOthersNeedAndLoadsWhatIsConstant) {
  isa::Config config = ConfigNamed("default");
  const TaskProgram first = Layer(0, 8192, 65536, 8, 4, 200);
  const TaskProgram second = Layer(8192, 16384, 131072, 2, 100, 1);
  const JoinedTasks plain = Joined({&first, &second}, nullptr);
  config.arch.wgt_depth = 100;  // not for both
  EXPECT_EQ(Joined({&first, &second}, &config).program, plain.program);
  // Weights that the first layer stores.
  config = ConfigNamed("default");
  const TaskProgram stored = Layer(8192, 16384, 8192, 2, 1, 100);
  const JoinedTasks behind = Joined({&first, &stored}, &config);
  EXPECT_EQ(Weights(behind.program).back().task, behind.counts[0]);
  // Where the first layer's loads are what takes time.
  const TaskProgram busy = Layer(0, 8192, 65536, 8, 4, 1);
  const JoinedTasks after = Joined({&busy, &second}, &config);
  EXPECT_EQ(Weights(after.program).size(), 2u);
}

TEST(PrefetchWeights, SeveralLayersAhead) {
  const isa::Config config = ConfigNamed("default");
  const TaskProgram first = Layer(0, 8192, 65536, 8, 4, 400);
  const TaskProgram short_one = Layer(8192, 16384, 131072, 2, 50, 1);
  const TaskProgram last = Layer(16384, 24576, 196608, 2, 60, 1);
  const JoinedTasks plain = Joined({&first, &short_one, &last}, nullptr);
  const JoinedTasks joined = Joined({&first, &short_one, &last}, &config);
  int64_t ahead = 0;
  for (const Load& load : Weights(joined.program))
    if (load.tensor == "layer2_w" && load.task < joined.counts[0]) ahead += load.size;
  EXPECT_GT(ahead, 40);
  EXPECT_EQ(After(config, joined), After(config, plain));
}

}  // namespace
}  // namespace vta::compiler::targets
