// What both sides of the protocol agree on beside its messages.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace vta::driver::remote {

/// Of vta.proto: it grows with any change that an older side would not understand.
inline constexpr int64_t kProtocol = 1;

inline constexpr char kModuleFile[] = "libvta_remote.so";

/// Of what goes in one message of a stream.
inline constexpr int64_t kPieceBytes = 256 * 1024;
/// The most that one message may have; what is larger ends its call.
inline constexpr int64_t kMostMessageBytes = 4 * 1024 * 1024;
/// The most that a request, or a reply, may have in all its pieces.
inline constexpr int64_t kMostCallBytes = int64_t{1} << 28;
inline constexpr int64_t kMostPackageBytes = int64_t{1} << 32;

/// In which a server must answer a connection, and a beat.
inline constexpr std::chrono::seconds kConnectLimit{5};
inline constexpr std::chrono::seconds kAnswerLimit{10};
/// A client beats so many times in the time after which a server gives its lease up.
inline constexpr int kBeatsInLimit = 10;

/// What stands in a request's metadata before the token.
inline constexpr char kTokenKey[] = "authorization", kTokenPrefix[] = "Bearer ";
/// Whom a server's certificate names, whatever host it runs on.
inline constexpr char kServerName[] = "vta-server";

/// The name of such an engine: remote://HOST:PORT[/KEY].
inline constexpr char kScheme[] = "remote://";
inline constexpr char kRemoteUsage[] = "remote://HOST:PORT[/KEY]";

struct Address {
  std::string host, key;  // the host without brackets
  int64_t port = 0;

  /// "127.0.0.1:4000", "[::1]:4000".
  std::string HostPort() const;
  /// As the engine is named.
  std::string Name() const;
  bool IsLoopback() const;
};

bool IsRemote(const std::string& engine);
/// Errors: throws Error at `where` for what is not as kRemoteUsage has it.
Address ParseAddress(const std::string& engine, const std::string& where);
/// HOST:PORT. Errors: as that.
Address ParseHostPort(const std::string& text, const std::string& where);

}  // namespace vta::driver::remote
