// Chapter 6: an operator of one's own on VTA, with an instruction of one's own.
#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/vta/lower/intrinsics.h"
#include "compiler/targets/vta/lower/lower.h"
#include "compiler/targets/vta/tasks/emit.h"
#include "compiler/te/te.h"
#include "compiler/tensorize/declare.h"
#include "compiler_writer/device.h"
#include "compiler_writer/native.h"
#include "driver/functional/functional_device.h"
#include "isa/support/shipped.h"

using namespace vta;
using namespace vta::compiler;  // NOLINT: a program about it
using te::DType, te::Expr, te::ReduceAxis, te::Tensor;

namespace {

constexpr isa::Rounding kRounding = isa::Rounding::kSingle;
constexpr int64_t kRows = 8, kIn = 4, kOut = 6;
const std::string kAcc = targets::kAccScope;

/// y = min(max(x w^T >> 8, 0)^2 >> 3, 127): a dense layer with a squared ReLU.
loop::Function Define() {
  const Tensor x = te::Placeholder("x", {kRows, kIn, 16});
  const Tensor w = te::Placeholder("w", {kOut, kIn, 16, 16});
  const ReduceAxis k("k", kIn), c("c", 16);
  const std::vector<te::Axis> axes = {{"m", kRows}, {"n", kOut}, {"o", 16}};
  const auto product = [&](Expr m, Expr n, Expr o) {
    return te::ReduceSum(Cast(DType::kInt32, x(m, k, c)) * Cast(DType::kInt32, w(n, k, o, c)),
                         {k, c});
  };
  using Index = const std::vector<Expr>&;
  const Tensor sum = te::Compute("sum", axes, product, kAcc);
  const Tensor scaled = te::Compute(
      "scaled", axes,
      [&](Index at) {
        return Apply(loop::Op::kShr, {sum.At(at), 8});
      },
      kAcc);
  const Tensor relu = te::Compute(
      "relu", axes, [&](Index at) { return Max(scaled.At(at), 0); }, kAcc);
  const Tensor squared = te::Compute(
      "squared", axes, [&](Index at) { return relu.At(at) * relu.At(at); }, kAcc);
  const Tensor rescaled = te::Compute(
      "rescaled", axes,
      [&](Index at) {
        return Apply(loop::Op::kShr, {squared.At(at), 3});
      },
      kAcc);
  const Tensor clipped = te::Compute(
      "clipped", axes, [&](Index at) { return Min(rescaled.At(at), 127); }, kAcc);
  const Tensor y =
      te::Compute("y", axes, [&](Index at) { return Cast(DType::kInt8, clipped.At(at)); });
  return te::Lower("squared_relu", {x, w, y});
}

/// A row times itself: one micro-op of the ALU, whose both operands are that row.
tensorize::IntrinsicRef Square() {
  const Tensor a = te::Placeholder("a", {16}, DType::kInt32, kAcc);
  const Tensor out = te::Compute(
      "out", {{"o", 16}}, [&](Expr o) { return a(o) * a(o); }, kAcc);
  return tensorize::Declare("square", out, {a}, {.compute = "alu mul"});
}

const std::string kSteps = R"(
split y n 1
split y no 2
reorder y noo noi m ni o
compute_at clipped y noi
compute_at rescaled y noi
compute_at squared y noi
compute_at relu y noi
compute_at scaled y noi
compute_at sum y noi
inplace scaled sum
inplace relu sum
inplace squared sum
inplace rescaled sum
inplace clipped sum
reorder sum k m n o c
decompose_reduction sum k
cache_read sum x inp
compute_at x_inp y noi
cache_read sum w wgt
compute_at w_wgt y noi
tensorize sum_init o vta.gemm
tensorize sum o vta.gemm
tensorize scaled o vta.shr_imm
tensorize relu o vta.max_imm
tensorize squared o square
tensorize rescaled o vta.shr_imm
tensorize clipped o vta.min_imm
virtual_thread y noi
)";

std::vector<int8_t> Compute(const std::vector<int8_t>& x, const std::vector<int8_t>& w) {
  std::vector<int8_t> y(kRows * kOut * 16);
  for (int64_t i = 0; i < std::ssize(y); ++i) {
    const int64_t m = i / (kOut * 16), n = i / 16 % kOut, o = i % 16;
    int32_t sum = 0;
    for (int64_t j = 0; j < kIn * 16; ++j)
      sum += x[m * kIn * 16 + j] * w[((n * kIn + j / 16) * 16 + o) * 16 + j % 16];
    const int32_t relu = std::max(sum >> 8, 0);
    y[i] = static_cast<int8_t>(std::min(relu * relu >> 3, 127));
  }
  return y;
}

}  // namespace

int main() {
  return Chapter([] {
    const isa::Config config = isa::LoadConfig(ShippedPath("isa/configs/default.json"));
    std::vector<tensorize::IntrinsicRef> instructions = targets::Intrinsics(config, kRounding);
    instructions.push_back(Square());
    loop::Schedule schedule(Define(), instructions);
    schedule.Replay(kSteps);
    targets::TaskProgram program = targets::LowerTasks(config, schedule.function(), kRounding);
    targets::FinishTasks(config, &program);
    for (const targets::Task& task : program.tasks)
      if (std::holds_alternative<targets::Alu>(task.op))
        std::cout << targets::PrintTask(program, task) << "\n";

    std::vector<int8_t> x = Random<int8_t>(kRows * kIn * 16, 1);
    std::vector<int8_t> w = Random<int8_t>(kOut * kIn * 256, 2), y(kRows * kOut * 16);
    const std::vector<int8_t> want = Compute(x, w);
    driver::FunctionalDevice device(config);
    RunProgram(config, program, {{"x", Bytes(x)}, {"w", Bytes(w)}, {"y", Bytes(y)}}, "y", device);
    ExpectSame("on VTA", y, want);
    // The definition says what the instruction does: it runs on any CPU, too.
    Run(schedule.function(), x, w, y);
    ExpectSame("on the CPU", y, want);
  });
}
