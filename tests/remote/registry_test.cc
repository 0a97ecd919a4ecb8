// To which server a tracker sends whom: without a network, at times of the test's own.
#include "tools/serve/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace vta::serve {
namespace {

using namespace std::chrono_literals;
using driver::remote::AnnouncedServer;
using driver::remote::ServedDevice;
using driver::remote::ServerState;
using testing::ElementsAre;

class RegistryTest : public testing::Test {
 protected:
  static ServedDevice DeviceOf(const std::string& key, const std::string& state,
                               int64_t waiting = 0) {
    ServedDevice device;
    device.name = "cycle", device.key = key, device.state = state, device.waiting = waiting;
    return device;
  }
  int64_t Join(int64_t port, std::vector<ServedDevice> devices) {
    AnnouncedServer server{"board", port, "", {}, {}};
    server.state.devices = std::move(devices);
    return registry_.Join(std::move(server), [this] { ++cuts_; });
  }
  void Update(int64_t number, std::vector<ServedDevice> devices) {
    ServerState state;
    state.devices = std::move(devices);
    registry_.Update(number, std::move(state));
  }
  /// The ports of the servers that are found, the one to go to first.
  std::vector<int64_t> Ports(const driver::remote::FindOptions& options = {.key = "x"}) {
    std::vector<int64_t> ports;
    for (const auto& server : registry_.Find(options).servers) ports.push_back(server.address.port);
    return ports;
  }
  int64_t First(const driver::remote::FindOptions& options = {.key = "x"}) {
    return Ports(options).at(0);
  }

  Registry::Clock::time_point now_ = Registry::Clock::now();
  int cuts_ = 0;
  Registry registry_{1.0, [this] { return now_; }};
};

TEST_F(RegistryTest, ThoseWhoAskAtOnceAreSpread) {
  for (int64_t port = 1; port <= 5; ++port) Join(port, {DeviceOf("x", "free")});
  std::map<int64_t, int> sent;
  for (int i = 0; i < 10; ++i) ++sent[First()];
  for (int64_t port = 1; port <= 5; ++port) EXPECT_EQ(sent[port], 2) << port;
}

TEST_F(RegistryTest, AFreeDeviceGoesBeforeAShortQueue) {
  Join(1, {DeviceOf("x", "leased", 1)});
  Join(2, {DeviceOf("x", "leased", 3)});
  Join(3, {DeviceOf("y", "free")});
  Join(4, {DeviceOf("x", "leased"), DeviceOf("x", "free")});
  Join(5, {DeviceOf("x", "withdrawn")});
  EXPECT_THAT(Ports(), ElementsAre(4, 1, 2));
  EXPECT_THAT(Ports({.key = "y"}), ElementsAre(3));
  EXPECT_EQ(Ports({}).size(), 4u);
  EXPECT_THAT(Ports({.key = "z"}), ElementsAre());
}

TEST_F(RegistryTest, AQueueIsHeldAgainstHowManyDevicesItIsFor) {
  Join(1, {DeviceOf("x", "leased", 2)});
  Join(2, {DeviceOf("x", "leased", 3), DeviceOf("x", "leased", 3)});
  EXPECT_EQ(First({.key = "x", .looks = true}), 2);
}

TEST_F(RegistryTest, WhoWasSentIsForgottenWhenItIsThereOrNeverComes) {
  const int64_t one = Join(1, {DeviceOf("x", "free")});
  Join(2, {DeviceOf("x", "leased")});
  EXPECT_TRUE(registry_.Find({.key = "x"}).servers[0].is_free);
  EXPECT_FALSE(registry_.Find({.key = "x", .looks = true}).servers[0].is_free);
  now_ += 999ms;
  Update(one, {DeviceOf("x", "free")});
  EXPECT_FALSE(registry_.Find({.key = "x", .looks = true}).servers[0].is_free);
  now_ += 1ms;
  EXPECT_TRUE(registry_.Find({.key = "x"}).servers.empty()
                  ? false
                  : registry_.Find({.key = "x", .looks = true}).servers[0].address.port == 1);
  // It came, and went again.
  ServedDevice back = DeviceOf("x", "free");
  back.leases = 1;
  Update(one, {back});
  EXPECT_TRUE(registry_.Find({.key = "x", .looks = true}).servers[0].is_free);
}

TEST_F(RegistryTest, OneWhoWaitsMovesToAFreeDeviceAlone) {
  const int64_t one = Join(1, {DeviceOf("x", "leased", 2)});
  const int64_t two = Join(2, {DeviceOf("x", "leased", 3)});
  EXPECT_FALSE(registry_.Find({.key = "x", .at = "board:1"}).servers[0].is_free);
  Update(two, {DeviceOf("x", "free")});
  EXPECT_EQ(First({.key = "x", .at = "board:1"}), 2);
  EXPECT_FALSE(registry_.Find({.key = "x", .at = "board:1"}).servers[0].is_free);  // the next one
  Update(one, {DeviceOf("x", "free")});
  EXPECT_EQ(First({.key = "x", .at = "board:1"}), 1);  // it is there already
  EXPECT_TRUE(registry_.Find({.key = "x", .looks = true}).servers[0].is_free);
}

TEST_F(RegistryTest, ASilentServerIsOfferedToNobodyAndThenCut) {
  const int64_t one = Join(1, {DeviceOf("x", "free")});
  Join(2, {DeviceOf("x", "free")});
  now_ += 999ms;
  Update(one, {DeviceOf("x", "free")});
  EXPECT_EQ(Ports().size(), 2u);
  now_ += 1ms;
  EXPECT_THAT(Ports(), ElementsAre(1));
  EXPECT_EQ(registry_.List().devices[1].state, "silent");
  EXPECT_EQ(registry_.List().devices[1].server, "board:2");
  EXPECT_EQ(cuts_, 0);
  now_ += 30s;
  Update(one, {DeviceOf("x", "free")});
  registry_.List();
  EXPECT_EQ(cuts_, 1);
}

TEST_F(RegistryTest, AServerThatJoinsAgainTakesItsOldPlace) {
  const int64_t old = Join(1, {DeviceOf("x", "leased")});
  const int64_t young = Join(1, {DeviceOf("x", "free")});
  EXPECT_EQ(cuts_, 1);
  Update(old, {DeviceOf("x", "leased")});
  registry_.Leave(old);
  EXPECT_TRUE(registry_.Find({.key = "x", .looks = true}).servers.at(0).is_free);
  EXPECT_EQ(registry_.List().servers, 1);
  registry_.Leave(young);
  EXPECT_THAT(Ports(), ElementsAre());
  EXPECT_THAT(registry_.Find({.key = "x"}).keys, ElementsAre("x"));  // it was there
}

TEST_F(RegistryTest, AServerThatWasLostIsAvoided) {
  Join(1, {DeviceOf("x", "free")});
  Join(2, {DeviceOf("x", "leased", 7)});
  EXPECT_THAT(Ports({.key = "x", .avoid = {"board:1"}}), ElementsAre(2));
}

}  // namespace
}  // namespace vta::serve
