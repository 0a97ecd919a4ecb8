// Functions with threads as a GPU runs them: their blocks, memory and barriers.
#include <gmock/gmock.h>

#include "compiler/loop/parser.h"
#include "compiler/lower/kernel.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/llvm/native.h"
#include "tests/unit/compiler/lower/gpu_races.h"

namespace vta::compiler::lower {
namespace {

using testing::HasSubstr;

Kernel Plan(const std::string& text) { return PlanGpuKernel(loop::Parse(text)); }

constexpr const char* kSums = R"(
func sums(x: int32[4, 3, 8], y: int32[4, 8]) {
  for b in 4 parallel {
    alloc acc: int32[8] @shared
    alloc part: int32[8] @shared
    for t in 8 thread {
      block acc_init(vt: 8 = t) {
        acc[vt] = 0i32
      }
    }
    for k in 3 {
      for t in 8 thread {
        block part(vt: 8 = t) {
          part[vt] = x[b, k, vt]
        }
      }
      for t in 8 thread {
        block acc(vt: 8 = t, reduce vk: 3 = k) {
          acc[vt] = acc[vt] + part[7 - vt]
        }
      }
    }
    for t in 8 thread {
      block y(vt: 8 = t) {
        y[b, vt] = acc[vt]
      }
    }
  }
})";

TEST(GpuKernel, BarriersStandWhereThreadsMeet) {
  const Kernel kernel = Plan(kSums);
  EXPECT_EQ(kernel.tasks, 4);
  EXPECT_EQ(kernel.threads, 8);
  EXPECT_EQ(kernel.shared_bytes, 128);
  EXPECT_EQ(kernel.workspace_bytes, 0);
  std::string order;
  std::istringstream lines(Print(kernel.function));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("barrier") != std::string::npos) order += "| ";
    if (const size_t at = line.find("block "); at != std::string::npos)
      order += line.substr(at + 6, line.find('(') - at - 6) + " ";
  }
  // part is written again when all have read it; acc is read where all have written it.
  EXPECT_EQ(order, "acc_init | part | acc | y ");
}

TEST(GpuKernel, EachBarrierKeepsThreadsApart) {
  const Kernel kernel = Plan(kSums);
  EXPECT_EQ(FirstRace(kernel), "");
  ASSERT_EQ(Barriers(kernel), 3);
  // The last one stands between what a thread wrote and reads itself: buffers are told apart, not
  // their elements.
  for (int64_t i = 0; i < 2; ++i) EXPECT_NE(FirstRace(WithoutBarrier(kernel, i)), "") << i;
}

TEST(GpuKernel, PtxHasTheBarriersAndTheMemory) {
  const std::vector<Kernel> kernels = {Plan(kSums)};
  const std::vector<uint8_t> code =
      llvm::BuildModule(kernels, {"nvptx64-nvidia-cuda-unknown", "", {"sm_70"}, 128});
  const std::string text(code.begin(), code.end());
  EXPECT_THAT(text, HasSubstr(".visible .entry sums("));
  EXPECT_THAT(text, HasSubstr(".maxntid 8, 1, 1"));
  EXPECT_THAT(text, HasSubstr(".target sm_70"));
  EXPECT_THAT(text, HasSubstr(".shared .align 64 .b8 sums_shared[128]"));
  EXPECT_THAT(text, HasSubstr("%ctaid.x"));
  EXPECT_THAT(text, HasSubstr("%tid.x"));
  EXPECT_THAT(text, HasSubstr("bar.sync"));
}

TEST(GpuKernel, WhatHasNoThreadsIsOfTheFirst) {
  const Kernel kernel = Plan(R"(
func f(x: int32[4], y: int32[4]) {
  for b in 2 parallel {
    alloc s: int32[2]
    for i in 2 {
      block s(vi: 2 = i) {
        s[vi] = x[b * 2 + vi]
      }
    }
    for t in 2 thread {
      block y(vt: 2 = t) {
        y[b * 2 + vt] = s[1 - vt]
      }
    }
  }
})");
  EXPECT_EQ(kernel.workspace_bytes, kWorkspaceAlignment);
  const std::string text = Print(kernel.function);
  EXPECT_LT(text.find("block s"), text.find("barrier"));
  EXPECT_LT(text.find("barrier"), text.find("block y"));
}

std::string Refusal(const std::string& text) {
  try {
    Plan(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Nests of several sizes in one: a thread has its own part of each, or none.
TEST(GpuKernel, NestsOfSeveralSizes) {
  const Kernel kernel = Plan(R"(
func f(x: int32[8, 4], y: int32[8, 4], z: int32[8, 2], s: int32[8]) {
  for a in 8 thread {
    for b in 4 thread {
      block y(va: 8 = a, vb: 4 = b) {
        y[va, vb] = x[va, vb]
      }
    }
    for c in 2 thread {
      block z(va: 8 = a, vc: 2 = c) {
        z[va, vc] = x[va, vc + 1]
      }
    }
    for k in 4 {
      block s(va: 8 = a, reduce vk: 4 = k) {
        init s[va] = 0i32
        s[va] = s[va] + x[va, vk]
      }
    }
  }
})");
  EXPECT_EQ(kernel.threads, 32);
  EXPECT_EQ(FirstRace(kernel), "");
  const std::vector<uint8_t> code =
      llvm::BuildModule(std::vector{kernel}, {"nvptx64-nvidia-cuda-unknown", "", {"sm_70"}, 128});
  const std::string text(code.begin(), code.end());
  // Those of z are the first two of four, and one of four makes a sum.
  EXPECT_THAT(text, HasSubstr("setp."));
}

TEST(GpuKernel, RefusesWhatNoGpuHas) {
  EXPECT_THAT(Refusal(R"(
func f(x: int32[2048], y: int32[2048]) {
  for i in 32 thread {
    for j in 64 thread {
      block y(vi: 32 = i, vj: 64 = j) {
        y[vi * 64 + vj] = x[vi * 64 + vj]
      }
    }
  }
})"),
              HasSubstr("threads of a block = 2048: must be at most 1024"));
  EXPECT_THAT(Refusal(R"(
func f(x: int32[16384], y: int32[16384]) {
  alloc s: int32[16384] @shared
  for i in 16384 {
    block s(vi: 16384 = i) {
      s[vi] = x[vi]
    }
  }
  for i in 16384 {
    block y(vi: 16384 = i) {
      y[vi] = s[vi]
    }
  }
})"),
              HasSubstr("shared memory = 65536 bytes: must be at most 49152"));
  EXPECT_THAT(Refusal(R"(
func f(x: int32[8], y: int32[9]) {
  for i in 8 thread {
    block y(vi: 8 = i) {
      y[vi + 1] = y[vi] + x[vi]
    }
  }
})"),
              HasSubstr("thread loop = i: block y: iterations must write"));
}

}  // namespace
}  // namespace vta::compiler::lower
