#include "tools/serve/lease_process.h"

#include <string>

#include "driver/remote/wire/stub.h"
#include "tools/serve/frames.h"

namespace vta::serve {

void ServeLease(const ServeOptions& options, size_t device, int socket) {
  const auto worker = options.make_worker(device);
  for (std::string request; ReceiveFrame(socket, request);) {
    const std::string reply = driver::remote::Answer(request, *worker);
    if (!SendFrame(socket, (worker->HasFaulted() ? kFaulted : kGood) + reply)) return;
  }
}

}  // namespace vta::serve
