// Chapter 5: the same operator on the CPU, by another schedule of the same definition.
#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/cpu/intrinsics.h"
#include "compiler_writer/dense.h"
#include "compiler_writer/native.h"

using namespace vta::compiler;  // NOLINT: a program about it

namespace {

const std::string kSteps = R"(
compute_inline shifted
compute_inline relu
compute_inline clipped
split y m 4
reorder y n mo mi o
compute_at sum y mo
set_scope sum local
cache_read sum w local
compute_at w_local y n
transform_layout w_local 0 1 3/4 2 3%4
split sum c 4
reorder sum k co m n_1 o ci
tensorize sum o sdot
vectorize y o
parallel y n
)";

}  // namespace

int main() {
  return Chapter([] {
    const Dense dense{.rows = 32, .in = 16, .out = 16};
    loop::Schedule schedule(dense.Define(), targets::DotIntrinsics());
    schedule.Replay(kSteps);
    std::cout << Print(schedule.function());

    std::vector<int8_t> x = Random<int8_t>(dense.rows * dense.in * 16, 1);
    std::vector<int8_t> w = Random<int8_t>(dense.out * dense.in * 256, 2);
    std::vector<int8_t> y(dense.rows * dense.out * 16);
    Run(schedule.function(), x, w, y);
    ExpectSame("dense", y, dense.Compute(x, w));
  });
}
