#include "driver/remote/remote_device.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"

namespace vta::driver::remote {
namespace {

constexpr size_t kCopyBytes = size_t{1} << 26;  // in a call

}  // namespace

RemoteDevice::RemoteDevice(std::shared_ptr<HeldDevice> held, const isa::Config& config,
                           int64_t memory_bytes)
    : held_(std::move(held)),
      config_json_(isa::ConfigToJson(config)),
      memory_bytes_(memory_bytes),
      lease_(held_->lease()) {
  Open();
}

// Nothing is in it yet: any will do.
void RemoteDevice::Open() {
  for (int losses = 0;; ++losses) {
    try {
      id_ = lease_->worker().OpenDevice(config_json_, memory_bytes_);
      return;
    } catch (const ServerLost& error) {
      if (losses == HeldDevice::kMostLosses) throw;
      lease_ = held_->Replace(lease_, error);
    }
  }
}

void RemoteDevice::TakeAnother(const ServerLost& error) {
  launched_.reset();
  lease_ = held_->Replace(lease_, error);
  Open();
}

void RemoteDevice::Free(uint64_t address) {
  try {
    lease_->worker().Free(address);
  } catch (const Error&) {
    // The lease has ended, and all memory with it: whoever calls is told by another call.
  }
}

void RemoteDevice::CopyIn(uint64_t address, std::span<const uint8_t> bytes) {
  for (size_t at = 0; at < bytes.size(); at += kCopyBytes)
    lease_->worker().CopyIn(address + at,
                            bytes.subspan(at, std::min(kCopyBytes, bytes.size() - at)));
}

void RemoteDevice::CopyOut(uint64_t address, std::span<uint8_t> bytes) {
  for (size_t at = 0; at < bytes.size(); at += kCopyBytes)
    lease_->worker().CopyOut(address + at,
                             bytes.subspan(at, std::min(kCopyBytes, bytes.size() - at)));
}

isa::LaunchResult RemoteDevice::Wait(std::chrono::nanoseconds limit) {
  VTA_CHECK(launched_, "Wait without Launch");
  return lease_->worker().Launch(*std::exchange(launched_, std::nullopt), limit);
}

}  // namespace vta::driver::remote
