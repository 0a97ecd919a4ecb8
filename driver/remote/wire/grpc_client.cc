// The client of a server of devices, over gRPC.
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "driver/remote/client.h"
#include "driver/remote/vta.grpc.pb.h"
#include "driver/remote/wire/sha256.h"
#include "driver/remote/wire/stub.h"
#include "isa/support/error.h"

namespace vta::driver::remote {
namespace {

namespace wire = ::vta::remote;
using Clock = std::chrono::steady_clock;

std::string Seconds(std::chrono::nanoseconds time) {
  return StrCat(std::chrono::duration<double>(time).count(), " s");
}

/// What every call shares.
struct Server {
  Address address;
  std::string token;
  std::unique_ptr<wire::Devices::Stub> stub;

  std::string name() const { return address.Name(); }

  void Prepare(grpc::ClientContext& context) const {
    if (!token.empty()) context.AddMetadata(kTokenKey, kTokenPrefix + token);
  }

  /// The error of a call that ended so.
  Error Failed(const grpc::Status& status) const {
    const std::string& said = status.error_message();
    switch (status.error_code()) {
      case grpc::StatusCode::UNAVAILABLE:
        return Error(name(), "", "", StrCat("cannot be reached: ", said));
      case grpc::StatusCode::DEADLINE_EXCEEDED:
        return Error(
            name(), "", "",
            StrCat("did not answer within ", Seconds(kConnectLimit), ": it may be no vta server"));
      case grpc::StatusCode::UNIMPLEMENTED:
        return Error(name(), "", "", "is no vta server");
      default:
        return Error(name(), "", "", said.empty() ? "broke the connection off" : said);
    }
  }
};

class GrpcLease : public Lease {
 public:
  GrpcLease(const Server& server, const LeaseOptions& options)
      : server_(server),
        stub_([this](const std::string& request) { return Exchange(request); }, server.name()),
        give_up_(Clock::now() + kAnswerLimit +
                 std::chrono::nanoseconds(static_cast<int64_t>(options.wait_s * 1e9))) {
    server_.Prepare(context_);
    stream_ = server_.stub->Lease(&context_);
    wire::LeaseRequest ask;
    ask.mutable_ask()->set_key(server_.address.key);
    ask.mutable_ask()->set_priority(options.priority);
    ask.mutable_ask()->set_wait_s(options.wait_s);
    ask.mutable_ask()->set_holder(options.holder);
    const bool sent = stream_->Write(ask);
    beats_ = std::thread([this] { Beat(); });
    wire::LeaseReply reply;
    const bool answered = sent && stream_->Read(&reply);
    if (!answered || !reply.has_granted()) {
      Stop();
      if (answered) context_.TryCancel();
      const grpc::Status status = stream_->Finish();
      throw lost_.empty() ? server_.Failed(status) : Error(server_.name(), "", "", lost_);
    }
    fence_ = reply.granted().fence();
    secret_ = reply.granted().secret();
    device_ = reply.granted().device();
    {
      const std::lock_guard lock(mutex_);
      beat_ = std::chrono::nanoseconds(
          static_cast<int64_t>(std::max(reply.granted().beat_s(), 1e-3) * 1e9 / kBeatsInLimit));
      answered_ = Clock::now();
      granted_ = true;
    }
    changed_.notify_all();
    reader_ = std::thread([this] { Read(); });
  }

  ~GrpcLease() override {
    Stop();
    stream_->WritesDone();
    std::unique_lock lock(mutex_);
    constexpr std::chrono::seconds kGoodbye{1};
    const bool gone = changed_.wait_for(lock, kGoodbye, [this] { return has_ended_; });
    lock.unlock();
    if (!gone) context_.TryCancel();
    reader_.join();
  }

  Worker& worker() override { return stub_; }
  int64_t fence() const override { return fence_; }
  const std::string& device() const override { return device_; }

 private:
  /// Ends the thread of beats.
  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
    }
    changed_.notify_all();
    if (beats_.joinable()) beats_.join();
  }

  void Beat() {
    wire::LeaseRequest beat;
    std::unique_lock lock(mutex_);
    for (int64_t count = 0;;) {
      const auto next = granted_ ? Clock::now() + beat_ : give_up_;
      const bool was_granted = granted_;
      changed_.wait_until(lock, next, [&] { return stops_ || granted_ != was_granted; });
      if (stops_ || has_ended_) return;
      if (granted_ != was_granted) continue;
      const auto silent_for = granted_ ? Clock::now() - answered_ : Clock::now() - give_up_;
      if (granted_ ? silent_for > kAnswerLimit : silent_for >= Clock::duration{}) {
        Lose(granted_ ? StrCat("does not answer for ", Seconds(kAnswerLimit))
                      : "did not answer whether a device is free");
        context_.TryCancel();
        return;
      }
      beat.set_beat(++count);
      lock.unlock();
      stream_->Write(beat);
      lock.lock();
    }
  }

  void Read() {
    wire::LeaseReply reply;
    while (stream_->Read(&reply)) {
      const std::lock_guard lock(mutex_);
      answered_ = Clock::now();
      if (reply.what_case() == wire::LeaseReply::kRevoked)
        Lose(StrCat("lease ", fence_, " was revoked: ", reply.revoked()));
    }
    const grpc::Status status = stream_->Finish();
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
      if (!stops_)
        Lose(StrCat("the server ended or cut off lease ", fence_,
                    status.error_message().empty() ? "" : ": ", status.error_message()));
    }
    changed_.notify_all();
  }

  /// With the lock. The first reason stays.
  void Lose(const std::string& why) {
    if (lost_.empty()) lost_ = why;
    if (call_) call_->TryCancel();
  }

  std::string Exchange(const std::string& request) {
    grpc::ClientContext context;
    server_.Prepare(context);
    {
      const std::lock_guard lock(mutex_);
      if (!lost_.empty()) throw Error(server_.name(), "", "", lost_);
      call_ = &context;
    }
    std::string reply;
    const grpc::Status status = Send(context, request, reply);
    std::unique_lock lock(mutex_);
    call_ = nullptr;
    if (status.ok()) return reply;
    // The stream of the lease says why, if it has ended.
    constexpr std::chrono::milliseconds kReason{500};
    changed_.wait_for(lock, kReason, [this] { return !lost_.empty(); });
    throw lost_.empty() ? server_.Failed(status) : Error(server_.name(), "", "", lost_);
  }

  grpc::Status Send(grpc::ClientContext& context, const std::string& request, std::string& reply) {
    const auto stream = server_.stub->Call(&context);
    wire::Piece piece;
    piece.set_fence(fence_);
    piece.set_secret(secret_);
    piece.set_size(static_cast<int64_t>(request.size()));
    constexpr auto kPiece = static_cast<size_t>(kPieceBytes);
    bool good = true;
    for (size_t at = 0; good && (at == 0 || at < request.size()); at += kPiece) {
      piece.set_data(request.data() + at, std::min(kPiece, request.size() - at));
      const bool is_last = at + kPiece >= request.size();
      good = is_last ? (stream->WriteLast(piece, {}), true) : stream->Write(piece);
      piece.Clear();
    }
    while (stream->Read(&piece)) reply += piece.data();
    return stream->Finish();
  }

  const Server& server_;
  Stub stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<wire::LeaseRequest, wire::LeaseReply>> stream_;
  int64_t fence_ = 0;
  std::string secret_, device_;
  std::thread beats_, reader_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::nanoseconds beat_{};
  const Clock::time_point give_up_;
  Clock::time_point answered_;
  bool granted_ = false, stops_ = false, has_ended_ = false;
  std::string lost_;  // why the lease is no more
  grpc::ClientContext* call_ = nullptr;
};

class GrpcClient : public Client {
 public:
  GrpcClient(const Address& address, const Credentials& credentials, const std::string& build) {
    server_.address = address;
    server_.token = credentials.token;
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
    server_.stub =
        wire::Devices::NewStub(grpc::CreateCustomChannel(address.HostPort(), channel, arguments));
    wire::HelloRequest request;
    request.set_protocol(kProtocol);
    request.set_build(build);
    grpc::ClientContext context;
    Prepare(context);
    if (const auto status = server_.stub->Hello(&context, request, &hello_); !status.ok())
      throw server_.Failed(status);
    if (hello_.protocol() != kProtocol)
      throw Error(
          server_.name(), "protocol", std::to_string(hello_.protocol()),
          StrCat("is that of ", hello_.build(), "; this is ", build, ", of protocol ", kProtocol));
  }

  const std::string& config_json() const override { return hello_.config(); }

  ServerState List() override {
    grpc::ClientContext context;
    Prepare(context);
    wire::ListReply reply;
    if (const auto status = server_.stub->List(&context, {}, &reply); !status.ok())
      throw server_.Failed(status);
    ServerState state{hello_.build(),      hello_.protocol(),         reply.beat_s(),        {},
                      reply.cache_bytes(), reply.cache_limit_bytes(), reply.cache_packages()};
    for (const wire::DeviceState& device : reply.devices()) {
      ServedDevice& one = state.devices.emplace_back();
      one.name = device.name(), one.key = device.key(), one.state = device.state();
      one.reason = device.reason(), one.holder = device.holder(), one.fence = device.fence();
      one.waiting = device.waiting(), one.leases = device.leases(), one.held_s = device.held_s();
      if (device.has_self_test_s()) one.self_test_s = device.self_test_s();
      if (device.has_revoked_after_s()) one.revoked_after_s = device.revoked_after_s();
    }
    return state;
  }

  std::unique_ptr<Lease> Acquire(const LeaseOptions& options) override {
    return std::make_unique<GrpcLease>(server_, options);
  }

  std::string Upload(std::span<const uint8_t> package) override {
    const std::string sha256 = QuickSha256(package);
    grpc::ClientContext context;
    server_.Prepare(context);
    const auto stream = server_.stub->Upload(&context);
    wire::UploadRequest request;
    request.mutable_begin()->set_sha256(sha256);
    request.mutable_begin()->set_size(static_cast<int64_t>(package.size()));
    wire::UploadReply reply;
    if (!stream->Write(request) || !stream->Read(&reply)) throw server_.Failed(stream->Finish());
    if (reply.sha256().empty()) {
      const auto have = static_cast<size_t>(
          std::clamp<int64_t>(reply.have(), 0, static_cast<int64_t>(package.size())));
      constexpr auto kPiece = static_cast<size_t>(kPieceBytes);
      for (size_t at = have; at < package.size(); at += kPiece) {
        request.set_data(package.data() + at, std::min(kPiece, package.size() - at));
        if (!stream->Write(request)) break;
      }
      stream->WritesDone();
      if (!stream->Read(&reply)) throw server_.Failed(stream->Finish());
    } else {
      stream->WritesDone();
    }
    if (const auto status = stream->Finish(); !status.ok()) throw server_.Failed(status);
    if (reply.sha256() != sha256)
      throw Error(server_.name(), "SHA-256", reply.sha256(), StrCat("must be ", sha256));
    return sha256;
  }

 private:
  void Prepare(grpc::ClientContext& context) const {
    server_.Prepare(context);
    context.set_deadline(std::chrono::system_clock::now() + kConnectLimit);
  }

  Server server_;
  wire::HelloReply hello_;
};

}  // namespace

extern "C" Client* vta_remote_connect(const Address& address, const Credentials& credentials,
                                      const std::string& build) {
  gpr_set_log_function([](gpr_log_func_args*) {});  // errors are ours to say
  return new GrpcClient(address, credentials, build);
}

}  // namespace vta::driver::remote
