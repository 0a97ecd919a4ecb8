#include "driver/remote/protocol.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "isa/support/error.h"

namespace vta::driver::remote {
namespace {

constexpr int64_t kMostPort = 65535;
constexpr size_t kMostKey = 64;

bool IsKey(const std::string& key) {
  return !key.empty() && key.size() <= kMostKey && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

}  // namespace

std::string Address::HostPort() const {
  const bool brackets = host.find(':') != std::string::npos;
  return brackets ? StrCat("[", host, "]:", port) : StrCat(host, ":", port);
}

std::string Address::Name() const {
  return StrCat(kScheme, HostPort(), key.empty() ? "" : "/", key);
}

bool Address::IsLoopback() const {
  const bool is_number = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || host == "::1" || (is_number && host.starts_with("127."));
}

bool IsRemote(const std::string& engine) { return engine.starts_with(kScheme); }

Address ParseHostPort(const std::string& text, const std::string& where) {
  const auto refuse = [&](const std::string& rule) { throw Error(where, "", text, rule); };
  Address address;
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) refuse("must be HOST:PORT");
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  else if (address.host.find(':') != std::string::npos)
    refuse("must have brackets around an IPv6 address: [::1]:PORT");
  const auto is_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_' ||
           c == ':';
  };
  if (address.host.empty() || !std::ranges::all_of(address.host, is_of_name))
    refuse("must begin with the name or the address of a host");
  const char* const begin = text.data() + colon + 1;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(begin, end, address.port);
  if (error != std::errc() || after != end || address.port < 0 || address.port > kMostPort)
    refuse(StrCat("must end with a port, 0 to ", kMostPort));
  return address;
}

Address ParseAddress(const std::string& engine, const std::string& where) {
  const std::string rest = engine.substr(std::string_view(kScheme).size());
  const size_t slash = rest.find('/');
  Address address;
  try {
    address = ParseHostPort(rest.substr(0, slash), where);
  } catch (const Error& error) {
    throw Error(where, "", engine, error.rule());
  }
  if (address.port == 0) throw Error(where, "", engine, "must name a port, 1 to 65535");
  if (slash == std::string::npos) return address;
  address.key = rest.substr(slash + 1);
  if (!IsKey(address.key))
    throw Error(
        where, "", engine,
        StrCat("must end with a key of 1 to ", kMostKey, " letters, digits, '-', '_' or '.'"));
  return address;
}

}  // namespace vta::driver::remote
