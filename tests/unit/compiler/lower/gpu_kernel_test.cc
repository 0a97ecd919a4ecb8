// Functions with threads as a GPU runs them: their blocks, memory and barriers.
#include <gmock/gmock.h>

#include "compiler/loop/analysis.h"
#include "compiler/loop/parser.h"
#include "compiler/lower/kernel.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/llvm/native.h"
#include "tests/unit/compiler/lower/gpu_races.h"

namespace vta::compiler::lower {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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

/// Threads bring what the next iteration reads into one of two copies.
constexpr const char* kAhead = R"(
func f(x: float32[4, 8], y: float32[8]) {
  for b in 1 parallel {
    alloc near: float32[2, 8] @shared
    alloc sum: float32[8] @local
    for t in 8 thread { block near_first(vt: 8 = t) { near[0, vt] = x[0, vt] } }
    for t in 8 thread { block sum_init(vt: 8 = t) { sum[vt] = 0f } }
    for k in 4 {
      for t in 8 thread {
        block near(vt: 8 = t) where k + 1 < 4 { near[(k + 1) % 2, vt] = x[k + 1, vt] }
      }
      for t in 8 thread {
        block sum(vt: 8 = t, reduce vk: 4 = k) { sum[vt] = sum[vt] + near[vk % 2, 7 - vt] }
      }
    }
    for t in 8 thread { block y(vt: 8 = t) { y[vt] = sum[vt] } }
  }
})";

TEST(GpuKernel, WhatComesAheadMeetsAtOneBarrierAnIteration) {
  const Kernel kernel = Plan(kAhead);
  ASSERT_EQ(kernel.copied.size(), 1);
  EXPECT_EQ(kernel.copied[0]->name, "near");
  EXPECT_EQ(FirstRace(kernel), "");
  ASSERT_EQ(Barriers(kernel), 1) << Print(kernel.function);
  EXPECT_NE(FirstRace(WithoutBarrier(kernel, 0)), "");
  // Read where it has just been written: behind that.
  const std::string text = kAhead;
  const size_t read = text.find("vk % 2");
  const Kernel same = Plan(std::string(text).replace(read, 6, "(vk + 1) % 2"));
  EXPECT_EQ(FirstRace(same), "");
  const std::string order = Print(same.function);
  EXPECT_LT(order.find("block near("), order.find("barrier"));
  // A copy that cannot be told is any.
  const Kernel any = Plan(std::string(text).replace(read, 6, "1 - vk % 2"));
  EXPECT_EQ(FirstRace(any), "");
  EXPECT_EQ(Barriers(any), 2) << Print(any.function);
}

/// The same of the iteration three further on, of six, in one of four copies.
std::string FurtherAhead() {
  std::string text = kAhead;
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("x: float32[4, 8]", "x: float32[6, 8]");
  replace("near: float32[2, 8]", "near: float32[4, 8]");
  replace("for t in 8 thread { block near_first(vt: 8 = t) { near[0, vt] = x[0, vt] } }",
          "for e in 3 { for t in 8 thread { block near_first(ve: 3 = e, vt: 8 = t) "
          "{ near[ve, vt] = x[ve, vt] } } }");
  replace("for k in 4", "for k in 6");
  replace("k + 1 < 4", "k + 3 < 6");
  replace("(k + 1) % 2", "(k + 3) % 4");
  replace("x[k + 1, vt]", "x[k + 3, vt]");
  replace("vk: 4 = k", "vk: 6 = k");
  replace("vk % 2", "vk % 4");
  return text;
}

TEST(GpuKernel, OfSeveralCopiesTheLastOnesAreNotWaitedFor) {
  const Kernel kernel = Plan(FurtherAhead());
  EXPECT_EQ(FirstRace(kernel), "");
  ASSERT_EQ(Barriers(kernel), 2) << Print(kernel.function);
  EXPECT_THAT(Print(kernel.function), HasSubstr("barrier pending 2\n"));
  for (int64_t i = 0; i < 2; ++i) EXPECT_NE(FirstRace(WithoutBarrier(kernel, i)), "") << i;
  const std::vector<uint8_t> code =
      llvm::BuildModule({&kernel, 1}, {"nvptx64-nvidia-cuda-unknown", "", {"sm_80"}, 128});
  EXPECT_THAT(std::string(code.begin(), code.end()),
              AllOf(HasSubstr("cp.async.commit_group"), HasSubstr("cp.async.wait_group 0"),
                    HasSubstr("cp.async.wait_group 2")));
  // One interval later the oldest would be under way still.
  Kernel later = kernel;
  later.function.body = RewriteStmts(kernel.function.body, [](const loop::Stmt& s) -> loop::Stmt {
    const auto* const barrier = loop::As<loop::Barrier>(s);
    return barrier && barrier->pending == 2 ? loop::MakeStmt(loop::Barrier{3}) : nullptr;
  });
  EXPECT_THAT(FirstRace(later), HasSubstr("which is being copied"));
  // What is read before its turn, and copies that are read at another time, wait for all.
  const std::string text = FurtherAhead();
  for (const char* other : {"(vk + 1) % 4", "3 - vk % 4"}) {
    const Kernel any = Plan(std::string(text).replace(text.find("vk % 4"), 6, other));
    EXPECT_EQ(FirstRace(any), "") << other;
    EXPECT_THAT(Print(any.function), Not(HasSubstr("pending"))) << other;
  }
}

TEST(GpuKernel, CopiesAreWaitedForWhereTheMachineMakesThem) {
  const Kernel kernel = Plan(kAhead);
  for (const char* machine : {"sm_70", "sm_80"}) {
    const std::vector<uint8_t> code =
        llvm::BuildModule({&kernel, 1}, {"nvptx64-nvidia-cuda-unknown", "", {machine}, 128});
    const std::string text(code.begin(), code.end());
    const bool aside = std::string(machine) == "sm_80";
    EXPECT_EQ(text.find("cp.async.ca.shared.global") != std::string::npos, aside);
    EXPECT_EQ(text.find("st.shared") == std::string::npos, aside);
    if (aside)
      EXPECT_THAT(text,
                  testing::ContainsRegex(
                      "cp.async.commit_group;[ \n\t]*cp.async.wait_group 0;[ \n\t]*bar.sync"));
  }
}

/// What a thread copies and reads in one nest has no barrier between.
TEST(GpuKernel, WhatIsReadAtOnceIsNoCopy) {
  const Kernel kernel = Plan(R"(
func f(x: float32[8], y: float32[8]) {
  for b in 1 parallel {
    alloc near: float32[8] @shared
    for t in 8 thread {
      block near(vt: 8 = t) { near[vt] = x[vt] }
      block y(vt: 8 = t) { y[vt] = near[vt] }
    }
  }
})");
  EXPECT_TRUE(kernel.copied.empty());
  EXPECT_EQ(FirstRace(kernel), "");
  // Nor may a nest write what it copies from.
  EXPECT_TRUE(Plan(R"(
func f(y: float32[8], z: float32[8]) {
  for b in 1 parallel {
    alloc near: float32[8] @shared
    for t in 8 thread {
      block near(vt: 8 = t) { near[vt] = y[vt] }
      block y(vt: 8 = t) { y[vt] = y[vt] + 1f }
    }
    for t in 8 thread { block z(vt: 8 = t) { z[vt] = near[7 - vt] } }
  }
})")
                  .copied.empty());
}

/// A team of three blocks for each of two tasks, whose last one adds up what they have.
constexpr const char* kTeam = R"(
func f(x: int32[2, 3, 8], y: int32[2, 8]) {
  for b in 2 parallel {
    alloc parts: int32[3, 8]
    for s in 3 parallel {
      alloc near: int32[8] @shared
      for t in 8 thread { block near(vt: 8 = t) { near[vt] = x[b, s, vt] } }
      for t in 8 thread { block parts(vs: 3 = s, vt: 8 = t) { parts[vs, vt] = near[7 - vt] } }
    }
    alloc sum: int32[8] @local
    for t in 8 thread { block sum_init(vt: 8 = t) { sum[vt] = 0i32 } }
    for s in 3 {
      for t in 8 thread {
        block sum(vt: 8 = t, reduce vs: 3 = s) { sum[vt] = sum[vt] + parts[vs, vt] }
      }
    }
    for t in 8 thread { block y(vt: 8 = t) { y[b, vt] = sum[vt] } }
  }
})";

TEST(GpuKernel, BlocksOfATeamMeetInTheLast) {
  const Kernel kernel = Plan(kTeam);
  EXPECT_EQ(kernel.tasks, 2);
  EXPECT_EQ(kernel.team, 3);
  EXPECT_EQ(kernel.blocks(), 6);
  EXPECT_EQ(kernel.workspace_bytes, kWorkspaceAlignment);  // 96 bytes of three
  EXPECT_EQ(FirstRace(kernel), "");
  // Between near and parts; the end of a team is one, and nothing behind it meets again.
  ASSERT_EQ(Barriers(kernel), 1);
  EXPECT_NE(FirstRace(WithoutBarrier(kernel, 0)), "");
  const std::vector<uint8_t> code =
      llvm::BuildModule({&kernel, 1}, {"nvptx64-nvidia-cuda-unknown", "", {"sm_70"}, 128});
  const std::string text(code.begin(), code.end());
  EXPECT_THAT(text, HasSubstr("atom.inc.u32"));
  EXPECT_THAT(text, HasSubstr("bar.red.or.pred"));
  EXPECT_THAT(text, testing::ContainsRegex("membar.gl(.|\n)*atom.inc.u32(.|\n)*membar.gl"));
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// What another block cannot reach, or would be written twice, no team leaves: one block does all.
TEST(GpuKernel, BlocksThatWouldMeetAreNoTeam) {
  const std::string team = kTeam;
  EXPECT_EQ(Plan(Replaced(team, "parts: int32[3, 8]", "parts: int32[3, 8] @shared")).team, 1);
  EXPECT_EQ(Plan(Replaced(team, "parts: int32[3, 8]", "parts: int32[3, 8] @local")).team, 1);
  EXPECT_EQ(Plan(Replaced(team, "near: int32[8] @shared", "near: int32[8]")).team, 1);
  EXPECT_EQ(Plan(Replaced(team, "for s in 3 parallel", "for s in 3")).team, 1);
  EXPECT_EQ(
      Plan(Replaced(team, "vs: 3 = s, vt: 8 = t) { parts", "vs: 3 = 0, vt: 8 = t) { parts")).team,
      1);
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

/// Programs in which a thread meets what another one did: by a loop, before it, or by neither.
TEST(GpuKernel, NoThreadsMeet) {
  for (const char* text : {// Before a loop that finds nothing of its own.
                           R"(
func f(x: int32[8], y: int32[8]) {
  for b in 1 parallel {
    alloc a: int32[8] @shared
    alloc acc: int32[8] @local
    for t in 8 thread { block a(vt: 8 = t) { a[vt] = x[vt] } }
    for t in 8 thread { block acc_init(vt: 8 = t) { acc[vt] = 0i32 } }
    for k in 8 {
      for t in 8 thread {
        block acc(vt: 8 = t, reduce vk: 8 = k) { acc[vt] = acc[vt] + a[vk] }
      }
    }
    for t in 8 thread { block y(vt: 8 = t) { y[vt] = acc[vt] } }
  }
})",
                           // Iterations that write what others write.
                           R"(
func f(x: int32[3, 8], y: int32[10]) {
  for k in 3 {
    for t in 8 thread { block y(vk: 3 = k, vt: 8 = t) { y[vt + vk] = x[vk, vt] } }
  }
})",
                           R"(
func f(x: int32[2, 10], y: int32[2, 10]) {
  for k in 2 {
    for j in 3 {
      for t in 8 thread { block y(vk: 2 = k, vt: 10 = t + j) { y[vk, vt] = x[vk, vt] + j } }
    }
  }
})",
                           // A parallel loop that is not that of the tasks.
                           R"(
func f(x: int32[3, 8], y: int32[3, 8]) {
  for b in 1 parallel {
    alloc s: int32[8] @shared
    for k in 3 parallel {
      for t in 8 thread { block s(vt: 8 = t) { s[vt] = x[k, vt] } }
      for t in 8 thread { block y(vt: 8 = t) { y[k, vt] = s[7 - vt] } }
    }
  }
})"}) {
    std::string simple = text;
    if (simple.find(" + j }") != std::string::npos)
      simple.replace(simple.find(" + j }"), 6, " + 1i32 }");
    const Kernel kernel = Plan(simple);
    EXPECT_EQ(FirstRace(kernel), "") << Print(kernel.function);
    EXPECT_GE(Barriers(kernel), 1) << simple;
  }
}

/// What is allocated in a thread's loop is all of it its own, wherever the thread looks.
TEST(GpuKernel, WhatAThreadAllocatesIsWhole) {
  const Kernel kernel = Plan(R"(
func f(x: int32[8], y: int32[8]) {
  for b in 1 parallel {
    for t in 8 thread {
      alloc s: int32[8]
      for k in 8 { block s(vk: 8 = k) { s[vk] = x[vk] * x[vk] } }
      block y(vt: 8 = t) { y[vt] = s[vt] }
    }
  }
})");
  EXPECT_EQ(kernel.registers.size(), 1);
  EXPECT_TRUE(kernel.parts.empty());
}

/// A thread writes what another one reads, though both index by the same terms of threads.
TEST(GpuKernel, PartsOfThreadsAreApartWhateverElseIndicesHave) {
  const auto kernel = [](int64_t written, int64_t read) {
    return Plan(StrCat(R"(
func f(x: int32[4, 5, 4], y: int32[4, 5, 4]) {
  for b in 1 parallel {
    alloc s: int32[100] @local
    for t in 4 thread { for o in 5 { for j in 4 {
      block s(vt: 4 = t, vo: 5 = o, vj: 4 = j) { s[vo * )",
                       written, R"( + vt * 4 + vj] = x[vt, vo, vj] }
    } } }
    for t in 4 thread { for o in 5 { for j in 4 {
      block y(vt: 4 = t, vo: 5 = o, vj: 4 = j) { y[vt, vo, vj] = s[vo * )",
                       read, R"( + vt * 4 + vj] }
    } } }
  }
})"));
  };
  EXPECT_EQ(kernel(16, 16).parts.size(), 1);
  // A constant that is no thread's digit does not move what a thread has.
  const auto shifted = [](int64_t by, int64_t elements) {
    return Plan(StrCat(R"(
func f(x: int32[4, 4], y: int32[4, 4]) {
  for b in 1 parallel {
    alloc s: int32[100] @local
    for t in 4 thread { for j in )",
                       elements, R"( {
      block s(vt: 4 = t, vj: 4 = j) { s[vt * 4 + vj + )",
                       by, R"(] = x[vt, vj] }
    } }
    for t in 4 thread { for j in )",
                       elements, R"( {
      block y(vt: 4 = t, vj: 4 = j) { y[vt, vj] = s[vt * 4 + vj + )",
                       by, R"(] }
    } }
  }
})"));
  };
  EXPECT_EQ(shifted(16, 4).parts.size(), 1);
  EXPECT_EQ(shifted(3, 1).parts.size(), 1);
  EXPECT_TRUE(shifted(3, 2).parts.empty()) << "the second one is the next thread's";
  EXPECT_TRUE(shifted(4, 4).parts.empty());
  EXPECT_TRUE(kernel(17, 16).parts.empty());
  EXPECT_EQ(FirstRace(kernel(17, 16)), "");
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
func f(x: int32[32768], y: int32[32768]) {
  alloc s: int32[32768] @shared
  for i in 32768 {
    block s(vi: 32768 = i) {
      s[vi] = x[vi]
    }
  }
  for i in 32768 {
    block y(vi: 32768 = i) {
      y[vi] = s[vi]
    }
  }
})"),
              HasSubstr("shared memory = 131072 bytes: must be at most 98304"));
  EXPECT_THAT(Refusal(R"(
func f(x: int32[8], y: int32[9]) {
  for i in 8 thread {
    block y(vi: 8 = i) {
      y[vi + 1] = y[vi] + x[vi]
    }
  }
})"),
              HasSubstr("thread loop = i: block y: iterations must write"));
  for (const char* beside :
       {"for k in 2 thread { block z(vi: 2 = i, vk: 2 = k) { z[vi, vk] = x[vi, vk] } }",
        "block z(vi: 2 = i) { z[vi, 0] = x[vi, 0] }"})
    EXPECT_THAT(Refusal(StrCat(R"(
func f(x: int32[2, 4], y: int32[2, 4], z: int32[2, 2]) {
  for i in 2 thread {
    for j in 4 thread { block y(vi: 2 = i, vj: 4 = j) { y[vi, vj] = x[vi, vj] } }
    )",
                               beside, "\n  }\n}")),
                HasSubstr("thread loop = i: must hold one thread loop and nothing else, or none"));
}

}  // namespace
}  // namespace vta::compiler::lower
