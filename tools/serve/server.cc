// The service of driver/remote/vta.proto.
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "driver/remote/vta.grpc.pb.h"
#include "driver/remote/wire/tracking_wire.h"
#include "isa/support/error.h"
#include "tools/serve/admission.h"
#include "tools/serve/announcer.h"
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

/// Adds pieces to an upload on a thread of its own: one is hashed and written while the next comes.
class AddsBeside {
 public:
  explicit AddsBeside(Upload& upload) : upload_(upload), thread_([this] { Work(); }) {}
  ~AddsBeside() { Stop(); }
  AddsBeside(const AddsBeside&) = delete;
  AddsBeside& operator=(const AddsBeside&) = delete;

  /// Errors: as Upload::Add, of this piece or of those before it.
  void Add(std::string piece) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !piece_ || error_; });
    if (error_) std::rethrow_exception(error_);
    piece_ = std::move(piece);
    changed_.notify_all();
  }
  /// All are added. Errors: as that.
  void Finish() {
    Stop();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void Work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return piece_ || stops_; });
      if (!piece_) return;
      const std::string piece = std::move(*std::exchange(piece_, std::nullopt));
      changed_.notify_all();
      lock.unlock();
      std::exception_ptr error;
      try {
        upload_.Add({reinterpret_cast<const uint8_t*>(piece.data()), piece.size()});
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (!error) continue;
      error_ = error;
      changed_.notify_all();
      return;
    }
  }

  Upload& upload_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> piece_;  // that waits
  std::exception_ptr error_;
  bool stops_ = false;
  std::thread thread_;
};

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
    reply->set_cpu_arch(options_.cpu.arch);
    for (const std::string& feature : options_.cpu.features) reply->add_cpu_features(feature);
    if (request->protocol() != remote::kProtocol)
      options_.log(StrCat("refused: ", Visible(request->build()), " has protocol ",
                          request->protocol(), ", this server ", remote::kProtocol));
    return Status::OK;
  }

  Status List(ServerContext* context, const wire::ListRequest*, wire::ListReply* reply) override {
    if (const Status status = Admit(*context); !status.ok()) return status;
    ToWire(StateNow(options_, leases_, cache_), reply);
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
    std::timed_mutex writes;
    // What ends a call overtakes what was written before: the reason goes first.
    constexpr std::chrono::milliseconds kToBeRead(100);
    std::jthread ends;
    try {
      held = leases_.Acquire(
          ask, [&] { return context->IsCancelled(); },
          [&](const std::string& why, bool at_limit) {
            ends = std::jthread([&writes, stream, context, why, at_limit, kToBeRead] {
              // One who takes no messages is not told.
              if (const std::unique_lock lock(writes, kToBeRead); lock) {
                wire::LeaseReply revoked;
                revoked.set_revoked(why);
                revoked.set_at_limit(at_limit);
                stream->Write(revoked);
              }
              std::this_thread::sleep_for(kToBeRead);
              context->TryCancel();
            });
          });
    } catch (const std::exception& error) {
      return RefusedCall(error);
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
      AddsBeside adds(*upload);
      while (stream->Read(&request)) adds.Add(std::move(*request.mutable_data()));
      adds.Finish();
      if (context->IsCancelled()) return Status::CANCELLED;
      reply.set_sha256(upload->Finish());
      stream->Write(reply);
    } catch (const std::exception& error) {
      return RefusedCall(error);
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
      return RefusedCall(error);
    }
    return Status::OK;
  }

 private:
  Status Admit(const ServerContext& context) const {
    return AdmitCaller(context, options_.credentials, options_.log);
  }

  const ServeOptions& options_;
  Leases& leases_;
  PackageCache& cache_;
};

}  // namespace

extern "C" void vta_remote_serve(const ServeOptions& options) {
  Spawner spawner(options.cache_folder,
                  [&options](size_t device, int socket) { ServeLease(options, device, socket); });
  gpr_set_log_function([](gpr_log_func_args*) {});  // errors are ours to say
  Leases leases(options, spawner);
  PackageCache cache(options.cache_folder, options.cache_bytes);
  for (const std::string& file : options.packages) cache.Take(file);
  Service service(options, leases, cache);
  int64_t port = 0;
  const auto server = ListenAt(options.listen, options.credentials, service, &port);
  options.on_ready(port);
  std::optional<Announcer> announcer;
  if (options.tracker.port != 0) announcer.emplace(options, leases, cache, port);
  server->Wait();
}

}  // namespace vta::serve
