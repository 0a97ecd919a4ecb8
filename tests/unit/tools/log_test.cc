#include "tools/shared/log.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "tools/shared/terminal.h"

namespace vta::tools {
namespace {

// What is written while `work` goes on, with these options.
std::string Said(const LogOptions& options, auto&& work) {
  testing::internal::CaptureStderr();
  StartLog(options, PlainWriter(options));
  work();
  StartLog({}, PlainWriter({}));
  return testing::internal::GetCapturedStderr();
}

void SayAll() {
  Log(LogLevel::kDebug, "d");
  Log(LogLevel::kInfo, "i");
  Log(LogLevel::kWarning, "w");
  Log(LogLevel::kError, "e");
}

TEST(LogTest, WritesWhatIsNotBelowTheLeast) {
  EXPECT_EQ(Said({.program = "p"}, SayAll), "p: i\np: w\np: e\n");
  EXPECT_EQ(Said({.program = "p", .least = LogLevel::kError}, SayAll), "p: e\n");
  EXPECT_EQ(Said({.program = "p", .least = LogLevel::kDebug}, SayAll), "p: d\np: i\np: w\np: e\n");
}

TEST(LogTest, NoControlCharacterReachesATerminal) {
  EXPECT_EQ(Said({}, [] { Log(LogLevel::kError, "a\x1b[2Jb\nc\x9b\a"); }),
            "vta: a\\x1b[2Jb\nc\\x9b\\x07\n");
}

TEST(LogTest, TheStatusMakesRoomForAMessage) {
  EXPECT_EQ(Said({},
                 [] {
                   ShowStatus("one");
                   ShowStatus("two");
                   Log(LogLevel::kInfo, "m");
                   ShowStatus("");
                 }),
            "one\r\033[Ktwo\r\033[Kvta: m\n");
}

TEST(LogTest, MessagesOfThreadsStayWhole) {
  const std::string said = Said({}, [] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([] {
        for (int n = 0; n < 100; ++n) Log(LogLevel::kInfo, "message");
      });
    for (std::thread& thread : threads) thread.join();
  });
  std::string want;
  for (int i = 0; i < 400; ++i) want += "vta: message\n";
  EXPECT_EQ(said, want);
}

TEST(TerminalTest, ColorIsForTerminalsUnlessAsked) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  EXPECT_FALSE(UsesColor(kColorAuto, pipe_ends[1]));
  EXPECT_TRUE(UsesColor(kColorAlways, pipe_ends[1]));
  EXPECT_FALSE(UsesColor(kColorNever, pipe_ends[1]));
  EXPECT_EQ(TerminalColumns(pipe_ends[1]), std::nullopt);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace
}  // namespace vta::tools
