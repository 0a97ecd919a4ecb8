// Each rule of the checker on a program of a few lines: what it finds, where, and in which words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/support/random_kernels.h"
#include "tests/support/test_program.h"

namespace vta::isa {
namespace {

using test::LoadRows;
using testing::ElementsAre;
using testing::HasSubstr;

/// load -> gemm -> alu -> store -> finish over one row each, with the tokens that it needs.
class RulesTest : public testing::Test {
 protected:
  enum Index { kLoadUop, kLoadInp, kLoadWgt, kReset, kGemm, kAlu, kStore, kFinish };

  RulesTest() {
    program_.config.arch.inp_depth = program_.config.arch.wgt_depth = 64;
    program_.config.arch.acc_depth = program_.config.arch.uop_depth = 64;
    program_.memory.resize(0x10000);
    const int64_t uops = test::AppendUops(program_, {{1, 2, 3}, {5, 0, 0}});
    program_.memory.resize(0x10100);
    Instruction gemm{
        .opcode = static_cast<int64_t>(Opcode::kGemm), .uop_end = 1, .iter_out = 1, .iter_in = 1};
    Instruction reset = gemm, alu = gemm;
    reset.reset = 1;
    alu.opcode = static_cast<int64_t>(Opcode::kAlu);
    alu.use_imm = 1;
    Instruction store = LoadRows(MemoryType::kOut, 1, 1, 0x400);
    store.opcode = static_cast<int64_t>(Opcode::kStore);
    program_.instructions = {LoadRows(MemoryType::kUop, 0, 2, uops),
                             LoadRows(MemoryType::kInp, 2, 1, 0),
                             LoadRows(MemoryType::kWgt, 3, 1, 0),
                             reset,
                             gemm,
                             alu,
                             store,
                             {.opcode = static_cast<int64_t>(Opcode::kFinish)}};
    At(kLoadWgt).push_next = At(kGemm).pop_prev = 1;
    At(kAlu).push_next = At(kStore).pop_prev = 1;
  }

  Instruction& At(int64_t index) { return program_.instructions[index]; }
  void Insert(int64_t index, const Instruction& insn) {
    program_.instructions.insert(program_.instructions.begin() + index, insn);
  }

  /// The only finding.
  Finding Only() {
    const Report report = program_.Check();
    EXPECT_EQ(report.findings.size(), 1) << ReportToText(report);
    return report.findings.empty() ? Finding{} : report.findings[0];
  }

  test::TestProgram program_;
};

TEST_F(RulesTest, TheProgramIsRight) {
  const Report report = program_.Check();
  EXPECT_TRUE(report.ok()) << ReportToText(report);
  EXPECT_TRUE(report.statistics.serially_legal);
  EXPECT_THAT(report.statistics.by_module, ElementsAre(2, 5, 1));
  EXPECT_THAT(report.statistics.token_carriers, ElementsAre(0, 0, 0));
  EXPECT_THAT(report.statistics.occupancy, ElementsAre(1, 0, 1, 0));
  EXPECT_EQ(report.statistics.uops_executed, 3);
  EXPECT_EQ(report.statistics.uops_loaded, 2);
}

TEST_F(RulesTest, DecodeFault) {
  At(kLoadInp).pop_prev = 1;
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kDecodeFault);
  EXPECT_EQ(finding.instruction, kLoadInp);
  EXPECT_THAT(finding.message, HasSubstr("illegal dependency: "));
}

TEST_F(RulesTest, DecodeFaultsAreAllNamed) {
  At(kLoadUop).y_pad_top = 1;
  At(kAlu).alu_opcode = 7;
  EXPECT_THAT(test::KindsOf(program_.Check()), ElementsAre("decode_fault", "decode_fault"));
}

TEST_F(RulesTest, NoFinish) {
  program_.instructions.pop_back();
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kNoFinish);
  EXPECT_EQ(finding.message, "no FINISH in 7 instructions");
}

TEST_F(RulesTest, EmptyProgram) {
  program_.instructions.clear();
  EXPECT_EQ(Only().kind, FindingKind::kNoFinish);
}

TEST_F(RulesTest, NoFinishDoesNotHideRaces) {
  program_.instructions.pop_back();
  At(kAlu).push_next = At(kStore).pop_prev = 0;
  EXPECT_THAT(test::KindsOf(program_.Check()), ElementsAre("no_finish", "race"));
}

TEST_F(RulesTest, DeadInstruction) {
  Insert(kFinish + 1, At(kStore));
  Insert(kFinish + 1, At(kStore));
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kDeadInstruction);
  EXPECT_EQ(finding.instruction, kFinish + 1);
  EXPECT_EQ(finding.message, "what follows the FINISH never runs: 2 instructions");
}

TEST_F(RulesTest, Deadlock) {
  At(kLoadWgt).push_next = 0;
  const Report report = program_.Check();
  ASSERT_EQ(report.findings.size(), 2);
  EXPECT_EQ(report.findings[0].instruction, kGemm);
  EXPECT_EQ(report.findings[0].module, Module::kCompute);
  EXPECT_EQ(report.findings[0].queue, Queue::kLoadToCompute);
  EXPECT_EQ(report.findings[0].message, "compute waits for ever for a token of load->compute");
  EXPECT_EQ(report.findings[1].instruction, kStore);
  EXPECT_EQ(report.findings[1].message, "store waits for ever for a token of compute->store");
}

TEST_F(RulesTest, DeadlockOfFinish) {
  At(kStore).pop_prev = 0;
  At(kAlu).push_next = 0;
  At(kFinish).pop_next = 1;
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kDeadlock);
  EXPECT_EQ(finding.instruction, kFinish);
  EXPECT_EQ(finding.message, "compute waits for ever for a token of store->compute");
}

TEST_F(RulesTest, FinishWaitsForBlockedModules) {
  At(kAlu).push_next = 0;
  const Report report = program_.Check();
  ASSERT_EQ(report.findings.size(), 2);
  EXPECT_EQ(report.findings[0].message,
            "compute waits for ever for the instructions before FINISH");
}

TEST_F(RulesTest, NotSeriallyLegalButComplete) {
  std::swap(At(kLoadWgt), At(kGemm));  // now the GEMM stands before the LOADs
  std::swap(At(kLoadWgt), At(kLoadInp));
  std::swap(At(kReset), At(kLoadInp));
  const Report report = program_.Check();
  EXPECT_TRUE(report.ok()) << ReportToText(report);
  EXPECT_FALSE(report.statistics.serially_legal);
}

TEST_F(RulesTest, FetchStuckBehindAFullCommandQueue) {
  // GEMM first: it waits for LOADs that fetch can not reach past a queue of two.
  program_.config.uarch.command_queue_depth = 2;
  Instruction loads[] = {At(kLoadInp), At(kLoadWgt)};
  program_.instructions.erase(program_.instructions.begin() + kLoadInp,
                              program_.instructions.begin() + kReset);
  Insert(4, loads[1]);
  Insert(4, loads[0]);  // uop, reset, gemm, alu, inp, wgt, store, finish
  EXPECT_TRUE(program_.Check().ok()) << "a queue of two is just enough";
  std::swap(At(3), At(4));
  std::swap(At(4), At(5));  // inp, wgt, alu
  EXPECT_TRUE(program_.Check().ok());
  std::rotate(&At(3), &At(5), &At(6));  // alu again before them
  Insert(3, At(3));                     // and once more
  At(3).push_next = 0;
  const Report report = program_.Check();
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.findings[0].kind, FindingKind::kDeadlock);
  EXPECT_EQ(report.findings[0].message,
            "load never gets its instruction: fetch is stuck at instruction 4, whose command queue "
            "holds 2");
}

TEST_F(RulesTest, TokenCapacity) {
  program_.config.arch.token_capacity = 2;
  for (int i = 0; i < 2; ++i) {  // three pushes, all popped at the end
    Instruction carrier = At(kLoadWgt);
    carrier.x_size = 0;
    Insert(kReset, carrier);
  }
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kTokenCapacity);
  EXPECT_EQ(finding.instruction, kLoadWgt + 2);
  EXPECT_EQ(finding.queue, Queue::kLoadToCompute);
  EXPECT_EQ(finding.message, "its push can be token 3 in load->compute, which holds 2");
  program_.config.arch.token_capacity = 3;
  const Report report = program_.Check();
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.statistics.left_over[0], 2);
  EXPECT_THAT(report.statistics.token_carriers, ElementsAre(2, 0, 0));
}

TEST_F(RulesTest, CapacityCountsTheWorstOrderNotTheStreamOrder) {
  // Three times push and pop in turns: in stream order there is never more than one token.
  program_.config.arch.token_capacity = 2;
  Instruction push = At(kLoadInp), pop = At(kReset);
  push.x_size = 0, push.push_next = 1;
  pop.iter_in = 0, pop.pop_prev = 1;
  for (int i = 0; i < 2; ++i) Insert(kLoadInp, pop), Insert(kLoadInp, push);
  EXPECT_EQ(Only().kind, FindingKind::kTokenCapacity);
}

TEST_F(RulesTest, LoadPastTheScratchpad) {
  At(kLoadInp).sram_base = 61;
  At(kLoadInp).x_pad_left = 2;  // rows 61, 62, 63
  EXPECT_THAT(test::KindsOf(program_.Check()), ElementsAre("uninitialised_read"));
  At(kLoadInp).y_pad_top = 1;  // and three more
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kIndexOutOfRange);
  EXPECT_EQ(finding.memory, "inp");
  EXPECT_EQ(finding.message, "reaches inp row 66 of 64");
}

TEST_F(RulesTest, LoopPastTheScratchpad) {
  At(kGemm).iter_out = 2, At(kGemm).iter_in = 3;
  At(kGemm).wgt_factor_out = 56, At(kGemm).wgt_factor_in = 3;
  Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kIndexOutOfRange);
  EXPECT_EQ(finding.message, "wgt reaches wgt row 65 of 64");
  At(kGemm).wgt_factor_out = At(kGemm).wgt_factor_in = 0;
  At(kGemm).dst_factor_out = 63;
  EXPECT_EQ(Only().message, "dst reaches acc row 64 of 64");
}

TEST_F(RulesTest, MicroOpsPastTheirMemory) {
  At(kAlu).uop_end = 65;
  EXPECT_EQ(Only().message, "reaches uop row 64 of 64");
  At(kAlu).iter_in = 0;  // zero trips: nothing happens
  EXPECT_THAT(test::KindsOf(program_.Check()), ElementsAre());
}

TEST_F(RulesTest, DramOutOfRange) {
  const auto size = static_cast<int64_t>(program_.memory.size());
  At(kStore).dram_base = size / 16 - 3, At(kStore).y_size = 2, At(kStore).x_stride = 4;
  program_.memory.resize(0x20000);
  At(kStore).sram_base = 0;
  EXPECT_THAT(test::KindsOf(program_.Check()), ElementsAre("uninitialised_read"));
  program_.memory.resize(size);
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kMemoryOutOfRange);
  EXPECT_EQ(finding.instruction, kStore);
  EXPECT_EQ(finding.end, (size / 16 + 2) * 16);
}

TEST_F(RulesTest, RaceOfStoreAndAlu) {
  At(kAlu).push_next = 0;
  At(kGemm).push_next = 1;
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kRace);
  EXPECT_EQ(finding.instruction, kStore);
  EXPECT_EQ(finding.other, kAlu);
  EXPECT_EQ(finding.memory, "out");
  EXPECT_EQ(finding.begin, 1);
  EXPECT_EQ(finding.end, 2);
  EXPECT_EQ(finding.message,
            "reads out rows 1..1, which instruction 5 (compute) writes: no token orders the two");
}

TEST_F(RulesTest, RaceOfLoadAfterUse) {
  Insert(kAlu, At(kLoadInp));  // overwrites what the GEMM may still read
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kRace);
  EXPECT_EQ(finding.instruction, kAlu);
  EXPECT_EQ(finding.other, kGemm);
  EXPECT_EQ(finding.memory, "inp");
  At(kGemm).push_prev = At(kAlu).pop_next = 1;
  EXPECT_TRUE(program_.Check().ok());
}

TEST_F(RulesTest, RowsBetweenThoseOfAKernelAreFree) {
  // GEMM reads inp rows 2, 4, 6; a LOAD of rows 3 and 5 needs no token.
  At(kLoadInp).x_size = 5;
  At(kGemm).iter_in = 3, At(kGemm).src_factor_in = 2;
  Instruction between = At(kLoadInp);
  between.sram_base = 3, between.x_size = 1;
  Insert(kAlu, between);
  EXPECT_TRUE(program_.Check().ok());
  At(kAlu).x_size = 2;
  EXPECT_THAT(test::KindsOf(program_.Check()), ElementsAre("race"));
}

TEST_F(RulesTest, RaceInDram) {
  // A LOAD of the bytes that the STORE writes, and of those between its rows.
  At(kStore).y_size = 2, At(kStore).x_stride = 2;
  At(kReset).iter_in = At(kAlu).iter_in = 2;
  At(kReset).dst_factor_in = At(kAlu).dst_factor_in = 1;
  Insert(kFinish, LoadRows(MemoryType::kInp, 40, 1, 0x401));
  EXPECT_TRUE(program_.Check().ok());
  At(kFinish).dram_base = 0x402;
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kRace);
  EXPECT_EQ(finding.memory, "dram");
  EXPECT_EQ(finding.begin, 0x4020);
  EXPECT_EQ(finding.end, 0x4030);
  EXPECT_EQ(finding.message,
            "loads dram bytes 0x4020..0x402f, which instruction 6 (store) stores: no token orders "
            "the two");
  std::swap(At(kFinish), At(kStore));  // and the other way round: the LOAD first
  EXPECT_EQ(Only().message,
            "stores dram bytes 0x4020..0x402f, which instruction 6 (load) loads: no token orders "
            "the two");
}

TEST_F(RulesTest, UninitialisedRows) {
  At(kReset).iter_in = 0;
  Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kUninitialisedRead);
  EXPECT_EQ(finding.instruction, kGemm);
  EXPECT_EQ(finding.message, "reads acc rows 1..1, which nothing before it writes");
  At(kReset).iter_in = 1;
  At(kLoadInp).x_size = 0;
  finding = Only();
  EXPECT_EQ(finding.memory, "inp");
  At(kLoadInp).x_size = 1;
  At(kStore).sram_base = 0, At(kStore).x_size = 4;
  finding = Only();
  EXPECT_EQ(finding.memory, "out");
  EXPECT_EQ(finding.begin, 0);
  EXPECT_EQ(finding.end, 1);
}

TEST_F(RulesTest, AnOverwritingGemmReadsNoAccumulators) {
  program_.config.version = Version::k100;
  program_.config.arch.overwrite = 1;
  At(kReset).iter_in = 0;
  At(kGemm).overwrite = 1;
  EXPECT_TRUE(program_.Check().ok()) << ReportToText(program_.Check());
  // But it reads its sources, writes both scratchpads, and takes indices as any GEMM.
  At(kLoadInp).x_size = 0;
  EXPECT_EQ(Only().memory, "inp");
  At(kLoadInp).x_size = 1, At(kLoadWgt).x_size = 0;
  EXPECT_EQ(Only().memory, "wgt");
  At(kLoadWgt).x_size = 1;
  At(kGemm).iter_in = 2, At(kGemm).wgt_factor_in = 61;
  EXPECT_EQ(Only().message, "wgt reaches wgt row 64 of 64");
  At(kGemm).iter_in = 1;
  At(kAlu).iter_in = 0, At(kAlu).push_next = 0, At(kGemm).push_next = 1;
  EXPECT_TRUE(program_.Check().ok()) << ReportToText(program_.Check());
  At(kGemm).reset = 1;
  At(kLoadInp).x_size = 0;
  EXPECT_TRUE(program_.Check().ok()) << "reset comes first: " << ReportToText(program_.Check());
}

TEST_F(RulesTest, LoadedAccumulatorsAreNotOutputs) {
  At(kReset) = LoadRows(MemoryType::kAcc, 1, 1, 0);
  At(kGemm).iter_in = At(kAlu).iter_in = 0;
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kUninitialisedRead);
  EXPECT_EQ(finding.instruction, kStore);
  EXPECT_EQ(finding.memory, "out");
}

TEST_F(RulesTest, UninitialisedMicroOps) {
  At(kAlu).uop_end = 3;
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kUninitialisedRead);
  EXPECT_EQ(finding.message, "uses micro-op 2, which was never loaded");
}

TEST_F(RulesTest, RequantReadsThreeRows) {
  program_.config.version = Version::k100;
  program_.config.arch.requant = 1;
  At(kAlu).use_imm = 0, At(kAlu).alu_opcode = static_cast<int64_t>(AluOp::kRequant);
  Insert(kReset, LoadRows(MemoryType::kAcc, 2, 3, 0));  // src is 2
  std::swap(At(kReset), At(kLoadUop));
  EXPECT_TRUE(program_.Check().ok()) << ReportToText(program_.Check());
  At(kLoadUop).x_size = 2;
  const Finding finding = Only();
  EXPECT_EQ(finding.memory, "acc");
  EXPECT_EQ(finding.begin, 4);
  At(kLoadUop).x_size = 3;
  At(kAlu + 1).src_factor_out = 60, At(kAlu + 1).iter_out = 2;
  EXPECT_EQ(Only().message, "src reaches acc row 64 of 64");
}

TEST_F(RulesTest, OverwrittenMicroOps) {
  At(kStore).dram_base = At(kLoadUop).dram_base / 4;
  Insert(kStore, At(kLoadUop));
  EXPECT_EQ(Only().kind, FindingKind::kRace) << "the LOAD may come late";
  std::swap(At(kStore), At(kStore + 1));
  EXPECT_EQ(Only().kind, FindingKind::kOverwrittenUops);
  At(kStore).push_prev = At(kStore + 1).pop_next = 1;
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kOverwrittenUops) << "surely";
  EXPECT_EQ(finding.instruction, kStore + 1);
  EXPECT_EQ(finding.other, kStore);
  EXPECT_EQ(finding.message,
            "loads micro-ops from bytes at 0x10000, which the program itself stores to before");
}

TEST_F(RulesTest, StoreAfterTheLastLoadOfMicroOpsIsFine) {
  At(kStore).dram_base = At(kLoadUop).dram_base / 4;
  EXPECT_TRUE(program_.Check().ok()) << ReportToText(program_.Check());
}

TEST_F(RulesTest, OverwrittenProgram) {
  program_.instruction_address = 0x4070;
  EXPECT_TRUE(program_.Check().ok());
  program_.instruction_address = 0x4008;
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kOverwrittenProgram);
  EXPECT_EQ(finding.message, "stores to 0x4008, where the program's own instructions lie");
  program_.instruction_address = 0x4000 - 8 * 16;
  EXPECT_TRUE(program_.Check().ok());
}

/// The program's findings as a part of a package: what it may load and store is said.
class InterfaceTest : public RulesTest {
 protected:
  std::vector<std::string> KindsWith(const Interface& interface) {
    const Layout layout(program_.config);
    std::vector<Word> words;
    for (const Instruction& insn : program_.instructions) words.push_back(Encode(layout, insn));
    const std::span<const uint8_t> memory(program_.memory);
    const ImagePart uops{0x10000, memory.subspan(0x10000), true};
    const Launch launch{.instructions = words,
                        .memory_bytes = std::ssize(program_.memory),
                        .image = {&uops, 1},
                        .interface = interface,
                        .any_command_queues = true};
    report_ = vta::isa::Check(program_.config, launch);
    return test::KindsOf(report_);
  }

  // One row of each: 16, 256 and 16 bytes.
  const Interface exact_ = {{{0, 16}, {16, 256}}, {{0x4000, 0x4010}}};
  Report report_;
};

TEST_F(InterfaceTest, WhatIsTakenAndMadeIsEnough) { EXPECT_THAT(KindsWith(exact_), ElementsAre()); }

TEST_F(InterfaceTest, ForeignLoad) {
  EXPECT_THAT(KindsWith({{{0, 255}}, exact_.makes}), ElementsAre("foreign_load"));
  EXPECT_EQ(report_.findings[0].instruction, kLoadWgt);
  EXPECT_EQ(report_.findings[0].message, "loads 0xff, which its step does not take");
  // Rows that a stride separates are held one by one.
  At(kLoadInp).y_size = 3;
  At(kLoadInp).sram_base = 0;
  At(kLoadInp).x_stride = 2;
  EXPECT_THAT(KindsWith({{{0, 256}}, exact_.makes}), ElementsAre());
  EXPECT_THAT(KindsWith({{{0, 16}, {32, 48}, {64, 80}}, exact_.makes}),
              ElementsAre("foreign_load"));
  EXPECT_EQ(report_.findings[0].instruction, kLoadWgt);
  At(kLoadWgt).dram_base = 1;
  EXPECT_THAT(KindsWith({{{0, 16}, {32, 48}, {64, 80}, {256, 512}}, exact_.makes}), ElementsAre());
  EXPECT_THAT(KindsWith({{{0, 16}, {33, 48}, {64, 80}, {256, 512}}, exact_.makes}),
              ElementsAre("foreign_load"));
  EXPECT_EQ(report_.findings[0].message, "loads 0x20, which its step does not take");
}

TEST_F(InterfaceTest, WhatWasStoredIsLoadedAgainWhereLayersShareALaunch) {
  Insert(kStore + 1, At(kLoadInp));
  At(kStore + 1).push_next = At(kStore + 1).pop_next = 0, At(kStore + 1).dram_base = 0x4000 / 16;
  Interface shared = exact_;
  EXPECT_THAT(KindsWith(shared), testing::Contains("foreign_load"));
  shared.reloads = true;
  EXPECT_THAT(KindsWith(shared), testing::Not(testing::Contains("foreign_load")));
  std::swap(At(kStore), At(kStore + 1));  // what was there before the launch is nobody's
  EXPECT_THAT(KindsWith(shared), testing::Contains("foreign_load"));
}

TEST_F(InterfaceTest, ForeignStore) {
  EXPECT_THAT(KindsWith({exact_.takes, {}}), ElementsAre("foreign_store"));
  EXPECT_THAT(KindsWith({exact_.takes, {{0x4001, 0x4010}}}), ElementsAre("foreign_store"));
  EXPECT_EQ(report_.findings[0].instruction, kStore);
  EXPECT_EQ(report_.findings[0].message, "stores to 0x4000, which its step does not make");
}

TEST_F(InterfaceTest, MissingStore) {
  EXPECT_THAT(KindsWith({exact_.takes, {{0x4000, 0x4011}}}), ElementsAre("missing_store"));
  EXPECT_EQ(report_.findings[0].instruction, -1);
  EXPECT_EQ(report_.findings[0].message, "never stores to 0x4010, which its step makes");
  // Two STOREs that leave a gap of a row, and then none.
  Insert(kStore + 1, At(kStore));
  At(kStore + 1).pop_prev = 0;
  At(kStore + 1).dram_base += 2;
  EXPECT_THAT(KindsWith({exact_.takes, {{0x4000, 0x4030}}}), ElementsAre("missing_store"));
  EXPECT_EQ(report_.findings[0].begin, 0x4010);
  --At(kStore + 1).dram_base;
  EXPECT_THAT(KindsWith({exact_.takes, {{0x4000, 0x4020}}}), ElementsAre());
}

TEST_F(InterfaceTest, NotSeriallyLegal) {
  // The token that GEMM pops comes from a LOAD that is fetched after GEMM and ALU.
  Insert(kAlu + 1, At(kLoadWgt));
  program_.instructions.erase(program_.instructions.begin() + kLoadWgt);
  EXPECT_TRUE(program_.Check().ok());
  EXPECT_THAT(KindsWith(exact_), ElementsAre("not_serially_legal"));
  EXPECT_EQ(report_.findings[0].instruction, kGemm - 1);
  EXPECT_EQ(report_.findings[0].queue, Queue::kLoadToCompute);
  EXPECT_THAT(report_.findings[0].message, HasSubstr("only a later instruction pushes"));
  // Such a machine is of the same arch, and stands still.
  program_.config.uarch.command_queue_depth = 1;
  EXPECT_THAT(KindsWith(exact_), testing::Contains("deadlock"));
}

}  // namespace
}  // namespace vta::isa
