#include "driver/functional/functional_device.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::driver {

int64_t FunctionalMemoryFor(int64_t bytes) {
  const int64_t pages =
      std::max<int64_t>(1, (bytes + kAllocationAlignment - 1) / kAllocationAlignment);
  return (1 + pages) * kAllocationAlignment;
}

// The page at address 0 stays unused, so that a base register that was never set reaches nothing.
FunctionalDevice::FunctionalDevice(const isa::Config& config, const FunctionalOptions& options)
    : id_{"functional", isa::ArchHash(config), config},
      machine_(config, options.machine),
      dram_(options.memory_bytes),
      allocator_(id_.name, kAllocationAlignment, static_cast<uint64_t>(options.memory_bytes)) {}

void FunctionalDevice::CopyIn(uint64_t address, std::span<const uint8_t> bytes) {
  allocator_.RequireInside(address, bytes.size());
  std::copy(bytes.begin(), bytes.end(), dram_.data() + address);
}

void FunctionalDevice::CopyOut(uint64_t address, std::span<uint8_t> bytes) {
  allocator_.RequireInside(address, bytes.size());
  std::copy_n(dram_.data() + address, bytes.size(), bytes.begin());
}

void FunctionalDevice::Launch(const isa::LaunchRequest& request) {
  VTA_CHECK(!launched_, "a launch is running");
  launched_ = request;
}

isa::LaunchResult FunctionalDevice::Wait(std::chrono::nanoseconds limit) {
  VTA_CHECK(launched_.has_value(), "nothing was launched");
  machine_.options().time_limit = limit;
  const isa::LaunchResult result =
      machine_.Run(*launched_, {dram_.data(), static_cast<size_t>(dram_.size())});
  launched_.reset();
  return result;
}

}  // namespace vta::driver
