#include "tools/serve/announcer.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <utility>

#include "driver/remote/tracking.h"
#include "driver/remote/vta.grpc.pb.h"
#include "driver/remote/wire/server_link.h"
#include "driver/remote/wire/tracking_wire.h"
#include "isa/support/error.h"

namespace vta::serve {

namespace remote = driver::remote;
namespace wire = ::vta::remote;

namespace {

constexpr std::chrono::milliseconds kFirstPause{50}, kMostPause{1000};

}  // namespace

remote::ServerState StateNow(const ServeOptions& options, const Leases& leases,
                             const PackageCache& cache) {
  return {options.build, remote::kProtocol,   options.beat_s,  leases.List(),
          cache.bytes(), cache.limit_bytes(), cache.packages()};
}

Announcer::Announcer(const ServeOptions& options, Leases& leases, PackageCache& cache, int64_t port)
    : options_(options), leases_(leases), cache_(cache), port_(port), thread_([this] { Work(); }) {}

Announcer::~Announcer() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Announcer::Log(const std::string& text) {
  if (text != said_) options_.log(text);
  said_ = text;
}

void Announcer::Work() {
  std::chrono::milliseconds pause = kFirstPause;
  for (std::unique_lock lock(mutex_); !stops_;) {
    joined_ = false;
    lock.unlock();
    std::string why;
    try {
      Announce();
    } catch (const Error& error) {
      why = error.what();
    }
    lock.lock();
    if (stops_) return;
    Log(StrCat("tracker ", why, "; it is tried again"));
    pause = joined_ ? kFirstPause : std::min(2 * pause, kMostPause);
    changed_.wait_for(lock, pause, [this] { return stops_; });
  }
}

wire::Announcement Announcer::Message(bool is_first) const {
  remote::AnnouncedServer server{
      options_.announce.host, options_.announce.port != 0 ? options_.announce.port : port_,
      options_.config_json, options_.cpu, StateNow(options_, leases_, cache_)};
  wire::Announcement message;
  if (is_first)
    ToWire(server, &message);
  else
    ToWire(server.state, message.mutable_state());
  return message;
}

bool Announcer::WaitForAnswer(int64_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, remote::kAnswerLimit,
                    [&] { return answers_ >= number || has_ended_ || stops_; });
  return answers_ >= number && !has_ended_ && !stops_;
}

std::chrono::nanoseconds Announcer::Pause() {
  constexpr double kMost = 0.5;  // in which the end of a tracker is seen
  const std::lock_guard lock(mutex_);
  return std::chrono::nanoseconds(
      static_cast<int64_t>(std::min(beat_s_ / remote::kAnnouncesInLimit, kMost) * 1e9));
}

void Announcer::Announce() {
  const remote::ServerLink link(options_.tracker, options_.credentials, options_.build);
  if (!link.hello().is_tracker())
    throw Error(link.name(), "", "", "is a server of devices, and no tracker");
  grpc::ClientContext context;
  link.Prepare(context);
  const auto stub = wire::Devices::NewStub(link.channel());
  const auto stream = stub->Announce(&context);
  answers_ = 0, has_ended_ = false;
  grpc::Status status;
  std::thread reader([&] {
    wire::AnnounceReply reply;
    while (stream->Read(&reply)) {
      const std::lock_guard lock(mutex_);
      if (answers_ == 0)
        Log(StrCat("tracker ", link.name(), " sends clients to ", Visible(reply.address())));
      ++answers_, joined_ = true;
      beat_s_ = std::clamp(reply.beat_s(), 0.01, 3600.0);
      changed_.notify_all();
    }
    status = stream->Finish();
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  });
  for (int64_t number = 1;; ++number) {
    const int64_t seen = leases_.WaitForChange(-1, {});  // what comes from here on is told next
    if (!stream->Write(Message(number == 1)) || !WaitForAnswer(number)) break;
    leases_.WaitForChange(seen, Pause());
  }
  bool is_silent = false;
  {
    const std::lock_guard lock(mutex_);
    is_silent = !has_ended_ && !stops_;
  }
  context.TryCancel();
  reader.join();
  if (is_silent && !status.ok() && status.error_code() == grpc::StatusCode::CANCELLED)
    throw Error(link.name(), "", "",
                StrCat("does not answer for ", remote::SecondsText(remote::kAnswerLimit)));
  link.Throw(status);
}

}  // namespace vta::serve
