// Generated files against facts typed here by hand, and the committed C header against the codec.
#include <gmock/gmock.h>

#include "hw/generated/vta_default.h"
#include "isa/codec.h"
#include "isa/gen/c_header.h"
#include "isa/gen/column_rule.h"
#include "isa/gen/manual.h"
#include "isa/gen/systemverilog.h"
#include "tests/support/files.h"

namespace vta::isa {
namespace {

using testing::HasSubstr;

Config Default() { return LoadConfig(SourcePath("isa/configs/default.json")); }

void Put(Word& word, int low_bit, int bits, uint64_t value) {
  ASSERT_LT(value, uint64_t{1} << bits);
  (low_bit < 64 ? word.low : word.high) |= value << low_bit % 64;
}

TEST(GenTest, TheCHeaderEncodes) {
  Instruction insn;
  insn.opcode = static_cast<int64_t>(Opcode::kAlu);
  insn.push_next = 1, insn.iter_in = 16383, insn.dst_factor_in = 7, insn.use_imm = 1;
  insn.alu_opcode = static_cast<int64_t>(AluOp::kShr), insn.imm = 9;
  Word word;
  Put(word, VTA_ALU_OPCODE_LSB, VTA_ALU_OPCODE_BITS, VTA_OP_ALU);
  Put(word, VTA_ALU_PUSH_NEXT_LSB, VTA_ALU_PUSH_NEXT_BITS, 1);
  Put(word, VTA_ALU_ITER_IN_LSB, VTA_ALU_ITER_IN_BITS, 16383);
  Put(word, VTA_ALU_DST_FACTOR_IN_LSB, VTA_ALU_DST_FACTOR_IN_BITS, 7);
  Put(word, VTA_ALU_ALU_OPCODE_LSB, VTA_ALU_ALU_OPCODE_BITS, VTA_ALU_SHR);
  Put(word, VTA_ALU_USE_IMM_LSB, VTA_ALU_USE_IMM_BITS, 1);
  Put(word, VTA_ALU_IMM_LSB, VTA_ALU_IMM_BITS, 9);
  EXPECT_EQ(word, Encode(Layout(Default()), insn));
  EXPECT_EQ(VTA_ARCH_HASH, ArchHash(Default()));
  EXPECT_EQ(VTA_REG_STATUS, 4u);
  EXPECT_EQ(VTA_WGT_BYTES, 256);
}

TEST(GenTest, TheSystemVerilogPackageHasThePublishedPositions) {
  const std::string text = SystemVerilogPackage(Default());
  for (const char* line :
       {"localparam int LoadDramBaseLsb = 26;", "localparam int LoadDramBaseBits = 32;",
        "localparam int StoreXPadRightLsb = 124;", "localparam int GemmUopEndLsb = 21;",
        "localparam int GemmUopEndBits = 14;", "localparam int GemmWgtFactorInLsb = 118;",
        "localparam int AluImmLsb = 112;", "localparam int UopWgtLsb = 22;",
        "localparam logic [2:0] MEM_ACC8 = 3'h5;", "localparam logic [2:0] ALU_MUL = 3'h4;",
        "localparam int BlockOut = 16;", "localparam int GemmOverwriteLsb = 63;",
        "localparam logic [3:0] FAULT_BUS_ERROR = 4'h8;"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(GenTest, TheManualGivesPositionsHereAndInGeneral) {
  const std::string text = Manual(Default());
  for (const char* line :
       {"| 49-62 | `iter_in` | 23+2U | 14 | trips of the inner loop |",
        "| 108-110 | `alu_opcode` | 64+4A | 3 |", "| 112-127 | `imm` | 68+4A | 16, signed |",
        "| 11-21 | `src` | A | max(A,I) |", "| 22-31 | `wgt` | A+max(A,I) | W |",
        "Reserved here, and ignored: 26-127.", "| 5 | `requant` | `requant` |",
        "| 0x040 | `base` | 10 | read, write |", "| `mul` | true | true, false | false | |"})
    EXPECT_THAT(text, HasSubstr(line));
  Config small = Default();
  small.arch.uop_depth = 64, small.arch.acc_depth = 64, small.arch.wgt_depth = 64;
  small.arch.overwrite = 0;
  EXPECT_THAT(Manual(small), HasSubstr("| 35-48 | `iter_in` | 23+2U | 14 |"));
  EXPECT_THAT(Manual(small), HasSubstr("Reserved here, and ignored: 63, 110-127."));
  small.arch.overwrite = 1;
  EXPECT_THAT(Manual(small), HasSubstr("| 49-62 | `reserved` | 37+2U | 26-2U | ignored |\n"
                                       "| 63 | `overwrite` | 63 | 1, with `overwrite` |"));
}

TEST(GenTest, ColumnRulesComputeWidths) {
  EXPECT_EQ(ColumnRule(0).Text(), "0");
  ColumnRule rule = ColumnRule::Of([](const LogDepths& d) { return d.uop + 1; });
  rule += ColumnRule::Of([](const LogDepths& d) { return std::max(d.acc, d.inp); });
  rule += ColumnRule::Of([](const LogDepths& d) { return d.acc; });
  EXPECT_EQ(rule.Text(), "1+U+A+max(A,I)");
  EXPECT_EQ(rule.Value({.uop = 3, .inp = 9, .wgt = 0, .acc = 5}), 18);
}

}  // namespace
}  // namespace vta::isa
