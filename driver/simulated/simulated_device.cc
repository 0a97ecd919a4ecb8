#include "driver/simulated/simulated_device.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::driver {
namespace {

int64_t WholePages(int64_t bytes) {
  return (bytes + kAllocationAlignment - 1) / kAllocationAlignment * kAllocationAlignment;
}

}  // namespace

int64_t MemoryFor(int64_t bytes) {
  return kAllocationAlignment + std::max(kAllocationAlignment, WholePages(bytes));
}

int64_t MemoryFor(const isa::Package& package, int64_t sessions) {
  return sessions * (MemoryFor(package.host_bytes()) + MemoryFor(std::ssize(package.code)));
}

// The page at address 0 stays unused, so that a base register that was never set reaches nothing.
SimulatedDevice::SimulatedDevice(DeviceId id, int64_t memory_bytes)
    : id_(std::move(id)),
      dram_(WholePages(memory_bytes)),
      allocator_(id_.name, kAllocationAlignment, static_cast<uint64_t>(dram_.size())) {
  id_.is_simulated = true;
}

void SimulatedDevice::CopyIn(uint64_t address, std::span<const uint8_t> bytes) {
  allocator_.RequireInside(address, bytes.size());
  std::copy(bytes.begin(), bytes.end(), dram_.data() + address);
}

void SimulatedDevice::CopyOut(uint64_t address, std::span<uint8_t> bytes) {
  allocator_.RequireInside(address, bytes.size());
  std::copy_n(dram_.data() + address, bytes.size(), bytes.begin());
}

std::span<uint8_t> SimulatedDevice::Map(uint64_t address, int64_t bytes) {
  allocator_.RequireInside(address, static_cast<uint64_t>(bytes));
  return {dram_.data() + address, static_cast<size_t>(bytes)};
}

void SimulatedDevice::Launch(const isa::LaunchRequest& request) {
  VTA_CHECK(!launched_, "a launch is running");
  CheckLaunch(request);
  launched_ = request;
}

isa::LaunchResult SimulatedDevice::Wait(std::chrono::nanoseconds limit) {
  VTA_CHECK(launched_.has_value(), "nothing was launched");
  const isa::LaunchRequest request = *launched_;
  launched_.reset();
  return Run(request, {dram_.data(), static_cast<size_t>(dram_.size())}, limit);
}

}  // namespace vta::driver
