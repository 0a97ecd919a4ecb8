#include "driver/remote/held_device.h"

#include <utility>

#include "isa/support/error.h"

namespace vta::driver::remote {

HeldDevice::HeldDevice(std::shared_ptr<Client> client, const LeaseOptions& options,
                       std::function<void(const std::string&)> on_move)
    : client_(std::move(client)),
      options_(options),
      on_move_(std::move(on_move)),
      may_move_(client_->is_tracker()),
      lease_(client_->Acquire(options_)) {}

HeldDevice::HeldDevice(std::shared_ptr<Client> client, std::shared_ptr<Lease> lease)
    : client_(std::move(client)), may_move_(false), lease_(std::move(lease)) {}

std::shared_ptr<Lease> HeldDevice::lease() const {
  const std::lock_guard lock(mutex_);
  return lease_;
}

std::shared_ptr<Lease> HeldDevice::Replace(const std::shared_ptr<Lease>& lost,
                                           const ServerLost& error) {
  if (!may_move_) throw error;
  const std::lock_guard lock(mutex_);
  if (lease_ != lost) return lease_;
  if (failure_) std::rethrow_exception(failure_);
  try {
    lease_ = client_->Acquire(options_);
  } catch (const Error& none) {
    failure_ =
        std::make_exception_ptr(Error(error.where(), error.subject(), error.value(),
                                      StrCat(error.rule(), "; there is no other: ", none.what())));
    std::rethrow_exception(failure_);
  }
  if (on_move_)
    on_move_(StrCat(error.what(), "; what was asked for is repeated on ", lease_->server()));
  return lease_;
}

}  // namespace vta::driver::remote
