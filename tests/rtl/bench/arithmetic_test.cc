// vta_alu, vta_alu_long and vta_mac against the golden scalar functions of the spec.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <random>

#include "isa/spec/requant.h"
#include "isa/spec/timing.h"
#include "tests/rtl/bench/bench_test.h"

namespace vta::test {
namespace {

// Where signs, shift amounts and widths change.
constexpr int32_t kEdges[] = {0,          1,           -1,
                              2,          -2,          15,
                              16,         30,          31,
                              32,         33,          63,
                              64,         -15,         -16,
                              -31,        -32,         -33,
                              -64,        127,         128,
                              -128,       -129,        255,
                              256,        32767,       -32768,
                              1 << 30,    -(1 << 30),  0x7ffffffe,
                              0x7fffffff, -0x7fffffff, -0x7fffffff - 1};

using ArithmeticTest = BenchTest;

TEST_P(ArithmeticTest, ShortOperationsOnAllPairsOfEdges) {
  for (const isa::AluOpSpec& op : isa::kAluOps) {
    if (!op.apply || op.code == isa::AluOp::kMul) continue;
    bench_->Set("alu_op_i", static_cast<uint64_t>(op.code));
    const auto compare = [&](int32_t a, int32_t b) {
      bench_->Set("alu_a_i", static_cast<uint32_t>(a));
      bench_->Set("alu_b_i", static_cast<uint32_t>(b));
      const bool valid = random_() % 8 != 0;
      bench_->Set("alu_valid_i", valid);
      bench_->Set("alu_else_i", 0x12345678);
      bench_->Settle();
      ASSERT_EQ(bench_->Get("alu_keep_o") ? a : bench_->GetSigned("alu_other_o"),
                valid ? op.apply(a, b) : 0x12345678)
          << op.name << " " << a << " " << b;
    };
    for (int32_t a : kEdges)
      for (int32_t b : kEdges) compare(a, b);
    for (int i = 0; i < 2000; ++i) compare(Any(), i % 2 ? Any() : Any() % 70);
  }
}

// Operands follow each other every cycle, with gaps; results come LongStages later.
struct Long {
  int32_t a = 0, b = 0;
};
template <typename Golden>
void RunLong(Bench& bench, std::mt19937_64& random, const std::vector<Long>& operands,
             Golden golden) {
  bench.Set("long_valid_i", 0);
  bench.Clock();  // the parameters come a cycle before what they apply to
  std::deque<Long> inside;
  size_t next = 0;
  for (int idle = 0; idle < 2 * isa::timing::kLongStages;) {
    const bool valid = next < operands.size() && random() % 8 != 0;
    bench.Set("long_valid_i", valid);
    if (valid) {
      bench.Set("long_a_i", static_cast<uint32_t>(operands[next].a));
      bench.Set("long_b_i", static_cast<uint32_t>(operands[next].b));
      inside.push_back(operands[next++]);
    }
    idle = valid || next < operands.size() ? 0 : idle + 1;
    bench.Clock();
    if (!bench.Get("long_valid_o")) continue;
    ASSERT_FALSE(inside.empty());
    const Long from = inside.front();
    inside.pop_front();
    ASSERT_EQ(bench.GetSigned("long_result_o"), golden(from)) << from.a << " " << from.b;
  }
  ASSERT_TRUE(inside.empty());
}

TEST_P(ArithmeticTest, Mul) {
  if (!bench_->config().arch.mul) GTEST_SKIP() << "the config has no mul";
  std::vector<Long> operands;
  for (int32_t a : kEdges)
    for (int32_t b : kEdges) operands.push_back({a, b});
  for (int i = 0; i < 1000; ++i) operands.push_back({Any(), Any()});
  bench_->Set("long_requant_i", 0);
  RunLong(*bench_, random_, operands, [](Long x) { return isa::WrapMul(x.a, x.b); });
}

TEST_P(ArithmeticTest, RequantInBothRoundingModes) {
  bench_->Set("long_requant_i", 1);
  std::vector<isa::RequantLane> lanes;
  // Each exponent that a byte can say, and some multipliers, zero points and limits with it.
  for (int exponent = -128; exponent < 128; ++exponent)
    for (int32_t multiplier : {0x40000000, 0x7fffffff, -0x7fffffff - 1, Any()})
      lanes.push_back({.bias = random_() % 2 ? Any() : 0,
                       .multiplier = multiplier,
                       .exponent = static_cast<int8_t>(exponent),
                       .zero_point = static_cast<int8_t>(random_()),
                       .low = static_cast<int8_t>(random_() % 3 ? -128 : random_()),
                       .high = static_cast<int8_t>(random_() % 3 ? 127 : random_())});
  for (const isa::RequantLane& lane : lanes)
    for (const isa::Rounding rounding : {isa::Rounding::kSingle, isa::Rounding::kDouble}) {
      std::vector<Long> operands;
      for (int i = 0; i < 6; ++i) operands.push_back({kEdges[random_() % std::size(kEdges)], 0});
      // Values whose scaled result is small: ties and limits.
      for (int i = 0; i < 10; ++i) operands.push_back({Any() >> (random_() % 32), 0});
      bench_->Set("long_double_i", rounding == isa::Rounding::kDouble);
      bench_->Set("long_bias_i", static_cast<uint32_t>(lane.bias));
      bench_->Set("long_multiplier_i", static_cast<uint32_t>(lane.multiplier));
      bench_->Set("long_packed_i", static_cast<uint32_t>(isa::PackRequant(lane)));
      RunLong(*bench_, random_, operands, [&](Long x) {
        return isa::Requant(x.a, lane, rounding, bench_->config().arch.requant_multiplier_bits);
      });
      if (HasFatalFailure()) {
        FAIL() << "exponent " << int{lane.exponent} << ", multiplier " << lane.multiplier
               << ", rounding " << static_cast<int>(rounding);
      }
    }
}

TEST_P(ArithmeticTest, LutOnEachCode) {
  if (!bench_->config().arch.lut) GTEST_SKIP() << "the config has no lut";
  bench_->Set("long_requant_i", 1);
  bench_->Set("long_multiplier_i", 0x40000000);
  bench_->Set("long_bias_i", 0);
  for (int round = 0; round < 8; ++round) {
    std::array<int8_t, isa::kLutBytes> table;
    for (int8_t& byte : table) byte = static_cast<int8_t>(random_());
    constexpr int64_t kPart = isa::timing::kLutPartBytes;
    for (int64_t at = 0; at < isa::kLutBytes; at += kPart) {
      uint32_t part = 0;
      std::memcpy(&part, table.data() + at, kPart);
      bench_->Set("long_lut_write_i", 1);
      bench_->Set("long_lut_part_i", static_cast<uint64_t>(at / kPart));
      bench_->Set("long_lut_data_i", part);
      bench_->Clock();
    }
    bench_->Set("long_lut_write_i", 0);
    // By 1; the limits of the first round let each code through.
    const isa::RequantLane lane{.bias = 0,
                                .multiplier = 0x40000000,
                                .exponent = 1,
                                .zero_point = static_cast<int8_t>(round == 0 ? 0 : random_()),
                                .low = static_cast<int8_t>(round == 0 ? -128 : random_()),
                                .high = static_cast<int8_t>(round == 0 ? 127 : random_())};
    bench_->Set("long_packed_i", static_cast<uint32_t>(isa::PackRequant(lane)));
    std::vector<Long> operands;
    for (int32_t code = -300; code <= 300; ++code) operands.push_back({code, 0});
    for (const bool lut : {true, false}) {
      bench_->Set("long_looks_i", lut);
      RunLong(*bench_, random_, operands, [&](Long x) {
        const int32_t code = isa::Requant(x.a, lane, isa::Rounding::kSingle);
        return lut ? isa::LookUp(table.data(), code) : code;
      });
    }
  }
}

TEST_P(ArithmeticTest, MatrixProduct) {
  const isa::Config& c = bench_->config();
  const int64_t in = c.arch.block_in, out = c.arch.block_out;
  for (int round = 0; round < 300; ++round) {
    std::vector<uint8_t> inp(static_cast<size_t>(c.inp_bytes())),
        wgt(static_cast<size_t>(c.wgt_bytes()));
    // The extremes, whose sums are the widest, every third time.
    for (std::vector<uint8_t>* bytes : {&inp, &wgt})
      for (uint8_t& byte : *bytes)
        byte = round % 3 == 0 ? (random_() % 8 ? 0x80 : 0x7f) : static_cast<uint8_t>(random_());
    bench_->SetBytes("mac_inp_i", inp);
    bench_->SetBytes("mac_wgt_i", wgt);
    bench_->Set("mac_valid_i", 1);
    bench_->Clock();
    bench_->Set("mac_valid_i", 0);
    bench_->SetBytes("mac_inp_i", std::vector<uint8_t>(inp.size(), 1));  // does not enter
    bench_->Clock();
    ASSERT_TRUE(bench_->Get("mac_valid_o"));
    for (int64_t b = 0; b < c.arch.batch; ++b)
      for (int64_t k = 0; k < out; ++k) {
        int32_t sum = 0;
        for (int64_t i = 0; i < in; ++i)
          sum += static_cast<int8_t>(inp[static_cast<size_t>(b * in + i)]) *
                 static_cast<int8_t>(wgt[static_cast<size_t>(k * in + i)]);
        ASSERT_EQ(
            static_cast<int32_t>(bench_->Get("mac_sum_o", static_cast<int>(32 * (b * out + k)))),
            sum);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, ArithmeticTest, testing::ValuesIn(BenchConfigs()), ConfigName);

}  // namespace
}  // namespace vta::test
