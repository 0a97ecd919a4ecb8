// vta_decode, vta_loop, vta_tile and vta_bursts against the rules of the spec.
#include <gtest/gtest.h>

#include <optional>

#include "isa/codec.h"
#include "isa/gen/systemverilog.h"
#include "isa/spec/timing.h"
#include "isa/support/error.h"
#include "tests/rtl/bench/bench_test.h"
#include "tests/rtl/serial.h"

namespace vta::test {
namespace {

using isa::Instruction;
using isa::Opcode;

class IndexTest : public BenchTest {
 protected:
  IndexTest() : layout_(GetParam()) {}
  void SetInstruction(const std::string& port, isa::Word word) {
    std::vector<uint8_t> bytes(isa::kInstructionBytes);
    isa::StoreWord(word, bytes.data());
    bench_->SetBytes(port, bytes);
  }
  void SetInstruction(const std::string& port, const Instruction& insn) {
    SetInstruction(port, Encode(layout_, insn));
  }

  // A cycle, with the micro-op memory's answer to what the loop reads in it. The one that keeps its
  // kernel asks for no more than that, where it fits: it gets anything else.
  void Step(const std::vector<isa::Uop>& uops) {
    const bool read = bench_->Get("loop_read_o"), keeper_reads = bench_->Get("kept_read_o");
    const uint64_t row = bench_->Get("loop_read_row_o");
    kept_reads_ += keeper_reads;
    if (keeper_reads) {
      ASSERT_TRUE(read);
      ASSERT_EQ(bench_->Get("kept_read_row_o"), row);
    }
    bench_->Clock();
    if (read) bench_->Set("loop_uop_i", EncodeUop(layout_, uops[row]));
    if (read)
      bench_->Set("kept_uop_i",
                  keeper_reads ? EncodeUop(layout_, uops[row]) : static_cast<uint32_t>(random_()));
  }
  void ExpectKeptInStep() {
    ASSERT_EQ(bench_->Get("kept_valid_o"), bench_->Get("loop_valid_o"));
    if (!bench_->Get("loop_valid_o")) return;
    for (const char* port : {"last_o", "outside_o", "dst_o", "src_o", "wgt_o"})
      ASSERT_EQ(bench_->Get(StrCat("kept_", port)), bench_->Get(StrCat("loop_", port))) << port;
  }

  // What a walker of rows is given.
  struct Transfer {
    uint64_t base, first;
    int64_t x, y, stride;
    int log_bytes;
  };
  void SetTransfer(const Transfer& t, int64_t limit, bool serial) {
    bench_->Set("bursts_base_i", t.base);
    bench_->Set("bursts_first_i", t.first);
    bench_->Set("bursts_x_size_i", static_cast<uint64_t>(t.x));
    bench_->Set("bursts_y_size_i", static_cast<uint64_t>(t.y));
    bench_->Set("bursts_x_stride_i", static_cast<uint64_t>(t.stride));
    bench_->Set("bursts_log_bytes_i", static_cast<uint64_t>(t.log_bytes));
    bench_->Set("bursts_limit_i", static_cast<uint64_t>(limit));
    bench_->Set("bursts_serial_i", serial);
    bench_->Set("bursts_idle_i", 1);
  }
  void Start(int walker) {
    bench_->Set("bursts_start_i", uint64_t{1} << walker);
    bench_->Clock();
    bench_->Set("bursts_start_i", 0);
  }

  isa::Layout layout_;
  int64_t kept_reads_ = 0;
};

TEST_P(IndexTest, DecodeRoutesAndRefusesAsTheSpecDoes) {
  const isa::Config& config = GetParam();
  std::array<int64_t, std::size(isa::kFaults)> seen = {};
  const auto compare = [&](isa::Word word) {
    SetInstruction("decode_insn_i", word);
    bench_->Settle();
    const Instruction insn = Decode(layout_, word);
    const isa::Fault fault = DecodeFault(config, insn);
    ++seen[static_cast<int>(fault)];
    ASSERT_EQ(bench_->Get("decode_module_o"), static_cast<uint64_t>(Route(config, insn)))
        << Hex(word.low) << " " << Hex(word.high);
    ASSERT_EQ(bench_->Get("decode_fault_o"), static_cast<uint64_t>(fault))
        << Hex(word.low) << " " << Hex(word.high);
  };
  // Each opcode, each value of its 3-bit fields, each single token bit, reserved bits at random.
  for (int64_t opcode = 0; opcode < 8; ++opcode)
    for (int64_t code = 0; code < 8; ++code)
      for (int tokens = 0; tokens < 16; ++tokens)
        for (int round = 0; round < 8; ++round) {
          isa::Word word{random_() << 7, random_()};
          if (round % 2) word.high &= 0xffffffffffff;  // without pads
          Instruction insn = Decode(layout_, {word.low | static_cast<uint64_t>(opcode), word.high});
          insn.opcode = opcode;
          insn.memory_type = insn.alu_opcode = insn.mode = code;
          insn.pop_prev = tokens & 1, insn.pop_next = tokens >> 1 & 1;
          insn.push_prev = tokens >> 2 & 1, insn.push_next = tokens >> 3;
          if (round < 4) insn.value = round;
          if (round == 4) insn.value = 255;
          if (round == 5) insn.value = 256;
          isa::Word fields = Encode(layout_, insn);
          for (const auto& f : layout_.Fields(opcode))
            if (!f.spec->member && f.low_bit < 64)
              fields.low |= (random_() & ((uint64_t{1} << f.width) - 1)) << f.low_bit;
          compare(fields);
          if (HasFatalFailure()) return;
        }
  for (int i = 0; i < 3000; ++i) compare({random_(), random_()});
  for (const isa::FaultSpec& row : isa::kFaults) {
    if (row.at_decode || row.code == isa::Fault::kNone) {
      EXPECT_GT(seen[static_cast<int>(row.code)], 0) << row.name;
    }
  }
}

TEST_P(IndexTest, LoopGivesTheIndicesOfTheFormula) {
  const isa::Arch& arch = GetParam().arch;
  std::vector<isa::Uop> uops(static_cast<size_t>(arch.uop_depth));
  int64_t outside = 0, whole = 0, kept = 0;
  for (int round = 0; round < 1500; ++round) {
    const int64_t spread = OneIn(3) ? 1 : 4;  // how far into the buffers micro-ops reach
    for (isa::Uop& uop : uops)
      uop = {UpTo(arch.acc_depth / spread - 1),
             UpTo(std::min(arch.acc_depth, arch.inp_depth) / spread - 1),
             UpTo(arch.wgt_depth / spread - 1)};
    Instruction insn{.opcode = static_cast<int64_t>(OneIn(2) ? Opcode::kGemm : Opcode::kAlu)};
    const bool alu = insn.opcode == static_cast<int64_t>(Opcode::kAlu);
    const auto factor = [&](int64_t depth) {
      return OneIn(3) ? 0 : OneIn(4) ? UpTo(depth - 1) : UpTo(std::min<int64_t>(depth - 1, 3));
    };
    insn.reset = OneIn(4);
    insn.uop_begin = UpTo(arch.uop_depth - 1);
    insn.uop_end = insn.uop_begin + 1 + UpTo(OneIn(4) ? arch.uop_depth : OneIn(4) ? 17 : 5);
    insn.uop_end = std::min(insn.uop_end, 2 * arch.uop_depth - 1);
    insn.iter_out = 1 + UpTo(3), insn.iter_in = 1 + UpTo(4);
    const int64_t src_depth = alu ? arch.acc_depth : arch.inp_depth;
    insn.dst_factor_out = factor(arch.acc_depth), insn.dst_factor_in = factor(arch.acc_depth);
    insn.src_factor_out = factor(src_depth), insn.src_factor_in = factor(src_depth);
    if (!alu) {
      insn.overwrite = arch.overwrite && OneIn(3);
      insn.wgt_factor_out = factor(arch.wgt_depth), insn.wgt_factor_in = factor(arch.wgt_depth);
    } else {
      do insn.alu_opcode = UpTo(5);
      while (!isa::FindAluOp(arch, insn.alu_opcode));
      insn.use_imm = insn.alu_opcode < 5 && OneIn(2);
    }
    const bool requant = alu && insn.alu_opcode == static_cast<int64_t>(isa::AluOp::kRequant);

    SetInstruction("loop_insn_i", insn);
    bench_->Set("loop_start_i", 1);
    bench_->Clock();
    bench_->Set("loop_start_i", 0);
    const auto next = [&] {  // the next micro-op that is taken
      for (int waited = 0;; ++waited) {
        bench_->Set("loop_ready_i", !OneIn(3));
        bench_->Settle();
        if (bench_->Get("loop_valid_o") && bench_->Get("loop_ready_i")) return true;
        if (waited > 100) return false;
        Step(uops);
      }
    };
    bool ended = false;
    kept_reads_ = 0;
    const int64_t kernel = insn.uop_end - insn.uop_begin;
    const bool fits = kernel <= isa::timing::kKernelUops;
    std::optional<std::pair<uint64_t, uint64_t>> foretold;  // dst, src of the next one
    for (int64_t o = 0; o < insn.iter_out && !ended; ++o)
      for (int64_t i = 0; i < insn.iter_in && !ended; ++i)
        for (int64_t u = insn.uop_begin; u < insn.uop_end && !ended; ++u) {
          ASSERT_TRUE(next()) << "no micro-op " << o << " " << i << " " << u;
          const isa::Uop& uop = uops[static_cast<size_t>(u % arch.uop_depth)];
          const int64_t dst = uop.dst + o * insn.dst_factor_out + i * insn.dst_factor_in;
          const int64_t src = uop.src + o * insn.src_factor_out + i * insn.src_factor_in;
          const int64_t wgt = uop.wgt + o * insn.wgt_factor_out + i * insn.wgt_factor_in;
          const bool uses_src = alu ? !insn.use_imm : !insn.reset;
          const bool bad = u >= arch.uop_depth || dst >= arch.acc_depth ||
                           (uses_src && src + (requant ? 2 : 0) >= src_depth) ||
                           (!alu && !insn.reset && wgt >= arch.wgt_depth);
          ASSERT_EQ(bench_->Get("loop_outside_o"), bad) << o << " " << i << " " << u;
          ExpectKeptInStep();
          ASSERT_EQ(bench_->Get("kept_kept_o"), fits);
          ASSERT_EQ(bench_->Get("kept_first_o"), o == 0 && i == 0);
          ASSERT_EQ(bench_->Get("kept_pass_o"), u + 1 == insn.uop_end);
          if (HasFatalFailure()) return;
          const bool last =
              o + 1 == insn.iter_out && i + 1 == insn.iter_in && u + 1 == insn.uop_end;
          if (foretold) {
            ASSERT_EQ(bench_->Get("loop_dst_o"), foretold->first);
            ASSERT_EQ(bench_->Get("loop_src_o"), foretold->second);
          }
          foretold.reset();
          if (bench_->Get("loop_next_valid_o"))
            foretold = {bench_->Get("loop_next_dst_o"), bench_->Get("loop_next_src_o")};
          ASSERT_TRUE(foretold || last);
          if (!bad) {
            ASSERT_EQ(bench_->Get("loop_dst_o"), static_cast<uint64_t>(dst));
            ASSERT_EQ(bench_->Get("loop_last_o"), last);
            if (uses_src) {
              ASSERT_EQ(bench_->Get("loop_src_o"), static_cast<uint64_t>(src));
            }
            if (!alu && uses_src) {
              ASSERT_EQ(bench_->Get("loop_wgt_o"), static_cast<uint64_t>(wgt));
            }
          }
          Step(uops);
          ended = bad;
          outside += bad, whole += last && !bad;
        }
    bench_->Set("loop_ready_i", 1);
    for (int i = 0; i < 6; ++i) {
      bench_->Settle();
      ASSERT_EQ(bench_->Get("loop_valid_o"), 0u) << "after the last micro-op";
      ExpectKeptInStep();
      Step(uops);
    }
    if (!ended) {
      ASSERT_EQ(kept_reads_, fits ? kernel : kernel * insn.iter_out * insn.iter_in);
      kept += fits && insn.iter_out * insn.iter_in > 1;
    }
  }
  EXPECT_GT(outside, 200);
  EXPECT_GT(whole, 200);
  EXPECT_GT(kept, 200);
}

TEST_P(IndexTest, TileWalksPadsAndElements) {
  constexpr int64_t kDepth = 40;
  int64_t faults = 0, ends = 0;
  for (int round = 0; round < 1500; ++round) {
    Instruction insn{.opcode = static_cast<int64_t>(Opcode::kLoad), .memory_type = 2};
    insn.sram_base = OneIn(5) ? UpTo(kDepth + 2) : UpTo(8);
    insn.y_size = 1 + UpTo(3), insn.x_size = 1 + UpTo(3);
    for (int64_t Instruction::*pad : {&Instruction::y_pad_top, &Instruction::y_pad_bottom,
                                      &Instruction::x_pad_left, &Instruction::x_pad_right})
      insn.*pad = OneIn(2) ? UpTo(2) : OneIn(20) ? 15 : 0;
    const int64_t lanes = 1 + UpTo(3);
    SetInstruction("tile_insn_i", insn);
    bench_->Set("tile_depth_i", kDepth);
    bench_->Set("tile_last_lane_i", static_cast<uint64_t>(lanes - 1));
    bench_->Set("tile_start_i", 1);
    bench_->Clock();
    bench_->Set("tile_start_i", 0);

    const int64_t width = insn.x_pad_left + insn.x_size + insn.x_pad_right;
    const int64_t height = insn.y_pad_top + insn.y_size + insn.y_pad_bottom;
    int64_t row = insn.sram_base;
    isa::Fault fault = isa::Fault::kNone;
    bool done = false;
    for (int64_t at = 0; at < width * height && fault == isa::Fault::kNone; ++at, ++row) {
      const int64_t x = at % width, y = at / width;
      const bool pad = x < insn.x_pad_left || x >= insn.x_pad_left + insn.x_size ||
                       y < insn.y_pad_top || y >= insn.y_pad_top + insn.y_size;
      for (int64_t lane = 0; lane < (pad ? 1 : lanes) && fault == isa::Fault::kNone; ++lane) {
        const bool last = at + 1 == width * height && lane + 1 == (pad ? 1 : lanes);
        bool error = false, valid = false;
        for (;;) {
          valid = OneIn(2), error = OneIn(200);
          bench_->Set("tile_beat_valid_i", valid);
          bench_->Set("tile_beat_error_i", error);
          bench_->Settle();
          ASSERT_EQ(bench_->Get("tile_busy_o"), 1u);
          ASSERT_EQ(bench_->Get("tile_beat_ready_o"), row < kDepth && !pad);
          if (pad || valid || row >= kDepth) break;
          ASSERT_EQ(bench_->Get("tile_write_o"), 0u) << "without a beat";
          bench_->Clock();
        }
        if (row >= kDepth)
          fault = isa::Fault::kIndexOutOfRange;
        else if (!pad && error)
          fault = isa::Fault::kBusError;
        done = last || fault != isa::Fault::kNone;
        const bool writes = fault == isa::Fault::kNone;
        ASSERT_EQ(bench_->Get("tile_write_o"), writes);
        if (writes) {
          ASSERT_EQ(bench_->Get("tile_pad_o"), pad);
          ASSERT_EQ(bench_->Get("tile_row_o"), static_cast<uint64_t>(row));
          if (!pad) {
            ASSERT_EQ(bench_->Get("tile_lane_o"), static_cast<uint64_t>(lane));
          }
        }
        ASSERT_EQ(bench_->Get("tile_element_o"), writes && !pad && lane + 1 == lanes);
        ASSERT_EQ(bench_->Get("tile_ending_o"), writes && last);
        bench_->Clock();
        ASSERT_EQ(bench_->Get("tile_done_o"), done && writes);
        ASSERT_EQ(bench_->Get("tile_failed_o"), done && !writes);
        if (!writes) {
          ASSERT_EQ(bench_->Get("tile_fault_o"), static_cast<uint64_t>(fault));
        }
      }
    }
    ASSERT_EQ(bench_->Get("tile_busy_o"), 0u);
    faults += fault != isa::Fault::kNone, ends += fault == isa::Fault::kNone;
  }
  EXPECT_GT(faults, 100);
  EXPECT_GT(ends, 300);
}

TEST_P(IndexTest, BurstsCoverTheRowsAndCrossNoBoundary) {
  const isa::Config& c = GetParam();
  const uint64_t beat = static_cast<uint64_t>(c.uarch.bus_bits / 8);
  const uint64_t boundary = static_cast<uint64_t>(isa::BurstBeats(c)) * beat;
  int64_t cuts = 0;
  for (int round = 0; round < 1500; ++round) {
    const int walker = round % 2;  // the first one ends at the limit
    // Elements are micro-ops, smaller than a beat, or whole numbers of beats.
    const bool uop = OneIn(3);
    const int log_bytes = uop ? 2 : isa::Log2(c.uarch.bus_bits / 8) + static_cast<int>(UpTo(3));
    const uint64_t element = uint64_t{1} << log_bytes;
    const uint64_t base = (random_() % (uint64_t{1} << 38)) / beat / element * beat * element;
    const uint64_t first = OneIn(8) ? 0xffffffff - random_() % 8 : random_() % 5000;
    const int64_t x = 1 + UpTo(OneIn(5) ? 300 : 8), y = 1 + UpTo(4);
    const int64_t stride = OneIn(8) ? UpTo(65535) : UpTo(12);
    const int64_t limit = walker == 0 && OneIn(2) ? UpTo(x * y + 2) : (1 << 17) - 1;
    const bool serial = OneIn(3);
    SetTransfer({base, first, x, y, stride, log_bytes}, limit, serial);
    Start(walker);
    int64_t left = limit;
    for (int64_t r = 0; r < y && left > 0; ++r) {
      const int64_t elements = std::min(x, left);
      left -= elements;
      uint64_t at = base + (first + static_cast<uint64_t>(r * stride)) * element;
      const uint64_t end =
          (at + static_cast<uint64_t>(elements) * element + beat - 1) / beat * beat;
      at = at / beat * beat;
      if (serial) {  // a row waits until nothing is owed
        bench_->Set("bursts_idle_i", 0);
        bench_->Set("bursts_ready_i", 1);
        for (int64_t i = UpTo(8); i > 0; --i) {
          bench_->Clock();
          ASSERT_FALSE(bench_->Get("bursts_valid_o") >> walker & 1) << round;
        }
        bench_->Set("bursts_idle_i", 1);
      }
      while (at < end) {
        const uint64_t beats = std::min(end, (at / boundary + 1) * boundary) - at;
        int waited = 0;
        for (;; ++waited) {
          ASSERT_LT(waited, 100);
          bench_->Set("bursts_ready_i", OneIn(2));
          bench_->Settle();
          ASSERT_TRUE(bench_->Get("bursts_busy_o") >> walker & 1);
          if (bench_->Get("bursts_valid_o") >> walker & bench_->Get("bursts_ready_i")) break;
          bench_->Clock();
        }
        ASSERT_EQ(bench_->Get("bursts_address_o", 64 * walker), at);
        ASSERT_EQ(((bench_->Get("bursts_beats_o", 8 * walker) & 0xff) + 1) * beat, beats);
        bench_->Clock();
        at += beats;
      }
    }
    for (int i = 0; i < 4; ++i) bench_->Clock();
    ASSERT_EQ(bench_->Get("bursts_busy_o"), 0u);
    ASSERT_EQ(bench_->Get("bursts_free_o"), 3u);
    ASSERT_EQ(bench_->Get("bursts_cut_o") >> walker & 1, limit < x * y);
    cuts += limit < x * y;
  }
  EXPECT_GT(cuts, 150);
}

// By the cycles that the module's head states.
TEST_P(IndexTest, RowsOfABeatMakeABurstACycle) {
  constexpr int64_t kRows = 6;
  const int log_beat = isa::Log2(GetParam().uarch.bus_bits / 8);
  bench_->Set("bursts_ready_i", 1);
  for (int walker : {0, 1}) {
    SetTransfer({0, 0, 1, kRows, 100, log_beat}, (1 << 17) - 1, false);
    Start(walker);
    const int64_t step = walker == 0 ? 2 : 1;
    for (int64_t cycle = 1; cycle < 20; ++cycle) {
      const int64_t at = cycle - 4;  // first burst four cycles after the start
      const bool due = at >= 0 && at % step == 0 && at / step < kRows;
      ASSERT_EQ(bench_->Get("bursts_valid_o") >> walker & 1, due) << walker << " " << cycle;
      ASSERT_EQ(bench_->Get("bursts_free_o") >> walker & 1, cycle >= 3 + step * (kRows - 1));
      bench_->Clock();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, IndexTest, testing::ValuesIn(BenchConfigs()), ConfigName);

}  // namespace
}  // namespace vta::test
