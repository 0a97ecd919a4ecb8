// Each rule of the published subset on two programs of a few lines: one that just keeps it and one
// that breaks it.
#include "isa/check/published.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "isa/asm.h"
#include "isa/check/neighbours.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "tests/support/files.h"

namespace vta::isa {
namespace {

using testing::HasSubstr;

/// What the programs below work on. Micro-ops: 0 row 0, 1 row 1, 2 row 2, 3 row 1 from row 0, 4 row
/// 2 from row 1, 5 row 0 from row 8, 6 row 8, 7 row 8 from row 9. Rows 8 to 15 of acc are loaded
/// from `amounts`.
constexpr char kData[] = R"(
.uop
kernel: dst=0
        dst=1 src=1
        dst=2 src=2
        dst=1 src=0
        dst=2 src=1
        dst=0 src=8
        dst=8 src=8
        dst=8 src=9
.data
amounts: .int 0*15 15*1 16*1 0*15 -1*1 0*15 31*16 0*64
.data
input: .int 1*128
.data
output: .space 256
.data
matrix: .space 1024
)";
constexpr char kHead[] = R"(
load.uop dram=kernel x=8
load.acc dram=input x=8 stride=8
load.acc sram=8 dram=amounts x=8 stride=8
)";
/// Index of the first instruction after kHead.
constexpr int64_t kFirst = 3;
constexpr char kComputeIt[] = "alu.add uop=0:1 in=4 dst=0,1 src=0,1 imm=5 push_next\n";
constexpr char kStoreIt[] = "store.out dram=output x=4 stride=4 pop_prev push_prev\n";
constexpr char kEnd[] = "finish pop_next\n";

struct Judged {
  Report proof;
  PublishedReport published;
};

Judged Judge(const std::string& code, int64_t base = 0) {
  const Config config = LoadConfig(SourcePath("isa/configs/vta_0.0.2.json"));
  const Program program = Assemble(code + kData, "test", config, [](const std::string& name) {
    return LoadConfig(SourcePath(StrCat("isa/configs/", name, ".json")));
  });
  const std::vector<uint8_t> image = program.Image();
  const std::vector<Word> words = WordsOf(program.code()->bytes);
  const ImagePart part{base, image, false};
  const Launch launch{.instructions = words,
                      .bases = {base, base, base, base, base},
                      .memory_bytes = base + std::ssize(image),
                      .image = {&part, 1}};
  return {Check(program.config, launch), CheckPublished(program.config, launch)};
}

std::string Repeat(int count, const std::string& text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

struct Case {
  std::string name;
  PublishedRule rule;
  std::string keeps, breaks;
  int64_t instruction;  // the first that breaks it
  std::string message;
};

std::string Headed(const std::string& body) { return kHead + body; }
/// The body, then a result that is stored.
std::string Stored(const std::string& body) { return Headed(body + kComputeIt + kStoreIt + kEnd); }
std::string Alu(const std::string& operands) { return Stored("alu." + operands + "\n"); }

std::vector<Case> Cases() {
  using enum PublishedRule;
  const std::string carriers = "load.inp x=0 push_next\n", takers = "load.uop x=0 pop_prev\n";
  const std::string deep = ".config vta_0.0.2 arch.token_capacity=1000\n";
  const std::string unproved_end = "store.out dram=output x=4 stride=4 pop_prev\n";
  return {
      {"Version", kVersion, ".config extended\n" + Stored(""),
       ".config extended\n" + Stored("set rounding=1\n"), kFirst, "set"},
      {"VersionRequant", kVersion, ".config extended\n" + Alu("add uop=0:1"),
       ".config extended\n" + Alu("requant uop=0:1"), kFirst, "requant"},
      {"VersionLut", kVersion, ".config only_lut\n" + Alu("add uop=0:1"),
       ".config only_lut\n" + Stored("load.lut dram=input x=1\nalu.lut uop=0:1\n"), kFirst,
       "load of lut"},
      {"VersionPad", kVersion, Stored("load.acc dram=input x=1 pad_select\n"),
       ".config extended\n" + Stored("load.acc dram=input x=1 pad_select\n"), kFirst, "pad_select"},
      {"VersionOverwrite", kVersion,
       ".config extended\n" + Stored("gemm uop=0:1 in=4 dst=0,1 reset\n"),
       ".config extended\n" + Stored("gemm uop=0:1 in=4 dst=0,1 reset overwrite\n"), kFirst,
       "overwrite"},
      {"ExtensionMul", kExtension, ".config only_mul\n" + Alu("add uop=0:1"),
       ".config only_mul\n" + Alu("mul uop=0:1"), kFirst, "mul"},
      {"ExtensionAcc8", kExtension, ".config only_acc8\n" + Stored("load.acc dram=input x=1\n"),
       ".config only_acc8\n" + Stored("load.acc8 dram=input x=1\n"), kFirst, "load of acc8"},
      {"Columns", kColumns, Stored(""), ".config vta_0.0.2 arch.acc_depth=1024\n" + Stored(""), -1,
       "the config has columns U 13, I 11, W 10, A 10"},
      {"Result", kResult, Stored("load.acc dram=input x=4\n"),
       Headed("alu.add uop=0:1 in=4 dst=0,1 src=0,1 imm=5\nload.acc sram=3 dram=input x=1 "
              "push_next\n") +
           kStoreIt + kEnd,
       kFirst + 2, "acc row 3 was loaded"},
      {"Reset", kReset, Stored("gemm uop=0:1 in=4 dst=0,1 reset\n"),
       Headed("gemm uop=0:1 in=4 dst=0,1 reset push_next\n") + kStoreIt + kEnd, kFirst + 1,
       "acc row 0 was reset"},
      {"ImmediateRow", kImmediateRow, Alu("add uop=0:2 out=2 dst=2,0 src=2,0 imm=1"),
       Alu("add uop=3:4 imm=1"), kFirst, "a micro-op has src 0 and dst 1"},
      {"ImmediateRowOuter", kImmediateRow, Alu("add uop=0:2 out=2 dst=2,9 src=2,3 imm=1"),
       Alu("add uop=0:1 out=2 dst=2,0 imm=1"), kFirst,
       "the outer loop steps src by 0 and dst by 2"},
      {"ImmediateRowInner", kImmediateRow, Alu("add uop=0:1 in=2 dst=0,2 src=9,2 imm=1"),
       Alu("add uop=0:1 in=2 dst=0,2 src=0,1 imm=1"), kFirst,
       "the inner loop steps src by 1 and dst by 2"},
      {"ImmediateShiftRight", kImmediateShift, Alu("shr uop=0:1 imm=15"), Alu("shr uop=0:1 imm=16"),
       kFirst, "shifts by 16"},
      {"ImmediateShiftLeft", kImmediateShift, Alu("shr uop=0:1 imm=-16"),
       Alu("shr uop=0:1 imm=-17"), kFirst, "shifts by -17"},
      {"TensorShiftLarge", kTensorShift, Alu("shr uop=5:6"),
       Alu("shr uop=5:6 src=0,1 in=2 dst=0,1"), kFirst, "acc row 9 holds values from 0 to 16"},
      {"TensorShiftNegative", kTensorShift, Alu("shr uop=5:6 out=2 dst=1,0 src=4,0"),
       Alu("shr uop=5:6 out=2 dst=1,0 src=2,0"), kFirst, "acc row 10 holds values from -1 to 0"},
      {"TensorShiftPad", kTensorShift,
       Stored("load.acc sram=8 dram=amounts x=1 pad=1,0,0,0\n"
              "alu.shr uop=5:6 in=2 dst=0,1 src=0,1\n"),
       Stored("load.acc sram=8 dram=amounts+3 x=1 pad=1,0,0,0\n"
              "alu.shr uop=5:6 in=2 dst=0,1 src=0,1\n"),
       kFirst + 1, "acc row 9 holds values from 31 to 31"},
      {"TensorShiftComputed", kTensorShift, Stored("gemm uop=6:7 reset\nalu.shr uop=5:6\n"),
       Stored("alu.add uop=6:7 imm=0\nalu.shr uop=5:6\n"), kFirst + 1,
       "nothing is known of acc row 8"},
      {"TensorShiftBounded", kTensorShift,
       Stored("alu.add uop=6:7 imm=1\nalu.max uop=6:7 imm=0\nalu.min uop=6:7 imm=15\n"
              "alu.shr uop=5:6\n"),
       Stored("alu.add uop=6:7 imm=1\nalu.max uop=6:7 imm=0\nalu.min uop=6:7 imm=16\n"
              "alu.shr uop=5:6\n"),
       kFirst + 3, "acc row 8 holds values from 0 to 16"},
      {"TensorShiftItself", kTensorShift, Alu("shr uop=5:6"), Alu("shr uop=6:7"), kFirst,
       "acc row 8 is shifted and shifted by"},
      {"NeighboursInKernel", kNeighbours, Alu("add uop=0:3 imm=1"), Alu("max uop=6:8"), kFirst,
       "micro-ops 0 and 1 of the kernel have the same dst"},
      {"NeighboursInnerDst", kNeighbours, Alu("add uop=0:1 in=1 imm=1"),
       Alu("add uop=0:1 in=2 imm=1"), kFirst,
       "the last micro-op and the first of the next inner iteration have the same dst"},
      {"NeighboursOuterRead", kNeighbours, Alu("add uop=3:4 out=2 dst=1,0 src=2,0"),
       Alu("add uop=3:4 out=2 dst=1,0 src=1,0"), kFirst,
       "the first micro-op of an outer iteration reads the dst of the one before"},
      {"NeighboursOuter", kNeighbours, Alu("add uop=0:2 out=2 dst=0,0 imm=1"),
       Alu("add uop=0:2 out=2 dst=1,0 src=1,0 imm=1"), kFirst,
       "the last micro-op and the first of the next outer iteration have the same dst"},
      {"NeighboursChain", kNeighbours, Alu("add uop=3:4 in=2 dst=0,2 src=0,2"), Alu("add uop=3:5"),
       kFirst, "micro-op 1 of the kernel reads the dst of the one before"},
      {"NeighboursInner", kNeighbours, Alu("add uop=3:4 in=3 dst=0,2 src=0,3"),
       Alu("add uop=3:4 in=3 dst=0,1 src=0,1"), kFirst,
       "the first micro-op of an inner iteration reads the dst of the one before"},
      {"NeighboursLateInner", kNeighbours, Alu("add uop=5:6 in=4 dst=0,1 src=0,1"),
       Alu("add uop=0:1 in=4 dst=0,3 src=0,2"), kFirst,
       "the first micro-op of an inner iteration reads the dst of the one before"},
      {"WeightPads", kWeightPads, Stored("load.wgt dram=matrix x=2\n"),
       Stored("load.wgt dram=matrix x=1 pad=0,0,0,1\n"), kFirst, "pads 0,0,0,1"},
      {"UopRows", kUopRows, Stored("load.uop sram=8 dram=kernel x=2\n"),
       Stored("load.uop sram=8 dram=kernel y=2 x=1 stride=1\n"), kFirst, "2 rows"},
      {"UopIndexLoad", kUopIndex, Stored("load.uop sram=2044 dram=kernel x=4\n"),
       Stored("load.uop sram=2045 dram=kernel x=4\n"), kFirst, "reaches micro-op 2048"},
      {"UopIndexUse", kUopIndex,
       Stored("load.uop sram=2047 dram=kernel x=1\nalu.add uop=2047:2048 imm=1\n"),
       Stored("load.uop sram=2048 dram=kernel x=1\nalu.add uop=2048:2049 imm=1\n"), kFirst,
       "reaches micro-op 2048"},
      {"TripsOuter", kTrips, Alu("add uop=0:1 out=1 imm=1"), Alu("add uop=0:1 out=0 imm=1"), kFirst,
       "trips 0 and 1, micro-ops 0:1"},
      {"TripsInner", kTrips, Alu("add uop=0:1 in=1 imm=1"), Alu("add uop=0:1 in=0 imm=1"), kFirst,
       "trips 1 and 0, micro-ops 0:1"},
      {"TripsUops", kTrips, Stored("gemm uop=0:1 reset\n"), Stored("gemm uop=1:1 reset\n"), kFirst,
       "trips 1 and 1, micro-ops 1:1"},
      {"YSize", kYSize, Stored("load.inp y=0 x=0\n"), Stored("load.inp y=0 x=1\n"), kFirst,
       "y_size 0, x_size 1"},
      {"Tokens", kTokens, deep + Repeat(255, carriers) + Repeat(255, takers) + Stored(""),
       deep + Repeat(256, carriers) + Repeat(256, takers) + Stored(""), 255,
       "load->compute may hold 256 tokens"},
      {"FinishLast", kFinish, Stored(""), Stored("") + "load.uop x=0\n", kFirst + 2,
       "FINISH is followed by 1 instruction"},
      {"FinishWaits", kFinish, Stored(""), Headed(kComputeIt + unproved_end + "finish\n"),
       kFirst + 2, "no token says that store is done"},
      {"FinishWaitsForLoads", kFinish, Stored("load.inp x=0\n"), Stored("load.inp x=1\n"),
       kFirst + 3, "no token says that load is done"},
  };
}

class PublishedRules : public testing::TestWithParam<Case> {};

TEST_P(PublishedRules, OneProgramJustKeepsItAndOneBreaksIt) {
  const Case& c = GetParam();
  const Judged keeps = Judge(c.keeps), breaks = Judge(c.breaks);
  const auto broken = [&](const PublishedReport& report) {
    return std::ranges::find(report.broken, c.rule, &BrokenRule::rule);
  };
  EXPECT_TRUE(keeps.published.complete) << ReportToText(keeps.proof);
  EXPECT_EQ(broken(keeps.published), keeps.published.broken.end())
      << PublishedToText(keeps.published);
  const auto found = broken(breaks.published);
  ASSERT_NE(found, breaks.published.broken.end()) << PublishedToText(breaks.published);
  EXPECT_EQ(found->first[0].instruction, c.instruction);
  EXPECT_EQ(found->first[0].message, c.message);
  EXPECT_FALSE(breaks.published.ok());
}

INSTANTIATE_TEST_SUITE_P(Each, PublishedRules, testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

/// The same by running every micro-op.
bool SomeMeet(const Instruction& alu, std::span<const Uop> uops) {
  int64_t before = -1;
  for (int64_t o = 0; o < alu.iter_out; ++o)
    for (int64_t i = 0; i < alu.iter_in; ++i)
      for (const Uop& uop : uops) {
        const int64_t dst = uop.dst + o * alu.dst_factor_out + i * alu.dst_factor_in;
        const int64_t src = uop.src + o * alu.src_factor_out + i * alu.src_factor_in;
        if (dst == before || (!alu.use_imm && src == before)) return true;
        before = dst;
      }
  return false;
}

TEST(NeighboursThatMeet, AsUnrolled) {
  std::mt19937 random(1);
  const auto draw = [&](int64_t most) { return static_cast<int64_t>(random() % (most + 1)); };
  int64_t meet = 0;
  constexpr int kRounds = 20000;
  for (int round = 0; round < kRounds; ++round) {
    const Instruction alu{.iter_out = draw(4),
                          .iter_in = draw(4),
                          .dst_factor_out = draw(12),
                          .dst_factor_in = draw(6),
                          .src_factor_out = draw(12),
                          .src_factor_in = draw(6),
                          .use_imm = draw(3) == 0};
    std::vector<Uop> uops(1 + draw(3));
    for (Uop& uop : uops) uop = {draw(15), draw(30), 0};
    const bool expected = SomeMeet(alu, uops);
    meet += expected;
    ASSERT_EQ(NeighboursThatMeet(alu, uops).has_value(), expected) << "round " << round;
  }
  EXPECT_GT(meet, kRounds / 5);
  EXPECT_LT(meet, kRounds * 4 / 5);
}

TEST(CheckPublished, BaseRegistersAndOffsetsShareNoBit) {
  const std::string code = Stored("");  // reaches up to 0x5100
  EXPECT_TRUE(Judge(code, 0x8000).published.ok());
  const PublishedReport report = Judge(code, 0x1000).published;
  ASSERT_EQ(report.broken.size(), 1) << PublishedToText(report);
  EXPECT_EQ(report.broken[0].rule, PublishedRule::kBase);
  EXPECT_EQ(report.broken[0].first[0].instruction, 0);
  EXPECT_EQ(report.broken[0].first[0].message, "base 0x1000, offset 0x1000");
}

TEST(CheckPublished, AStoreMakesAmountsUnknown) {
  // `from`: the row that is loaded after the STORE into amounts.
  const auto judge = [](const std::string& from) {
    return Judge(Headed(kComputeIt) + "store.out dram=amounts x=1 pop_prev push_prev\n" +
                 "load.acc sram=8 dram=" + from + " x=1 pop_next\nalu.shr uop=5:6\n" + kComputeIt +
                 kStoreIt + kEnd)
        .published;
  };
  const PublishedReport report = judge("amounts");
  ASSERT_EQ(report.broken.size(), 1) << PublishedToText(report);
  EXPECT_EQ(report.broken[0].rule, PublishedRule::kTensorShift);
  EXPECT_EQ(report.broken[0].first[0].instruction, kFirst + 3);
  // The row behind it is still known.
  EXPECT_TRUE(judge("amounts+4").ok()) << PublishedToText(judge("amounts+4"));
}

TEST(CheckPublished, MicroOpsAreThoseOfTheLaunchStart) {
  const std::string text = Headed(kComputeIt) + "store.out dram=kernel x=1 pop_prev push_prev\n" +
                           "load.uop dram=kernel x=1 pop_next\nalu.add uop=3:4 imm=1\n" +
                           kComputeIt + kStoreIt + kEnd;
  const Judged judged = Judge(text);
  EXPECT_EQ(judged.proof.findings.at(0).kind, FindingKind::kOverwrittenUops);
  ASSERT_EQ(judged.published.broken.size(), 1) << PublishedToText(judged.published);
  EXPECT_EQ(judged.published.broken[0].rule, PublishedRule::kImmediateRow);
}

TEST(CheckPublished, WhatTheProofRefusesIsNotDecided) {
  const Judged judged = Judge("load.wgt x=1 pad=1,0,0,0\nfinish pop_prev\n");
  EXPECT_FALSE(judged.proof.ok());
  EXPECT_FALSE(judged.published.complete);
  EXPECT_FALSE(judged.published.ok());
  ASSERT_EQ(judged.published.broken.size(), 1);  // the words are looked at all the same
  EXPECT_EQ(judged.published.broken[0].rule, PublishedRule::kWeightPads);
  // Rows that nobody wrote: every word is in order, and yet executors may differ.
  const Judged dirty =
      Judge(Headed(kComputeIt) + "store.out sram=20 dram=output x=1 pop_prev push_prev\n" + kEnd);
  EXPECT_EQ(dirty.proof.findings.at(0).kind, FindingKind::kUninitialisedRead);
  EXPECT_TRUE(dirty.published.broken.empty()) << PublishedToText(dirty.published);
  EXPECT_FALSE(dirty.published.ok());
}

TEST(CheckPublished, EveryRuleHasAnExecutorThatDisagreesAndATest) {
  for (size_t i = 0; i < std::size(kPublishedRules); ++i) {
    const PublishedRuleSpec& row = kPublishedRules[i];
    EXPECT_EQ(static_cast<size_t>(row.code), i);
    EXPECT_TRUE(std::ranges::any_of(row.does, [](auto does) { return !does.empty(); })) << row.name;
    const auto cases = Cases();
    EXPECT_TRUE(row.code == PublishedRule::kBase ||
                std::ranges::find(cases, row.code, &Case::rule) != cases.end())
        << row.name;
  }
}

TEST(CheckPublished, ReportsWhoDisagreesWhereAndHowOften) {
  const PublishedReport report =
      Judge(Stored(Repeat(7, "load.wgt dram=matrix x=1 pad=0,0,0,1\n"))).published;
  const std::string text = PublishedToText(report);
  EXPECT_THAT(text, HasSubstr("published       2 rules broken\n"));  // no token for the loads
  EXPECT_THAT(text, HasSubstr("  weight_pads: a LOAD of wgt has no pads\n"
                              "    hls: leaves the pads out: the weights lie elsewhere\n"
                              "    instruction 3: pads 0,0,0,1\n"));
  EXPECT_THAT(text, HasSubstr("    instruction 7: pads 0,0,0,1\n    and 2 more\n"));
  const Json json = Json::Parse(PublishedToJson(report), "report");
  const Json& rule = json.Find("broken")->as_array()->at(0);
  EXPECT_EQ(*rule.Find("name")->as_string(), "weight_pads");
  EXPECT_EQ(*rule.Find("count")->as_int(), 7);
  EXPECT_EQ(rule.Find("executors")->as_object()->size(), 1);
  EXPECT_EQ(*rule.Find("first")->as_array()->at(4).Find("instruction")->as_int(), 7);
  EXPECT_THAT(PublishedToText(Judge(Stored("")).published),
              HasSubstr("published       functional, hls and rtl agree on it\n"));
}

TEST(CheckPublished, ExtensionsOfTheConfigAreNamed) {
  const PublishedReport report = Judge(".config only_mul\n" + Stored("")).published;
  EXPECT_TRUE(report.ok());
  ASSERT_EQ(report.notes.size(), 1);
  EXPECT_EQ(report.notes[0], "config only_mul has mul: no published hardware has it");
  EXPECT_TRUE(Judge(Stored("")).published.notes.empty());
}

}  // namespace
}  // namespace vta::isa
