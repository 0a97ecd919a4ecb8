// Sessions whose kernels are hostile, and what their tests share.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "runtime/cpu_features.h"
#include "runtime/session.h"
#include "tests/support/error_of.h"
#include "tests/unit/runtime/hostile_package.h"

namespace vta::runtime {

constexpr Confinement kConfined[] = {Confinement::kGuarded, Confinement::kProcess,
                                     Confinement::kSandboxed};
constexpr char kPlace[] = "p.vta: step 0 only (op 2): kernel k: was stopped";

inline void Set(Session& session) { session.SetInput(0, std::vector<uint8_t>(8)); }

inline std::string RunOf(Session& session) {
  return ErrorOf([&] {
    Set(session);
    session.Run();
  });
}

inline std::vector<int64_t> RangeOf(Session& session) {
  Set(session);
  session.Run();
  std::vector<int64_t> range(2);
  session.GetOutput(0, {reinterpret_cast<uint8_t*>(range.data()), 16});
  return range;
}

class ConfinementTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kBuildArch != "x86_64") GTEST_SKIP() << "its kernels are code of x86-64";
    // A sanitizer that meets a type for the first time looks at its memory by a pipe, which the
    // sandbox does not let: what runs there has been met here.
    static const std::string met = [] {
      Session session = Open(HostileCode::Good(), Confinement::kGuarded);
      return RunOf(session);
    }();
    ASSERT_EQ(met, "no error");
  }
  static Session Open(const std::vector<uint8_t>& code, Confinement confinement, int64_t tasks = 1,
                      int64_t threads = 2,
                      std::chrono::nanoseconds limit = KernelOptions::kForever) {
    return Session(HostileModel("k", code, tasks), nullptr,
                   {.threads = threads, .kernels = {confinement, limit}});
  }
};

// What it does in a process of its own, which ends by itself or by SIGALRM.
inline int StatusOfChild(const std::function<void()>& run) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int fault : {SIGSEGV, SIGILL}) signal(fault, SIG_DFL);  // not the sanitizer's
    alarm(10);
    run();
    _exit(0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

}  // namespace vta::runtime
