#include "driver/remote/wire/tracked_client.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <thread>

#include "driver/remote/vta.grpc.pb.h"
#include "driver/remote/wire/tracking_wire.h"
#include "isa/support/error.h"

namespace vta::driver::remote {
namespace {

using std::chrono::milliseconds;

// For what an answer of a tracker is waited, beside something else; and how long before another
// question, where nothing is free or a server was not what the tracker thought.
constexpr std::chrono::seconds kLookLimit{1};
constexpr milliseconds kNoServer{200}, kTaken{20};
// A server that was lost is not gone to again for so long.
constexpr std::chrono::seconds kAvoid{2};

/// A server's device, with the connection that it is called by.
class TrackedLease : public Lease {
 public:
  TrackedLease(std::unique_ptr<GrpcClient> client, std::unique_ptr<Lease> lease)
      : client_(std::move(client)), lease_(std::move(lease)) {}

  Worker& worker() override { return lease_->worker(); }
  int64_t fence() const override { return lease_->fence(); }
  const std::string& device() const override { return lease_->device(); }
  std::string server() const override { return lease_->server(); }
  std::string Upload(std::span<const uint8_t> package) override { return lease_->Upload(package); }

 private:
  std::unique_ptr<GrpcClient> client_;
  std::unique_ptr<Lease> lease_;
};

bool IsThere(const Found& found, const FoundServer& server) {
  return std::ranges::any_of(found.servers, [&](const FoundServer& one) {
    return one.address.HostPort() == server.address.HostPort();
  });
}

}  // namespace

struct TrackedClient::Search {
  LeaseOptions options;
  Clock::time_point end;
  std::map<std::string, Clock::time_point> lost;  // HOST:PORT, until when
  std::string last;                               // what failed last
  std::optional<FoundServer> move_to;             // in place of the one in whose queue it is

  std::vector<std::string> Avoided() const {
    std::vector<std::string> avoid;
    for (const auto& [server, until] : lost)
      if (Clock::now() < until) avoid.push_back(server);
    return avoid;
  }
};

TrackedClient::TrackedClient(std::unique_ptr<GrpcClient> tracker, const Address& address,
                             const Credentials& credentials, const std::string& build)
    : tracker_(std::move(tracker)), address_(address), credentials_(credentials), build_(build) {}

Found TrackedClient::Find(const FindOptions& options, std::chrono::nanoseconds limit) {
  const auto end = Clock::now() + limit;
  std::shared_ptr<const ServerLink> link;
  {
    const std::lock_guard lock(mutex_);
    link = link_;
  }
  if (!link) {
    link = std::make_shared<ServerLink>(address_, credentials_, build_, limit);
    const std::lock_guard lock(mutex_);
    link_ = link;
  }
  grpc::ClientContext context;
  link->Prepare(context, end - Clock::now());
  wire::FindRequest request;
  ToWire(options, &request);
  wire::FindReply reply;
  const auto stub = wire::Devices::NewStub(link->channel());
  if (const auto status = stub->Find(&context, request, &reply); !status.ok()) {
    const std::lock_guard lock(mutex_);
    if (link_ == link) link_.reset();
    link->Throw(status);
  }
  return FromWire(reply, address_.key);
}

void TrackedClient::RequireKey(const Found& found) const {
  const std::string& key = address_.key;
  if (key.empty() || found.up_s < kTrackerLearnsSeconds ||
      std::ranges::find(found.keys, key) != found.keys.end())
    return;
  std::string all;
  for (const std::string& one : found.keys) all += StrCat(all.empty() ? "" : ", ", one);
  throw Error(address_.Name(), "key", key,
              all.empty() ? "is not known to the tracker, to which no server is known"
                          : StrCat("is not known to the tracker; what is known: ", all));
}

std::vector<FoundServer> TrackedClient::Servers() {
  const auto end = Clock::now() + kConnectLimit;
  for (;;) {
    Found found = Find({.key = address_.key, .looks = true}, kConnectLimit);
    if (!found.servers.empty()) return std::move(found.servers);
    RequireKey(found);
    if (Clock::now() > end)
      throw Error(address_.Name(), "key", address_.key, "has no server that the tracker hears of");
    std::this_thread::sleep_for(kNoServer);
  }
}

std::string TrackedClient::config_json() {
  const std::vector<FoundServer> servers = Servers();
  for (const FoundServer& server : servers)
    if (server.config_json != servers[0].config_json)
      throw Error(address_.Name(), "config", "",
                  StrCat("differs between ", servers[0].address.HostPort(), " and ",
                         server.address.HostPort(), ": --config says for which of them it is"));
  return servers[0].config_json;
}

ServedCpu TrackedClient::cpu() {
  const std::vector<FoundServer> servers = Servers();
  ServedCpu cpu = servers[0].cpu;
  for (const FoundServer& server : servers) {
    if (server.cpu.arch != cpu.arch)
      throw Error(address_.Name(), "CPU", server.cpu.arch,
                  StrCat("of ", server.address.HostPort(), " is not that of ",
                         servers[0].address.HostPort(), ", ", cpu.arch,
                         ": servers of a key must have one architecture"));
    std::erase_if(cpu.features, [&](const std::string& feature) {
      return std::ranges::find(server.cpu.features, feature) == server.cpu.features.end();
    });
  }
  return cpu;
}

std::string TrackedClient::Upload(std::span<const uint8_t>) {
  throw Error(address_.Name(), "package", "", "is sent to a tracker, which runs none");
}

/// Where to go now; nothing where there is nowhere.
std::optional<FoundServer> TrackedClient::Next(Search& search) {
  if (search.move_to) return std::exchange(search.move_to, std::nullopt);
  try {
    const Found found =
        Find({.key = address_.key, .avoid = search.Avoided()},
             std::clamp<Clock::duration>(search.end - Clock::now(), kLookLimit, kConnectLimit));
    RequireKey(found);
    if (!found.servers.empty()) return found.servers.front();
    if (search.last.empty()) search.last = "the tracker hears of no server";
  } catch (const ServerLost& error) {
    search.last = error.what();  // it may start again
  }
  return std::nullopt;
}

std::string TrackedClient::Look(const FoundServer& server, bool granted, Search& search) {
  const std::string at = server.address.HostPort();
  try {
    const Found found =
        Find(granted ? FindOptions{.key = address_.key, .looks = true}
                     : FindOptions{.key = address_.key, .at = at, .avoid = search.Avoided()},
             kLookLimit);
    if (!IsThere(found, server))
      return found.up_s < kTrackerLearnsSeconds
                 ? ""
                 : "does not answer, and its tracker does not hear of it either";
    const FoundServer& first = found.servers.front();
    if (granted || !first.is_free || first.address.HostPort() == at) return "";
    search.move_to = first;
    return StrCat("has none free, and ", first.address.HostPort(), " has one");
  } catch (const Error&) {
    return "";  // who asks stays where it is
  }
}

// Null where somebody else has its devices.
std::unique_ptr<Lease> TrackedClient::Take(const FoundServer& server,
                                           const std::shared_ptr<Search>& search) {
  Address address = server.address;
  // One that is seen from the tracker's machine alone.
  if (address.IsLoopback() && !address_.IsLoopback()) address.host = address_.host;
  const double left = std::chrono::duration<double>(search->end - Clock::now()).count();
  LeaseOptions options = search->options;
  options.wait_s = server.is_free ? 0 : std::max(0.0, left);
  options.look = [this, server, search](bool granted) { return Look(server, granted, *search); };
  auto client = std::make_unique<GrpcClient>(address, credentials_, build_);
  try {
    auto lease = client->Acquire(options);
    return std::make_unique<TrackedLease>(std::move(client), std::move(lease));
  } catch (const ServerLost&) {
    throw;
  } catch (const Error& error) {
    search->last = error.what();
    return nullptr;
  }
}

std::unique_ptr<Lease> TrackedClient::Acquire(const LeaseOptions& options) {
  const auto search = std::make_shared<Search>();
  search->options = options;
  search->end = Clock::now() + std::chrono::nanoseconds(static_cast<int64_t>(options.wait_s * 1e9));
  for (;;) {
    const std::optional<FoundServer> server = Next(*search);
    milliseconds pause = server ? kTaken : kNoServer;
    if (server) try {
        if (auto lease = Take(*server, search)) return lease;
      } catch (const ServerLost& error) {
        if (search->move_to) continue;
        search->last = error.what();
        search->lost[server->address.HostPort()] = Clock::now() + kAvoid;
      }
    if (Clock::now() >= search->end)
      throw Error(address_.Name(), "key", address_.key,
                  StrCat("no device was free within ", options.wait_s, " s: ", search->last));
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace vta::driver::remote
