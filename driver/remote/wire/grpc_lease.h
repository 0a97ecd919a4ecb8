// A lease of a server's device, over gRPC.
#pragma once

#include <memory>

#include "driver/remote/wire/server_link.h"

namespace vta::driver::remote {

/// `server` must outlive it. Errors: as Client::Acquire.
std::unique_ptr<Lease> OpenLease(const ServerLink& server, const LeaseOptions& options);

}  // namespace vta::driver::remote
