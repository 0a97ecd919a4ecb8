// Lowering of small hand-written functions: slots, virtual threads, clipping, and what is refused.
#include "compiler/targets/vta/lower/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/loop/parser.h"
#include "compiler/targets/vta/lower/intrinsics.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler::targets {
namespace {

TaskProgram LowerText(const std::string& text, const isa::Config& config) {
  const auto intrinsics = Intrinsics(config, isa::Rounding::kSingle);
  return LowerTasks(config, loop::Parse(text, intrinsics), isa::Rounding::kSingle);
}

std::string TasksOf(const std::string& text, const std::string& config = "default") {
  const TaskProgram program = LowerText(text, ConfigNamed(config));
  std::string out;
  for (const Task& task : program.tasks) out += PrintTask(program, task) + "\n";
  return out;
}

std::string LowerError(const std::string& text, const std::string& config = "default") {
  return vta::ErrorOf([&] { LowerText(text, ConfigNamed(config)); });
}

/// Loads tiles of 4 rows of x and multiplies each row by a resident weight; `loop` is the head of
/// the tile loop, `note` the load's annotation.
std::string Program(const std::string& loop, const std::string& note) {
  return R"(func f(
    x: int8[10, 16],
    w: int8[16, 16]) {
  alloc acc: int32[10, 16] @acc
  alloc wt: int8[16, 16] @wgt
  for a in 16 {
    for b in 16 {
      block wt(va: 16 = a, vb: 16 = b) {
        wt[va, vb] = w[va, vb]
      }
    }
  }
  )" + loop +
         R"( {
    alloc in: int8[4, 16] @inp
    for r in 4 {
      for c in 16 {
        block in(vr: 4 = r, vc: 16 = c) where t * 4 + r < 10)" +
         note + R"( {
          in[vr, vc] = x[t * 4 + vr, vc]
        }
      }
    }
    for r in 4 {
      block mac(vr: 10 = t * 4 + r) where t * 4 + r < 10 {
        call vta.gemm.update(acc[vr, 0 : 16], in[vr - t * 4, 0 : 16], wt[0 : 16, 0 : 16])
      }
    }
  }
}
)";
}

TEST(Lower, SlotsAlternateAndTailsAreClipped) {
  EXPECT_EQ(TasksOf(Program("for t in 3", " [slots=2]")),
            "load2d wgt[0] <- w[0] 1x1 stride 1\n"
            "load2d inp[0] <- x[0] 1x4 stride 4\n"
            "gemm k0 1x4 dst 0 1 src 0 1 wgt 0 0\n"
            "load2d inp[4] <- x[4] 1x4 stride 4\n"
            "gemm k1 1x4 dst 0 1 src 0 1 wgt 0 0\n"
            "load2d inp[0] <- x[8] 1x2 stride 2 pad 0 0 0 2\n"
            "gemm k2 1x2 dst 0 1 src 0 1 wgt 0 0\n"
            "finish\n");
}

TEST(Lower, VirtualThreadsRunInLockStep) {
  // The slot of a thread is a dimension of the buffer, as the primitive makes it.
  const std::string tasks = TasksOf(R"(func f(
    x: int8[8, 16],
    w: int8[16, 16]) {
  alloc acc: int32[8, 16] @acc
  alloc wt: int8[16, 16] @wgt
  alloc in: int8[2, 2, 16] @inp
  for t in 2 vthread {
    for s in 2 {
      for r in 2 {
        for c in 16 {
          block in(vr: 2 = r, vc: 16 = c) {
            in[t, vr, vc] = x[t * 4 + s * 2 + vr, vc]
          }
        }
      }
      for r in 2 {
        block mac(vr: 8 = t * 4 + s * 2 + r) {
          call vta.gemm.update(acc[vr, 0 : 16], in[t, vr - t * 4 - s * 2, 0 : 16], wt[0 : 16, 0 : 16])
        }
      }
    }
  }
}
)");
  EXPECT_EQ(tasks,
            "load2d inp[0] <- x[0] 1x2 stride 2\n"
            "load2d inp[2] <- x[4] 1x2 stride 2\n"
            "gemm k0 1x2 dst 0 1 src 0 1 wgt 0 0\n"
            "gemm k1 1x2 dst 0 1 src 0 1 wgt 0 0\n"
            "load2d inp[0] <- x[2] 1x2 stride 2\n"
            "load2d inp[2] <- x[6] 1x2 stride 2\n"
            "gemm k2 1x2 dst 0 1 src 0 1 wgt 0 0\n"
            "gemm k3 1x2 dst 0 1 src 0 1 wgt 0 0\n"
            "finish\n");
}

TEST(Lower, VirtualThreadsTakeTurnsWhereModulesDo) {
  // A thread's GEMM waits for both of its loads, and for none of the other's.
  const std::string tasks = TasksOf(R"(func f(
    x: int8[8, 16],
    w: int8[32, 16],
    y: int8[8, 16]) {
  alloc acc: int32[8, 16] @acc
  alloc wt: int8[2, 16, 16] @wgt
  alloc in: int8[2, 4, 16] @inp
  for t in 2 vthread {
    for r in 16 {
      for c in 16 {
        block wt(vr: 16 = r, vc: 16 = c) {
          wt[t, vr, vc] = w[t * 16 + vr, vc]
        }
      }
    }
    for r in 4 {
      for c in 16 {
        block in(vr: 4 = r, vc: 16 = c) {
          in[t, vr, vc] = x[t * 4 + vr, vc]
        }
      }
    }
    for r in 4 {
      block zero(vr: 8 = t * 4 + r) {
        call vta.gemm.reset(acc[vr, 0 : 16])
      }
    }
    for r in 4 {
      block mac(vr: 8 = t * 4 + r) {
        call vta.gemm.update(acc[vr, 0 : 16], in[t, vr - t * 4, 0 : 16], wt[t, 0 : 16, 0 : 16])
      }
    }
    for r in 4 {
      for c in 16 {
        block y(vr: 8 = t * 4 + r, vc: 16 = c) {
          y[vr, vc] = int8(acc[vr, vc])
        }
      }
    }
  }
}
)");
  EXPECT_EQ(tasks,
            "load2d wgt[0] <- w[0] 1x1 stride 1\n"
            "load2d inp[0] <- x[0] 1x4 stride 4\n"
            "load2d wgt[1] <- w[1] 1x1 stride 1\n"
            "load2d inp[4] <- x[4] 1x4 stride 4\n"
            "gemm k0 1x4 dst 0 1 src 0 1 wgt 0 0 overwrite\n"
            "gemm k1 1x4 dst 0 1 src 0 1 wgt 0 0 overwrite\n"
            "store2d out[0] -> y[0] 1x4 stride 4\n"
            "store2d out[4] -> y[4] 1x4 stride 4\n"
            "finish\n");
}

/// Rows 0 to 3 and 4 to 7 are reset; `body` follows, with inputs in `in` and a weight in `wt`.
std::string Sums(const std::string& body) {
  std::string out = R"(func f(
    x: int8[8, 16],
    w: int8[16, 16],
    y: int8[8, 16]) {
  alloc acc: int32[8, 16] @acc
  alloc in: int8[8, 16] @inp
  alloc wt: int8[16, 16] @wgt
)";
  for (const int half : {0, 4})
    out += StrCat("  for r in 4 {\n    block init", half, "(vr: 8 = r + ", half,
                  ") {\n      call vta.gemm.reset(acc[vr, 0 : 16])\n    }\n  }\n");
  return out + body + "}\n";
}
std::string Sum(int first, int rows, int terms) {
  return StrCat("  for k in ", terms, " {\n    for r in ", rows, " {\n      block mac", first,
                "(vr: 8 = r + ", first, ", vk: ", terms, " = k) {\n        call vta.gemm.update(",
                "acc[vr, 0 : 16], in[vk, 0 : 16], wt[0 : 16, 0 : 16])\n      }\n    }\n  }\n");
}

TEST(Lower, TheFirstProductOverwrites) {
  EXPECT_EQ(TasksOf(Sums(Sum(4, 4, 3) + Sum(0, 4, 1)), "only_overwrite"),
            "gemm k0 1x4 dst 0 1 src 0 0 wgt 0 0 overwrite\n"
            "gemm k1 2x4 dst 0 1 src 1 0 wgt 0 0\n"
            "gemm k2 1x4 dst 0 1 src 0 0 wgt 0 0 overwrite\n"
            "finish\n");
  EXPECT_EQ(TasksOf(Sums(Sum(4, 4, 3)), "vta_0.0.2"),
            "gemm k0 1x4 dst 0 1 src 0 0 wgt 0 0 reset\n"
            "gemm k1 1x4 dst 0 1 src 0 0 wgt 0 0 reset\n"
            "gemm k1 3x4 dst 0 1 src 1 0 wgt 0 0\n"
            "finish\n");
}

TEST(Lower, ResetsThatNoSumReplacesComeBeforeWhatReadsTheirRows) {
  // Not all of the rows: the reset of these alone.
  EXPECT_EQ(TasksOf(Sums(Sum(4, 3, 1)), "only_overwrite"),
            "gemm k0 1x4 dst 0 1 src 0 0 wgt 0 0 reset\n"
            "gemm k0 1x3 dst 0 1 src 0 0 wgt 0 0\n"
            "finish\n");
  const std::string alu =
      "  for r in 4 {\n    block relu(vr: 8 = r) {\n      call vta.max_imm.compute(acc[vr, 0 : "
      "16], "
      "acc[vr, 0 : 16], 0i32)\n    }\n  }\n";
  EXPECT_EQ(TasksOf(Sums(Sum(4, 4, 1) + alu), "only_overwrite"),
            "gemm k0 1x4 dst 0 1 src 0 0 wgt 0 0 overwrite\n"
            "gemm k1 1x4 dst 0 1 src 0 0 wgt 0 0 reset\n"
            "alu max k1 1x4 dst 0 1 src 0 1 imm 0\n"
            "finish\n");
  const std::string store =
      "  for r in 2 {\n    for c in 16 {\n      block out(vr: 8 = r + 2, vc: 16 = c) {\n        "
      "y[vr, vc] = int8(acc[vr, vc])\n      }\n    }\n  }\n";
  EXPECT_EQ(TasksOf(Sums(store), "only_overwrite"),
            "gemm k0 1x4 dst 0 1 src 0 0 wgt 0 0 reset\n"
            "store2d out[2] -> y[2] 1x2 stride 2\n"
            "finish\n");
}

/// A function over x with `alloc` and one block.
std::string OneBlock(const std::string& allocs, const std::string& loops,
                     const std::string& block) {
  return "func f(\n    x: int8[4, 16],\n    q: int32[4, 16],\n    y: int8[4, 16]) {\n" + allocs +
         "  for r in 4 {\n" + loops + "    block b(vr: 4 = r" + block + "\n  }\n}\n";
}

TEST(Lower, RefusesWhatIsNoProgram) {
  const std::string in = "  alloc t: int8[4, 16] @inp\n", acc = "  alloc t: int32[4, 16] @acc\n",
                    acc_u = "  alloc u: int32[4, 16] @acc\n";
  const std::string lanes = "    for c in 16 {\n", half = "    for c in 8 {\n";
  const std::string store = ", vc: 16 = c) {\n      ";
  EXPECT_EQ(LowerError(OneBlock(in, lanes, store + "t[vr, vc] = x[vr, vc] + 1i8\n    }\n  }")),
            "block b: value = x[vr, vc] + 1i8: must be a tensorized call or a copy");
  EXPECT_EQ(LowerError(
                OneBlock(in + acc_u, lanes,
                         store + "t[vr, vc] = x[vr, vc]\n      u[vr, vc] = q[vr, vc]\n    }\n  }")),
            "block b: stores = t, u: must be one value, not several");
  EXPECT_EQ(
      LowerError(OneBlock(in, half, ", vc: 8 = c) {\n      t[vr, vc] = x[vr, vc]\n    }\n  }")),
      "block b: copy = x to t: must move whole rows of 16");
  EXPECT_EQ(LowerError(OneBlock(in, lanes, store + "t[vr, vc] = x[vr, 15 - vc]\n    }\n  }")),
            "block b: copy = x to t: must move whole rows, dense on both sides");
  EXPECT_EQ(LowerError(OneBlock(in, lanes, store + "y[vr, vc] = x[vr, vc]\n    }\n  }")),
            "block b: copy = x to y: must be between DRAM and a scratchpad");
  EXPECT_EQ(LowerError(OneBlock(in, lanes, store + "y[vr, vc] = t[vr, vc]\n    }\n  }")),
            "block b: store = y: must be int8 rows of the accumulator");
  EXPECT_EQ(LowerError(OneBlock("  alloc t: int8[4, 16] @local\n", lanes,
                                store + "t[vr, vc] = x[vr, vc]\n    }\n  }")),
            "buffer t: scope = local: must be a scratchpad: a program has no other memory of its "
            "own");
  EXPECT_EQ(LowerError(OneBlock("  alloc t: int32[4096, 16] @acc\n", lanes,
                                store + "t[vr, vc] = q[vr, vc]\n    }\n  }")),
            "scratchpad acc: rows = 4096: the config has 2048");
  EXPECT_EQ(LowerError(OneBlock(in, lanes,
                                store + "t[vr, vc] = select(vr < 2, x[vr, vc], 3i8)\n    }\n  }"),
                       "vta_0.0.2"),
            "block b: pad value = 3: this config pads inputs with 0 only (arch.pad_value)");
  EXPECT_EQ(
      LowerError(OneBlock(acc + acc_u, "",
                          ") {\n      call vta.add.compute(t[vr, 0 : 16], u[vr, 0 : 16], u[vr, 0 "
                          ": 16])\n    }")),
      "block b: operand = u: must be the rows of the result: the ALU works in place");
  EXPECT_EQ(LowerError(OneBlock(acc + "  alloc u: int32[9, 16] @acc\n", "",
                                ") {\n      call vta.requant.compute(t[vr, 0 : 16], t[vr, 0 : 16], "
                                "u[0, 0 : 16], u[2, 0 : 16], u[1, 0 : 16])\n    }")),
            "block b: operand = u: must be the row after the parameter before it");
}

TEST(Lower, AccumulatorRowsLoadAndReturn) {
  EXPECT_EQ(TasksOf(OneBlock("  alloc t: int32[4, 16] @acc\n", "    for c in 16 {\n",
                             ", vc: 16 = c) {\n      t[vr, vc] = q[vr, vc]\n    }\n  }")),
            "load2d acc[0] <- q[0] 1x4 stride 4\nfinish\n");
}

}  // namespace
}  // namespace vta::compiler::targets
