#include "driver/remote/wire/server_link.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>

#include "driver/remote/vta.grpc.pb.h"
#include "driver/remote/wire/sha256.h"
#include "isa/support/error.h"

namespace vta::driver::remote {
namespace {

bool IsAway(const grpc::Status& status) {
  using enum grpc::StatusCode;
  return status.error_code() == UNAVAILABLE || status.error_code() == DEADLINE_EXCEEDED ||
         (status.error_code() != OK && status.error_message().empty());
}

// gRPC before 1.61 reads what connect() said only after calls that may say something else, and then
// takes a connection that is under way for one that failed (grpc/grpc#35064). Of one that did fail
// it says so in these words.
bool MayBeUnderWay(const grpc::Status& status) {
  const auto says = [&](const char* words) {
    return status.error_message().find(words) != std::string::npos;
  };
  return status.error_code() == grpc::StatusCode::UNAVAILABLE &&
         says("failed to connect to all addresses") && !says("Failed to connect to remote host") &&
         !says("andshake");
}

std::shared_ptr<grpc::Channel> MakeChannel(const Address& address, const Credentials& credentials) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Two clients of a process that ask for one server have a connection each, as two processes.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(kMostMessageBytes);
  std::shared_ptr<grpc::ChannelCredentials> channel = grpc::InsecureChannelCredentials();
  if (!credentials.ca.empty()) {
    channel = grpc::SslCredentials({credentials.ca, credentials.key, credentials.certificate});
    arguments.SetSslTargetNameOverride(kServerName);
  }
  return grpc::CreateCustomChannel(address.HostPort(), channel, arguments);
}

}  // namespace

std::string SecondsText(std::chrono::nanoseconds time) {
  return StrCat(std::chrono::duration<double>(time).count(), " s");
}

ServerLink::ServerLink(const Address& address, const Credentials& credentials,
                       const std::string& build, std::chrono::nanoseconds limit)
    : address_(address), token_(credentials.token) {
  constexpr int kAttempts = 4;
  const auto end = std::chrono::steady_clock::now() + limit;
  wire::HelloRequest request;
  request.set_protocol(kProtocol);
  request.set_build(build);
  wire::HelloReply reply;
  grpc::Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    channel_ = MakeChannel(address, credentials);
    grpc::ClientContext context;
    Prepare(context, end - std::chrono::steady_clock::now());
    status = wire::Devices::NewStub(channel_)->Hello(&context, request, &reply);
    if (!MayBeUnderWay(status)) break;
  }
  if (!status.ok()) Throw(status);
  if (reply.protocol() != kProtocol)
    throw Error(
        name(), "protocol", std::to_string(reply.protocol()),
        StrCat("is that of ", reply.build(), "; this is ", build, ", of protocol ", kProtocol));
  hello_ = std::make_shared<const wire::HelloReply>(std::move(reply));
}

void ServerLink::Prepare(grpc::ClientContext& context) const {
  if (!token_.empty()) context.AddMetadata(kTokenKey, kTokenPrefix + token_);
}

void ServerLink::Prepare(grpc::ClientContext& context, std::chrono::nanoseconds limit) const {
  Prepare(context);
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::duration_cast<std::chrono::system_clock::duration>(limit));
}

std::string ServerLink::TextOf(const grpc::Status& status) const {
  const std::string& said = status.error_message();
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      return StrCat("cannot be reached: ", said);
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return StrCat("did not answer within ", SecondsText(kConnectLimit),
                    ": it may be no vta server");
    case grpc::StatusCode::UNIMPLEMENTED:
      return "is no vta server";
    default:
      return said.empty() ? "broke the connection off" : said;
  }
}

void ServerLink::Throw(const grpc::Status& status) const {
  const Error error(name(), "", "", TextOf(status));
  if (IsAway(status)) throw ServerLost(error);
  throw error;
}

std::string UploadPackage(const ServerLink& server, grpc::ClientContext& context,
                          std::span<const uint8_t> package) {
  const std::string sha256 = QuickSha256(package);
  server.Prepare(context);
  const auto stub = wire::Devices::NewStub(server.channel());
  const auto stream = stub->Upload(&context);
  wire::UploadRequest request;
  request.mutable_begin()->set_sha256(sha256);
  request.mutable_begin()->set_size(static_cast<int64_t>(package.size()));
  wire::UploadReply reply;
  if (!stream->Write(request) || !stream->Read(&reply)) server.Throw(stream->Finish());
  if (reply.sha256().empty()) {
    const auto have = static_cast<size_t>(
        std::clamp<int64_t>(reply.have(), 0, static_cast<int64_t>(package.size())));
    constexpr size_t kPiece = size_t{1} << 20;  // more of them take longer
    for (size_t at = have; at < package.size(); at += kPiece) {
      request.set_data(package.data() + at, std::min(kPiece, package.size() - at));
      if (!stream->Write(request)) break;
    }
    stream->WritesDone();
    if (!stream->Read(&reply)) server.Throw(stream->Finish());
  } else {
    stream->WritesDone();
  }
  if (const auto status = stream->Finish(); !status.ok()) server.Throw(status);
  if (reply.sha256() != sha256)
    throw Error(server.name(), "SHA-256", reply.sha256(), StrCat("must be ", sha256));
  return sha256;
}

}  // namespace vta::driver::remote
