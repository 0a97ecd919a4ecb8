// The service of driver/remote/vta.proto.
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/security/server_credentials.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <thread>

#include "driver/remote/vta.grpc.pb.h"
#include "isa/support/error.h"
#include "tools/serve/cache.h"
#include "tools/serve/lease_process.h"
#include "tools/serve/leases.h"
#include "tools/serve/serve.h"

namespace vta::serve {
namespace {

namespace remote = driver::remote;
namespace wire = ::vta::remote;
using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;

Status Refused(const std::exception& error) {
  return {StatusCode::FAILED_PRECONDITION, error.what()};
}

class Service final : public wire::Devices::Service {
 public:
  Service(const ServeOptions& options, Leases& leases, PackageCache& cache)
      : options_(options), leases_(leases), cache_(cache) {}

  Status Hello(ServerContext* context, const wire::HelloRequest* request,
               wire::HelloReply* reply) override {
    if (const Status status = Admit(*context); !status.ok()) return status;
    reply->set_protocol(remote::kProtocol);
    reply->set_build(options_.build);
    reply->set_config(options_.config_json);
    if (request->protocol() != remote::kProtocol)
      options_.log(StrCat("refused: ", Visible(request->build()), " has protocol ",
                          request->protocol(), ", this server ", remote::kProtocol));
    return Status::OK;
  }

  Status List(ServerContext* context, const wire::ListRequest*, wire::ListReply* reply) override {
    if (const Status status = Admit(*context); !status.ok()) return status;
    for (const remote::ServedDevice& one : leases_.List()) {
      wire::DeviceState* const device = reply->add_devices();
      device->set_name(one.name), device->set_key(one.key), device->set_state(one.state);
      device->set_reason(one.reason), device->set_holder(one.holder);
      device->set_fence(one.fence), device->set_held_s(one.held_s);
      device->set_waiting(one.waiting), device->set_leases(one.leases);
      if (one.self_test_s) device->set_self_test_s(*one.self_test_s);
      if (one.revoked_after_s) device->set_revoked_after_s(*one.revoked_after_s);
    }
    reply->set_cache_bytes(cache_.bytes());
    reply->set_cache_limit_bytes(cache_.limit_bytes());
    reply->set_cache_packages(cache_.packages());
    reply->set_beat_s(options_.beat_s);
    return Status::OK;
  }

  Status Lease(ServerContext* context,
               grpc::ServerReaderWriter<wire::LeaseReply, wire::LeaseRequest>* stream) override {
    if (const Status status = Admit(*context); !status.ok()) return status;
    wire::LeaseRequest request;
    if (!stream->Read(&request) || !request.has_ask())
      return {StatusCode::INVALID_ARGUMENT, "lease: must begin with what is asked for"};
    constexpr double kMostWait = 1e6;
    Ask ask;
    ask.key = request.ask().key();
    ask.priority = request.ask().priority();
    ask.wait = std::chrono::nanoseconds(
        static_cast<int64_t>(std::clamp(request.ask().wait_s(), 0.0, kMostWait) * 1e9));
    ask.holder = StrCat(Visible(request.ask().holder()), " at ", context->peer());
    std::shared_ptr<Held> held;
    std::mutex writes;
    // What ends a call overtakes what was written before: the reason goes first.
    constexpr std::chrono::milliseconds kToBeRead(100);
    std::jthread ends;
    try {
      held = leases_.Acquire(
          ask, [&] { return context->IsCancelled(); },
          [&](const std::string& why) {
            // One who takes no messages is not told.
            if (const std::unique_lock lock(writes, std::try_to_lock); lock) {
              wire::LeaseReply revoked;
              revoked.set_revoked(why);
              stream->Write(revoked);
            }
            ends = std::jthread([context, kToBeRead] {
              std::this_thread::sleep_for(kToBeRead);
              context->TryCancel();
            });
          });
    } catch (const std::exception& error) {
      return Refused(error);
    }
    wire::LeaseReply reply;
    wire::LeaseReply::Granted* const granted = reply.mutable_granted();
    granted->set_fence(held->fence);
    granted->set_secret(held->secret);
    granted->set_beat_s(options_.beat_s);
    granted->set_device(options_.devices[held->device].name);
    const auto write = [&] {
      const std::lock_guard lock(writes);
      return stream->Write(reply);
    };
    for (bool good = write(); good && stream->Read(&request);) {
      leases_.Beat(*held);
      reply.set_beat(request.beat());
      good = write();
    }
    leases_.Release(*held);
    return Status::OK;
  }

  Status Upload(ServerContext* context,
                grpc::ServerReaderWriter<wire::UploadReply, wire::UploadRequest>* stream) override {
    if (const Status status = Admit(*context); !status.ok()) return status;
    wire::UploadRequest request;
    if (!stream->Read(&request) || !request.has_begin())
      return {StatusCode::INVALID_ARGUMENT, "upload: must begin with a SHA-256 and a size"};
    try {
      wire::UploadReply reply;
      if (cache_.Has(request.begin().sha256())) {
        reply.set_sha256(request.begin().sha256());
        stream->Write(reply);
        return Status::OK;
      }
      const auto upload = cache_.Begin(request.begin().sha256(), request.begin().size());
      reply.set_have(upload->have());
      stream->Write(reply);
      while (stream->Read(&request)) {
        const std::string& data = request.data();
        upload->Add({reinterpret_cast<const uint8_t*>(data.data()), data.size()});
      }
      if (context->IsCancelled()) return Status::CANCELLED;
      reply.set_sha256(upload->Finish());
      stream->Write(reply);
    } catch (const std::exception& error) {
      return Refused(error);
    }
    return Status::OK;
  }

  Status Call(ServerContext* context,
              grpc::ServerReaderWriter<wire::Piece, wire::Piece>* stream) override {
    if (const Status status = Admit(*context); !status.ok()) return status;
    wire::Piece piece;
    if (!stream->Read(&piece) || piece.size() < 0 || piece.size() > remote::kMostCallBytes)
      return {StatusCode::INVALID_ARGUMENT,
              StrCat("call: must begin with a size of at most ", remote::kMostCallBytes)};
    const int64_t fence = piece.fence(), size = piece.size();
    const std::string secret = piece.secret();
    std::string request = std::move(*piece.mutable_data());
    while (static_cast<int64_t>(request.size()) <= size && stream->Read(&piece))
      request += piece.data();
    if (static_cast<int64_t>(request.size()) != size)
      return {StatusCode::INVALID_ARGUMENT,
              StrCat("call: must have ", size, " bytes, as was said")};
    try {
      const std::string reply = leases_.Call(fence, secret, request);
      constexpr auto kPiece = static_cast<size_t>(remote::kPieceBytes);
      piece.Clear();
      for (size_t at = 0; at < reply.size(); at += kPiece) {
        piece.set_data(reply.data() + at, std::min(kPiece, reply.size() - at));
        const bool is_last = at + kPiece >= reply.size();
        if (is_last)
          stream->WriteLast(piece, {});
        else if (!stream->Write(piece))
          break;
      }
    } catch (const std::exception& error) {
      return Refused(error);
    }
    return Status::OK;
  }

 private:
  /// Whether who calls shows the token, where there is one.
  Status Admit(const ServerContext& context) const {
    const std::string& token = options_.credentials.token;
    if (token.empty()) return Status::OK;
    const auto found = context.client_metadata().find(remote::kTokenKey);
    const std::string want = remote::kTokenPrefix + token;
    if (found != context.client_metadata().end() && found->second.size() == want.size() &&
        CRYPTO_memcmp(found->second.data(), want.data(), want.size()) == 0)
      return Status::OK;
    options_.log(StrCat("refused: ", context.peer(), " shows ",
                        found == context.client_metadata().end() ? "no token" : "a wrong token"));
    return {StatusCode::UNAUTHENTICATED,
            found == context.client_metadata().end()
                ? "wants a token, and none is shown: --credentials names the folder with it"
                : "refuses the token"};
  }

  const ServeOptions& options_;
  Leases& leases_;
  PackageCache& cache_;
};

std::shared_ptr<grpc::ServerCredentials> CredentialsOf(const remote::Credentials& own) {
  if (own.certificate.empty()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      own.ca.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                     : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = own.ca;
  options.pem_key_cert_pairs.push_back({own.key, own.certificate});
  return grpc::SslServerCredentials(options);
}

}  // namespace

extern "C" void vta_remote_serve(const ServeOptions& options) {
  Spawner spawner(options.cache_folder,
                  [&options](size_t device, int socket) { ServeLease(options, device, socket); });
  gpr_set_log_function([](gpr_log_func_args*) {});  // errors are ours to say
  Leases leases(options, spawner);
  PackageCache cache(options.cache_folder, options.cache_bytes);
  Service service(options, leases, cache);
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // a port that is taken is an error
  builder.SetMaxReceiveMessageSize(remote::kMostMessageBytes);
  int port = 0;
  builder.AddListeningPort(options.listen.HostPort(), CredentialsOf(options.credentials), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server || port == 0)
    throw Error("--listen", "", options.listen.HostPort(),
                "cannot be listened at: the port may be taken, the host another machine's, or a "
                "certificate or key none");
  options.on_ready(port);
  server->Wait();
}

}  // namespace vta::serve
