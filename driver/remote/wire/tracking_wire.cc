#include "driver/remote/wire/tracking_wire.h"

#include "driver/remote/vta.pb.h"
#include "driver/remote/wire/convert.h"

namespace vta::driver::remote {
namespace {

// One who announces more is no server of devices.
constexpr int kMostDevices = 4096, kMostAvoided = 4096;

void ToWire(const ServedDevice& one, wire::DeviceState* device) {
  device->set_server(one.server);
  device->set_name(one.name), device->set_key(one.key), device->set_state(one.state);
  device->set_reason(one.reason), device->set_holder(one.holder);
  device->set_fence(one.fence), device->set_held_s(one.held_s);
  device->set_waiting(one.waiting), device->set_leases(one.leases);
  if (one.self_test_s) device->set_self_test_s(*one.self_test_s);
  if (one.revoked_after_s) device->set_revoked_after_s(*one.revoked_after_s);
  if (one.temperature_c) device->set_temperature_c(*one.temperature_c);
}

ServedDevice FromWire(const wire::DeviceState& device) {
  ServedDevice one;
  one.server = device.server();
  one.name = device.name(), one.key = device.key(), one.state = device.state();
  one.reason = device.reason(), one.holder = device.holder();
  one.fence = device.fence(), one.held_s = device.held_s();
  one.waiting = device.waiting(), one.leases = device.leases();
  if (device.has_self_test_s()) one.self_test_s = device.self_test_s();
  if (device.has_revoked_after_s()) one.revoked_after_s = device.revoked_after_s();
  if (device.has_temperature_c()) one.temperature_c = device.temperature_c();
  return one;
}

template <typename Message>
ServedCpu CpuOf(const Message& message) {
  return {message.cpu_arch(), {message.cpu_features().begin(), message.cpu_features().end()}};
}

template <typename Message>
void SetCpu(const ServedCpu& cpu, Message* out) {
  out->set_cpu_arch(cpu.arch);
  for (const std::string& feature : cpu.features) out->add_cpu_features(feature);
}

}  // namespace

void ToWire(const ServerState& state, wire::ListReply* out) {
  for (const ServedDevice& device : state.devices) ToWire(device, out->add_devices());
  out->set_cache_bytes(state.cache_bytes);
  out->set_cache_limit_bytes(state.cache_limit_bytes);
  out->set_cache_packages(state.cache_packages);
  out->set_beat_s(state.beat_s);
  out->set_servers(state.servers);
}

ServerState FromWire(const wire::ListReply& message) {
  ServerState state;
  for (const wire::DeviceState& device : message.devices())
    state.devices.push_back(FromWire(device));
  state.cache_bytes = message.cache_bytes();
  state.cache_limit_bytes = message.cache_limit_bytes();
  state.cache_packages = message.cache_packages();
  state.beat_s = message.beat_s();
  state.servers = message.servers();
  return state;
}

void ToWire(const AnnouncedServer& server, wire::Announcement* out) {
  wire::Announcement::Server* const to = out->mutable_server();
  to->set_protocol(server.state.protocol);
  to->set_build(server.state.build);
  to->set_host(server.host);
  to->set_port(server.port);
  to->set_config(server.config_json);
  SetCpu(server.cpu, to);
  ToWire(server.state, out->mutable_state());
}

AnnouncedServer FromWire(const wire::Announcement& message) {
  if (!message.has_server()) throw Malformed("announcement", "must begin with what the server is");
  const wire::Announcement::Server& from = message.server();
  if (from.protocol() != kProtocol)
    throw Error("", "protocol", std::to_string(from.protocol()),
                StrCat("is that of ", Visible(from.build()), "; the tracker's is ", kProtocol));
  AnnouncedServer server{from.host(), from.port(), from.config(), CpuOf(from), StateOf(message)};
  server.state.build = from.build();
  server.state.protocol = from.protocol();
  // What clients will name.
  const Address address{server.host.empty() ? "localhost" : server.host, "", server.port};
  ParseAddress(address.Name(), "announcement");
  return server;
}

ServerState StateOf(const wire::Announcement& message) {
  if (message.state().devices_size() > kMostDevices)
    throw Malformed("announcement", StrCat("must have at most ", kMostDevices, " devices"));
  for (const wire::DeviceState& device : message.state().devices())
    ParseAddress(StrCat(kScheme, "localhost:1/", device.key()), "announcement");
  return FromWire(message.state());
}

void ToWire(const FindOptions& options, wire::FindRequest* out) {
  out->set_key(options.key);
  out->set_at(options.at);
  for (const std::string& one : options.avoid) out->add_avoid(one);
  out->set_looks(options.looks);
}

FindOptions FromWire(const wire::FindRequest& message) {
  if (!message.key().empty())
    ParseAddress(StrCat(kScheme, "localhost:1/", Visible(message.key())), "key");
  if (message.avoid_size() > kMostAvoided)
    throw Malformed("find", StrCat("must have at most ", kMostAvoided, " servers to avoid"));
  return {message.key(),
          message.at(),
          {message.avoid().begin(), message.avoid().end()},
          message.looks()};
}

void ToWire(const Found& found, wire::FindReply* out) {
  for (const FoundServer& server : found.servers) {
    wire::FindReply::Server* const added = out->add_servers();
    added->set_address(server.address.HostPort());
    added->set_is_free(server.is_free);
    added->set_config(server.config_json);
    SetCpu(server.cpu, added);
  }
  for (const std::string& key : found.keys) out->add_keys(key);
  out->set_up_s(found.up_s);
}

Found FromWire(const wire::FindReply& message, const std::string& key) {
  Found found{{}, {message.keys().begin(), message.keys().end()}, message.up_s()};
  for (const wire::FindReply::Server& server : message.servers()) {
    Address address = ParseAddress(kScheme + server.address(), "tracker");
    address.key = key;
    found.servers.push_back({std::move(address), server.is_free(), server.config(), CpuOf(server)});
  }
  return found;
}

}  // namespace vta::driver::remote
