// What a launch says around its program: image parts, constants, addresses that can not be; and the
// report's two forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/check/check.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "tests/support/error_of.h"
#include "tests/support/random_kernels.h"

namespace vta::isa {
namespace {

using test::LoadRows;
using testing::ElementsAre;

/// Loads two micro-ops, resets row 0, stores it.
class LaunchTest : public testing::Test {
 protected:
  LaunchTest() {
    Instruction reset{.opcode = static_cast<int64_t>(Opcode::kGemm),
                      .push_next = 1,
                      .reset = 1,
                      .uop_end = 1,
                      .iter_out = 1,
                      .iter_in = 1};
    Instruction store = LoadRows(MemoryType::kOut, 0, 1, 0x10);
    store.opcode = static_cast<int64_t>(Opcode::kStore), store.pop_prev = 1;
    for (const Instruction& insn : {LoadRows(MemoryType::kUop, 0, 2, 0x40), reset, store,
                                    Instruction{.opcode = static_cast<int64_t>(Opcode::kFinish)}})
      words_.push_back(Encode(layout_, insn));
  }

  Report Run() {
    launch_.instructions = words_;
    launch_.image = parts_;
    return Check(Config{}, launch_);
  }

  Layout layout_{Config{}};
  std::vector<Word> words_;
  std::vector<uint8_t> uops_ = std::vector<uint8_t>(8);
  std::vector<ImagePart> parts_ = {{0x100, uops_}};
  Launch launch_{.memory_bytes = 0x200};
};

TEST_F(LaunchTest, MicroOpsMayLieInSeveralParts) {
  EXPECT_TRUE(Run().ok());
  parts_ = {{0x106, std::span(uops_).first(2)}, {0x100, std::span(uops_).first(6)}};
  EXPECT_TRUE(Run().ok());
}

TEST_F(LaunchTest, UnknownMicroOps) {
  parts_ = {{0x100, std::span(uops_).first(6)}};
  const Report report = Run();
  ASSERT_EQ(report.findings.size(), 1);
  EXPECT_EQ(report.findings[0].kind, FindingKind::kUnknownUops);
  EXPECT_EQ(report.findings[0].instruction, 0);
  EXPECT_EQ(report.findings[0].message,
            "loads micro-ops from 0x106, where nothing is known to lie");
  parts_.clear();
  EXPECT_EQ(Run().findings.size(), 1);
}

TEST_F(LaunchTest, MicroOpsReadTheRightBytes) {
  // dst 2047 and not 0: then the STORE of row 0 reads what nobody wrote.
  uops_[0] = 0xff, uops_[1] = 0x07;
  const Report report = Run();
  ASSERT_EQ(report.findings.size(), 1);
  EXPECT_EQ(report.findings[0].memory, "out");
}

TEST_F(LaunchTest, StoresToConstantData) {
  parts_[0].constant = true;
  EXPECT_FALSE(Run().ok());
  launch_.bases[BaseRegister(MemoryType::kOut)] = 8;  // bytes 0x108..0x117
  EXPECT_TRUE(Run().ok());
  launch_.bases[BaseRegister(MemoryType::kOut)] = 7;
  const Report report = Run();
  ASSERT_EQ(report.findings.size(), 1);
  EXPECT_EQ(report.findings[0].kind, FindingKind::kOverwrittenConstant);
  EXPECT_EQ(report.findings[0].message, "stores to 0x107, where constant data lie");
  parts_[0].constant = false;
  EXPECT_TRUE(Run().ok());
}

TEST_F(LaunchTest, ProgramPastTheMemory) {
  launch_.instruction_address = 0x1c8;
  const Report report = Run();
  ASSERT_EQ(report.findings.size(), 1);
  EXPECT_EQ(report.findings[0].kind, FindingKind::kMemoryOutOfRange);
  EXPECT_EQ(report.findings[0].message, "the program lies up to byte 0x207 of 0x200");
}

TEST_F(LaunchTest, ImpossibleLaunches) {
  launch_.bases[2] = -1;
  EXPECT_EQ(ErrorOf([&] { Run(); }), "launch: base register = -1: must be in [0, 281474976710656]");
  launch_.bases[2] = 0;
  launch_.memory_bytes = -5;
  EXPECT_EQ(ErrorOf([&] { Run(); }), "launch: memory_bytes = -5: must be in [0, 281474976710656]");
  launch_.memory_bytes = 0x200;
  parts_.push_back({0x107, uops_});
  EXPECT_EQ(ErrorOf([&] { Run(); }), "launch: image part = 0x107: must not overlap another part");
}

TEST_F(LaunchTest, Text) {
  Report report = Run();
  report.statistics.scan_ns = 1234567;
  EXPECT_EQ(ReportToText(report),
            "proved\n"
            "instructions    4 (load 0, compute 3, store 1)\n"
            "token carriers  load 0, compute 0, store 0\n"
            "micro-ops       1 executed, 2 loaded, 1 distinct kernels\n"
            "most tokens     load->compute 0, compute->load 0, compute->store 1, store->compute 0\n"
            "tokens left     load->compute 0, compute->load 0, compute->store 0, store->compute 0\n"
            "serially legal  yes\n"
            "scan time       1.234 ms\n");
}

TEST_F(LaunchTest, TextOfARefusal) {
  words_.pop_back();
  words_.pop_back();
  EXPECT_THAT(ReportToText(Run()),
              testing::StartsWith("refused: 1 finding\n"
                                  "  program: no_finish: no FINISH in 2 instructions\n"
                                  "    rule: a program holds a FINISH\n"
                                  "instructions    2 "));
}

TEST_F(LaunchTest, JsonSaysTheSame) {
  std::swap(words_[1], words_[2]);
  words_.insert(words_.begin() + 2, words_[1]);  // two STOREs for one token
  const std::string text = ReportToJson(Run());
  const Json json = Json::Parse(text, "report");
  EXPECT_FALSE(*json.Find("ok")->as_bool());
  const Json::Array& findings = *json.Find("findings")->as_array();
  ASSERT_EQ(findings.size(), 2);
  EXPECT_EQ(findings[1].Dump(-1),
            R"({"kind":"deadlock","instruction":2,"module":"store","queue":"compute->store",)"
            R"("message":"store waits for ever for a token of compute->store"})");
  EXPECT_EQ(*json.Find("statistics")->Find("by_module")->Find("store")->as_int(), 2);
  EXPECT_EQ(text, ReportToJson(Run())) << "equal programs, equal text";
}

TEST_F(LaunchTest, ManyFindingsAreCounted) {
  words_.insert(words_.begin(), 150, Encode(layout_, LoadRows(MemoryType::kInp, 2047, 2, 0)));
  const Report report = Run();
  EXPECT_EQ(report.findings.size(), kMostFindings);
  EXPECT_EQ(report.findings_left_out, 50);
}

}  // namespace
}  // namespace vta::isa
