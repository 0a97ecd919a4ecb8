#include "tools/vta/serve/server_state.h"

#include <fmt/format.h>

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
  for (const remote::ServedDevice& device : state.devices)
    rows.push_back({device.name, device.key,
                    device.state + (device.reason.empty() ? "" : ": " + device.reason),
                    device.holder, device.holder.empty() ? "" : Seconds(device.held_s),
                    std::to_string(device.waiting), std::to_string(device.fence),
                    Seconds(device.self_test_s)});
  return fmt::format(
      "{}\n{}: {}, protocol {}; a lease ends {} s after its last beat; {} in the cache, {} of {} "
      "bytes\n",
      FormatTable(rows, {false, false, false, false, true, true, true, true}), address,
      Visible(state.build), state.protocol, state.beat_s, Counted(state.cache_packages, "package"),
      WithCommas(state.cache_bytes), WithCommas(state.cache_limit_bytes));
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
    if (device.self_test_s) json.Set("self_test_s", *device.self_test_s);
    if (device.revoked_after_s) json.Set("revoked_after_s", *device.revoked_after_s);
    devices.push_back(std::move(json));
  }
  return HeadOf(kDevicesDocument)
      .Set("build", state.build)
      .Set("protocol", state.protocol)
      .Set("beat_s", state.beat_s)
      .Set("devices", std::move(devices))
      .Set("cache", Json()
                        .Set("packages", state.cache_packages)
                        .Set("bytes", state.cache_bytes)
                        .Set("limit_bytes", state.cache_limit_bytes));
}

}  // namespace vta::tools
