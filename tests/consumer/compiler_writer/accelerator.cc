// Chapter 4: an operator on VTA, tensorised and double-buffered by two virtual threads.
#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/vta/lower/intrinsics.h"
#include "compiler/targets/vta/lower/lower.h"
#include "compiler/targets/vta/tasks/emit.h"
#include "compiler_writer/dense.h"
#include "compiler_writer/device.h"
#include "compiler_writer/native.h"
#include "driver/cycle/cycle_device.h"
#include "driver/functional/functional_device.h"
#include "isa/support/shipped.h"

using namespace vta;
using namespace vta::compiler;  // NOLINT: a program about it

namespace {

constexpr isa::Rounding kRounding = isa::Rounding::kSingle;

const std::string kTiles = R"(
split y n 2
split y no 2
reorder y noo noi m ni o
)";
// What the tile of one thread needs, computed there, each stage over the one before.
const std::string kStages = R"(
compute_at clipped y noi
compute_at relu y noi
compute_at shifted y noi
compute_at sum y noi
inplace shifted sum
inplace relu sum
inplace clipped sum
)";
// Steps of the sum, and the loads of each.
const std::string kSums = R"(
split sum k 2
reorder sum ko ki m n o c
decompose_reduction sum ko
cache_read sum x inp
compute_at x_inp sum ko
cache_read sum w wgt
compute_at w_wgt sum ko
)";
const std::string kInstructions = R"(
tensorize sum_init o vta.gemm
tensorize sum o vta.gemm
tensorize shifted o vta.shr_imm
tensorize relu o vta.max_imm
tensorize clipped o vta.min_imm
)";
const std::string kThreads = "virtual_thread y noi";

loop::Schedule Scheduled(const isa::Config& config, const Dense& dense, int threads) {
  loop::Schedule schedule(dense.Define(), targets::Intrinsics(config, kRounding));
  for (const std::string& steps : {kTiles, kStages, kSums, kInstructions}) schedule.Replay(steps);
  if (threads == 2) schedule.Replay(kThreads);
  return schedule;
}

targets::TaskProgram Program(const isa::Config& config, const loop::Function& scheduled) {
  targets::TaskProgram program = targets::LowerTasks(config, scheduled, kRounding);
  targets::FinishTasks(config, &program);
  return program;
}

int64_t Cycles(const isa::Config& config, const Dense& dense, int threads) {
  const targets::TaskProgram program =
      Program(config, Scheduled(config, dense, threads).function());
  std::vector<int8_t> x = Random<int8_t>(dense.rows * dense.in * 16, 1);
  std::vector<int8_t> w = Random<int8_t>(dense.out * dense.in * 256, 2);
  std::vector<int8_t> y(dense.rows * dense.out * 16);
  const Tensors tensors = {{"x", Bytes(x)}, {"w", Bytes(w)}, {"y", Bytes(y)}};
  driver::FunctionalDevice functional(config);
  RunProgram(config, program, tensors, "y", functional);
  ExpectSame(StrCat("threads: ", threads), y, dense.Compute(x, w));
  driver::CycleDevice cycle(config);
  return RunProgram(config, program, tensors, "y", cycle);
}

}  // namespace

int main() {
  return Chapter([] {
    const isa::Config config = isa::LoadConfig(ShippedPath("isa/configs/default.json"));
    const loop::Schedule schedule = Scheduled(config, {.rows = 4, .in = 2, .out = 8}, 2);
    std::cout << Print(schedule.function());
    std::cout << PrintTasks(Program(config, schedule.function()));
    const Dense layer{.rows = 32, .in = 16, .out = 16};
    const int64_t one = Cycles(config, layer, 1), two = Cycles(config, layer, 2);
    std::cout << "cycles: " << one << " of one thread, " << two << " of two\n";
  });
}
