#include "driver/uio/uio_device.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::driver::uio {
namespace {

// After so many that were lost, one after the other, the line is not connected, or not where the
// device tree says: from then on STATUS is polled.
constexpr int kMostLost = 3;

}  // namespace

UioDevice::UioDevice(const std::string& uio, const std::string& buffer, const isa::Config& config)
    : UioDevice(FindUio(uio), buffer, config) {}

UioDevice::UioDevice(const UioFolder& folder, const std::string& buffer, const isa::Config& config)
    : RegisterDevice(folder.node(), config),
      port_(folder),
      buffer_(buffer),
      allocator_(buffer_.path(), buffer_.address(), buffer_.address() + buffer_.memory().size()) {
  Attach(port_);
}

uint64_t UioDevice::OffsetOf(uint64_t address, uint64_t bytes) const {
  allocator_.RequireInside(address, bytes);
  return address - buffer_.address();
}

// The last owner's bytes are still there.
uint64_t UioDevice::Allocate(int64_t bytes) {
  const uint64_t address = allocator_.Allocate(bytes);
  const uint64_t offset = address - buffer_.address();
  const uint64_t size = static_cast<uint64_t>(bytes);
  std::ranges::fill(buffer_.memory().subspan(offset, size), uint8_t{0});
  buffer_.SyncForDevice(offset, size);
  return address;
}

// What the accelerator wrote beside the bytes, in the lines that they share, must be read first, or
// what the cache has of them would go back with the bytes.
void UioDevice::CopyIn(uint64_t address, std::span<const uint8_t> bytes) {
  const uint64_t offset = OffsetOf(address, bytes.size());
  if ((offset | bytes.size()) % DmaBuffer::kLineBytes != 0)
    buffer_.SyncForHost(offset, bytes.size());
  std::copy(bytes.begin(), bytes.end(), buffer_.memory().subspan(offset).begin());
  buffer_.SyncForDevice(offset, bytes.size());
}

void UioDevice::CopyOut(uint64_t address, std::span<uint8_t> bytes) {
  const uint64_t offset = OffsetOf(address, bytes.size());
  buffer_.SyncForHost(offset, bytes.size());
  std::copy_n(buffer_.memory().begin() + static_cast<int64_t>(offset), bytes.size(), bytes.begin());
}

std::span<uint8_t> UioDevice::Map(uint64_t address, int64_t bytes) {
  const auto size = static_cast<uint64_t>(bytes);
  return buffer_.memory().subspan(OffsetOf(address, size), size);
}

void UioDevice::SyncForHost(uint64_t address, int64_t bytes) {
  const auto size = static_cast<uint64_t>(bytes);
  buffer_.SyncForHost(OffsetOf(address, size), size);
}

void UioDevice::SyncForDevice(uint64_t address, int64_t bytes) {
  const auto size = static_cast<uint64_t>(bytes);
  buffer_.SyncForDevice(OffsetOf(address, size), size);
}

void UioDevice::WaitForInterrupt(std::chrono::nanoseconds limit) {
  if (lost_ == kMostLost) return RegisterDevice::WaitForInterrupt(limit);
  switch (port_.WaitForInterrupt(limit)) {
    case UioPort::Waited::kImpossible:
      lost_ = kMostLost;
      break;
    case UioPort::Waited::kInterrupt:
      lost_ = 0;
      break;
    case UioPort::Waited::kTimeout:
      lost_ += port_.Read(isa::Register::kInterruptStatus) & 1;
      break;
  }
}

// A buffer's name may have an @ of its own: u-dma-buf takes those of the device tree.
std::unique_ptr<Device> OpenUio(const std::string& where, const isa::Config& config) {
  const size_t at = std::min(where.find('@'), where.size());
  const std::string uio = where.substr(0, at);
  const std::string buffer = where.substr(std::min(at + 1, where.size()));
  return std::make_unique<UioDevice>(uio.empty() ? kDefaultUio : uio,
                                     buffer.empty() ? kDefaultBuffer : buffer, config);
}

}  // namespace vta::driver::uio
