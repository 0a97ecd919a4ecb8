#include "driver/remote/wire/grpc_lease.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "driver/remote/vta.grpc.pb.h"
#include "driver/remote/wire/stub.h"
#include "isa/support/error.h"

namespace vta::driver::remote {
namespace {

// How often one who looks does, and for how long a server must be silent before.
constexpr std::chrono::seconds kLook{1};

std::chrono::nanoseconds Nanoseconds(double seconds) {
  return std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
}

/// Its stream, its beats, and the calls in it.
class GrpcLease : public Lease {
 public:
  GrpcLease(const ServerLink& server, const LeaseOptions& options);
  ~GrpcLease() override;

  Worker& worker() override { return stub_; }
  int64_t fence() const override { return fence_; }
  const std::string& device() const override { return device_; }
  std::string server() const override { return server_.name(); }
  std::string Upload(std::span<const uint8_t> package) override;

 private:
  using Clock = std::chrono::steady_clock;

  /// Ends the threads of beats and looks.
  void Stop();
  void Beat();
  void Read();
  void Look();
  /// With the lock. The first reason stays.
  void Lose(const std::string& why);
  /// Of the reason. Errors: throws it.
  [[noreturn]] void ThrowLost() const;
  /// A call, which ends with the lease. Errors: throws why it did not end well.
  void Do(const std::function<void(grpc::ClientContext&)>& call);
  std::string Exchange(const std::string& request);
  grpc::Status Send(grpc::ClientContext& context, const std::string& request, std::string& reply);

  const ServerLink& server_;
  const std::unique_ptr<wire::Devices::Stub> service_;
  Stub stub_;
  const std::function<std::string(bool)> look_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<wire::LeaseRequest, wire::LeaseReply>> stream_;
  int64_t fence_ = 0;
  std::string secret_, device_;
  std::thread beats_, reader_, looks_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::nanoseconds beat_{};
  const Clock::time_point give_up_;
  Clock::time_point answered_;
  bool granted_ = false, stops_ = false, has_ended_ = false, at_limit_ = false;
  std::string lost_;                      // why the lease is no more
  std::set<grpc::ClientContext*> calls_;  // that wait for their replies
};

GrpcLease::GrpcLease(const ServerLink& server, const LeaseOptions& options)
    : server_(server),
      service_(wire::Devices::NewStub(server.channel())),
      stub_([this](const std::string& request) { return Exchange(request); }, server.name()),
      look_(options.look),
      give_up_(Clock::now() + kAnswerLimit + Nanoseconds(options.wait_s)) {
  server_.Prepare(context_);
  stream_ = service_->Lease(&context_);
  wire::LeaseRequest ask;
  ask.mutable_ask()->set_key(server_.address().key);
  ask.mutable_ask()->set_priority(options.priority);
  ask.mutable_ask()->set_wait_s(options.wait_s);
  ask.mutable_ask()->set_holder(options.holder);
  const bool sent = stream_->Write(ask);
  beats_ = std::thread([this] { Beat(); });
  if (look_) looks_ = std::thread([this] { Look(); });
  wire::LeaseReply reply;
  const bool answered = sent && stream_->Read(&reply);
  if (!answered || !reply.has_granted()) {
    Stop();
    if (answered) context_.TryCancel();
    const grpc::Status status = stream_->Finish();
    if (!lost_.empty()) ThrowLost();
    server_.Throw(status);
  }
  fence_ = reply.granted().fence();
  secret_ = reply.granted().secret();
  device_ = reply.granted().device();
  {
    const std::lock_guard lock(mutex_);
    beat_ = Nanoseconds(std::max(reply.granted().beat_s(), 1e-3) / kBeatsInLimit);
    answered_ = Clock::now();
    granted_ = true;
  }
  changed_.notify_all();
  reader_ = std::thread([this] { Read(); });
}

GrpcLease::~GrpcLease() {
  Stop();
  stream_->WritesDone();
  std::unique_lock lock(mutex_);
  constexpr std::chrono::seconds kGoodbye{1};
  const bool gone = changed_.wait_for(lock, kGoodbye, [this] { return has_ended_; });
  lock.unlock();
  if (!gone) context_.TryCancel();
  reader_.join();
}

std::string GrpcLease::Upload(std::span<const uint8_t> package) {
  std::string sha256;
  Do([&](grpc::ClientContext& context) { sha256 = UploadPackage(server_, context, package); });
  return sha256;
}

void GrpcLease::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  if (beats_.joinable()) beats_.join();
  if (looks_.joinable()) looks_.join();
}

void GrpcLease::Beat() {
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
      Lose(granted_ ? StrCat("does not answer for ", SecondsText(kAnswerLimit))
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

void GrpcLease::Look() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kLook, [this] { return stops_ || has_ended_; })) {
    const bool granted = granted_;
    const auto silent_for = Clock::now() - answered_;
    if (granted && silent_for < kLook) continue;
    lock.unlock();
    const std::string why = look_(granted);
    lock.lock();
    // It may have answered meanwhile.
    if (why.empty() || granted != granted_ || (granted && Clock::now() - answered_ < kLook))
      continue;
    Lose(why);
    context_.TryCancel();
    return;
  }
}

void GrpcLease::Read() {
  wire::LeaseReply reply;
  while (stream_->Read(&reply)) {
    const std::lock_guard lock(mutex_);
    answered_ = Clock::now();
    if (reply.what_case() != wire::LeaseReply::kRevoked) continue;
    at_limit_ = reply.at_limit();
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

void GrpcLease::Lose(const std::string& why) {
  if (lost_.empty()) lost_ = why;
  for (grpc::ClientContext* const call : calls_) call->TryCancel();
}

void GrpcLease::ThrowLost() const {
  const Error error(server_.name(), "", "", lost_);
  if (at_limit_) throw error;
  throw ServerLost(error);
}

void GrpcLease::Do(const std::function<void(grpc::ClientContext&)>& call) {
  grpc::ClientContext context;
  {
    const std::lock_guard lock(mutex_);
    if (!lost_.empty()) ThrowLost();
    calls_.insert(&context);
  }
  std::exception_ptr failure;
  try {
    call(context);
  } catch (const Error&) {
    failure = std::current_exception();
  }
  std::unique_lock lock(mutex_);
  calls_.erase(&context);
  if (!failure) return;
  // The stream of the lease says why, if it has ended.
  constexpr std::chrono::milliseconds kReason{500};
  changed_.wait_for(lock, kReason, [this] { return !lost_.empty(); });
  if (!lost_.empty()) ThrowLost();
  std::rethrow_exception(failure);
}

std::string GrpcLease::Exchange(const std::string& request) {
  std::string reply;
  Do([&](grpc::ClientContext& context) {
    server_.Prepare(context);
    if (const grpc::Status status = Send(context, request, reply); !status.ok())
      server_.Throw(status);
  });
  return reply;
}

grpc::Status GrpcLease::Send(grpc::ClientContext& context, const std::string& request,
                             std::string& reply) {
  const auto stream = service_->Call(&context);
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

}  // namespace

std::unique_ptr<Lease> OpenLease(const ServerLink& server, const LeaseOptions& options) {
  return std::make_unique<GrpcLease>(server, options);
}

}  // namespace vta::driver::remote
