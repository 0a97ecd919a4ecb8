// What every call to a server shares, over gRPC.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "driver/remote/client.h"

namespace grpc {
class Channel;
class ClientContext;
class Status;
}  // namespace grpc

namespace vta::remote {
class HelloReply;
}

namespace vta::driver::remote {

namespace wire = ::vta::remote;

/// "0.5 s".
std::string SecondsText(std::chrono::nanoseconds time);

class ServerLink {
 public:
  /// A connection of its own, and what the server says of itself to `build`. Errors: throws Error
  /// where it cannot be asked within the limit, or its protocol is another one.
  ServerLink(const Address& address, const Credentials& credentials, const std::string& build,
             std::chrono::nanoseconds limit = kConnectLimit);

  const Address& address() const { return address_; }
  std::string name() const { return address_.Name(); }
  /// For the service's stub.
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  /// The protocol and the build there.
  const wire::HelloReply& hello() const { return *hello_; }

  /// Adds the token.
  void Prepare(grpc::ClientContext& context) const;
  /// And what it may take, which is little.
  void Prepare(grpc::ClientContext& context, std::chrono::nanoseconds limit) const;
  /// Throws the error of a call that ended so: a ServerLost where the server did not answer.
  [[noreturn]] void Throw(const grpc::Status& status) const;
  /// What that says.
  std::string TextOf(const grpc::Status& status) const;

 private:
  Address address_;
  std::string token_;
  std::shared_ptr<grpc::Channel> channel_;
  std::shared_ptr<const wire::HelloReply> hello_;
};

/// Sends a package, unless it is there; `context` may be cancelled meanwhile. Returns its SHA-256.
/// Errors: throws Error where the server refuses it.
std::string UploadPackage(const ServerLink& server, grpc::ClientContext& context,
                          std::span<const uint8_t> package);

}  // namespace vta::driver::remote
