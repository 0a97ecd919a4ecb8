// Servers, clients and their tracker on loopback; each may be killed or frozen.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <deque>
#include <set>
#include <thread>

#include "driver/remote/held_device.h"
#include "driver/remote/protocol.h"
#include "driver/remote/remote_device.h"
#include "driver/remote/vta.grpc.pb.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tests/remote/fake_server.h"
#include "tests/support/error_of.h"

namespace vta::driver::remote {
extern "C" Client* vta_remote_connect(const Address&, const Credentials&, const std::string& build);
}

namespace vta::serve {
namespace {

namespace wire = ::vta::remote;
using namespace driver::remote;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::chrono::seconds kPatience{20};

std::unique_ptr<Client> ClientOf(const FakeServer& tracker, const std::string& key = "fake",
                                 const Credentials& credentials = {}) {
  return std::unique_ptr<Client>(vta_remote_connect(tracker.address(key), credentials, "test 1.0"));
}

void WaitUntil(const std::function<bool()>& good) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!good() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(2ms);
  ASSERT_TRUE(good());
}

/// A tracker with servers of one device each.
class TrackerTest : public testing::Test {
 protected:
  void Start(int servers, const std::vector<std::string>& words = {}) {
    for (int i = 0; i < servers; ++i) {
      std::vector<std::string> all = {tracker_.TrackerWord()};
      all.insert(all.end(), words.begin(), words.end());
      servers_.emplace_back(all);
    }
    WaitUntil([&] { return tracker_.Connect()->List().servers == servers; });
  }
  void WaitForFree(int64_t devices) {
    WaitUntil([&] { return States("free") == devices; });
  }
  int64_t States(const std::string& state) {
    return std::ranges::count(tracker_.Connect()->List().devices, state, &ServedDevice::state);
  }
  FakeServer& ServerOf(const Lease& lease) {
    for (FakeServer& server : servers_)
      if (server.address("fake").Name() == lease.server()) return server;
    VTA_CHECK(false, lease.server());
  }

  FakeServer tracker_{{"track"}};
  std::deque<FakeServer> servers_;
};

TEST_F(TrackerTest, TenClientsAtOnceHaveFiveServers) {
  Start(5);
  constexpr int kClients = 10;
  std::atomic<int> good = 0, held = 0;
  std::mutex mutex;
  std::set<std::string> first;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i)
    clients.emplace_back([&] {
      const auto client = ClientOf(tracker_);
      const auto lease = client->Acquire({.wait_s = 60, .holder = "one of many"});
      good += lease->worker().Allocate(1) == 1 && lease->worker().Allocate(1) == 2;
      {
        const std::lock_guard lock(mutex);
        if (first.size() < 5) first.insert(lease->server());
      }
      ++held;
      while (held < 5) std::this_thread::sleep_for(1ms);  // nobody has two turns before
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, kClients);
  EXPECT_EQ(first.size(), 5u);
  WaitForFree(5);
  const ServerState state = tracker_.Connect()->List();
  EXPECT_EQ(state.servers, 5);
  EXPECT_TRUE(state.is_tracker);
  int64_t leases = 0;
  for (const ServedDevice& device : state.devices) leases += device.leases;
  EXPECT_EQ(leases, kClients);
}

TEST_F(TrackerTest, OneWhoWaitsGoesWhereADeviceIsFree) {
  Start(2);
  const auto client = ClientOf(tracker_);
  std::map<std::string, std::unique_ptr<Lease>> held;
  for (int i = 0; i < 2; ++i) {
    auto lease = client->Acquire({});
    held[lease->server().substr(std::string_view("remote://").size())] = std::move(lease);
  }
  ASSERT_EQ(held.size(), 2u);
  std::unique_ptr<Lease> third;
  std::thread waits([&] { third = ClientOf(tracker_)->Acquire({.wait_s = 60}); });
  std::string queue;
  WaitUntil([&] {
    for (const ServedDevice& device : tracker_.Connect()->List().devices)
      if (device.waiting == 1) queue = device.server + "/fake";
    return !queue.empty();
  });
  for (auto& [server, lease] : held)
    if (server != queue) lease.reset();
  waits.join();
  EXPECT_NE(third->server(), "remote://" + queue);
  WaitUntil([&] { return tracker_.Connect()->List().devices[0].waiting == 0; });
  EXPECT_THAT(ErrorOf([&] { client->Acquire({.wait_s = 0.05}); }),
              AllOf(HasSubstr(tracker_.address("fake").Name() + ": key = fake: no device was free "
                                                                "within 0.05 s: remote://"),
                    HasSubstr("is leased to")));
  third.reset();
}

TEST_F(TrackerTest, AKeyThatNobodyHasIsNamedWithThoseThatThereAre) {
  Start(1, {"device=a/x", "device=b/y"});
  const std::string name = tracker_.address("z").Name();
  EXPECT_EQ(ErrorOf([&] { ClientOf(tracker_, "z")->Acquire({}); }),
            name + ": key = z: is not known to the tracker; what is known: x, y");
  EXPECT_EQ(ErrorOf([&] { ClientOf(tracker_, "z")->cpu(); }),
            name + ": key = z: is not known to the tracker; what is known: x, y");
  EXPECT_EQ(ClientOf(tracker_, "y")->Acquire({})->device(), "b");
  servers_[0].Kill();
  WaitUntil([&] { return tracker_.Connect()->List().servers == 0; });
  // It was there, and may come back.
  EXPECT_EQ(ErrorOf([&] { ClientOf(tracker_, "y")->Acquire({.wait_s = 0.05}); }),
            tracker_.address("y").Name() +
                ": key = y: no device was free within 0.05 s: the tracker hears of no server");
}

TEST_F(TrackerTest, ModelsAreForWhatItsServersHaveInCommon) {
  Start(1, {"config=a", "arch=x", "feature=f", "feature=g"});
  servers_.emplace_back(std::vector<std::string>{tracker_.TrackerWord(), "config=a", "arch=x",
                                                 "feature=g", "feature=h"});
  WaitForFree(2);
  const auto client = ClientOf(tracker_);
  EXPECT_EQ(client->config_json(), "a");
  EXPECT_EQ(client->cpu().arch, "x");
  EXPECT_THAT(client->cpu().features, testing::ElementsAre("g"));
  servers_.emplace_back(std::vector<std::string>{tracker_.TrackerWord(), "config=b", "arch=y"});
  WaitForFree(3);
  EXPECT_THAT(ErrorOf([&] { client->config_json(); }),
              AllOf(HasSubstr(tracker_.address("fake").Name() + ": config: differs between "),
                    HasSubstr("--config says")));
  EXPECT_THAT(ErrorOf([&] { client->cpu(); }), HasSubstr("must have one architecture"));
}

TEST_F(TrackerTest, AServerThatIsKilledInACallIsReplaced) {
  Start(2);
  std::string moved;
  HeldDevice held(ClientOf(tracker_), {.wait_s = 60},
                  [&](const std::string& text) { moved = text; });
  const auto lease = held.lease();
  std::thread killer([&] {
    std::this_thread::sleep_for(50ms);
    ServerOf(*lease).Kill();
  });
  try {
    lease->worker().Free(1);
    ADD_FAILURE() << "it ended";
  } catch (const ServerLost& error) {
    EXPECT_THAT(error.what(), HasSubstr(lease->server() + ": "));
    const auto next = held.Replace(lease, error);
    EXPECT_NE(next->server(), lease->server());
    EXPECT_EQ(next->worker().Allocate(1), 1u);
    EXPECT_EQ(held.Replace(lease, error), next);  // for whoever shared it
    EXPECT_EQ(moved, StrCat(error.what(), "; what was asked for is repeated on ", next->server()));
  }
  killer.join();
}

TEST_F(TrackerTest, AServerThatIsFrozenInACallIsGivenUpWhenItsTrackerDoesNotHearOfItEither) {
  Start(1);
  const auto client = ClientOf(tracker_);
  const auto lease = client->Acquire({});
  std::this_thread::sleep_for(10ms);
  kill(servers_[0].pid(), SIGSTOP);
  EXPECT_EQ(ErrorOf([&] { lease->worker().Free(1); }),
            lease->server() + ": does not answer, and its tracker does not hear of it either");
  EXPECT_EQ(States("silent"), 1);
  kill(servers_[0].pid(), SIGCONT);
  WaitForFree(1);
  EXPECT_EQ(client->Acquire({.wait_s = 60})->worker().Allocate(1), 1u);
}

TEST_F(TrackerTest, WithoutAnotherServerTheOneThatWasLostIsNamed) {
  Start(1);
  HeldDevice held(ClientOf(tracker_), LeaseOptions{.wait_s = 0.2});
  const auto lease = held.lease();
  servers_[0].Kill();
  try {
    lease->worker().Allocate(1);
    ADD_FAILURE() << "it ended";
  } catch (const ServerLost& error) {
    for (int i = 0; i < 2; ++i)  // who asks next does not wait for it
      EXPECT_THAT(ErrorOf([&] { held.Replace(lease, error); }),
                  AllOf(HasSubstr(lease->server() + ": "),
                        HasSubstr("; there is no other: " + tracker_.address("fake").Name() +
                                  ": key = fake: no device was free within 0.2 s: ")));
  }
}

TEST_F(TrackerTest, MemoryThatIsLostIsAnErrorThatNamesTheServer) {
  Start(2);
  RemoteDevice device(std::make_shared<HeldDevice>(ClientOf(tracker_), LeaseOptions{}),
                      isa::Config{}, 0);
  EXPECT_EQ(device.Allocate(1), 1u);
  const auto held = std::ranges::find_if(
      servers_, [](const FakeServer& server) { return server.Device().state == "leased"; });
  const std::string name = held->address("fake").Name();
  held->Kill();
  try {
    device.Allocate(1);
    ADD_FAILURE() << "it is there";
  } catch (const ServerLost& error) {
    EXPECT_THAT(error.what(), HasSubstr(name + ": "));
    EXPECT_THAT(ErrorOf([&] { device.Allocate(1); }), HasSubstr(name + ": "));
    device.TakeAnother(error);
    EXPECT_EQ(device.Allocate(1), 1u);
  }
}

TEST_F(TrackerTest, ALeaseThatIsRevokedAtItsLimitIsNotTakenAnew) {
  Start(1, {"limit=0.1"});
  HeldDevice held(ClientOf(tracker_), LeaseOptions{});
  const auto lease = held.lease();
  try {
    lease->worker().Free(1);
    ADD_FAILURE() << "it ended";
  } catch (const ServerLost& error) {
    ADD_FAILURE() << "it would be asked for for ever: " << error.what();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("which is the limit"));
  }
}

TEST_F(TrackerTest, KilledAndStartedAnewItKnowsAllAndNoLeaseIsLost) {
  Start(3);
  const auto client = ClientOf(tracker_);
  auto lease = client->Acquire({});
  const std::string port = StrCat("port=", tracker_.address().port);
  tracker_.Kill();
  EXPECT_EQ(lease->worker().Allocate(1), 1u);
  const FakeServer anew({"track", port});
  WaitUntil([&] {
    const ServerState state = anew.Connect()->List();
    return std::ranges::count(state.devices, "free", &ServedDevice::state) == 2 &&
           std::ranges::count(state.devices, "leased", &ServedDevice::state) == 1;
  });
  EXPECT_EQ(lease->worker().Allocate(1), 2u);
  const auto other = client->Acquire({.wait_s = 60});  // by the tracker of now
  EXPECT_NE(other->server(), lease->server());
}

TEST_F(TrackerTest, FrozenItHoldsNobodyUp) {
  Start(2);
  const auto client = ClientOf(tracker_);
  auto lease = client->Acquire({});
  kill(tracker_.pid(), SIGSTOP);
  EXPECT_EQ(lease->worker().Allocate(1), 1u);
  std::this_thread::sleep_for(300ms);  // longer than between announcements
  EXPECT_EQ(ServerOf(*lease).Device().state, "leased");
  lease.reset();
  kill(tracker_.pid(), SIGCONT);
  WaitForFree(2);
  EXPECT_EQ(client->Acquire({.wait_s = 60})->worker().Allocate(1), 1u);
}

TEST_F(TrackerTest, WhatIsNoAnnouncementIsRefused) {
  const auto stub = wire::Devices::NewStub(
      grpc::CreateChannel(tracker_.address().HostPort(), grpc::InsecureChannelCredentials()));
  wire::Announcement good;
  good.mutable_server()->set_protocol(kProtocol);
  good.mutable_server()->set_build("vta 9.9.9");
  good.mutable_server()->set_port(4000);
  good.mutable_state()->add_devices()->set_key("x");
  std::vector<std::pair<wire::Announcement, std::string>> trials(4, {good, ""});
  trials[0].first.clear_server(), trials[0].second = "must begin with what the server is";
  trials[1].first.mutable_server()->set_protocol(kProtocol + 1);
  trials[1].second =
      StrCat("protocol = ", kProtocol + 1, ": is that of vta 9.9.9; the tracker's is ", kProtocol);
  trials[2].first.mutable_server()->set_host("a b"), trials[2].second = "name or the address";
  trials[3].first.mutable_state()->mutable_devices(0)->set_key("a/b");
  trials[3].second = "must end with a key";
  for (const auto& [announcement, says] : trials) {
    grpc::ClientContext context;
    const auto stream = stub->Announce(&context);
    stream->Write(announcement);
    EXPECT_THAT(stream->Finish().error_message(), HasSubstr(says));
  }
  {
    grpc::ClientContext context;
    const auto stream = stub->Announce(&context);
    stream->Write(good);
    wire::AnnounceReply reply;
    ASSERT_TRUE(stream->Read(&reply));
    EXPECT_EQ(reply.address(), "127.0.0.1:4000");  // where the tracker sees it
    context.TryCancel();
    stream->Finish();
  }
  WaitUntil([&] { return tracker_.Connect()->List().servers == 0; });
  // A client that knows no trackers.
  grpc::ClientContext context;
  EXPECT_THAT(stub->Lease(&context)->Finish().error_message(), HasSubstr("is a tracker"));
}

TEST(Tracker, WantsATokenOfServersAndClientsAndSaysWhoLacksIt) {
  const Temporary folder(NewTemporaryFolder("vta-tracker-test"));
  const std::string file = folder.path() + "/token", wrong = folder.path() + "/wrong";
  WriteFileAtomically(file, "aSecret");
  WriteFileAtomically(wrong, "another");
  const FakeServer tracker({"track", "token=" + file});
  const FakeServer good({tracker.TrackerWord(), "token=" + file});
  const FakeServer bad({tracker.TrackerWord(), "token=" + wrong});
  const Credentials shown{.token = "aSecret"};
  const std::string name = tracker.address("fake").Name();
  EXPECT_EQ(ErrorOf([&] { ClientOf(tracker); }),
            name + ": wants a token, and none is shown: --credentials names the folder with it");
  EXPECT_EQ(ErrorOf([&] { ClientOf(tracker, "fake", {.token = "aSecres"}); }),
            name + ": refuses the token");
  WaitUntil([&] {
    return tracker.Connect(shown)->List().servers == 1 &&
           ReadTextFile(bad.folder() + ".log")
                   .find("tracker " + tracker.address().Name() + ": refuses the token") !=
               std::string::npos;
  });
  EXPECT_EQ(ClientOf(tracker, "fake", shown)->Acquire({})->server(), good.address("fake").Name());
  EXPECT_EQ(ReadTextFile(tracker.folder() + ".log").find("aSecre"), std::string::npos);
}

TEST(Tracker, IsNoServerAndAServerIsNoTracker) {
  const FakeServer server;
  const FakeServer lost({server.TrackerWord()});
  WaitUntil([&] {
    return ReadTextFile(lost.folder() + ".log").find("is a server of devices, and no tracker") !=
           std::string::npos;
  });
  EXPECT_EQ(lost.Connect()->Acquire({})->worker().Allocate(1), 1u);  // it serves all the same
  const FakeServer tracker({"track"});
  EXPECT_THAT(ErrorOf([&] { ClientOf(tracker)->Upload({}); }), HasSubstr("sent to a tracker"));
}

}  // namespace
}  // namespace vta::serve
