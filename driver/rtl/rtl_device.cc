#include "driver/rtl/rtl_device.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::driver {
namespace {

int64_t WholePages(int64_t bytes) {
  return (bytes + kAllocationAlignment - 1) / kAllocationAlignment * kAllocationAlignment;
}

}  // namespace

// The page at address 0 stays unused, so that a base register that was never set reaches nothing.
RtlDevice::RtlDevice(const isa::Config& config, int64_t memory_bytes,
                     const sim::RtlOptions& options)
    : id_{"rtl", 0, config},
      machine_(config, options),
      dram_(WholePages(memory_bytes)),
      allocator_(id_.name, kAllocationAlignment, static_cast<uint64_t>(dram_.size())) {
  id_.arch_hash = machine_.ReadRegister(isa::Register::kArchHashLow) |
                  uint64_t{machine_.ReadRegister(isa::Register::kArchHashHigh)} << 32;
}

void RtlDevice::CopyIn(uint64_t address, std::span<const uint8_t> bytes) {
  allocator_.RequireInside(address, bytes.size());
  std::copy(bytes.begin(), bytes.end(), dram_.data() + address);
}

void RtlDevice::CopyOut(uint64_t address, std::span<uint8_t> bytes) {
  allocator_.RequireInside(address, bytes.size());
  std::copy_n(dram_.data() + address, bytes.size(), bytes.begin());
}

void RtlDevice::Launch(const isa::LaunchRequest& request) {
  VTA_CHECK(!launched_, "a launch is running");
  machine_.CheckLaunch(request);
  launched_ = request;
}

isa::LaunchResult RtlDevice::Wait(std::chrono::nanoseconds limit) {
  VTA_CHECK(launched_.has_value(), "nothing was launched");
  machine_.options().time_limit = limit;
  const isa::LaunchResult result =
      machine_.Run(*launched_, {dram_.data(), static_cast<size_t>(dram_.size())});
  launched_.reset();
  return result;
}

}  // namespace vta::driver
