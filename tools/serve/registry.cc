#include "tools/serve/registry.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "isa/support/error.h"

namespace vta::serve {

using driver::remote::AnnouncedServer;
using driver::remote::Found;
using driver::remote::ServedDevice;
using driver::remote::ServerState;

namespace {

constexpr size_t kMostServers = 4096, kMostKeys = 65536;
// One who was sent to a server has a device of it so soon, or went elsewhere.
constexpr std::chrono::seconds kArrives{1};
// After so many beats' limits of silence a server's stream is cut.
constexpr int kCutAfter = 30;

std::string AddressOf(const AnnouncedServer& server) {
  return driver::remote::Address{server.host, "", server.port}.HostPort();
}

int64_t LeasesOf(const ServerState& state) {
  return std::accumulate(
      state.devices.begin(), state.devices.end(), int64_t{0},
      [](int64_t sum, const ServedDevice& device) { return sum + device.leases; });
}

}  // namespace

/// A server with devices of the key.
struct Registry::Choice {
  std::string address;
  Server* server;
  int64_t devices = 0, free = 0, waiting = 0;

  /// Those with a free device first, then those where fewest wait for each, then in turn.
  auto Order() const {
    return std::tuple(free <= 0,
                      free > 0 ? -static_cast<double>(free)
                               : static_cast<double>(waiting) / static_cast<double>(devices),
                      server->last_sent);
  }
};

Registry::Registry(double beat_s, std::function<Clock::time_point()> now)
    : beat_(static_cast<int64_t>(beat_s * 1e9)), now_(std::move(now)), start_(now_()) {}

int64_t Registry::Join(AnnouncedServer server, std::function<void()> cut) {
  const std::lock_guard lock(mutex_);
  Forget();
  const std::string address = AddressOf(server);
  const auto known = numbers_.find(address);
  if (known != numbers_.end()) {
    if (const auto& old = servers_.at(known->second).cut) old();
    servers_.erase(known->second);
  } else if (servers_.size() >= kMostServers) {
    throw Error("", "servers", "", StrCat("must be at most ", kMostServers));
  }
  for (const ServedDevice& device : server.state.devices)
    if (keys_.size() < kMostKeys) keys_.insert(device.key);
  const int64_t number = ++last_number_;
  numbers_[address] = number;
  Server& added = servers_[number];
  added.leases = LeasesOf(server.state);
  added.is = std::move(server);
  added.cut = std::move(cut);
  added.heard = now_();
  return number;
}

void Registry::Update(int64_t number, ServerState state) {
  const std::lock_guard lock(mutex_);
  const auto found = servers_.find(number);
  if (found == servers_.end()) return;
  Server& server = found->second;
  server.heard = now_();
  const int64_t leases = LeasesOf(state);
  for (int64_t i = server.leases; i < leases && !server.sent.empty(); ++i) server.sent.pop_front();
  server.leases = leases;
  state.build = server.is.state.build;
  state.protocol = server.is.state.protocol;
  server.is.state = std::move(state);
}

void Registry::Leave(int64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = servers_.find(number);
  if (found == servers_.end()) return;
  numbers_.erase(AddressOf(found->second.is));
  servers_.erase(found);
}

void Registry::Forget() {
  for (auto& [number, server] : servers_)
    if (server.cut && now_() - server.heard >= kCutAfter * beat_)
      std::exchange(server.cut, nullptr)();  // its stream's end takes it away
}

Registry::Choice Registry::Rate(const std::string& address, Server& server,
                                const std::string& key) {
  Choice choice{address, &server};
  for (const ServedDevice& device : server.is.state.devices) {
    if ((!key.empty() && device.key != key) || device.state == "withdrawn") continue;
    ++choice.devices;
    choice.free += device.state == "free";
    choice.waiting = std::max(choice.waiting, device.waiting);
  }
  while (!server.sent.empty() && now_() - server.sent.front() >= kArrives) server.sent.pop_front();
  choice.free -= choice.waiting + std::ssize(server.sent);
  choice.waiting = -std::min<int64_t>(0, choice.free);
  return choice;
}

Found Registry::Find(const driver::remote::FindOptions& options) {
  const std::lock_guard lock(mutex_);
  Forget();
  std::vector<Choice> choices;
  for (const auto& [address, number] : numbers_) {
    Server& server = servers_.at(number);
    if (IsSilent(server) || std::ranges::count(options.avoid, address) > 0) continue;
    Choice choice = Rate(address, server, options.key);
    if (choice.devices > 0) choices.push_back(std::move(choice));
  }
  std::ranges::sort(choices, {}, &Choice::Order);
  Found found{
      {}, {keys_.begin(), keys_.end()}, std::chrono::duration<double>(now_() - start_).count()};
  for (const Choice& choice : choices) {
    const AnnouncedServer& is = choice.server->is;
    found.servers.push_back(
        {{is.host, options.key, is.port}, choice.free > 0, is.config_json, is.cpu});
  }
  if (choices.empty() || options.looks) return found;
  // One who waits moves to a free device alone.
  Server& first = *choices[0].server;
  if (!options.at.empty() && (choices[0].free <= 0 || choices[0].address == options.at))
    return found;
  first.sent.push_back(now_());
  first.last_sent = ++last_sent_;
  return found;
}

ServerState Registry::List() {
  const std::lock_guard lock(mutex_);
  Forget();
  ServerState all;
  all.is_tracker = true;
  all.servers = std::ssize(numbers_);
  all.beat_s = std::chrono::duration<double>(beat_).count();
  for (const auto& [address, number] : numbers_) {
    const Server& server = servers_.at(number);
    all.cache_bytes += server.is.state.cache_bytes;
    all.cache_limit_bytes += server.is.state.cache_limit_bytes;
    all.cache_packages += server.is.state.cache_packages;
    for (ServedDevice device : server.is.state.devices) {
      device.server = address;
      if (IsSilent(server)) {
        device.state = "silent";
        device.reason = StrCat("nothing came from its server for ",
                               std::chrono::duration<double>(now_() - server.heard).count(), " s");
      }
      all.devices.push_back(std::move(device));
    }
  }
  return all;
}

}  // namespace vta::serve
