#include "tools/vta/common/processes.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>

namespace vta::tools {
namespace {

TEST(Processes, EachJobEndsAsItDoes) {
  std::map<int64_t, std::pair<std::string, std::string>> ends;
  const ProcessLimits limits{.at_once = 3, .time = std::chrono::seconds(1)};
  RunInProcesses(
      EachOf(8), limits,
      [](int64_t job) -> std::string {
        if (job == 2) raise(SIGSEGV);
        if (job == 3) throw std::runtime_error("no such thing");
        if (job == 4) _exit(3);
        if (job == 5) pause();
        if (job == 6) return std::string(1 << 20, 'x');
        return std::to_string(job * job);
      },
      [&](int64_t job, const JobEnd& end) {
        ends[job] = {end.said, end.failure};
        return true;
      });
  EXPECT_EQ(ends.size(), 8U);
  EXPECT_EQ(ends[7].first, "49");
  EXPECT_EQ(ends[7].second, "");
  EXPECT_EQ(ends[2].second, "ended by SIGSEGV");
  EXPECT_EQ(ends[3].second, "no such thing");
  EXPECT_EQ(ends[4].second, "ended without a result");
  EXPECT_EQ(ends[5].second, "took more than 1 s");
  EXPECT_EQ(ends[6].first.size(), size_t{1} << 20);
}

// Which job is next may depend on what is done.
TEST(Processes, JobsFollowFromThoseBefore) {
  int64_t last = 3;
  RunInProcesses(
      [&]() -> std::optional<int64_t> { return last > 100 ? std::nullopt : std::optional(last); },
      {}, [](int64_t job) { return std::to_string(job * job); },
      [&](int64_t, const JobEnd& end) {
        last = std::stoll(end.said);
        return true;
      });
  EXPECT_EQ(last, 81 * 81);
}

TEST(Processes, DoOneJobAfterTheOther) {
  std::set<std::string> processes;
  const auto run = [&](const std::function<std::string(int64_t)>& work) {
    RunInProcesses(EachOf(20), {.at_once = 2}, work, [&](int64_t, const JobEnd& end) {
      processes.insert(end.said);
      return true;
    });
  };
  run([](int64_t) { return std::to_string(getpid()); });
  EXPECT_EQ(processes.size(), 2U);
  EXPECT_FALSE(processes.contains(std::to_string(getpid())));
}

// A lock of this one's goes with it, whatever its jobs do.
TEST(Processes, HaveNoOpenFilesOfOthers) {
  const int open_file = dup(STDOUT_FILENO);
  RunInProcesses(
      EachOf(1), {},
      [&](int64_t) { return std::string(fcntl(open_file, F_GETFD) < 0 ? "closed" : "open"); },
      [&](int64_t, const JobEnd& end) {
        EXPECT_EQ(end.said, "closed");
        return true;
      });
  close(open_file);
}

TEST(Processes, StopWhenTold) {
  int64_t done = 0;
  RunInProcesses(
      EachOf(100), {.at_once = 2}, [](int64_t) { return std::string("x"); },
      [&](int64_t, const JobEnd&) { return ++done < 3; });
  EXPECT_EQ(done, 3);
}

TEST(Processes, EndWithWhoWaits) {
  struct Enough {};
  const int64_t parent = getpid();
  const auto start = std::chrono::steady_clock::now();
  int64_t calls = 0;
  const ProcessLimits limits{.at_once = 2, .on_wait = [&] {
                               EXPECT_EQ(getpid(), parent);
                               if (++calls == 5) throw Enough();
                             }};
  const auto work = [](int64_t) {
    std::this_thread::sleep_for(std::chrono::minutes(1));
    return std::string();
  };
  EXPECT_THROW(RunInProcesses(EachOf(4), limits, work, [](int64_t, const JobEnd&) { return true; }),
               Enough);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

}  // namespace
}  // namespace vta::tools
