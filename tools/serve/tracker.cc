// A tracker's side of driver/remote/vta.proto.
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include <string>

#include "driver/remote/vta.grpc.pb.h"
#include "driver/remote/wire/tracking_wire.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/serve/admission.h"
#include "tools/serve/registry.h"
#include "tools/serve/serve.h"

namespace vta::serve {
namespace {

namespace remote = driver::remote;
namespace wire = ::vta::remote;
using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;

/// Of "ipv4:10.0.0.1:5000" or "ipv6:[::1]:5000", whose brackets may be written as in a URL.
std::string HostOf(const std::string& peer) {
  constexpr std::string_view kOpen = "%5B", kClose = "%5D", kMapped = "::ffff:";
  std::string host = peer.substr(peer.find(':') + 1);
  host = host.substr(0, host.rfind(':'));
  for (const std::string_view bracket :
       {kOpen, kClose, std::string_view("["), std::string_view("]")})
    if (const size_t at = host.find(bracket); at != std::string::npos)
      host.erase(at, bracket.size());
  return host.starts_with(kMapped) ? host.substr(kMapped.size()) : host;
}

class Tracker final : public wire::Devices::Service {
 public:
  explicit Tracker(const TrackerOptions& options) : options_(options), registry_(options.beat_s) {}

  Status Hello(ServerContext* context, const wire::HelloRequest* request,
               wire::HelloReply* reply) override {
    if (const Status status = Admit(*context); !status.ok()) return status;
    reply->set_protocol(remote::kProtocol);
    reply->set_build(options_.build);
    reply->set_is_tracker(true);
    if (request->protocol() != remote::kProtocol)
      options_.log(StrCat("refused: ", Visible(request->build()), " has protocol ",
                          request->protocol(), ", this tracker ", remote::kProtocol));
    return Status::OK;
  }

  Status List(ServerContext* context, const wire::ListRequest*, wire::ListReply* reply) override {
    if (const Status status = Admit(*context); !status.ok()) return status;
    remote::ToWire(registry_.List(), reply);
    return Status::OK;
  }

  Status Find(ServerContext* context, const wire::FindRequest* request,
              wire::FindReply* reply) override {
    if (const Status status = Admit(*context); !status.ok()) return status;
    try {
      remote::ToWire(registry_.Find(remote::FromWire(*request)), reply);
    } catch (const Error& error) {
      return RefusedCall(error);
    }
    return Status::OK;
  }

  Status Announce(
      ServerContext* context,
      grpc::ServerReaderWriter<wire::AnnounceReply, wire::Announcement>* stream) override {
    if (const Status status = Admit(*context); !status.ok()) return status;
    wire::Announcement message;
    if (!stream->Read(&message)) return {StatusCode::INVALID_ARGUMENT, "announcement: is none"};
    wire::AnnounceReply reply;
    reply.set_beat_s(options_.beat_s);
    int64_t number = 0;
    Status status;
    try {
      remote::AnnouncedServer server = remote::FromWire(message);
      if (server.host.empty()) server.host = HostOf(context->peer());
      reply.set_address(remote::Address{server.host, "", server.port}.HostPort());
      options_.log(StrCat("joins: ", reply.address(), ", ",
                          Counted(std::ssize(server.state.devices), "device"), ", ",
                          Visible(server.state.build)));
      number = registry_.Join(std::move(server), [context] { context->TryCancel(); });
      while (stream->Write(reply) && stream->Read(&message))
        registry_.Update(number, remote::StateOf(message));
    } catch (const Error& error) {
      options_.log(StrCat("refused: ", context->peer(), ": ", error.what()));
      status = RefusedCall(error);
    }
    registry_.Leave(number);
    if (number != 0) options_.log(StrCat("leaves: ", reply.address()));
    return status;
  }

  Status Lease(ServerContext* context,
               grpc::ServerReaderWriter<wire::LeaseReply, wire::LeaseRequest>*) override {
    return NoDevices(*context);
  }
  Status Upload(ServerContext* context,
                grpc::ServerReaderWriter<wire::UploadReply, wire::UploadRequest>*) override {
    return NoDevices(*context);
  }
  Status Call(ServerContext* context,
              grpc::ServerReaderWriter<wire::Piece, wire::Piece>*) override {
    return NoDevices(*context);
  }

 private:
  Status Admit(const ServerContext& context) const {
    return AdmitCaller(context, options_.credentials, options_.log);
  }
  Status NoDevices(const ServerContext& context) const {
    if (const Status status = Admit(context); !status.ok()) return status;
    return {
        StatusCode::FAILED_PRECONDITION,
        "is a tracker, whose servers have the devices: a client that knows trackers finds them"};
  }

  const TrackerOptions& options_;
  Registry registry_;
};

}  // namespace

extern "C" void vta_remote_track(const TrackerOptions& options) {
  gpr_set_log_function([](gpr_log_func_args*) {});  // errors are ours to say
  Tracker tracker(options);
  int64_t port = 0;
  const auto server = ListenAt(options.listen, options.credentials, tracker, &port);
  options.on_ready(port);
  server->Wait();
}

}  // namespace vta::serve
