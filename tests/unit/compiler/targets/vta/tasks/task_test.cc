// Task IR: text form, verifier, micro-op placement, encoding.
#include "compiler/targets/vta/tasks/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/targets/vta/tasks/emit.h"
#include "compiler/targets/vta/tasks/uop_memory.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"

namespace vta::compiler::targets {
namespace {

constexpr char kText[] = R"(program small
tensor x : inp[64] @0
tensor w : wgt[4] @1024
tensor y : out[64] @2048
kernel k0 (0,0,0)
kernel k1 (8,3,0) (9,4,0)
set pad_load 128 ; pop_next
load2d inp[0] <- x[8] 3x8 stride 16 pad 1 0 1 1 value ; push_next
load2d wgt[0] <- w[0] 1x4 stride 4
gemm k0 8x1 dst 1 0 src 0 0 wgt 0 0 reset
gemm k1 4x2 dst 2 1 src 2 1 wgt 1 0 overwrite @5 ; pop_prev push_prev
alu shr k0 8x1 dst 1 0 src 0 0 imm -7
alu requant k1 1x1 dst 0 0 src 0 0
nop ; pop_next
store2d out[0] -> y[16] 2x8 stride 32 ; pop_prev push_prev
finish
)";

isa::Config DefaultConfig() { return isa::LoadConfig(SourcePath("isa/configs/default.json")); }

TEST(TaskText, RoundTrips) {
  const TaskProgram program = ParseTasks(kText, "small");
  EXPECT_EQ(program.tasks.size(), 10u);
  EXPECT_EQ(PrintTasks(program), kText);
  EXPECT_EQ(ParseTasks(PrintTasks(program), "again"), program);
}

TEST(TaskText, ErrorsNameLineWordAndRule) {
  EXPECT_EQ(ErrorOf([] { ParseTasks("program p\nlod2d", "f"); }),
            "f:2: word = lod2d: must be tensor, kernel, load2d, store2d, gemm, alu, set, nop or "
            "finish");
  EXPECT_EQ(ErrorOf([] { ParseTasks("load2d inp[0] <- x[0] 1x1 stride 1", "f"); }),
            "f:1: word = x: must be a declared tensor of these elements");
  EXPECT_EQ(ErrorOf([] { ParseTasks("nop ; pop", "f"); }), "f:1: word = pop: must be a token bit");
  EXPECT_EQ(ErrorOf([] { ParseTasks("gemm k0", "f"); }),
            "f:1: word = end of line: the kernel must be declared above");
  EXPECT_EQ(ErrorOf([] {
              ParseTasks("kernel k0 (0,0,0)\ngemm k0 1x1 dst 0 0 src 0 0 wgt 0 0 @-2 ; pop_prev",
                         "f");
            }),
            "f:2: word = ;: the place of a micro-op must not be negative");
  EXPECT_EQ(ErrorOf([] { ParseTasks("kernel k1 (0,0,0)", "f"); }),
            "f:1: word = (: kernels are numbered in order");
  EXPECT_EQ(ErrorOf([] { ParseTasks("finish now", "f"); }), "f:1: word = now: nothing may follow");
}

TEST(TaskVerify, AcceptsTheExample) { VerifyTasks(DefaultConfig(), ParseTasks(kText, "small")); }

TEST(TaskVerify, RefusesWhatTheConfigCannotDo) {
  const std::string head =
      "program p\ntensor x : inp[64] @0\ntensor y : out[8] @0\n"
      "kernel k0 (0,0,0)\nkernel k1 (2040,2040,0)\n";
  auto verify = [&](const std::string& line) {
    return ErrorOf([&] { VerifyTasks(DefaultConfig(), ParseTasks(head + line, "p")); });
  };
  EXPECT_EQ(verify("load2d inp[0] <- x[60] 1x5 stride 5"),
            "p: task 0: end in x = 65: the tensor has 64 elements");
  EXPECT_EQ(verify("load2d inp[2047] <- x[0] 1x2 stride 2"),
            "p: task 0: end in scratchpad = 2049: inp holds 2048");
  EXPECT_EQ(verify("load2d out[0] <- y[0] 1x1 stride 1"),
            "p: task 0: memory type = 4: this config cannot move it that way");
  EXPECT_EQ(verify("load2d inp[0] <- x[0] 1x0 stride 0"),
            "p: task 0: size = 0: must be positive: a task that moves nothing is a nop");
  EXPECT_EQ(verify("alu add k1 8x1 dst 1 0 src 1 0"), "no error");
  EXPECT_EQ(verify("alu add k1 9x1 dst 1 0 src 0 0"), "p: task 0: dst = 2048: must be below 2048");
  EXPECT_EQ(verify("alu requant k1 7x1 dst 0 0 src 1 0"),
            "p: task 0: src = 2048: must be below 2048");
  EXPECT_THAT(verify("load2d inp[0] <- x[0] 1x1 stride 1 pad 16 0 0 0"),
              testing::HasSubstr("y_pad_top = 16: must be in [0, 15]"));
  EXPECT_THAT(verify("alu add k0 1x1 dst 0 0 src 0 0 imm 40000"), testing::HasSubstr("imm"));
  EXPECT_THAT(
      ErrorOf([&] { VerifyTasks(isa::Config(), ParseTasks(head + "set rounding 1", "p")); }),
      testing::HasSubstr("the opcode names no instruction of this config"));
  const std::string gemm = "gemm k0 1x1 dst 0 0 src 0 0 wgt 0 0 overwrite";
  EXPECT_EQ(verify(gemm), "no error");
  EXPECT_EQ(ErrorOf([&] { VerifyTasks(isa::Config(), ParseTasks(head + gemm, "p")); }),
            "p: task 0: gemm: overwrite = 1: this config has no such field");
}

TEST(UopMemory, LoadsEverythingAtOnceWhenItFits) {
  TaskProgram program = ParseTasks(kText, "small");
  PlaceUops(DefaultConfig(), "uops", &program);
  EXPECT_EQ(PrintTask(program, program.tasks[0]), "load2d uop[0] <- uops[0] 1x3 stride 3");
  EXPECT_EQ(NestOf(program.tasks[4])->uop_begin, 0);
  EXPECT_EQ(NestOf(program.tasks[5])->uop_begin, 1);
}

TEST(UopMemory, ReloadsOverwrittenKernels) {
  isa::Config config = DefaultConfig();
  config.arch.uop_depth = 16;
  TaskBuilder builder("ring");
  std::vector<int64_t> kernels;
  for (int k = 0; k < 3; ++k) kernels.push_back(builder.Intern(UopKernel(6, isa::Uop{k, 0, 0})));
  for (const int k : {0, 1, 0, 2, 1, 0}) builder.Add(Alu{LoopNest{kernels[k]}});
  TaskProgram program = std::move(builder).Take();
  PlaceUops(config, "uops", &program);
  std::string text;
  for (const Task& task : program.tasks) {
    if (const Dma* dma = std::get_if<Dma>(&task.op))
      text += StrCat("load ", dma->dram, "->", dma->sram, " ");
    else
      text += StrCat("use ", NestOf(task)->uop_begin, " ");
  }
  EXPECT_EQ(text, "load 0->0 use 0 load 6->6 use 6 use 0 load 12->0 use 0 use 6 load 0->6 use 6 ");
  config.arch.uop_depth = 4;
  EXPECT_EQ(ErrorOf([&] { PlaceUops(config, "uops", &program); }),
            "ring: micro-ops of one kernel = 6: micro-op memory holds 4");
}

TEST(Emit, EncodesEveryField) {
  TaskProgram program = ParseTasks(kText, "small");
  PlaceUops(DefaultConfig(), "uops", &program);
  const isa::Layout layout(DefaultConfig());
  const std::vector<isa::Word> words = EncodeTasks(layout, program);
  ASSERT_EQ(words.size(), 11u);
  const isa::Instruction load = isa::Decode(layout, words[2]);
  EXPECT_EQ(load.memory_type, 2);
  EXPECT_EQ(load.dram_base, 8);
  EXPECT_EQ(load.pad_select, 1);
  EXPECT_EQ(load.push_next, 1);
  EXPECT_EQ(load.x_pad_right, 1);
  const isa::Instruction weights = isa::Decode(layout, words[3]);
  EXPECT_EQ(weights.dram_base, 4);  // 1024 bytes in elements of 256
  const isa::Instruction gemm = isa::Decode(layout, words[5]);
  EXPECT_EQ(gemm.uop_begin, 1);
  EXPECT_EQ(gemm.uop_end, 3);
  EXPECT_EQ(gemm.pop_prev + 2 * gemm.pop_next + 4 * gemm.push_prev, 5);
  EXPECT_EQ(isa::Decode(layout, words[6]).imm, -7);
  EXPECT_EQ(EncodeKernels(layout, program).size(), 12u);

  const ProgramStats stats = CountStats(DefaultConfig(), program);
  EXPECT_EQ(stats.macs, 4 * 2 * 2 * 256);
  EXPECT_EQ(stats.uops, 8 + 16 + 8 + 2);
  EXPECT_EQ(stats.dram_bytes[static_cast<int>(isa::MemoryType::kInp)], 24 * 16);
  EXPECT_THAT(stats.instructions, testing::ElementsAre(3, 7, 1));
}

TEST(Emit, RefusesMisalignedTensors) {
  TaskProgram program =
      ParseTasks("program p\ntensor x : inp[64] @24\nload2d inp[0] <- x[0] 1x1 stride 1", "p");
  EXPECT_EQ(ErrorOf([&] { EncodeTasks(isa::Layout(DefaultConfig()), program); }),
            "p: offset of x = 24: must be a multiple of its element size, 16 bytes");
}

}  // namespace
}  // namespace vta::compiler::targets
