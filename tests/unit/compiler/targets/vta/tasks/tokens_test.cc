// Tokens: every hazard is ordered, no queue overflows, nothing is superfluous; judged by a plain
// closure over all task pairs, independent of the vector clocks under test.
#include "compiler/targets/vta/tasks/tokens.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/targets/vta/tasks/rows.h"

namespace vta::compiler::targets {
namespace {

using Matrix = std::vector<std::vector<bool>>;

/// before[a][b]: a is complete before b starts. Queues are counted by hand.
Matrix HappensBefore(const TaskProgram& program) {
  const size_t n = program.tasks.size();
  Matrix before(n, std::vector<bool>(n));
  std::vector<size_t> pushes[4], pops[4];  // l->c, c->l, c->s, s->c
  std::vector<int> module;
  for (const Task& task : program.tasks)
    module.push_back(static_cast<int>(ModuleOf(program, task)));
  for (size_t t = 0; t < n; ++t) {
    const Tokens& tokens = program.tasks[t].tokens;
    const int push_next[] = {0, 2, -1}, push_prev[] = {-1, 1, 3};
    const int pop_next[] = {1, 3, -1}, pop_prev[] = {-1, 0, 2};
    if (tokens.push_next) pushes[push_next[module[t]]].push_back(t);
    if (tokens.push_prev) pushes[push_prev[module[t]]].push_back(t);
    if (tokens.pop_next) pops[pop_next[module[t]]].push_back(t);
    if (tokens.pop_prev) pops[pop_prev[module[t]]].push_back(t);
  }
  for (int q = 0; q < 4; ++q) {
    EXPECT_EQ(pushes[q].size(), pops[q].size());
    for (size_t k = 0; k < std::min(pushes[q].size(), pops[q].size()); ++k) {
      EXPECT_LT(pushes[q][k], pops[q][k]) << "not serially legal";
      before[pushes[q][k]][pops[q][k]] = true;
    }
  }
  for (size_t b = 0; b < n; ++b)
    for (size_t a = 0; a < b; ++a)
      if (module[a] == module[b]) before[a][b] = true;
  for (size_t k = 0; k < n; ++k)
    for (size_t a = 0; a < k; ++a)
      if (before[a][k])
        for (size_t b = k + 1; b < n; ++b)
          if (before[k][b]) before[a][b] = true;
  return before;
}

bool Overlap(std::span<const RowRange> a, std::span<const RowRange> b) {
  for (const RowRange& x : a)
    for (const RowRange& y : b)
      if (x.begin < y.end && y.begin < x.end) return true;
  return false;
}

bool DramConflict(const TaskProgram& program, const Task& a, const Task& b) {
  const Dma *x = std::get_if<Dma>(&a.op), *y = std::get_if<Dma>(&b.op);
  if (!x || !y || x->store == y->store || x->tensor != y->tensor) return false;
  for (int64_t i = 0; i < x->y_size; ++i)
    for (int64_t j = 0; j < y->y_size; ++j) {
      const int64_t p = x->dram + i * x->x_stride, q = y->dram + j * y->x_stride;
      if (p < q + y->x_size && q < p + x->x_size) return true;
    }
  return program.tensors.empty();
}

int64_t UnorderedHazards(const TaskProgram& program, const Matrix& before) {
  const isa::Config config;
  RowSets rows(config, program);
  int64_t open = 0;
  for (size_t b = 0; b < program.tasks.size(); ++b)
    for (size_t a = 0; a < b; ++a) {
      if (before[a][b]) continue;
      bool conflict = DramConflict(program, program.tasks[a], program.tasks[b]);
      for (const Access& x : rows.All(program.tasks[a]))
        for (const Access& y : rows.All(program.tasks[b]))
          conflict |= x.memory == y.memory && (x.write || y.write) && Overlap(x.rows, y.rows);
      open += conflict;
    }
  return open;
}

/// The most tokens that any order can gather in a queue, by the closure.
int64_t WorstOccupancy(const TaskProgram& program, const Matrix& before) {
  int64_t worst = 0;
  auto module = [&](size_t t) { return ModuleOf(program, program.tasks[t]); };
  for (const auto& [from, to, push, pop] : {std::tuple(isa::Module::kLoad, isa::Module::kCompute,
                                                       &Tokens::push_next, &Tokens::pop_prev),
                                            std::tuple(isa::Module::kCompute, isa::Module::kLoad,
                                                       &Tokens::push_prev, &Tokens::pop_next),
                                            std::tuple(isa::Module::kCompute, isa::Module::kStore,
                                                       &Tokens::push_next, &Tokens::pop_prev),
                                            std::tuple(isa::Module::kStore, isa::Module::kCompute,
                                                       &Tokens::push_prev, &Tokens::pop_next)}) {
    int64_t pushes = 0;
    for (size_t a = 0; a < program.tasks.size(); ++a) {
      if (module(a) != from || !(program.tasks[a].tokens.*push)) continue;
      ++pushes;
      int64_t pops = 0;
      for (size_t b = 0; b < program.tasks.size(); ++b)
        pops += module(b) == to && program.tasks[b].tokens.*pop && b < a && before[b][a];
      worst = std::max(worst, pushes - pops);
    }
  }
  return worst;
}

TaskProgram RandomProgram(std::mt19937& random, bool spill) {
  TaskBuilder builder("random");
  auto pick = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  const int64_t in = builder.AddTensor({"x", isa::MemoryType::kInp, 64, 0});
  const int64_t weights = builder.AddTensor({"w", isa::MemoryType::kWgt, 64, 4096});
  const int64_t out = builder.AddTensor({"y", isa::MemoryType::kOut, 64, 32768});
  const int64_t reload = spill ? builder.AddTensor({"y_in", isa::MemoryType::kInp, 64, 32768}) : in;
  const int64_t tasks = 5 + pick(40);
  for (int64_t t = 0; t < tasks; ++t) {
    Dma dma;
    dma.x_size = 1 + pick(4), dma.y_size = 1 + pick(3), dma.x_stride = dma.x_size + pick(3);
    dma.sram = pick(24), dma.dram = pick(40);
    switch (random() % 5) {
      case 0:
        dma.tensor = random() % 2 ? in : reload;
        builder.Add(dma);
        break;
      case 1:
        dma.tensor = weights;
        builder.Add(dma);
        break;
      case 2:
        dma.store = true;
        dma.tensor = out;
        builder.Add(dma);
        break;
      default: {
        Gemm gemm;
        gemm.nest.kernel = builder.Intern({{pick(20), pick(20), pick(20)}});
        gemm.nest.iter_out = 1 + pick(4);
        gemm.nest.dst_out = pick(4), gemm.nest.src_out = pick(4), gemm.nest.wgt_out = pick(4);
        if (random() % 4 == 0) gemm.writes = GemmWrites::kZero;
        builder.Add(gemm);
      }
    }
  }
  builder.Add(Finish{});
  return std::move(builder).Take();
}

TEST(Tokens, RandomProgramsAreOrderedAndFit) {
  std::mt19937 random(4);
  isa::Config config;
  config.version = isa::Version::k100;
  int64_t nops = 0;
  for (int round = 0; round < 400; ++round) {
    config.arch.token_capacity = round % 2 ? 1 + round % 5 : 255;
    TaskProgram program = RandomProgram(random, round % 4 == 0);
    const TokenStats stats = InsertTokens(config, &program);
    const Matrix before = HappensBefore(program);
    // y and y_in are one array under two element types of equal size.
    TaskProgram merged = program;
    for (Task& task : merged.tasks)
      if (Dma* dma = std::get_if<Dma>(&task.op))
        if (dma->tensor == 3) dma->tensor = 2;
    EXPECT_EQ(UnorderedHazards(program, before), 0) << "round " << round;
    for (size_t b = 0; b < merged.tasks.size(); ++b)
      for (size_t a = 0; a < b; ++a)
        if (DramConflict(merged, merged.tasks[a], merged.tasks[b])) {
          EXPECT_TRUE(before[a][b]) << "round " << round << ": " << a << " " << b;
        }
    EXPECT_LE(WorstOccupancy(program, before), config.arch.token_capacity) << "round " << round;
    EXPECT_EQ(WorstOccupancy(program, before), stats.most_tokens);
    nops += stats.nops;
    if (round % 4) {
      EXPECT_EQ(stats.nops, 0);
    }
  }
  EXPECT_GT(nops, 0);  // some spilled values are reloaded with no compute task in between
}

TEST(Tokens, NothingIsSuperfluous) {
  std::mt19937 random(5);
  isa::Config config;
  config.version = isa::Version::k100;
  for (int round = 0; round < 60; ++round) {
    TaskProgram program = RandomProgram(random, false);
    InsertTokens(config, &program);
    // Without the k-th push and the k-th pop of a queue some hazard is open.
    const struct {
      isa::Module from, to;
      bool Tokens::*push, Tokens::*pop;
    } queues[] = {
        {isa::Module::kLoad, isa::Module::kCompute, &Tokens::push_next, &Tokens::pop_prev},
        {isa::Module::kCompute, isa::Module::kLoad, &Tokens::push_prev, &Tokens::pop_next},
        {isa::Module::kCompute, isa::Module::kStore, &Tokens::push_next, &Tokens::pop_prev},
        {isa::Module::kStore, isa::Module::kCompute, &Tokens::push_prev, &Tokens::pop_next}};
    for (const auto& queue : queues) {
      std::vector<size_t> pushes, pops;
      for (size_t t = 0; t < program.tasks.size(); ++t) {
        const isa::Module module = ModuleOf(program, program.tasks[t]);
        if (module == queue.from && program.tasks[t].tokens.*queue.push) pushes.push_back(t);
        if (module == queue.to && program.tasks[t].tokens.*queue.pop) pops.push_back(t);
      }
      for (size_t k = 0; k < pushes.size(); ++k) {
        TaskProgram less = program;
        less.tasks[pushes[k]].tokens.*queue.push = false;
        less.tasks[pops[k]].tokens.*queue.pop = false;
        EXPECT_GT(UnorderedHazards(less, HappensBefore(less)), 0) << "round " << round;
      }
    }
  }
}

TEST(Tokens, OldHardwareWaitsBeforeFinish) {
  TaskProgram program = ParseTasks(
      "program p\ntensor y : out[8] @0\nkernel k0 (0,0,0)\n"
      "gemm k0 1x1 dst 0 0 src 0 0 wgt 0 0 reset\nstore2d out[0] -> y[0] 1x1 stride 1\nfinish\n",
      "p");
  TaskProgram modern = program;
  InsertTokens(isa::Config(), &program);
  EXPECT_EQ(PrintTask(program, program.tasks[1]),
            "store2d out[0] -> y[0] 1x1 stride 1 ; pop_prev push_prev");
  EXPECT_EQ(PrintTask(program, program.tasks[2]), "nop ; pop_next");
  isa::Config config;
  config.version = isa::Version::k100;
  EXPECT_EQ(InsertTokens(config, &modern).nops, 0);
  EXPECT_EQ(PrintTask(modern, modern.tasks[2]), "finish");
}

}  // namespace
}  // namespace vta::compiler::targets
