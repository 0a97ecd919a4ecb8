#include "tools/serve/lease_process.h"

#include <sys/prctl.h>

#include <string>

#include "driver/remote/wire/stub.h"
#include "tools/serve/frames.h"

namespace vta::serve {

void ServeLease(const ServeOptions& options, size_t device, int socket) {
  prctl(PR_SET_NAME, "vta-lease-next");
  const auto worker = options.make_worker(device);
  for (std::string request; ReceiveFrame(socket, request);) {
    prctl(PR_SET_NAME, "vta-lease");
    const std::string reply = driver::remote::Answer(request, *worker);
    if (!SendFrame(socket, (worker->HasFaulted() ? kFaulted : kGood) + reply)) return;
  }
}

}  // namespace vta::serve
