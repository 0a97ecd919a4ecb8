// Who gets a device when, and what ends a lease: without a network.
#include "tools/serve/leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "driver/remote/wire/stub.h"
#include "isa/support/error.h"
#include "isa/support/temporary.h"
#include "tests/remote/fake_server.h"
#include "tests/support/error_of.h"
#include "tools/serve/lease_process.h"

namespace vta::serve {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

class LeasesTest : public testing::Test {
 protected:
  void Start(double beat_s = 1000, double limit_s = 1000,
             std::vector<DeviceSpec> devices = {{"a", "a"}}) {
    options_.devices = std::move(devices);
    options_.beat_s = beat_s;
    options_.lease_limit_s = limit_s;
    options_.make_worker = [](size_t) { return MakeFakeWorker(); };
    options_.log = [](const std::string&) {};
    spawner_.emplace(folder_.path(),
                     [this](size_t device, int socket) { ServeLease(options_, device, socket); });
    leases_.emplace(options_, *spawner_);
  }

  std::shared_ptr<Held> Take(const std::string& key = "", std::chrono::nanoseconds wait = 20s,
                             int64_t priority = 0) {
    return leases_->Acquire(
        {key, priority, wait, "somebody"}, [] { return false; },
        [this](const std::string& why, bool at_limit) {
          const std::lock_guard lock(mutex_);
          revoked_ = why;
          at_limit_ = at_limit;
          ++revocations_;
        });
  }

  std::string Revoked() {
    const std::lock_guard lock(mutex_);
    return revoked_;
  }

  driver::remote::Stub Calls(const std::shared_ptr<Held>& held) {
    return {[this, held](const std::string& request) {
              return leases_->Call(held->fence, held->secret, request);
            },
            "server"};
  }

  driver::remote::ServedDevice Device(size_t device = 0) { return leases_->List().at(device); }

  void WaitUntil(const std::function<bool()>& good) {
    const auto end = Clock::now() + 20s;
    while (!good() && Clock::now() < end) std::this_thread::sleep_for(1ms);
    ASSERT_TRUE(good());
  }

  const Temporary folder_{NewTemporaryFolder("vta-leases-test")};
  ServeOptions options_;
  std::optional<Spawner> spawner_;
  std::optional<Leases> leases_;
  std::mutex mutex_;
  std::string revoked_;
  bool at_limit_ = false;
  std::atomic<int> revocations_ = 0;
};

TEST_F(LeasesTest, EachIsAProcessOfItsOwn) {
  Start();
  for (int i = 0; i < 3; ++i) {
    const auto held = Take();
    EXPECT_EQ(held->fence, i + 1);
    auto calls = Calls(held);
    EXPECT_EQ(calls.Allocate(1), 1u);
    EXPECT_EQ(calls.Allocate(1), 2u);
    leases_->Release(*held);
  }
  EXPECT_EQ(Device().leases, 3);
  EXPECT_EQ(Device().state, "free");
}

// The processes that no lease has had, of this program's spawners.
std::vector<pid_t> WaitingProcesses() {
  const auto stat = [](const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string number, name, state, parent;
    file >> number >> name >> state >> parent;
    return std::pair(state == "Z" ? "" : name, parent);
  };
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename();
    const auto [name, parent] = stat(pid);
    if (name == "(vta-lease-next)" && stat(parent).second == std::to_string(getpid()))
      found.push_back(std::stoi(pid));
  }
  return found;
}

TEST_F(LeasesTest, TheNextProcessWaitsForItsLease) {
  Start();
  const auto first = Take();
  Calls(first).Allocate(1);
  EXPECT_THAT(WaitingProcesses(), testing::IsEmpty());
  leases_->Release(*first);
  std::vector<pid_t> waiting;
  WaitUntil([&] { return !(waiting = WaitingProcesses()).empty(); });
  const auto second = Take();
  EXPECT_THAT(waiting, testing::ElementsAre(second->process.pid));
  EXPECT_EQ(Calls(second).Allocate(1), 1u);  // nothing of the first
  leases_->Release(*second);
  // One that has ended meanwhile is given to nobody.
  WaitUntil([&] { return !(waiting = WaitingProcesses()).empty(); });
  kill(waiting[0], SIGKILL);
  WaitUntil([&] { return WaitingProcesses().empty(); });
  const auto third = Take();
  EXPECT_EQ(Calls(third).Allocate(1), 1u);
  EXPECT_NE(third->process.pid, waiting[0]);
}

TEST_F(LeasesTest, IsExclusiveAndWaitsSoLong) {
  Start();
  const auto held = Take();
  const auto start = Clock::now();
  EXPECT_THAT(ErrorOf([&] { Take("", 30ms); }),
              HasSubstr("no device was free within 0.03 s: a is leased to somebody"));
  EXPECT_GE(Clock::now() - start, 30ms);
  EXPECT_EQ(Device().waiting, 0);
  leases_->Release(*held);
  EXPECT_EQ(Take("", 0ms)->fence, 2);
}

TEST_F(LeasesTest, BoardsSayHowWarmTheyAre) {
  options_.temperature = [] { return std::optional(41.5); };
  Start(1000, 1000, {{"cycle", "x"}, {"uio", "y", true}});
  EXPECT_EQ(Device(0).temperature_c, std::nullopt);
  EXPECT_EQ(Device(1).temperature_c, 41.5);
}

TEST_F(LeasesTest, AKeyThatIsNotServedIsNamedAtOnce) {
  Start(1000, 1000, {{"a", "x"}, {"b", "y"}, {"c", "y"}});
  EXPECT_EQ(ErrorOf([&] { Take("z"); }), "key = z: is not served there; what is served: x, y");
}

TEST_F(LeasesTest, OneOfTheKeyIsGivenWhichever) {
  Start(1000, 1000, {{"a", "x"}, {"b", "y"}, {"c", "y"}});
  const auto one = Take("y"), other = Take("y");
  EXPECT_NE(one->device, other->device);
  EXPECT_THAT(ErrorOf([&] { Take("y", 0ms); }), HasSubstr("no device was free"));
  EXPECT_EQ(Take("")->device, 0u);
}

TEST_F(LeasesTest, HigherPrioritiesGoFirstThenThoseThatCameFirst) {
  Start();
  auto held = Take();
  std::vector<int64_t> order;
  std::mutex mutex;
  std::vector<std::thread> threads;
  int64_t waiting = 0;
  for (const int64_t priority : {0, 5, 0, 9, 5}) {
    threads.emplace_back([&, priority, number = waiting] {
      const auto mine = Take("", 20s, priority);
      {
        const std::lock_guard lock(mutex);
        order.push_back(number);
      }
      leases_->Release(*mine);
    });
    ++waiting;
    WaitUntil([&] { return Device().waiting == waiting; });
  }
  leases_->Release(*held);
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(order, testing::ElementsAre(3, 1, 4, 0, 2));
}

TEST_F(LeasesTest, OneWhoIsGoneIsInNoQueue) {
  Start();
  const auto held = Take();
  EXPECT_THAT(ErrorOf([&] {
                leases_->Acquire({"", 0, 20s, "gone"}, [] { return true; }, {});
              }),
              HasSubstr("nobody waits"));
  EXPECT_EQ(Device().waiting, 0);
}

TEST_F(LeasesTest, EndsSoonAfterItsLastBeatAndNotBefore) {
  Start(0.2);
  const auto held = Take();
  auto calls = Calls(held);
  for (int i = 0; i < 8; ++i) {  // longer than without beats
    std::this_thread::sleep_for(50ms);
    leases_->Beat(*held);
  }
  EXPECT_EQ(calls.Allocate(1), 1u);
  WaitUntil([&] { return revocations_ > 0; });
  EXPECT_EQ(Revoked(), "no beat came for 0.2 s");
  EXPECT_FALSE(at_limit_);
  EXPECT_THAT(ErrorOf([&] { calls.Allocate(1); }),
              HasSubstr("lease 1: has ended: no beat came for 0.2 s"));
  EXPECT_GE(*Device().revoked_after_s, 0.2);
  EXPECT_LT(*Device().revoked_after_s, 1.0);
  leases_->Release(*held);
  EXPECT_EQ(revocations_, 1);
  EXPECT_FALSE(Device().self_test_s);  // nothing ran
}

TEST_F(LeasesTest, EndsAtItsLimitHoweverItBeats) {
  Start(1000, 0.1);
  const auto held = Take();
  WaitUntil([&] { return revocations_ > 0; });
  EXPECT_EQ(Revoked(), "it lasted 0.1 s, which is the limit");
  EXPECT_TRUE(at_limit_);
  leases_->Release(*held);
}

TEST_F(LeasesTest, WhatRunsWhenItEndsIsKilledAndTheDeviceTested) {
  Start(0.1);
  const auto held = Take();
  auto calls = Calls(held);
  EXPECT_THAT(ErrorOf([&] { calls.Free(1); }), HasSubstr("has ended: no beat came"));
  const pid_t pid = held->process.pid;
  leases_->Release(*held);
  EXPECT_NE(kill(pid, 0), 0);
  const auto next = Take();
  EXPECT_TRUE(Device().self_test_s);
  EXPECT_EQ(next->fence, 2);
  leases_->Release(*next);
}

TEST_F(LeasesTest, ACrashEndsItsLeaseAndNoOther) {
  Start(1000, 1000, {{"a", "x"}, {"b", "y"}});
  const auto held = Take("x"), other = Take("y");
  auto calls = Calls(held), others = Calls(other);
  EXPECT_THAT(ErrorOf([&] { calls.Free(0); }), HasSubstr("its process has died"));
  EXPECT_NE(ErrorOf([&] { calls.Allocate(1); }), "no error");
  EXPECT_EQ(others.Allocate(1), 1u);
  leases_->Release(*held);
  WaitUntil([&] { return Device().state == "free"; });
  EXPECT_TRUE(Device().self_test_s);
  EXPECT_FALSE(Device(1).self_test_s);
}

TEST_F(LeasesTest, ADeviceThatFailsItsTestIsWithdrawn) {
  Start();
  std::ofstream(folder_.path() + "/broken") << 1;
  const auto held = Take();
  std::vector<uint8_t> bytes(4);
  Calls(held).CopyOut(0, bytes);  // a fault
  leases_->Release(*held);
  WaitUntil([&] { return Device().state == "withdrawn"; });
  EXPECT_EQ(Device().reason, "it is broken");
  EXPECT_THAT(ErrorOf([&] { Take("", 0ms); }), HasSubstr("a is withdrawn: it is broken"));
}

TEST_F(LeasesTest, ACallOfSomebodyElseReachesNothing) {
  Start();
  const auto held = Take();
  EXPECT_EQ(ErrorOf([&] { leases_->Call(1, "a guess", ""); }), "lease 1: is not that of who calls");
  EXPECT_EQ(ErrorOf([&] { leases_->Call(9, held->secret, ""); }),
            "lease 9: is none of this server");
  leases_->Release(*held);
  const auto next = Take();
  EXPECT_EQ(ErrorOf([&] { leases_->Call(1, held->secret, ""); }),
            "lease 1: has ended: its holder released it");
  EXPECT_EQ(Calls(next).Allocate(1), 1u);
}

}  // namespace
}  // namespace vta::serve
