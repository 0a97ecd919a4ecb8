// Which nests of threads multiply matrices as warps, and which do not: these stay right by doing
// what is declared.
#include "compiler/llvm/warp.h"

#include <gmock/gmock.h>

#include "compiler/loop/parser.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/lower/kernel.h"
#include "compiler/targets/gpu/warp_product.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/llvm/native.h"

namespace vta::compiler::llvm {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Nest {
  std::string rows = "8", threads = "4";
  std::string place = "vt * 2 + vj";  // of a thread's column
  std::string row = "vr";             // of a thread's weights
  int64_t apart = 2;                  // how far pairs of weights of a thread are
  std::string machine = "sm_80";
};

/// PTX of a product of 16 x 8 by 8 x 8.
std::string PtxOf(const Nest& nest) {
  const std::string threads = StrCat("for r in ", nest.rows, " thread { for t in ", nest.threads,
                                     " thread { "),
                    iters = StrCat("vr: ", nest.rows, " = r, vt: ", nest.threads, " = t");
  const std::string text = StrCat(R"(
func f(w: float32[8, 4, 2, 2], x: float32[8, 16], y: float32[2, 8, 16]) {
  alloc a: float32[8, 4, 2, 2] @shared
  alloc b: float32[8, 16] @shared
  alloc s: float32[2, 8, 16] @local
  for r in 8 thread { for t in 4 thread { for p in 2 { for i in 2 {
    block a(vr: 8 = r, vt: 4 = t, vp: 2 = p, vi: 2 = i) { a[vr, vt, vp, vi] = w[vr, vt, vp, vi] }
  } } } }
  for r in 8 thread { for t in 4 thread { for p in 4 {
    block b(vr: 8 = r, vt: 4 = t, vp: 4 = p) { b[vr, vt * 4 + vp] = x[vr, vt * 4 + vp] }
  } } }
  )",
                                  threads, "for i in 2 unroll { for j in 2 unroll { block s_init(",
                                  iters, R"(, vi: 2 = i, vj: 2 = j) { s[vi, vr, vt * 2 + vj] = 0f }
  } } } }
  )",
                                  threads,
                                  R"(for i in 2 { for j in 2 { for kp in 2 { for kt in 4 {
    block s()",
                                  iters, R"(, vi: 2 = i, vj: 2 = j, reduce vkp: 2 = kp,
            reduce vkt: 4 = kt) {
      s[vi, vr, vt * 2 + vj] = s[vi, vr, vt * 2 + vj] + a[)",
                                  nest.row, ", vkt, vkp, vi] * b[vkp * 4 + vkt, ", nest.place, R"(]
    } } } } } } }
  )",
                                  threads, "for i in 2 { for j in 2 { block y(", iters,
                                  R"(, vi: 2 = i, vj: 2 = j) {
      y[vi, vr, vt * 2 + vj] = s[vi, vr, vt * 2 + vj]
    } } } } }
})");
  targets::GpuProduct product{1, 16, 8, 8, 1, 4, isa::Precision::kTf32};
  loop::Schedule schedule(loop::Parse(text), {targets::WarpProduct(product)});
  schedule.Do("storage_align", "a", 2, 8, nest.apart);
  schedule.Do("tensorize", "s", "i", kWarpTf32);
  const std::vector<lower::Kernel> kernels = {lower::PlanGpuKernel(schedule.function())};
  const std::vector<uint8_t> code =
      BuildModule(kernels, {"nvptx64-nvidia-cuda-unknown", "", {nest.machine}, 128});
  return {code.begin(), code.end()};
}

constexpr const char* kProduct = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32";

TEST(WarpProduct, IsOneInstructionOfTheWarp) {
  const std::string text = PtxOf({});
  EXPECT_THAT(text, HasSubstr(kProduct));
  EXPECT_THAT(text, HasSubstr("cvt.rna.tf32.f32"));
  EXPECT_THAT(text, Not(HasSubstr("fma.rn.f32")));
}

TEST(WarpProduct, NeedsThreadsThatLieLikeAMatrix) {
  for (const Nest& nest : {
           Nest{.rows = "4", .threads = "8"},
           Nest{.place = "vt * 4 + vj"},                       // columns are not side by side
           Nest{.place = "vt * 2 + vr + vj"},                  // each row has others
           Nest{.row = "vt * 2"},                              // each column has other weights
           Nest{.place = "(vt * 2 + vr // 8 + vr % 2) + vj"},  // by what is no sum of threads
           Nest{.apart = 5},
           Nest{.machine = "sm_75"},
       }) {
    const std::string text = PtxOf(nest);
    EXPECT_THAT(text, Not(HasSubstr("mma.sync"))) << nest.rows << nest.place << nest.row;
    EXPECT_THAT(text, HasSubstr("fma.rn.f32"));
  }
}

}  // namespace
}  // namespace vta::compiler::llvm
