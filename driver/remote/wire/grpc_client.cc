#include "driver/remote/wire/grpc_client.h"

#include <grpcpp/grpcpp.h>

#include "driver/remote/vta.grpc.pb.h"
#include "driver/remote/wire/grpc_lease.h"
#include "driver/remote/wire/tracking_wire.h"

namespace vta::driver::remote {

GrpcClient::GrpcClient(const Address& address, const Credentials& credentials,
                       const std::string& build)
    : server_(address, credentials, build) {
  const wire::HelloReply& hello = server_.hello();
  build_ = hello.build(), config_json_ = hello.config(), protocol_ = hello.protocol();
  cpu_ = {hello.cpu_arch(), {hello.cpu_features().begin(), hello.cpu_features().end()}};
  is_tracker_ = hello.is_tracker();
}

ServerState GrpcClient::List() {
  grpc::ClientContext context;
  server_.Prepare(context, kConnectLimit);
  wire::ListReply reply;
  const auto stub = wire::Devices::NewStub(server_.channel());
  if (const auto status = stub->List(&context, {}, &reply); !status.ok()) server_.Throw(status);
  ServerState state = FromWire(reply);
  state.build = build_;
  state.protocol = protocol_;
  state.is_tracker = is_tracker_;
  return state;
}

std::unique_ptr<Lease> GrpcClient::Acquire(const LeaseOptions& options) {
  return OpenLease(server_, options);
}

std::string GrpcClient::Upload(std::span<const uint8_t> package) {
  grpc::ClientContext context;
  return UploadPackage(server_, context, package);
}

}  // namespace vta::driver::remote
