#include "tools/vta/serve/server_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"
#include "tools/shared/usage.h"
#include "tools/shared/version.h"

namespace vta::tools {

namespace remote = driver::remote;

AskedServer AskServer(const std::string& address, const std::string& credentials) {
  remote::Address parsed;
  try {
    parsed = remote::ParseHostPort(address, "HOST:PORT");
  } catch (const Error& error) {
    throw UsageError("HOST:PORT", "", address, error.rule());
  }
  return {parsed.HostPort(),
          remote::Connect(parsed, remote::ReadCredentials(credentials), StrCat("vta ", Version()))};
}

namespace {

std::string Seconds(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.3f}", *seconds) : "";
}

}  // namespace

std::string StateText(const std::string& address, const remote::ServerState& state) {
  std::vector<std::vector<std::string>> rows = {
      {"device", "key", "state", "holder", "held s", "waiting", "lease", "self-test s"}};
  std::vector<bool> to_the_right = {false, false, false, false, true, true, true, true};
  for (const remote::ServedDevice& device : state.devices)
    rows.push_back({device.name, device.key,
                    device.state + (device.reason.empty() ? "" : ": " + device.reason),
                    device.holder, device.holder.empty() ? "" : Seconds(device.held_s),
                    std::to_string(device.waiting), std::to_string(device.fence),
                    Seconds(device.self_test_s)});
  const auto is_warm = [](const remote::ServedDevice& device) {
    return device.temperature_c.has_value();
  };
  if (std::ranges::any_of(state.devices, is_warm)) {
    rows[0].push_back("deg C");
    to_the_right.push_back(true);
    for (size_t i = 0; i < state.devices.size(); ++i)
      rows[i + 1].push_back(
          is_warm(state.devices[i]) ? fmt::format("{:.1f}", *state.devices[i].temperature_c) : "");
  }
  if (state.is_tracker) {
    rows[0].insert(rows[0].begin(), "server");
    for (size_t i = 0; i < state.devices.size(); ++i)
      rows[i + 1].insert(rows[i + 1].begin(), state.devices[i].server);
    to_the_right.insert(to_the_right.begin(), false);
  }
  const std::string cache =
      fmt::format("{} in the cache{}, {} of {} bytes", Counted(state.cache_packages, "package"),
                  state.is_tracker ? "s" : "", WithCommas(state.cache_bytes),
                  WithCommas(state.cache_limit_bytes));
  return fmt::format("{}\n{}: {}, protocol {}; {} {} s after its last beat; {}\n",
                     FormatTable(rows, to_the_right), address, Visible(state.build), state.protocol,
                     state.is_tracker ? Counted(state.servers, "server") + ", each offered until"
                                      : std::string("a lease ends"),
                     state.beat_s, cache);
}

Json StateJson(const remote::ServerState& state) {
  Json::Array devices;
  for (const remote::ServedDevice& device : state.devices) {
    Json json = Json()
                    .Set("device", device.name)
                    .Set("key", device.key)
                    .Set("state", device.state)
                    .Set("reason", device.reason)
                    .Set("holder", device.holder)
                    .Set("held_s", device.held_s)
                    .Set("waiting", device.waiting)
                    .Set("fence", device.fence)
                    .Set("leases", device.leases);
    if (!device.server.empty()) json.Set("server", device.server);
    if (device.self_test_s) json.Set("self_test_s", *device.self_test_s);
    if (device.revoked_after_s) json.Set("revoked_after_s", *device.revoked_after_s);
    if (device.temperature_c) json.Set("temperature_c", *device.temperature_c);
    devices.push_back(std::move(json));
  }
  Json document = HeadOf(kDevicesDocument);
  document.Set("build", state.build)
      .Set("protocol", state.protocol)
      .Set("beat_s", state.beat_s)
      .Set("devices", std::move(devices))
      .Set("cache", Json()
                        .Set("packages", state.cache_packages)
                        .Set("bytes", state.cache_bytes)
                        .Set("limit_bytes", state.cache_limit_bytes));
  if (state.is_tracker) document.Set("servers", state.servers);
  return document;
}

}  // namespace vta::tools
