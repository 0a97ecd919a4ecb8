#include "compiler/tune/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tests/support/error_of.h"
#include "tests/unit/compiler/tune/fake_space.h"

namespace vta::compiler::tune {
namespace {

LogEntry Entry(std::optional<int64_t> cost) {
  const FakeSpace space;
  return {{"vta", "conv \"3x3\"", 0x123456789abcdef0, SpaceHash(space)},
          "cycle",
          0xfedcba9876543210,
          "vta 0.1.0",
          "layer1\nconv",
          "digit=4 bit=1",
          141,
          cost,
          cost ? "" : "trial: outcome = fault"};
}

class LogTest : public testing::Test {
 protected:
  std::string Path() const { return folder_.path() + "/log.jsonl"; }
  void Write(const std::string& text) const { WriteFileAtomically(Path(), text); }

 private:
  Temporary folder_{NewTemporaryFolder("log-test")};
};

TEST_F(LogTest, LinesComeBack) {
  LogEntry confirmed = Entry(2);
  confirmed.times = 5, confirmed.machine = "node";
  confirmed.features = {0x123456789abcdef0, {0, -1000, 17}};
  {
    LogWriter writer(Path());
    writer.Append({Entry(17), Entry({})});
    writer.Append({Entry(1), confirmed});
  }
  const LogLines lines = ReadLog(Path());
  EXPECT_EQ(lines.entries, (std::vector{Entry(17), Entry({}), Entry(1), confirmed}));
  EXPECT_THAT(lines.left_out, testing::IsEmpty());
}

TEST_F(LogTest, TheLastOfATarget) {
  LogEntry other = Entry(1);
  other.key.target = "cuda", other.measured_on = 5;
  EXPECT_EQ(LastMeasuredOn({}, "vta"), std::nullopt);
  EXPECT_EQ(LastMeasuredOn(std::vector{Entry(1), other}, "opencl"), std::nullopt);
  EXPECT_EQ(LastMeasuredOn(std::vector{Entry(1), other}, "vta"), MeasuredOnOf(Entry(1)));
  LogEntry later = other;
  later.measured_on = 6, later.machine = "node";
  EXPECT_EQ(LastMeasuredOn(std::vector{other, later, Entry(1)}, "cuda"), (MeasuredOn{6, "node"}));
}

TEST_F(LogTest, HashesOfSpaces) {
  class Other : public FakeSpace {
    const std::vector<Choice>& Choices() const override { return choices_; }
    const std::vector<Choice> choices_ = {{"digit", {0, 1, 2}}, {"bit", {0, 1}}};
  };
  EXPECT_EQ(SpaceHash(FakeSpace("a")), SpaceHash(FakeSpace("b")));
  EXPECT_NE(SpaceHash(FakeSpace()), SpaceHash(Other()));
}

/// Each byte of a line counts, whichever is changed or where it is cut.
TEST_F(LogTest, EditedLinesAreLeftOut) {
  const std::string good = Print(Entry(17));
  for (size_t at = 0; at + 1 < good.size(); ++at) {
    std::string edited = good;
    edited[at] = edited[at] == '1' ? '2' : '1';
    Write(good + edited + good);
    const LogLines lines = ReadLog(Path());
    EXPECT_EQ(lines.entries, (std::vector{Entry(17), Entry(17)})) << edited;
    ASSERT_EQ(lines.left_out.size(), 1) << edited;
    EXPECT_THAT(lines.left_out[0], testing::HasSubstr(Path() + ":2")) << edited;
  }
  Write(good + good.substr(0, good.size() / 2));
  const LogLines lines = ReadLog(Path());
  EXPECT_EQ(lines.entries.size(), 1);
  EXPECT_EQ(
      lines.left_out,
      (std::vector<std::string>{Path() + ":2: line: was cut or edited: its sum is not that of what "
                                         "stands before it"}));
}

TEST_F(LogTest, WhatWasCutIsEndedBeforeMoreComes) {
  Write(Print(Entry(17)) + "{\"version\": 1, \"tar");
  LogWriter(Path()).Append({Entry(18)});
  const LogLines lines = ReadLog(Path());
  EXPECT_EQ(lines.entries, (std::vector{Entry(17), Entry(18)}));
  EXPECT_EQ(lines.left_out.size(), 1);
}

TEST_F(LogTest, OneWriterAtATime) {
  std::optional<LogWriter> first(std::in_place, Path());
  EXPECT_EQ(ErrorOf([&] { LogWriter second(Path()); }),
            Path() + ": another search writes this log: wait for it, or name another");
  first.reset();
  EXPECT_EQ(ErrorOf([&] { LogWriter second(Path()); }), "no error");
}

TEST_F(LogTest, WhatCannotBeALog) {
  std::filesystem::create_directory(Path());
  EXPECT_EQ(ErrorOf([&] { LogWriter writer(Path()); }),
            Path() + ": cannot open to write: Is a directory");
  EXPECT_EQ(ErrorOf([&] { LogWriter writer("/dev/full"); }), "/dev/full: must be a file");
  EXPECT_THAT(ErrorOf([&] { LogWriter writer(Path() + "/none/log"); }),
              testing::EndsWith("cannot open to write: No such file or directory"));
}

}  // namespace
}  // namespace vta::compiler::tune
