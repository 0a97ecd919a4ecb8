// Convolutions of folded windows: taps that complete the window cost nothing.
#include <gtest/gtest.h>

#include "compiler/graph/window_fold.h"
#include "compiler/targets/vta/lower/lower.h"
#include "compiler/targets/vta/plan.h"
#include "tests/unit/compiler/stem.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler::targets {
namespace {

/// Products of elements that the program of 3 channels of 16x16, through a window of 7x7 at a
/// stride of 2 to 32 channels of 8x8, makes.
int64_t FoldedProducts(const std::string& config_name, const WindowFold& fold) {
  const isa::Config config = ConfigNamed(config_name);
  const Graph stem = Stem(3, 16, 7, 2, 32), folded = FoldedAlone(stem, stem.nodes()[0], fold);
  const NodeId conv = 1;
  const StepPlan plan = PlanStep(config, folded, {&conv, 1});
  const TaskProgram program =
      LowerTasks(config, plan.schedule(nullptr).function(), isa::Rounding::kSingle, plan.sparse);
  int64_t made = 0;
  for (const Task& task : program.tasks)
    if (const Gemm* gemm = std::get_if<Gemm>(&task.op); gemm && gemm->writes != GemmWrites::kZero)
      made +=
          gemm->nest.iter_out * gemm->nest.iter_in * std::ssize(program.kernels[gemm->nest.kernel]);
  return made;
}

TEST(FoldedWindow, MultipliesOnlyByTapsThatTheWindowHas) {
  // 2x7x3 = 42 channels are 3 elements of 16, for each of 4 taps; the last has 21: 3 * 3 + 2.
  for (const char* config : {"default", "two_banks", "only_requant"})
    EXPECT_EQ(FoldedProducts(config, {2, 7}), 8 * 8 * 2 * 11) << config;
  // As many elements, in blocks of two: the second block's last element is never there.
  EXPECT_EQ(FoldedProducts("kv260", {2, 7}), 8 * 8 * 11);
  // 2 elements of 32 and once 1; 4x7x3 = 84 channels are 6 elements, then 63 are 4; all are 10.
  EXPECT_EQ(FoldedProducts("zcu104", {2, 7}), 8 * 8 * 7);
  EXPECT_EQ(FoldedProducts("default", {4, 7}), 8 * 8 * 2 * 10);
  EXPECT_EQ(FoldedProducts("default", {7, 7}), 8 * 8 * 2 * 10);
}

}  // namespace
}  // namespace vta::compiler::targets
