// Values of ours as messages, and back.
#pragma once

#include <string>

#include "driver/remote/worker.h"
#include "isa/support/error.h"

namespace vta::remote {
class Counters;
class Device;
class LaunchResult;
class Reply_Failure;
class Request_Launch;
}  // namespace vta::remote

namespace vta::driver::remote {

namespace wire = ::vta::remote;

/// Errors: each throws Error where a message does not hold together, as a peer may send it.
void ToWire(const isa::Counters& counters, wire::Counters* out);
isa::Counters FromWire(const wire::Counters& message);
void ToWire(const isa::LaunchResult& result, wire::LaunchResult* out);
isa::LaunchResult FromWire(const wire::LaunchResult& message);
void ToWire(const isa::LaunchRequest& request, wire::Request_Launch* out);
isa::LaunchRequest FromWire(const wire::Request_Launch& message);
void ToWire(const DeviceId& id, wire::Device* out);
DeviceId FromWire(const wire::Device& message);
void ToWire(const Error& error, wire::Reply_Failure* out);
Error FromWire(const wire::Reply_Failure& message);

/// The error for what a peer should not have sent.
Error Malformed(const std::string& what, const std::string& rule);

}  // namespace vta::driver::remote
