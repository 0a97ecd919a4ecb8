// GEMM tasks cut in two: random ones do the same, in parts as long as asked for.
#include "compiler/targets/vta/tasks/cut_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace vta::compiler::targets {
namespace {

using Points = std::vector<std::tuple<int64_t, int64_t, int64_t>>;

void Append(const TaskProgram& program, const LoopNest& nest, Points* points) {
  for (int64_t out = 0; out < nest.iter_out; ++out)
    for (int64_t in = 0; in < nest.iter_in; ++in)
      for (const isa::Uop& uop : program.kernels.at(nest.kernel))
        points->emplace_back(uop.dst + out * nest.dst_out + in * nest.dst_in,
                             uop.src + out * nest.src_out + in * nest.src_in,
                             uop.wgt + out * nest.wgt_out + in * nest.wgt_in);
}

TEST(CutGemm, TwoPartsDoWhatTheWholeDoes) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    auto draw = [&](int64_t least, int64_t most) {
      return least + static_cast<int64_t>(random() % (most - least + 1));
    };
    TaskProgram program;
    UopKernel kernel;
    for (int64_t uops = draw(1, 3); uops > 0; --uops)
      kernel.push_back({draw(0, 9), draw(0, 9), draw(0, 9)});
    program.kernels = {{{}}, kernel};
    Gemm gemm{{1, -1, draw(1, 6), draw(2, 6), draw(0, 9), draw(0, 9), draw(0, 9), draw(0, 9),
               draw(0, 9), draw(0, 9)},
              GemmWrites::kProduct};
    Points whole, parts;
    Append(program, gemm.nest, &whole);
    const int64_t taken = draw(1, CutIterations(gemm) - 1);
    const auto [first, second] = CutGemm(gemm, taken, &program);
    Append(program, first.nest, &parts);
    EXPECT_EQ(std::ssize(parts) * CutIterations(gemm), std::ssize(whole) * taken);
    Append(program, second.nest, &parts);
    std::ranges::sort(whole), std::ranges::sort(parts);
    EXPECT_EQ(parts, whole);
    EXPECT_EQ(first.writes, GemmWrites::kProduct);
    EXPECT_EQ(second.writes, GemmWrites::kProduct);
    // The same again is the same kernel.
    const size_t kernels = program.kernels.size();
    EXPECT_EQ(CutGemm(gemm, taken, &program), std::pair(first, second));
    EXPECT_EQ(program.kernels.size(), kernels);
  }
}

TEST(CutGemm, OnlyUsedKernelsStay) {
  TaskProgram program;
  program.kernels = {{{1, 0, 0}}, {{2, 0, 0}}, {{3, 0, 0}}};
  program.tasks = {{Gemm{{2}}, {}}, {Finish{}, {}}, {Alu{{1}}, {}}, {Gemm{{2}}, {}}};
  DropUnusedKernels(&program);
  EXPECT_EQ(program.kernels, (std::vector<UopKernel>{{{2, 0, 0}}, {{3, 0, 0}}}));
  EXPECT_EQ(NestOf(program.tasks[0])->kernel, 1);
  EXPECT_EQ(NestOf(program.tasks[2])->kernel, 0);
  EXPECT_EQ(NestOf(program.tasks[3])->kernel, 1);
}

}  // namespace
}  // namespace vta::compiler::targets
