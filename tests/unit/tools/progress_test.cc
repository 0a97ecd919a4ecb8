#include "tools/vta/common/progress.h"

#include <gmock/gmock.h>

#include "isa/support/error.h"
#include "tools/shared/log.h"

namespace vta::tools {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using namespace std::chrono_literals;

// What a Progress prints while `work` goes on.
std::string Said(bool is_terminal, std::chrono::milliseconds every, auto&& work) {
  testing::internal::CaptureStderr();
  {
    Progress progress("run m.onnx", is_terminal, every);
    work(progress);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(ProgressTest, SaysWhereItIsALineEachTime) {
  const std::string said = Said(false, 20ms, [](Progress& progress) {
    progress.Count(3, 400);
    progress.At("step 2 of 9 conv\x1b[2J\nvta: done");
    progress.cycles() = 1234567;
    std::this_thread::sleep_for(110ms);
  });
  // On a loaded machine the first lines may be of before it was told all of that.
  EXPECT_THAT(said, MatchesRegex("(vta: run m.onnx: [0-9]+ s[^\n]*\n)*"
                                 "(vta: run m.onnx: [0-9]+ s, 3 of 400, step 2 of 9 "
                                 "conv\\\\x1b\\[2J\\\\x0avta: done, cycle 1,234,567\n)+"));
  EXPECT_THAT(said, Not(HasSubstr("\x1b")));
  EXPECT_GE(std::count(said.begin(), said.end(), '\n'), 2);
}

TEST(ProgressTest, SaysNothingOfShortWorkOrWhenHidden) {
  EXPECT_EQ(Said(false, 10s, [](Progress& progress) { progress.At("here"); }), "");
  EXPECT_EQ(Said(true, 10s, [](Progress& progress) { progress.At("here"); }), "");
  EXPECT_EQ(Said(false, 10ms,
                 [](Progress& progress) {
                   progress.Hide();
                   std::this_thread::sleep_for(50ms);
                 }),
            "");
}

TEST(ProgressTest, DrawsOneLineOnATerminal) {
  const std::string said = Said(true, 10s, [](Progress& progress) {
    progress.At("somewhere with a long name, longer than any line of a usual terminal can be, 80");
    std::this_thread::sleep_for(600ms);
  });
  EXPECT_THAT(said, Not(HasSubstr("\n")));
  EXPECT_THAT(said, testing::StartsWith("run m.onnx: 0 s, somewhere"));
  EXPECT_THAT(said, Not(HasSubstr("80")));
  EXPECT_THAT(said, testing::EndsWith("\r\033[K"));
}

TEST(ProgressTest, DrawsABarOfSeveral) {
  const std::string said = Said(true, 10s, [](Progress& progress) {
    progress.Count(6, 10);
    progress.At("conv5");
    std::this_thread::sleep_for(600ms);
  });
  EXPECT_THAT(said, testing::StartsWith("[##########          ] run m.onnx: 0 s, 6 of 10, conv5"));
}

TEST(ProgressTest, SaysEveryStepWithItsTimeWhenAskedTo) {
  StartLog({.least = LogLevel::kDebug}, PlainWriter({}));
  const std::string said = Said(false, 10s, [](Progress& progress) {
    progress.At("one");
    progress.At("");
    progress.Count(2, 3);
    progress.At("two\x1b");
  });
  StartLog({}, PlainWriter({}));
  EXPECT_THAT(said, MatchesRegex("vta: run m.onnx: 0\\.[0-9][0-9] s, one\n"
                                 "vta: run m.onnx: 0\\.[0-9][0-9] s, 2 of 3, two\\\\x1b\n"));
}

TEST(ProgressTest, SaysNothingWhenErrorsAloneAreWanted) {
  StartLog({.least = LogLevel::kError}, PlainWriter({}));
  const auto work = [](Progress& progress) {
    progress.At("one");
    std::this_thread::sleep_for(300ms);
  };
  const std::string said = Said(false, 10ms, work) + Said(true, 10ms, work);
  StartLog({}, PlainWriter({}));
  EXPECT_EQ(said, "");
}

TEST(ProgressTest, EndsTheWorkWhenAskedTo) {
  Progress progress("run m.onnx", false);
  progress.At("one");
  progress.RequireGoingOn();
  std::thread([&] { progress.Stop(); }).join();
  EXPECT_THROW(progress.At("two"), Stopped);
  EXPECT_THROW(progress.RequireGoingOn(), Stopped);
}

TEST(ProgressTest, TellsAListenerWhereItIs) {
  Progress progress("run m.onnx", false);
  std::vector<std::string> told;
  progress.Tell([&](const std::string& place, int64_t number, int64_t total) {
    told.push_back(StrCat(place, " ", number, " ", total));
    if (place == "bad") throw Stopped();
  });
  progress.At("one");
  progress.Count(2, 3);
  progress.At("two");
  EXPECT_THROW(progress.At("bad"), Stopped);
  EXPECT_THAT(told, testing::ElementsAre("one 0 0", "two 2 3", "bad 2 3"));
}

}  // namespace
}  // namespace vta::tools
