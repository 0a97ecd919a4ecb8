// vta_banks against a plain memory; vta_reach against all rows that an ALU instruction names.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "isa/codec.h"
#include "isa/spec/timing.h"
#include "tests/rtl/bench/bench_test.h"

namespace vta::test {
namespace {

using isa::AluOp;
using isa::Instruction;
namespace timing = isa::timing;

class BanksTest : public BenchTest {
 protected:
  BanksTest() : layout_(GetParam()), depth_(GetParam().arch.acc_depth) {}

  static bool IsRequant(const Instruction& insn) {
    return insn.alu_opcode == static_cast<int64_t>(AluOp::kRequant);
  }

  // A few rows, the most of which comes with the last offset to the end of a bank or next to it.
  void PlaceRows(int64_t isa::Uop::*row, int64_t last, int64_t size) {
    const int64_t end = OneIn(3) ? depth_ : depth_ / 2;
    const int64_t most = end - last - size + UpTo(2) - 1;
    const int64_t low = OneIn(2) ? 0 : depth_ / 2;
    for (isa::Uop& uop : uops_) uop.*row = low + UpTo(3);
    if (most >= 0 && most < depth_ && !OneIn(4)) {
      for (isa::Uop& uop : uops_) uop.*row = std::max<int64_t>(most - UpTo(3), 0);
      uops_[static_cast<size_t>(UpTo(std::ssize(uops_) - 1))].*row = most;
    }
    if (OneIn(6)) uops_[static_cast<size_t>(UpTo(std::ssize(uops_) - 1))].*row = UpTo(depth_ - 1);
  }

  Instruction AnyAlu() {
    const isa::Arch& arch = GetParam().arch;
    Instruction insn{.opcode = static_cast<int64_t>(isa::Opcode::kAlu)};
    do insn.alu_opcode = UpTo(static_cast<int64_t>(AluOp::kRequant));
    while (!isa::FindAluOp(arch, insn.alu_opcode));
    insn.use_imm = !IsRequant(insn) && OneIn(2);
    uops_.assign(static_cast<size_t>(1 + UpTo(OneIn(4) ? 19 : 3)), {});
    insn.uop_begin = UpTo(arch.uop_depth - std::ssize(uops_));
    insn.uop_end = insn.uop_begin + std::ssize(uops_);
    const auto trips = [&] { return 1 + UpTo(OneIn(40) ? 16382 : OneIn(3) ? 60 : 3); };
    insn.iter_out = trips();
    insn.iter_in = insn.iter_out > 100 ? 1 + UpTo(1) : trips();
    const auto factor = [&] { return OneIn(3) ? 0 : UpTo(OneIn(6) ? depth_ - 1 : 3); };
    insn.dst_factor_out = factor(), insn.dst_factor_in = factor();
    insn.src_factor_out = factor(), insn.src_factor_in = factor();
    const int64_t o = insn.iter_out - 1, i = insn.iter_in - 1;
    PlaceRows(&isa::Uop::dst, o * insn.dst_factor_out + i * insn.dst_factor_in, 1);
    PlaceRows(&isa::Uop::src, o * insn.src_factor_out + i * insn.src_factor_in,
              IsRequant(insn) ? 3 : 1);
    return insn;
  }

  // The bank in which all rows of the instruction lie, by looking at each of them.
  std::optional<bool> BankOf(const Instruction& insn) const {
    int64_t least = depth_, most = 0;
    for (int64_t o = 0; o < insn.iter_out; ++o)
      for (int64_t i = 0; i < insn.iter_in; ++i)
        for (const isa::Uop& uop : uops_) {
          const int64_t dst = uop.dst + o * insn.dst_factor_out + i * insn.dst_factor_in;
          least = std::min(least, dst), most = std::max(most, dst);
          if (insn.use_imm) continue;
          const int64_t src = uop.src + o * insn.src_factor_out + i * insn.src_factor_in;
          least = std::min(least, src);
          most = std::max(most, src + (IsRequant(insn) ? 2 : 0));
        }
    if (most >= depth_ || (least < depth_ / 2) != (most < depth_ / 2)) return std::nullopt;
    return least >= depth_ / 2;
  }

  isa::Layout layout_;
  int64_t depth_;
  std::vector<isa::Uop> uops_;  // of the kernel
};

TEST_P(BanksTest, ReachIsKnownExactlyWhereAllRowsLieInOneBank) {
  std::array<int64_t, 2> known = {};
  int64_t unknown = 0;
  for (int round = 0; round < 4000; ++round) {
    const Instruction insn = AnyAlu();
    const std::optional<bool> bank = BankOf(insn);
    std::vector<uint8_t> bytes(isa::kInstructionBytes);
    isa::StoreWord(Encode(layout_, insn), bytes.data());
    bench_->SetBytes("loop_insn_i", bytes);
    bench_->Set("loop_start_i", 1);
    const bool stands = OneIn(2);
    std::optional<int64_t> came;  // the last micro-op of the first pass
    for (int64_t cycle = 0; cycle < (stands ? 100 : 50); ++cycle) {
      bench_->Set("loop_ready_i", !stands || OneIn(3));
      bench_->Settle();
      if (!came && bench_->Get("kept_valid_o") && bench_->Get("kept_first_o") &&
          bench_->Get("kept_pass_o"))
        came = cycle;
      if (cycle > 0) {
        const bool now = bank && cycle >= timing::kReachCycles && came &&
                         cycle >= *came + timing::kReachPassCycles;
        ASSERT_EQ(bench_->Get("reach_known_o"), now) << round << " " << cycle;
        if (now) {
          ASSERT_EQ(bench_->Get("reach_bank_o"), *bank) << round;
        }
      }
      const bool read = bench_->Get("kept_read_o");
      const auto row = static_cast<int64_t>(bench_->Get("kept_read_row_o"));
      bench_->Clock();
      bench_->Set("loop_start_i", 0);
      if (read)
        bench_->Set("kept_uop_i",
                    EncodeUop(layout_, uops_[static_cast<size_t>(row - insn.uop_begin)]));
    }
    ASSERT_TRUE(came || !bank);
    bank ? ++known[*bank] : ++unknown;
    bench_->Set("loop_clear_i", 1);
    bench_->Clock();
    bench_->Set("loop_clear_i", 0);
  }
  EXPECT_GT(known[0], 500);
  EXPECT_GT(known[1], 200);
  EXPECT_GT(unknown, 500);
}

// In a cycle one writes and one reads in each bank, at most: whoever it is.
TEST_P(BanksTest, BanksAreOneMemory) {
  constexpr int64_t kRows = 16, kRowBits = 4, kBank = kRows / 2;
  using Row = std::array<std::optional<uint8_t>, 2>;  // lanes that were written
  std::array<Row, kRows> memory = {};
  std::array<Row, 2> read = {}, one = {};  // what each bank gave last
  int64_t both_write = 0, both_read = 0;
  for (int cycle = 0; cycle < 8000; ++cycle) {
    std::array<bool, 2> writes, reads;
    std::array<int64_t, 2> write_row, read_row;
    uint64_t write_rows = 0, read_rows = 0;
    const uint64_t lanes = random_() & 0xf, data = random_() & 0xffffffff;
    for (int w : {0, 1}) {
      writes[w] = !OneIn(3), reads[w] = !OneIn(3);
      write_row[w] = UpTo(kRows - 1), read_row[w] = UpTo(kRows - 1);
    }
    if (writes[0] && writes[1] && write_row[0] / kBank == write_row[1] / kBank) writes[UpTo(1)] = 0;
    if (reads[0] && reads[1] && read_row[0] / kBank == read_row[1] / kBank) reads[UpTo(1)] = 0;
    for (int w : {0, 1})
      for (int r : {0, 1})
        if (writes[w] && write_row[w] == read_row[r]) reads[r] = false;
    both_write += writes[0] && writes[1], both_read += reads[0] && reads[1];
    for (int w : {0, 1}) {
      write_rows |= static_cast<uint64_t>(write_row[w]) << (kRowBits * w);
      read_rows |= static_cast<uint64_t>(read_row[w]) << (kRowBits * w);
    }
    bench_->Set("banks_write_i", writes[0] | writes[1] << 1);
    bench_->Set("banks_read_i", reads[0] | reads[1] << 1);
    bench_->Set("banks_write_row_i", write_rows);
    bench_->Set("banks_read_row_i", read_rows);
    bench_->Set("banks_write_lanes_i", lanes);
    bench_->Set("banks_write_data_i", data);
    bench_->Clock();
    for (int r : {0, 1}) {
      const Row& row = memory[static_cast<size_t>(read_row[r])];
      if (reads[r]) read[static_cast<size_t>(read_row[r] / kBank)] = row;
      if (reads[r] && r == 0) one[static_cast<size_t>(read_row[r] / kBank)] = row;
    }
    for (int w : {0, 1})
      for (int lane : {0, 1})
        if (writes[w] && (lanes >> (2 * w + lane) & 1))
          memory[static_cast<size_t>(write_row[w])][lane] =
              static_cast<uint8_t>(data >> (16 * w + 8 * lane));
    for (int bank : {0, 1})
      for (int lane : {0, 1}) {
        const int bit = 16 * bank + 8 * lane;
        if (const auto& want = read[bank][lane]) {
          ASSERT_EQ(bench_->Get("banks_read_data_o", bit) & 0xff, *want) << cycle;
        }
        if (const auto& want = one[bank][lane]) {
          ASSERT_EQ(bench_->Get("banks_one_data_o", bit) & 0xff, *want) << cycle;
        }
      }
  }
  EXPECT_GT(both_write, 500);
  EXPECT_GT(both_read, 300);
}

INSTANTIATE_TEST_SUITE_P(Configs, BanksTest, testing::ValuesIn(BenchConfigs()), ConfigName);

}  // namespace
}  // namespace vta::test
