// What the checker says of the table of lut.
#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/support/random_kernels.h"
#include "tests/support/test_program.h"

namespace vta::isa {
namespace {

using test::LoadRows;

/// Accumulators, and an ALU instruction on one of them; FINISH.
class LutRules : public testing::Test {
 protected:
  LutRules() {
    program_.config.version = Version::k100;
    program_.config.arch.requant = program_.config.arch.lut = 1;
    program_.memory.resize(0x10000);
    const int64_t uops = test::AppendUops(program_, {{3, 0, 0}});
    program_.instructions = {LoadRows(MemoryType::kUop, 0, 1, uops),
                             LoadRows(MemoryType::kAcc, 0, 4, 0),
                             {.opcode = static_cast<int64_t>(Opcode::kAlu),
                              .uop_end = 1,
                              .iter_out = 1,
                              .iter_in = 1,
                              .alu_opcode = static_cast<int64_t>(AluOp::kLut)},
                             {.opcode = static_cast<int64_t>(Opcode::kFinish)}};
  }
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

TEST_F(LutRules, ReadsATableThatWasLoaded) {
  const Finding finding = Only();
  EXPECT_EQ(finding.kind, FindingKind::kUninitialisedRead);
  EXPECT_EQ(finding.instruction, 2);
  EXPECT_EQ(finding.message, "reads lut rows 0..0, which nothing before it writes");
  Insert(3, LoadRows(MemoryType::kLut, 0, 1, 0));
  EXPECT_EQ(Only().kind, FindingKind::kUninitialisedRead) << "it comes too late";
  std::swap(program_.instructions[2], program_.instructions[3]);
  EXPECT_TRUE(program_.Check().ok()) << ReportToText(program_.Check());
}

TEST_F(LutRules, RequantNeedsNone) {
  program_.instructions[2].alu_opcode = static_cast<int64_t>(AluOp::kRequant);
  EXPECT_TRUE(program_.Check().ok()) << ReportToText(program_.Check());
}

TEST_F(LutRules, ThereIsOneTable) {
  Insert(2, LoadRows(MemoryType::kLut, 0, 1, 0));
  program_.instructions[2].x_size = 2;
  EXPECT_EQ(Only().message, "reaches lut row 1 of 1");
  program_.instructions[2].x_size = 1, program_.instructions[2].sram_base = 9;
  EXPECT_EQ(Only().message, "reaches lut row 9 of 1");
}

TEST_F(LutRules, ATableIsNotStoredOver) {
  Insert(2, LoadRows(MemoryType::kLut, 0, 1, 1));
  Instruction store = LoadRows(MemoryType::kOut, 3, 1, 0x100 / 16);
  store.opcode = static_cast<int64_t>(Opcode::kStore);
  store.pop_prev = 1;
  program_.instructions[3].push_next = 1;
  Insert(4, store);
  EXPECT_TRUE(program_.Check().ok()) << ReportToText(program_.Check());
  Insert(4, LoadRows(MemoryType::kLut, 0, 1, 1));
  EXPECT_EQ(Only().kind, FindingKind::kRace) << "the LOAD may come late";
}

}  // namespace
}  // namespace vta::isa
