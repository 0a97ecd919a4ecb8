// Clients of a server on loopback, good ones and bad ones.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <thread>

#include "driver/remote/protocol.h"
#include "driver/remote/vta.grpc.pb.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/sha256.h"
#include "isa/support/temporary.h"
#include "tests/remote/changed_errno.h"
#include "tests/remote/fake_server.h"
#include "tests/support/error_of.h"

namespace vta::driver::remote {
extern "C" Client* vta_remote_connect(const Address&, const Credentials&, const std::string& build);
}

namespace vta::serve {
namespace {

namespace wire = ::vta::remote;
using namespace driver::remote;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

std::unique_ptr<wire::Devices::Stub> Raw(const FakeServer& server) {
  return wire::Devices::NewStub(
      grpc::CreateChannel(server.address().HostPort(), grpc::InsecureChannelCredentials()));
}

/// A call of these pieces; how it ended.
grpc::Status CallOf(const FakeServer& server, const std::vector<wire::Piece>& pieces) {
  const auto stub = Raw(server);
  grpc::ClientContext context;
  const auto stream = stub->Call(&context);
  for (const wire::Piece& piece : pieces) stream->Write(piece);
  stream->WritesDone();
  wire::Piece reply;
  while (stream->Read(&reply)) {
  }
  return stream->Finish();
}

wire::Piece PieceOf(int64_t fence, int64_t size, std::string data) {
  wire::Piece piece;
  piece.set_fence(fence);
  piece.set_size(size);
  piece.set_data(std::move(data));
  return piece;
}

TEST(Server, ServesManyClientsAtOnceEachAlone) {
  const FakeServer server({"device=a/x", "device=b/x"});
  constexpr int kClients = 64;
  std::atomic<int> good = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i)
    clients.emplace_back([&] {
      const std::string error = ErrorOf([&] {
        const auto client = server.Connect();
        const auto lease = client->Acquire({.wait_s = 60, .holder = "one of many"});
        good += lease->worker().Allocate(1) == 1 && lease->worker().Allocate(1) == 2;
      });
      EXPECT_EQ(error, "no error");
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, kClients);
}

TEST(Server, IsFoundThoughErrnoChangesWhileItIsConnectedTo) {
  const FakeServer server;
  changed_connections = 2;
  EXPECT_EQ(server.Connect()->Acquire({})->fence(), 1);
  if (changed_connections == 1) {
    changed_connections = 0;
    GTEST_SKIP() << "gRPC " << grpc::Version() << " reads errno at once";
  }
  EXPECT_EQ(changed_connections, 0);
  changed_connections = 100;
  EXPECT_THAT(ErrorOf([&] { server.Connect(); }),
              AllOf(HasSubstr("cannot be reached"), HasSubstr("No such file or directory")));
  changed_connections = 0;
}

TEST(Server, ServesAThousandClientsOneAfterTheOther) {
  const FakeServer server;
  constexpr int kClients = 1000;
  for (int i = 0; i < kClients; ++i) {
    const auto client = server.Connect();
    const auto lease = client->Acquire({.wait_s = 60});
    ASSERT_EQ(lease->fence(), i + 1);
    ASSERT_EQ(lease->worker().Allocate(1), 1u);
  }
  EXPECT_EQ(server.WaitFor([](const auto& device) { return device.state == "free"; }).leases,
            kClients);
}

TEST(Server, PackagesAndRunsCrossWhole) {
  const FakeServer server;
  const auto client = server.Connect();
  const std::vector<uint8_t> package(700'000, 3);
  EXPECT_EQ(client->Upload(package), Sha256(package));
  EXPECT_EQ(client->List().cache_bytes, 700'000);
  EXPECT_EQ(client->Upload(package), Sha256(package));  // which is there
  const auto lease = client->Acquire({});
  Worker& worker = lease->worker();
  EXPECT_EQ(worker.OpenSession({Sha256(package), "p.vta"}).session, 1);
  EXPECT_EQ(ErrorOf([&] {
              worker.OpenSession({Sha256({}), "p.vta"});
            }),
            StrCat(server.address().Name(), ": p.vta: SHA-256 = ", Sha256({}), ": is not here"));
  std::vector<Bytes> inputs = {Bytes(3'000'000, 1), {}, {7}};
  const RunReply run = worker.Run({1, inputs});
  EXPECT_EQ(run.outputs, inputs);
  ASSERT_EQ(run.steps.size(), 1u);
  EXPECT_EQ(run.steps[0].counters.time->cycles, 11);
  EXPECT_EQ(run.steps[0].counters.causes->path[1][2], 5);
  const isa::LaunchResult launch = worker.Launch({.instruction_count = 4}, 1s);
  EXPECT_EQ(launch.outcome, isa::Outcome::kDeadlock);
  EXPECT_EQ(launch.modules[2].index, 4);
  EXPECT_EQ(launch.fetch.full, isa::Module::kCompute);
  EXPECT_EQ(launch.parts.at(0).time.cycles, 9);
  EXPECT_EQ(worker.Time({1, {}, 6}).number, 6);
}

TEST(Server, WhatIsMalformedIsRefusedAndNobodyElseSeesIt) {
  const FakeServer server({"cache=1000"});
  const auto client = server.Connect();
  const auto lease = client->Acquire({});
  // Calls: no pieces, a wrong size, more than was said, too large, of a lease that is none.
  for (const auto& [pieces, says] : std::vector<std::pair<std::vector<wire::Piece>, const char*>>{
           {{}, "must begin with a size"},
           {{PieceOf(1, -1, "")}, "must begin with a size"},
           {{PieceOf(1, kMostCallBytes + 1, "")}, "must begin with a size"},
           {{PieceOf(1, 5, "abc")}, "must have 5 bytes"},
           {{PieceOf(1, 2, "abc")}, "must have 2 bytes"},
           {{PieceOf(1, 2, "a"), PieceOf(1, 2, "bc")}, "must have 2 bytes"},
           {{PieceOf(1, kMostMessageBytes + 1, std::string(kMostMessageBytes + 1, 'x'))}, ""},
           {{PieceOf(1, 1, "x")}, "is not that of who calls"},
           {{PieceOf(77, 1, "x")}, "lease 77: is none of this server"}}) {
    const grpc::Status status = CallOf(server, pieces);
    EXPECT_FALSE(status.ok()) << says;
    EXPECT_THAT(status.error_message(), HasSubstr(says));
  }
  const auto stub = Raw(server);
  {
    grpc::ClientContext context;
    const auto stream = stub->Lease(&context);
    stream->Write({});
    EXPECT_THAT(stream->Finish().error_message(), HasSubstr("must begin with what is asked for"));
  }
  for (const bool begins : {false, true}) {
    grpc::ClientContext context;
    const auto stream = stub->Upload(&context);
    wire::UploadRequest request;
    if (begins) {
      request.mutable_begin()->set_sha256(std::string(64, 'a'));
      request.mutable_begin()->set_size(1001);
    }
    stream->Write(request);
    stream->WritesDone();
    EXPECT_THAT(stream->Finish().error_message(),
                HasSubstr(begins ? "must be at most 1000" : "must begin with a SHA-256"));
  }
  EXPECT_EQ(lease->worker().Allocate(1), 1u);
}

TEST(Server, RequestsThatAreNoneAreFailuresOfTheirCall) {
  const FakeServer server;
  const auto stub = Raw(server);
  grpc::ClientContext context;
  const auto stream = stub->Lease(&context);
  wire::LeaseRequest ask;
  ask.mutable_ask()->set_wait_s(10);
  stream->Write(ask);
  wire::LeaseReply granted;
  ASSERT_TRUE(stream->Read(&granted) && granted.has_granted());
  wire::Request launch;
  launch.mutable_launch()->set_instruction_count(-1);
  for (const auto& [request, says] : {std::pair{std::string("\xff\xff\xff"), "is none"},
                                      {std::string(), "asks for nothing"},
                                      {launch.SerializeAsString(), "negative count"}}) {
    grpc::ClientContext call;
    const auto calls = stub->Call(&call);
    wire::Piece piece = PieceOf(granted.granted().fence(), std::ssize(request), request);
    piece.set_secret(granted.granted().secret());
    calls->WriteLast(piece, {});
    std::string bytes;
    while (calls->Read(&piece)) bytes += piece.data();
    EXPECT_TRUE(calls->Finish().ok());
    wire::Reply reply;
    ASSERT_TRUE(reply.ParseFromString(bytes));
    EXPECT_THAT(reply.failure().rule(), HasSubstr(says));
  }
  stream->WritesDone();
}

TEST(Server, AnUploadThatBreaksOffIsResumed) {
  const FakeServer server;
  const std::string package(500'000, 'p');
  const std::string sha256 =
      Sha256({reinterpret_cast<const uint8_t*>(package.data()), package.size()});
  const auto stub = Raw(server);
  wire::UploadRequest begin, data;
  begin.mutable_begin()->set_sha256(sha256);
  begin.mutable_begin()->set_size(std::ssize(package));
  data.set_data(package.substr(0, 200'000));
  wire::UploadReply reply;
  {
    grpc::ClientContext context;
    const auto stream = stub->Upload(&context);
    stream->Write(begin);
    ASSERT_TRUE(stream->Read(&reply));
    EXPECT_EQ(reply.have(), 0);
    stream->Write(data);
    stream->WritesDone();
    EXPECT_THAT(stream->Finish().error_message(), HasSubstr("bytes = 200000"));
  }
  grpc::ClientContext context;
  const auto stream = stub->Upload(&context);
  stream->Write(begin);
  ASSERT_TRUE(stream->Read(&reply));
  EXPECT_EQ(reply.have(), 200'000);
  data.set_data(package.substr(200'000));
  stream->Write(data);
  stream->WritesDone();
  ASSERT_TRUE(stream->Read(&reply));
  EXPECT_EQ(reply.sha256(), sha256);
  EXPECT_TRUE(stream->Finish().ok());
}

TEST(Server, ATokenIsWantedAndNeverSaid) {
  const std::string token = "aVerySecretToken";
  const Temporary folder(NewTemporaryFolder("vta-token-test"));
  const std::string file = folder.path() + "/token";
  WriteFileAtomically(file, token);
  const FakeServer server({"token=" + file});
  const std::string name = server.address().Name();
  EXPECT_EQ(ErrorOf([&] { server.Connect(); }),
            name + ": wants a token, and none is shown: --credentials names the folder with it");
  EXPECT_EQ(ErrorOf([&] { server.Connect({.token = "aVerySecretTokem"}); }),
            name + ": refuses the token");
  EXPECT_EQ(ErrorOf([&] { server.Connect({.token = token}); }), "no error");
  wire::ListReply list;
  grpc::ClientContext context;
  EXPECT_EQ(Raw(server)->List(&context, {}, &list).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  grpc::ClientContext lease_context, upload_context;
  EXPECT_EQ(Raw(server)->Lease(&lease_context)->Finish().error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Raw(server)->Upload(&upload_context)->Finish().error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(CallOf(server, {PieceOf(1, 0, "")}).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_THAT(ReadTextFile(server.folder() + ".log"),
              AllOf(HasSubstr("shows a wrong token"), testing::Not(HasSubstr("VerySecret"))));
}

/// A server of another version.
class OtherVersion final : public wire::Devices::Service {
  grpc::Status Hello(grpc::ServerContext*, const wire::HelloRequest*,
                     wire::HelloReply* reply) override {
    reply->set_protocol(kProtocol + 1);
    reply->set_build("vta 9.9.9");
    return grpc::Status::OK;
  }
};

TEST(Server, SaysHowWarmABoardIs) {
  EXPECT_EQ(FakeServer({"device=uio/x"}).Device().temperature_c, 41.5);
  EXPECT_EQ(FakeServer({"device=cycle/x"}).Device().temperature_c, std::nullopt);
}

TEST(Server, OfAnotherVersionIsNamedWithBoth) {
  OtherVersion service;
  int port = 0;
  const auto server = grpc::ServerBuilder()
                          .AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port)
                          .RegisterService(&service)
                          .BuildAndStart();
  const Address address{"127.0.0.1", "", port};
  EXPECT_EQ(ErrorOf([&] { delete vta_remote_connect(address, {}, "vta 1.2.3"); }),
            StrCat(address.Name(), ": protocol = ", kProtocol + 1,
                   ": is that of vta 9.9.9; this is vta 1.2.3, of protocol ", kProtocol));
}

TEST(Server, AClientThatIsNoMoreGivesItsDeviceBackAtOnce) {
  const FakeServer server;
  const auto stub = Raw(server);
  {
    grpc::ClientContext context;
    const auto stream = stub->Lease(&context);
    wire::LeaseRequest ask;
    ask.mutable_ask()->set_wait_s(10);
    stream->Write(ask);
    wire::LeaseReply granted;
    ASSERT_TRUE(stream->Read(&granted));
    context.TryCancel();
    stream->Finish();
  }
  server.WaitFor([](const auto& device) { return device.state == "free"; });
}

TEST(Server, ACallInARevokedLeaseSaysWhy) {
  const FakeServer server({"limit=0.3"});
  const auto client = server.Connect();
  const auto lease = client->Acquire({});
  const std::string why =
      server.address().Name() + ": lease 1 was revoked: it lasted 0.3 s, which is the limit";
  EXPECT_EQ(ErrorOf([&] { lease->worker().Free(1); }), why);
  EXPECT_EQ(ErrorOf([&] { lease->worker().Allocate(1); }), why);
  server.WaitFor([](const auto& device) { return device.self_test_s.has_value(); });
}

TEST(Server, IsNamedWhenItDiesInACall) {
  FakeServer server;
  const auto client = server.Connect();
  const auto lease = client->Acquire({});
  std::thread killer([&] {
    std::this_thread::sleep_for(50ms);
    kill(server.pid(), SIGKILL);
  });
  EXPECT_THAT(ErrorOf([&] { lease->worker().Free(1); }),
              AllOf(HasSubstr(server.address().Name() + ": "), HasSubstr("lease 1")));
  killer.join();
}

TEST(Server, ThatIsFrozenIsGivenUp) {
  FakeServer server;
  const auto client = server.Connect();
  const auto lease = client->Acquire({});
  kill(server.pid(), SIGSTOP);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(ErrorOf([&] { lease->worker().Free(1); }),
            server.address().Name() + ": does not answer for 10 s");
  EXPECT_EQ(ErrorOf([&] { client->List(); }),
            server.address().Name() + ": did not answer within 5 s: it may be no vta server");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
}

}  // namespace
}  // namespace vta::serve
