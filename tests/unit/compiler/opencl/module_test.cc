// The text of kernels in OpenCL C.
#include "compiler/opencl/module.h"

#include <gmock/gmock.h>

#include "compiler/loop/parser.h"
#include "compiler/opencl/helpers.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"

namespace vta::compiler::opencl {
namespace {

using testing::HasSubstr;

std::string Printed(const std::string& text) {
  const std::vector<lower::Kernel> kernels = {
      lower::PlanGpuKernel(loop::Parse(text), isa::kOpenClGpu)};
  return PrintModule(kernels);
}

// A task brings four rows of x, reversed and with a border of zeros, into shared memory; each
// thread sums up two columns of it in registers.
TEST(OpenClModule, AKernelReadsAsItRuns) {
  EXPECT_EQ(Printed(R"(
func rows(x: float32[8, 6], w: float32[4], y: float32[8, 8]) {
  for b in 2 parallel {
    alloc rows: float32[4, 8] @shared
    alloc sum: float32[4, 8] @local
    for t in 8 thread {
      for r in 4 unroll {
        block rows(vr: 4 = r, vt: 8 = t) {
          rows[vr, vt] = select(1 <= vt && vt < 7, x[b * 4 + 3 - vr, vt - 1], 0f)
        }
      }
    }
    for t in 4 thread {
      for c in 2 vectorize {
        block sum_init(vr: 4 = t, vc: 2 = c) {
          sum[vr, vc] = 0f
        }
      }
    }
    for t in 4 thread {
      for k in 4 {
        for c in 2 vectorize {
          block sum(vr: 4 = t, vc: 2 = c, reduce vk: 4 = k) where 0 < t {
            sum[vr, vc] = sum[vr, vc] + rows[vr, vk + vc] * w[vk]
          }
        }
      }
    }
    for t in 4 thread {
      for c in 2 vectorize {
        block y(vr: 4 = t, vc: 2 = c) {
          y[b * 4 + vr, vc] = max(sum[vr, vc], 0f)
        }
      }
    }
  }
})"),
            R"(// OpenCL C 1.2.
#pragma OPENCL FP_CONTRACT OFF
#define VTA_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

static float2 vta_max_float2(float2 a, float2 b) { return select(a, b, a < b); }
static float2 vta_mul_add_float2(float2 a, float2 b, float2 c) {
#pragma OPENCL FP_CONTRACT ON
  return a * b + c;
}

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void rows(
    __global const float* restrict x_1, const ulong x_1_at,
    __global const float* restrict w_1, const ulong w_1_at,
    __global float* restrict y_1, const ulong y_1_at,
    __global uchar* restrict workspace, const ulong workspace_at) {
  x_1 = (__global const float*)((__global const uchar*)x_1 + x_1_at);
  w_1 = (__global const float*)((__global const uchar*)w_1 + w_1_at);
  y_1 = (__global float*)((__global uchar*)y_1 + y_1_at);
  const int task = (int)get_group_id(0);
  const int thread = (int)get_local_id(0);
  __local float rows_1[32];
  float sum_1[2];
  #pragma unroll
  for (int r_1 = 0; r_1 < 4; ++r_1) {
    const int inside_1 = (1 <= thread) & (thread < 7);
    rows_1[r_1 * 8 + thread] = inside_1 ? x_1[inside_1 ? (task * 24 - r_1 * 6 + thread + 17) : 0] : 0.0f;
  }
  if (thread < 4) {
    vstore2((float2)(0.0f), 0, sum_1 + 0);
  }
  VTA_BARRIER;
  if (thread < 4) {
    for (int k_1 = 0; k_1 < 4; ++k_1) {
      if (0 < thread) {
        vstore2(vta_mul_add_float2(vload2(0, rows_1 + (thread * 8 + k_1)), (float2)(w_1[k_1]), vload2(0, sum_1 + 0)), 0, sum_1 + 0);
      }
    }
  }
  if (thread < 4) {
    vstore2(vta_max_float2(vload2(0, sum_1 + 0), (float2)(0.0f)), 0, y_1 + (task * 32 + thread * 8));
  }
}
)");
}

TEST(OpenClModule, VectorsAreOfWhatLiesTogether) {
  const auto with = [](const std::string& value, const std::string& where = "") {
    return Printed(StrCat(R"(
func f(x: float32[4, 4], k: int32[4], y: float32[4, 4]) {
  for t in 4 thread {
    for c in 4 vectorize {
      block y(vr: 4 = t, vc: 4 = c))",
                          where, R"( {
        y[vr, vc] = )",
                          value, R"(
      }
    }
  }
})"));
  };
  EXPECT_THAT(with("exp(x[vr, vc])"), HasSubstr("vstore4(exp(vload4(0, x_1 + (thread * 4))), 0, "));
  EXPECT_THAT(with("x[vr, 0] + 1f"), HasSubstr("vstore4((float4)(x_1[thread * 4] + 1.0f), 0, "));
  EXPECT_THAT(
      with("select(vr < 2, x[vr, vc], 0f)"),
      HasSubstr("vstore4((thread < 2) ? vload4(0, x_1 + (thread * 4)) : (float4)(0.0f), 0, "));
  // Columns, what lanes have apart, and integers.
  for (const char* value : {"x[vc, vr]", "x[vr, vc // 2]", "select(vc < 2, x[vr, vc], 0f)",
                            "float32(k[vc] + 1i32)", "float32(vc)"}) {
    const std::string text = with(value);
    EXPECT_EQ(text.find("vstore4"), std::string::npos) << text;
    EXPECT_THAT(text, HasSubstr("  #pragma unroll\n  for (int c_1 = 0; c_1 < 4; ++c_1) {"));
  }
  EXPECT_THAT(with("x[vr, vc]", " where c < 3"), HasSubstr("if (c_1 < 3) {"));
}

TEST(OpenClModule, HelpersComeWithWhatTheyCall) {
  const std::string text = TextOf({"requant_double"});
  EXPECT_LT(text.find("static long vta_rescale_double(int"),
            text.find("static int vta_requant_double(int"));
  EXPECT_THAT(text, HasSubstr("vta_rescale_double(value, multiplier, (int)(char)packed)"));
  EXPECT_EQ(text.find("single"), std::string::npos);
  EXPECT_EQ(TextOf({}), "");
}

TEST(OpenClModule, RefusesNames) {
  const auto named = [](const std::vector<std::string>& names) {
    return ErrorOf([&] {
      std::vector<lower::Kernel> kernels;
      for (const std::string& name : names) {
        kernels.push_back(lower::PlanGpuKernel(
            loop::Parse("func f(y: int32[1]) { block y() { y[0] = 1i32 } }"), isa::kOpenClGpu));
        kernels.back().function.name = name;
      }
      PrintModule(kernels);
    });
  };
  EXPECT_EQ(named({"f.1"}), "name of a kernel = f.1: must be letters, digits and '_'");
  EXPECT_EQ(named({"f", "g", "f"}), "kernel = f: two kernels have this name");
}

TEST(OpenClModule, ABlockHasWhatEveryDeviceHas) {
  const auto refused = [](const std::string& text) { return ErrorOf([&] { Printed(text); }); };
  EXPECT_EQ(refused(R"(
func f(y: int32[257]) {
  for t in 257 thread {
    block y(vt: 257 = t) {
      y[vt] = 1i32
    }
  }
})"),
            "func f: threads of a block = 257: must be at most 256");
  EXPECT_EQ(refused(R"(
func f(y: int32[2]) {
  alloc s: int32[8193] @shared
  for t in 2 thread {
    block s(vt: 2 = t) {
      s[vt] = 1i32
    }
  }
  for t in 2 thread {
    block y(vt: 2 = t) {
      y[vt] = s[1 - vt]
    }
  }
})"),
            "func f: shared memory = 32832 bytes: must be at most 32768");
}

}  // namespace
}  // namespace vta::compiler::opencl
