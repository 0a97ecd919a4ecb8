// vta_uop_memory: micro-ops from beats wherever they start, and reads of them.
#include <gtest/gtest.h>

#include <optional>

#include "isa/codec.h"
#include "tests/rtl/bench/bench_test.h"

namespace vta::test {
namespace {

class UopsTest : public BenchTest {
 protected:
  UopsTest() : banks_(GetParam().uarch.bus_bits / 32), rows_(GetParam().arch.uop_depth) {}

  // What memory holds: a function of the element and the round.
  uint32_t Element(int64_t index) const {
    return static_cast<uint32_t>((index + 1000 * round_) * 0x9e3779b97f4a7c15 >> 32);
  }
  uint64_t Out(const char* port) { return bench_->Get(port); }

  /// Runs a LOAD, with gaps between the beats, one of which may be refused. Returns its fault.
  isa::Fault Load(const isa::Instruction& insn) {
    std::vector<uint8_t> bytes(isa::kInstructionBytes);
    isa::StoreWord(Encode(isa::Layout(GetParam()), insn), bytes.data());
    bench_->SetBytes("uops_insn_i", bytes);
    bench_->Set("uops_start_i", 1);
    bench_->Clock();
    bench_->Set("uops_start_i", 0);
    EXPECT_EQ(Out("uops_beat_ready_o"), 0u);
    bench_->Clock();
    int64_t row = insn.sram_base;
    for (int64_t y = 0; y < insn.y_size; ++y)
      for (int64_t x = 0; x < insn.x_size;) {
        const int64_t from = insn.dram_base + y * insn.x_stride + x, lane = from % banks_;
        const int64_t count = std::min(insn.x_size - x, banks_ - lane);
        const int64_t fits = std::min(count, std::ssize(rows_) - row);
        const bool outside = fits <= 0;
        bench_->Set("uops_beat_valid_i", 0);
        bench_->Settle();
        EXPECT_EQ(Out("uops_beat_ready_o"), !outside);
        EXPECT_EQ(Out("uops_write_o"), 0u);
        while (!outside && OneIn(3)) bench_->Clock();
        const bool refused = OneIn(200);
        if (!outside) {
          for (int64_t l = 0; l < banks_; ++l)
            for (int b = 0; b < 4; ++b)
              beat_[static_cast<size_t>(4 * l + b)] =
                  static_cast<uint8_t>(Element(from - lane + l) >> (8 * b));
          bench_->SetBytes("uops_beat_data_i", beat_);
          bench_->Set("uops_beat_valid_i", 1);
          bench_->Set("uops_beat_error_i", refused);
          bench_->Settle();
        }
        const bool writes = !outside && !refused;
        EXPECT_EQ(Out("uops_write_o"), writes);
        if (writes) {
          EXPECT_EQ(Out("uops_row_o"), static_cast<uint64_t>(row));
          EXPECT_EQ(Out("uops_count_o"), static_cast<uint64_t>(fits));
          for (int64_t i = 0; i < fits; ++i) {
            const auto data = bench_->Get("uops_data_o", static_cast<int>(32 * i));
            EXPECT_EQ(static_cast<uint32_t>(data), Element(from + i));
            rows_[static_cast<size_t>(row + i)] = Element(from + i);
          }
        }
        const isa::Fault fault = outside || (writes && fits < count) ? isa::Fault::kIndexOutOfRange
                                 : refused                           ? isa::Fault::kBusError
                                                                     : isa::Fault::kNone;
        x += count, row += count;
        const bool last = x == insn.x_size && y + 1 == insn.y_size;
        bench_->Clock();
        bench_->Set("uops_beat_valid_i", 0);
        EXPECT_EQ(Out("uops_done_o"), last && fault == isa::Fault::kNone);
        EXPECT_EQ(Out("uops_failed_o"), fault != isa::Fault::kNone);
        if (Out("uops_failed_o")) {
          EXPECT_EQ(Out("uops_fault_o"), static_cast<uint64_t>(fault));
        }
        if (fault != isa::Fault::kNone || HasFailure()) return fault;
      }
    return isa::Fault::kNone;
  }

  void ExpectRow(int64_t row) {
    bench_->Set("uops_read_i", 1);
    bench_->Set("uops_read_row_i", static_cast<uint64_t>(row));
    bench_->Clock();
    bench_->Set("uops_read_i", 0);
    // The data stays.
    bench_->Set("uops_read_row_i", 0);
    if (OneIn(2)) bench_->Clock();
    const auto& want = rows_[static_cast<size_t>(row)];
    if (want) {
      EXPECT_EQ(Out("uops_read_data_o"), *want) << "row " << row;
    }
  }

  int64_t banks_, round_ = 0;
  std::vector<std::optional<uint32_t>> rows_;  // once written
  std::vector<uint8_t> beat_ = std::vector<uint8_t>(static_cast<size_t>(4 * banks_));
};

TEST_P(UopsTest, LoadsWriteWhatFitsAndReadsFindIt) {
  const int64_t depth = std::ssize(rows_);
  int64_t cut = 0, refused = 0;
  for (; round_ < 1000 && !HasFailure(); ++round_) {
    isa::Instruction insn{.opcode = static_cast<int64_t>(isa::Opcode::kLoad)};
    insn.sram_base = OneIn(4) ? depth + 2 - UpTo(8) : UpTo(depth / 2);
    insn.x_size = 1 + UpTo(9), insn.y_size = 1 + UpTo(2), insn.x_stride = UpTo(12);
    insn.dram_base = UpTo(100);
    const isa::Fault fault = Load(insn);
    cut += fault == isa::Fault::kIndexOutOfRange, refused += fault == isa::Fault::kBusError;
    for (int64_t row = 0; row < depth; row += round_ % 8 ? 1 + UpTo(20) : 1) ExpectRow(row);
  }
  EXPECT_GT(cut, 100);
  EXPECT_GT(refused, 5);
}

INSTANTIATE_TEST_SUITE_P(Configs, UopsTest, testing::ValuesIn(BenchConfigs()), ConfigName);

}  // namespace
}  // namespace vta::test
