// What the library gives to clients.
#include <grpc/support/log.h>

#include "driver/remote/wire/tracked_client.h"

namespace vta::driver::remote {

extern "C" Client* vta_remote_connect(const Address& address, const Credentials& credentials,
                                      const std::string& build) {
  gpr_set_log_function([](gpr_log_func_args*) {});  // errors are ours to say
  auto client = std::make_unique<GrpcClient>(address, credentials, build);
  if (!client->is_tracker()) return client.release();
  return new TrackedClient(std::move(client), address, credentials, build);
}

}  // namespace vta::driver::remote
