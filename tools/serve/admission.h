// What servers and trackers have of gRPC: who may call, and where they listen.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "driver/remote/client.h"
#include "driver/remote/protocol.h"

namespace vta::serve {

/// Whether who calls shows the token, where there is one; `log` is told who does not.
grpc::Status AdmitCaller(const grpc::ServerContext& context, const driver::remote::Credentials& own,
                         const std::function<void(const std::string&)>& log);

/// A call that cannot be done, for this reason.
grpc::Status RefusedCall(const std::exception& error);

/// Errors: throws Error where it cannot listen, or a certificate is none.
std::unique_ptr<grpc::Server> ListenAt(const driver::remote::Address& listen,
                                       const driver::remote::Credentials& own,
                                       grpc::Service& service, int64_t* port);

}  // namespace vta::serve
