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

Ranges PublishedGemm(int u, int i, int w, int a, int64_t overwrite) {
  Ranges r = PublishedLoop(u);
  r.merge(Ranges{{"dst_factor_out", {64, a}},
                 {"dst_factor_in", {64 + a, a}},
                 {"src_factor_out", {64 + 2 * a, i}},
                 {"src_factor_in", {64 + 2 * a + i, i}},
                 {"wgt_factor_out", {64 + 2 * a + 2 * i, w}},
                 {"wgt_factor_in", {64 + 2 * a + 2 * i + w, w}},
                 {"overwrite", {63, overwrite ? 1 : 0}}});  // bit 63 is ISA 1.0's
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

/// Puts a value's low bits where a published range says.
void Put(Word& word, Range at, int64_t value) {
  for (int bit = 0; bit < at.width; ++bit)
    if (value >> bit & 1)
      (at.low + bit < 64 ? word.low : word.high) |= uint64_t{1} << (at.low + bit) % 64;
}

/// Random values in the fields of an instruction, encoded, against the same values put bit by bit
/// where the published ranges say.
void ExpectPublishedBits(const Layout& layout, Opcode opcode, const Ranges& published,
                         std::mt19937_64& random) {
  Instruction insn;
  Word expected;
  for (const auto& field : layout.Fields(static_cast<int64_t>(opcode))) {
    if (!field.spec->member) continue;
    const Range at = published.at(std::string(field.spec->name));
    ASSERT_LE(at.low % 64 + at.width, 64) << field.spec->name;
    const int64_t low = field.spec->is_signed ? -(int64_t{1} << (at.width - 1)) : 0;
    int64_t value = low + static_cast<int64_t>(random() & ((uint64_t{1} << at.width) - 1));
    if (field.spec->name == "opcode") value = static_cast<int64_t>(opcode);
    insn.*field.spec->member = value;
    Put(expected, at, value);
  }
  ASSERT_EQ(Encode(layout, insn), expected);
  ASSERT_EQ(Decode(layout, expected), insn);
}

/// The whole of 1.2 for one config of these depths' logarithms.
void ExpectPublishedLayout(const Config& config, int u, int i, int w, int a,
                           std::mt19937_64& random) {
  const Layout layout(config);
  const std::pair<Opcode, Ranges> published[] = {
      {Opcode::kLoad, PublishedMemory()},
      {Opcode::kStore, PublishedMemory()},
      {Opcode::kGemm, PublishedGemm(u, i, w, a, config.arch.overwrite)},
      {Opcode::kFinish, PublishedCommon()},
      {Opcode::kAlu, PublishedAlu(u, a)}};
  for (const auto& [opcode, ranges] : published) {
    ASSERT_EQ(RangesOf(layout, opcode), ranges);
    ExpectPublishedBits(layout, opcode, ranges, random);
  }
  const int src = std::max(a, i);
  Uop uop{.dst = static_cast<int64_t>(random() % (1u << a)),
          .src = static_cast<int64_t>(random() % (1u << src)),
          .wgt = static_cast<int64_t>(random() % (1u << w))};
  Word expected;
  Put(expected, {0, a}, uop.dst);
  Put(expected, {a, src}, uop.src);
  Put(expected, {a + src, w}, uop.wgt);
  ASSERT_EQ(EncodeUop(layout, uop), expected.low);
  ASSERT_EQ(DecodeUop(layout, static_cast<uint32_t>(expected.low)), uop);
}

bool Accepted(const Config& config) {
  try {
    ValidateConfig(config, "f");
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(LayoutTest, EveryLegalConfigFollowsThePublishedColumnRules) {
  int legal = 0;
  std::mt19937_64 random(2);
  Config config;
  for (int u = 3; u <= 14; ++u)
    for (int i = 1; i <= 17; ++i)
      for (int w = 1; w <= 17; ++w)
        for (int a = 1; a <= 12; ++a) {
          config.arch.uop_depth = int64_t{1} << u;
          config.arch.inp_depth = int64_t{1} << i;
          config.arch.wgt_depth = int64_t{1} << w;
          config.arch.acc_depth = int64_t{1} << a;
          // What the words hold; and, of ours: 16 micro-ops and 4 elements at least, sram_base's 16
          // bits at most.
          const bool fits = 7 + 1 + u + (u + 1) + 28 <= 64 && 2 * (a + i + w) <= 64 &&
                            4 * a + 3 + 1 + 16 <= 64 && a + std::max(a, i) + w <= 32 && u >= 4 &&
                            i >= 2 && w >= 2 && a >= 2 && i <= 16 && w <= 16;
          ASSERT_EQ(Accepted(config), fits) << u << " " << i << " " << w << " " << a;
          if (!fits) continue;
          ++legal;
          ASSERT_NO_FATAL_FAILURE(ExpectPublishedLayout(config, u, i, w, a, random))
              << u << " " << i << " " << w << " " << a;
        }
  EXPECT_EQ(legal, 18870);
}

TEST(LayoutTest, NothingButTheDepthsMovesAField) {
  std::mt19937_64 random(3);
  int tried = 0;
  for (int batch = 0; batch <= 4; ++batch)
    for (int in = 2; in <= 6; ++in)
      for (int out = 2; out <= 6; ++out)
        for (int flags = 0; flags < 64; ++flags) {
          Config config;
          config.version = flags & 16 ? Version::k100 : Version::k002;
          Arch& arch = config.arch;
          arch.batch = 1 << batch, arch.block_in = 1 << in, arch.block_out = 1 << out;
          arch.mul = flags & 1, arch.acc8 = flags >> 1 & 1;
          arch.requant = flags >> 2 & 1, arch.pad_value = flags >> 3 & 1;
          arch.overwrite = flags >> 5 & 1;
          if (arch.requant) arch.requant_multiplier_bits = 8 << random() % 3;
          arch.token_capacity = 1 + static_cast<int64_t>(random() % 65535);
          arch.uop_depth = 1 << 7, arch.inp_depth = 1 << 9, arch.wgt_depth = 1 << 6;
          arch.acc_depth = 1 << 8;
          if (!Accepted(config)) continue;
          ++tried;
          ASSERT_NO_FATAL_FAILURE(ExpectPublishedLayout(config, 7, 9, 6, 8, random));
        }
  EXPECT_EQ(tried, 4176);
}

/// Upstream's flat file of these logarithms.
std::string Upstream(int batch, int block, int uop, int inp, int wgt, int acc) {
  return StrCat(R"({"TARGET": "sim", "HW_VER": "0.0.2", "LOG_INP_WIDTH": 3, "LOG_WGT_WIDTH": 3, )",
                R"("LOG_ACC_WIDTH": 5, "LOG_BATCH": )", batch, R"(, "LOG_BLOCK": )", block,
                R"(, "LOG_UOP_BUFF_SIZE": )", uop, R"(, "LOG_INP_BUFF_SIZE": )", inp,
                R"(, "LOG_WGT_BUFF_SIZE": )", wgt, R"(, "LOG_ACC_BUFF_SIZE": )", acc, "}");
}

TEST(LayoutTest, UpstreamFilesHaveThePublishedDepths) {
  std::mt19937_64 random(4);
  int legal = 0;
  for (int batch = 0; batch <= 4; ++batch)
    for (int block = 2; block <= 6; ++block)
      for (int uop = 6; uop <= 15; ++uop)
        for (int inp = 4; inp <= 24; inp += 2)
          for (int wgt = 6; wgt <= 26; wgt += 3)
            for (int acc = 6; acc <= 22; acc += 2) {
              // 1.1 with LOG_INP_W = LOG_WGT_W = 3 and LOG_ACC_W = 5.
              const int u = uop - 2, i = inp - batch - block, w = wgt - 2 * block,
                        a = acc - batch - block - 5 + 3;
              if (i < 2 || w < 2 || a < 2 || a > 11 || i > 16 || w > 16) continue;
              if (2 * (a + i + w) > 64 || a + std::max(a, i) + w > 32) continue;
              if (batch + block < 3) continue;  // an element narrower than the bus of 64 bits
              if (random() % 4) continue;
              const Config config =
                  ParseConfig(Upstream(batch, block, uop, inp, wgt, acc), "vta_config.json");
              ++legal;
              ASSERT_NO_FATAL_FAILURE(ExpectPublishedLayout(config, u, i, w, a, random));
            }
  EXPECT_GT(legal, 9000);
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
  config.arch.overwrite = config.arch.lut = 1;
  const Layout layout(config);
  for (int n = 0; n < 20000; ++n) {
    const Instruction insn = Decode(layout, {random(), random()});
    if (!FindInstruction(config, insn.opcode)) continue;
    ASSERT_EQ(Decode(layout, Encode(layout, insn)), insn);
    const uint32_t uop = static_cast<uint32_t>(random());
    ASSERT_EQ(EncodeUop(layout, DecodeUop(layout, uop)), uop);  // default fields fill 32 bits
  }
}

TEST(CodecTest, OverwriteIsABitOfTheConfigsThatHaveIt) {
  Config config;
  const Word word{uint64_t{1} << 63 | static_cast<uint64_t>(Opcode::kGemm), 0};
  EXPECT_EQ(Decode(Layout(config), word).overwrite, 0);
  Instruction gemm{.opcode = static_cast<int64_t>(Opcode::kGemm), .overwrite = 1};
  try {
    Encode(Layout(config), gemm);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "gemm: overwrite = 1: this config has no such field");
  }
  config.version = Version::k100, config.arch.overwrite = 1;
  EXPECT_EQ(Decode(Layout(config), word), gemm);
  EXPECT_EQ(Encode(Layout(config), gemm), word);
  const Word alu{uint64_t{1} << 63 | static_cast<uint64_t>(Opcode::kAlu), 0};
  EXPECT_EQ(Decode(Layout(config), alu).overwrite, 0);
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
