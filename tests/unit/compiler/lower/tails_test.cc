#include "compiler/lower/tails.h"

#include <gtest/gtest.h>

#include "compiler/loop/analysis.h"
#include "compiler/loop/parser.h"
#include "compiler/loop/schedule/schedule.h"

namespace vta::compiler::lower {
namespace {

constexpr char kMatmul[] = R"(
func matmul(a: float32[4, 11], b: float32[11, 37], y: float32[4, 37]) {
  for i in 4 { for j in 37 { for k in 11 {
    block y(vi: 4 = i, vj: 37 = j, reduce vk: 11 = k) {
      init y[vi, vj] = 0f
      y[vi, vj] = y[vi, vj] + a[vi, vk] * b[vk, vj]
    }
  } } }
})";

loop::Stmt Scheduled(const std::string& steps) {
  loop::Schedule schedule(loop::Parse(kMatmul));
  schedule.Replay(steps);
  return schedule.function().body;
}

TEST(TailsApart, LastTileStandsAfterTheWholeOnesWithBuffersOfItsOwn) {
  const loop::Stmt apart =
      TailsApart(Scheduled("cache_write y local\nsplit y_copy j 16\nreorder y_copy jo i ji\n"
                           "compute_at y y_copy i\nvectorize y_copy ji"));
  const std::vector<loop::Buffer> buffers = loop::Buffers({"", {}, apart});
  ASSERT_EQ(buffers.size(), 2u);
  EXPECT_NE(buffers[0], buffers[1]);
  EXPECT_EQ(Print(apart), R"(for jo in 2 {
  for i in 4 {
    alloc y_local: float32[1, 16] @local
    for i_1 in 1 {
      for j in 16 {
        for k in 11 {
          block y(vi: 1 = 0, vj: 16 = j, reduce vk: 11 = k) {
            init y_local[0, vj] = 0f
            y_local[0, vj] = y_local[0, vj] + a[i, vk] * b[vk, jo * 16 + vj]
          }
        }
      }
    }
    for ji in 16 vectorize {
      block y_copy(vi: 4 = i, vj: 37 = jo * 16 + ji) {
        y[vi, vj] = y_local[vi - i, vj - jo * 16]
      }
    }
  }
}
for i in 4 {
  alloc y_local: float32[1, 16] @local
  for i_1 in 1 {
    for j in 16 {
      for k in 11 {
        block y(vi: 1 = 0, vj: 16 = j, reduce vk: 11 = k) where j + 32 < 37 {
          init y_local[0, vj] = 0f
          y_local[0, vj] = y_local[0, vj] + a[i, vk] * b[vk, vj + 32]
        }
      }
    }
  }
  for ji in 16 vectorize {
    block y_copy(vi: 4 = i, vj: 37 = ji + 32) where ji + 32 < 37 {
      y[vi, vj] = y_local[vi - i, vj - 32]
    }
  }
}
)");
}

TEST(TailsApart, StaysWhereNothingIsGained) {
  for (const std::string steps : {"split y k 4\nunroll y ki",     // no loop inside
                                  "split y j 16\nvectorize y i",  // lanes are in step
                                  "reorder y j i k\nsplit y j 16\nparallel y jo",  // tasks
                                  "split y k 4\nunroll y ko", "split y i 2\nreorder y io j k ii"})
    EXPECT_EQ(Print(TailsApart(Scheduled(steps))), Print(Scheduled(steps))) << steps;
}

}  // namespace
}  // namespace vta::compiler::lower
