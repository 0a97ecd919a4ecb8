#include "runtime/open_session.h"

#include <utility>

#include "driver/remote/client.h"
#include "runtime/engine.h"
#include "runtime/remote_session.h"

namespace vta::runtime {
namespace {

/// Before the session, and after it.
struct OwnDevice {
  std::unique_ptr<driver::Device> device;
};

class SessionOnDevice : private OwnDevice, public Session {
 public:
  SessionOnDevice(std::shared_ptr<const Model> model, std::unique_ptr<driver::Device> owned,
                  const SessionOptions& options)
      : OwnDevice{std::move(owned)}, Session(std::move(model), OwnDevice::device.get(), options) {}
};

}  // namespace

void CheckSessionEngine(const std::string& engine) {
  if (driver::remote::IsRemote(engine))
    driver::remote::ParseAddress(engine, "--engine");
  else
    CheckEngine(engine);
}

std::unique_ptr<AnySession> OpenSession(std::shared_ptr<const Model> model,
                                        const std::string& engine, const SessionOptions& options,
                                        const ServerAccess& access) {
  if (!driver::remote::IsRemote(engine)) {
    auto device = engine.empty() ? nullptr : OpenEngine(engine, model->package());
    return std::make_unique<SessionOnDevice>(std::move(model), std::move(device), options);
  }
  std::shared_ptr<driver::remote::Client> client =
      driver::remote::Connect(driver::remote::ParseAddress(engine, "device"),
                              driver::remote::ReadCredentials(access.credentials), access.build);
  auto held = std::make_shared<driver::remote::HeldDevice>(
      std::move(client),
      driver::remote::LeaseOptions{.wait_s = access.wait_s, .holder = driver::remote::ThisHolder()},
      access.on_move);
  return std::make_unique<RemoteSession>(
      std::move(model), std::move(held),
      RemoteOptions{.apart = options.apart, .threads = options.threads});
}

}  // namespace vta::runtime
