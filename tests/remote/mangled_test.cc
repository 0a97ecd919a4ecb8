// Bytes that are no messages, or not those that a call begins with, to each call of a server and of
// a tracker: it answers, or ends the call, and serves on.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "driver/remote/protocol.h"
#include "driver/remote/vta.pb.h"
#include "tests/remote/fake_server.h"

namespace vta::serve {
namespace {

namespace wire = ::vta::remote;
using namespace std::chrono_literals;

/// A call whose messages are bytes of ours, and what its answers were, until it ends or `limit`.
class RawCall {
 public:
  RawCall(const std::shared_ptr<grpc::Channel>& channel, const std::string& method)
      : stub_(channel),
        call_(stub_.PrepareCall(&context_, "/vta.remote.Devices/" + method, &queue_)) {
    context_.set_deadline(std::chrono::system_clock::now() + 20s);
    call_->StartCall(Tag());
    Wait();
  }
  ~RawCall() {
    context_.TryCancel();
    queue_.Shutdown();
    void* tag = nullptr;
    for (bool good = false; queue_.Next(&tag, &good);) {
    }
  }
  RawCall(const RawCall&) = delete;
  RawCall& operator=(const RawCall&) = delete;

  bool Write(const std::string& bytes) {
    const grpc::Slice slice(bytes);
    call_->Write(grpc::ByteBuffer(&slice, 1), Tag());
    return Wait();
  }
  grpc::Status Finish() {
    call_->WritesDone(Tag());
    Wait();
    grpc::ByteBuffer answer;
    do call_->Read(&answer, Tag());
    while (Wait());
    grpc::Status status;
    call_->Finish(&status, Tag());
    Wait();
    return status;
  }

 private:
  void* Tag() { return this; }
  bool Wait() {
    void* tag = nullptr;
    bool good = false;
    return queue_.Next(&tag, &good) && good;
  }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
};

std::string Mangled(std::string bytes, std::mt19937_64& random) {
  for (size_t changes = 1 + random() % 4; changes > 0; --changes) {
    const size_t at = random() % (bytes.size() + 1);
    switch (random() % 4) {
      case 0:
        bytes.insert(at, 1, static_cast<char>(random()));
        break;
      case 1:
        bytes.erase(at, random() % 4);
        break;
      case 2:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      default:
        bytes.insert(at, bytes.substr(at, random() % 16));
    }
  }
  return bytes;
}

struct CallOfServer {
  const char* method;
  std::vector<std::string> messages;
};

std::vector<CallOfServer> Calls() {
  wire::HelloRequest hello;
  hello.set_protocol(driver::remote::kProtocol);
  hello.set_build("test");
  wire::LeaseRequest ask, beat;
  ask.mutable_ask()->set_key("fake");
  ask.mutable_ask()->set_holder("test");
  beat.set_beat(1);
  wire::UploadRequest begin, data;
  begin.mutable_begin()->set_sha256(std::string(64, 'a'));
  begin.mutable_begin()->set_size(16);
  data.set_data("0123456789abcdef");
  wire::Request request;
  request.set_allocate(1);
  wire::Piece piece;
  piece.set_fence(1);
  piece.set_secret("secret");
  piece.set_data(request.SerializeAsString());
  piece.set_size(std::ssize(piece.data()));
  return {{"Hello", {hello.SerializeAsString()}},
          {"List", {""}},
          {"Lease", {ask.SerializeAsString(), beat.SerializeAsString()}},
          {"Upload", {begin.SerializeAsString(), data.SerializeAsString()}},
          {"Call", {piece.SerializeAsString()}},
          {"Nothing", {""}}};
}

std::vector<CallOfServer> CallsOfTracker() {
  wire::Announcement joins, beats;
  joins.mutable_server()->set_protocol(driver::remote::kProtocol);
  joins.mutable_server()->set_port(4000);
  joins.mutable_state()->add_devices()->set_key("fake");
  *beats.mutable_state() = joins.state();
  wire::FindRequest find;
  find.set_key("fake");
  find.add_avoid("127.0.0.1:4001");
  return {{"Announce", {joins.SerializeAsString(), beats.SerializeAsString()}},
          {"Find", {find.SerializeAsString()}},
          {"List", {""}}};
}

/// Some of each, good and mangled; then one of each that is too large.
void TryAll(const FakeServer& server, const std::vector<CallOfServer>& calls) {
  constexpr int kRounds = 40;
  const char* const given = std::getenv("VTA_TEST_SEED");
  const uint64_t seed = given ? std::strtoull(given, nullptr, 10) : 1;
  std::mt19937_64 random(seed);
  const auto channel =
      grpc::CreateChannel(server.address().HostPort(), grpc::InsecureChannelCredentials());
  for (int round = 0; round < kRounds; ++round)
    for (const CallOfServer& call : calls) {
      SCOPED_TRACE(testing::Message()
                   << "seed " << seed << ", round " << round << ", " << call.method);
      RawCall raw(channel, call.method);
      for (const std::string& message : call.messages)
        if (!raw.Write(random() % 2 == 0 ? message : Mangled(message, random))) break;
      EXPECT_NE(raw.Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
    }
  for (const CallOfServer& call : calls) {
    if (std::string_view(call.method) == "Nothing") continue;
    RawCall raw(channel, call.method);
    raw.Write(std::string(driver::remote::kMostMessageBytes + 1, '\0'));
    EXPECT_EQ(raw.Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << call.method;
  }
}

TEST(MangledMessages, OfEachCallLeaveTheServerAsItWas) {
  const FakeServer server({"beat=0.2"});
  TryAll(server, Calls());
  server.WaitFor([](const auto& device) { return device.state == "free"; });
  EXPECT_EQ(server.Connect()->Acquire({})->worker().Allocate(1), 1u);
}

TEST(MangledMessages, OfEachCallLeaveTheTrackerAsItWas) {
  const FakeServer tracker({"track"}), server({tracker.TrackerWord()});
  TryAll(tracker, CallsOfTracker());
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (tracker.Connect()->List().servers != 1)
    ASSERT_LT(std::chrono::steady_clock::now(), end) << tracker.Connect()->List().servers;
  EXPECT_EQ(tracker.Connect()->Acquire({})->server(), server.address().Name());
}

}  // namespace
}  // namespace vta::serve
