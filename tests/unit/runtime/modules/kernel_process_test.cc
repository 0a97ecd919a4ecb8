// The process for kernels: what it needs, what it leaves, and that it ends with its parent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "isa/support/error.h"
#include "tests/unit/runtime/modules/confinement.h"

namespace vta::runtime {
namespace {

using std::chrono::milliseconds, std::chrono::steady_clock;
using testing::HasSubstr;

class KernelProcessTest : public ConfinementTest {};

// A system that does not say which memory processes share: it could not be taken from kernels.
TEST_F(KernelProcessTest, AProcessNeedsToKnowItsMemory) {
  const std::string root = testing::TempDir() + "/empty_root";
  std::filesystem::create_directory(root);
  const int status = StatusOfChild([&] {
    if (chroot(root.c_str()) != 0) _exit(1);
    const std::string error = ErrorOf([] { Open(HostileCode::Good(), Confinement::kProcess); });
    if (error != "p.vta: /proc/self/maps: cannot be read: No such file or directory") _exit(2);
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == 1) GTEST_SKIP() << "only root changes its root";
  EXPECT_EQ(status, 0);
}

// Processes, descriptors and zombies, also where signals interrupt what waits for a process.
TEST_F(KernelProcessTest, LeavesNothingBehind) {
  const auto open = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  struct sigaction tick {
  }, before{};
  tick.sa_handler = [](int) {};
  sigaction(SIGALRM, &tick, &before);
  const itimerval often{{0, 200}, {0, 200}}, never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  const auto files = open();
  for (int i = 0; i < 200; ++i) {
    Session session =
        Open(i % 2 ? HostileCode::Null() : HostileCode::Good(),
             i % 4 < 2 ? Confinement::kProcess : Confinement::kSandboxed, 1, 1 + i % 2);
    EXPECT_EQ(RunOf(session) == "no error", i % 2 == 0);
  }
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(open(), files);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // no child
}

// The process of a parent that is killed does not stay, whatever its kernel does.
class OrphanTest : public ConfinementTest, public testing::WithParamInterface<bool> {};
TEST_P(OrphanTest, AWorkerEndsWithItsParent) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    ErrorOf([&] {
      Session session = Open(GetParam() ? HostileCode::Deaf() : HostileCode::Loop(),
                             GetParam() ? Confinement::kSandboxed : Confinement::kProcess, 1, 1);
      std::ifstream children(StrCat("/proc/self/task/", getpid(), "/children"));
      pid_t worker = 0;
      children >> worker;
      if (write(pipe_ends[1], &worker, sizeof worker) > 0) RunOf(session);
    });
    _exit(1);
  }
  pid_t worker = 0;
  ASSERT_EQ(read(pipe_ends[0], &worker, sizeof worker), ssize_t{sizeof worker});
  close(pipe_ends[0]), close(pipe_ends[1]);
  if (worker == 0) {
    kill(parent, SIGKILL), waitpid(parent, nullptr, 0);
    GTEST_SKIP() << "the system does not list a process's children";
  }
  std::this_thread::sleep_for(milliseconds(50));  // the kernel loops
  EXPECT_EQ(kill(worker, 0), 0);
  std::ifstream status(StrCat("/proc/", worker, "/status"));
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(status), {}),
              HasSubstr("NoNewPrivs:\t1\n"));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  const auto alive = [&] {
    std::ifstream stat(StrCat("/proc/", worker, "/stat"));
    std::string number, name, state;
    return static_cast<bool>(stat >> number >> name >> state) && state != "Z";
  };
  const auto start = steady_clock::now();
  while (alive() && steady_clock::now() - start < std::chrono::seconds(5))
    std::this_thread::sleep_for(milliseconds(1));
  EXPECT_FALSE(alive());
}
INSTANTIATE_TEST_SUITE_P(All, OrphanTest, testing::Bool());

}  // namespace
}  // namespace vta::runtime
