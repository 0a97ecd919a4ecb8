// The layout against the published one: the general column rules and the default offsets of ISA
// 0.0.2, typed here by hand, independent of the field rows.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "isa/codec.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

struct Range {
  int low, width;
  bool operator==(const Range&) const = default;
};
using Ranges = std::map<std::string, Range, std::less<>>;

Ranges RangesOf(const Layout& layout, Opcode opcode) {
  Ranges out;
  for (const auto& field : layout.Fields(static_cast<int64_t>(opcode)))
    if (field.spec->member) out[std::string(field.spec->name)] = {field.low_bit, field.width};
  return out;
}

Ranges PublishedCommon() {
  return {{"opcode", {0, 3}},
          {"pop_prev", {3, 1}},
          {"pop_next", {4, 1}},
          {"push_prev", {5, 1}},
          {"push_next", {6, 1}}};
}

Ranges PublishedMemory() {
  Ranges r = PublishedCommon();
  r.merge(Ranges{{"memory_type", {7, 3}},
                 {"sram_base", {10, 16}},
                 {"dram_base", {26, 32}},
                 {"y_size", {64, 16}},
                 {"x_size", {80, 16}},
                 {"x_stride", {96, 16}},
                 {"y_pad_top", {112, 4}},
                 {"y_pad_bottom", {116, 4}},
                 {"x_pad_left", {120, 4}},
                 {"x_pad_right", {124, 4}},
                 {"pad_select", {58, 1}}});  // bit 58 is ISA 1.0's
  return r;
}

Ranges PublishedLoop(int u) {
  Ranges r = PublishedCommon();
  r.merge(Ranges{{"reset", {7, 1}},
                 {"uop_begin", {8, u}},
                 {"uop_end", {8 + u, u + 1}},
                 {"iter_out", {9 + 2 * u, 14}},
                 {"iter_in", {23 + 2 * u, 14}}});
  return r;
}

Ranges PublishedGemm(int u, int i, int w, int a) {
  Ranges r = PublishedLoop(u);
  r.merge(Ranges{{"dst_factor_out", {64, a}},
                 {"dst_factor_in", {64 + a, a}},
                 {"src_factor_out", {64 + 2 * a, i}},
                 {"src_factor_in", {64 + 2 * a + i, i}},
                 {"wgt_factor_out", {64 + 2 * a + 2 * i, w}},
                 {"wgt_factor_in", {64 + 2 * a + 2 * i + w, w}}});
  return r;
}

Ranges PublishedAlu(int u, int a) {
  Ranges r = PublishedLoop(u);
  r.merge(Ranges{{"dst_factor_out", {64, a}},
                 {"dst_factor_in", {64 + a, a}},
                 {"src_factor_out", {64 + 2 * a, a}},
                 {"src_factor_in", {64 + 3 * a, a}},
                 {"alu_opcode", {64 + 4 * a, 3}},
                 {"use_imm", {67 + 4 * a, 1}},
                 {"imm", {68 + 4 * a, 16}}});
  return r;
}

TEST(LayoutTest, DefaultOffsetsAreThePublishedOnes) {
  const Layout layout{Config{}};
  const Ranges gemm = RangesOf(layout, Opcode::kGemm);
  EXPECT_EQ(gemm.at("uop_begin"), (Range{8, 13}));
  EXPECT_EQ(gemm.at("uop_end"), (Range{21, 14}));
  EXPECT_EQ(gemm.at("iter_out"), (Range{35, 14}));
  EXPECT_EQ(gemm.at("iter_in"), (Range{49, 14}));
  EXPECT_EQ(gemm.at("dst_factor_in"), (Range{75, 11}));
  EXPECT_EQ(gemm.at("src_factor_out"), (Range{86, 11}));
  EXPECT_EQ(gemm.at("wgt_factor_out"), (Range{108, 10}));
  EXPECT_EQ(gemm.at("wgt_factor_in"), (Range{118, 10}));
  const Ranges alu = RangesOf(layout, Opcode::kAlu);
  EXPECT_EQ(alu.at("src_factor_in"), (Range{97, 11}));
  EXPECT_EQ(alu.at("alu_opcode"), (Range{108, 3}));
  EXPECT_EQ(alu.at("use_imm"), (Range{111, 1}));
  EXPECT_EQ(alu.at("imm"), (Range{112, 16}));
  EXPECT_EQ(layout.UopFields()[1].low_bit, 11);
  EXPECT_EQ(layout.UopFields()[2].low_bit, 22);
}

TEST(LayoutTest, EveryLegalConfigFollowsThePublishedColumnRules) {
  int legal = 0;
  Config config;
  for (int u = 4; u <= 13; ++u)
    for (int i = 2; i <= 16; ++i)
      for (int w = 2; w <= 16; ++w)
        for (int a = 2; a <= 11; ++a) {
          config.arch.uop_depth = int64_t{1} << u;
          config.arch.inp_depth = int64_t{1} << i;
          config.arch.wgt_depth = int64_t{1} << w;
          config.arch.acc_depth = int64_t{1} << a;
          const bool fits =
              2 * (a + i + w) <= 64 && 4 * a + 20 <= 64 && a + std::max(a, i) + w <= 32;
          bool accepted = true;
          try {
            ValidateConfig(config, "f");
          } catch (const Error&) {
            accepted = false;
          }
          ASSERT_EQ(accepted, fits) << u << " " << i << " " << w << " " << a;
          if (!fits) continue;
          ++legal;
          const Layout layout(config);
          ASSERT_EQ(RangesOf(layout, Opcode::kLoad), PublishedMemory());
          ASSERT_EQ(RangesOf(layout, Opcode::kStore), PublishedMemory());
          ASSERT_EQ(RangesOf(layout, Opcode::kGemm), PublishedGemm(u, i, w, a));
          ASSERT_EQ(RangesOf(layout, Opcode::kAlu), PublishedAlu(u, a));
          ASSERT_EQ(RangesOf(layout, Opcode::kFinish), PublishedCommon());
        }
  EXPECT_GT(legal, 1000);
}

TEST(CodecTest, EncodesAHandAssembledWord) {
  // LOAD inp, sram 5, dram 0x100, 2 rows of 3, stride 7, left pad 1, pop_next, push_next.
  Instruction load;
  load.opcode = 0, load.pop_next = 1, load.push_next = 1, load.memory_type = 2, load.sram_base = 5;
  load.dram_base = 0x100, load.y_size = 2, load.x_size = 3, load.x_stride = 7, load.x_pad_left = 1;
  const Word expected{(1ull << 4) | (1ull << 6) | (2ull << 7) | (5ull << 10) | (0x100ull << 26),
                      2ull | (3ull << 16) | (7ull << 32) | (1ull << 56)};
  EXPECT_EQ(Encode(Layout{Config{}}, load), expected);
}

TEST(CodecTest, RandomWordsRoundTripInTheirDefinedBits) {
  std::mt19937_64 random(1);
  Config config;
  config.version = Version::k100;
  config.arch.requant = config.arch.pad_value = config.arch.mul = config.arch.acc8 = 1;
  const Layout layout(config);
  for (int n = 0; n < 20000; ++n) {
    const Instruction insn = Decode(layout, {random(), random()});
    if (!FindInstruction(config, insn.opcode)) continue;
    ASSERT_EQ(Decode(layout, Encode(layout, insn)), insn);
    const uint32_t uop = static_cast<uint32_t>(random());
    ASSERT_EQ(EncodeUop(layout, DecodeUop(layout, uop)), uop);  // default fields fill 32 bits
  }
}

TEST(CodecTest, AValueThatDoesNotFitNamesTheField) {
  Instruction gemm;
  gemm.opcode = static_cast<int64_t>(Opcode::kGemm);
  gemm.wgt_factor_in = 1024;
  try {
    Encode(Layout{Config{}}, gemm);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "gemm: wgt_factor_in = 1024: must be in [0, 1023] (10 bits)");
  }
}

}  // namespace
}  // namespace vta::isa
