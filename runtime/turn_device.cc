#include "runtime/turn_device.h"

namespace vta::runtime {

void TurnDevice::TakeTurn() {
  const auto start = std::chrono::steady_clock::now();
  shared_.turns.Take(number_);
  waited_ += std::chrono::steady_clock::now() - start;
}

uint64_t TurnDevice::Allocate(int64_t bytes) {
  return InTurn([&](driver::Device& device) { return device.Allocate(bytes); });
}

void TurnDevice::Free(uint64_t address) {
  InTurn([&](driver::Device& device) { device.Free(address); });
}

void TurnDevice::CopyIn(uint64_t address, std::span<const uint8_t> bytes) {
  InTurn([&](driver::Device& device) {
    const std::scoped_lock lock(shared_.syncs);
    device.CopyIn(address, bytes);
  });
}

void TurnDevice::CopyOut(uint64_t address, std::span<uint8_t> bytes) {
  InTurn([&](driver::Device& device) {
    const std::scoped_lock lock(shared_.syncs);
    device.CopyOut(address, bytes);
  });
}

std::span<uint8_t> TurnDevice::Map(uint64_t address, int64_t bytes) {
  return InTurn([&](driver::Device& device) { return device.Map(address, bytes); });
}

void TurnDevice::SyncForHost(uint64_t address, int64_t bytes) {
  const std::scoped_lock lock(shared_.syncs);
  shared_.device.SyncForHost(address, bytes);
}

void TurnDevice::SyncForDevice(uint64_t address, int64_t bytes) {
  const std::scoped_lock lock(shared_.syncs);
  shared_.device.SyncForDevice(address, bytes);
}

std::optional<uint32_t> TurnDevice::ReadRegister(isa::Register first, int64_t word) {
  return InTurn([&](driver::Device& device) { return device.ReadRegister(first, word); });
}

// The turn is given back by Wait; where the launch fails there is none.
void TurnDevice::Launch(const isa::LaunchRequest& request) {
  TakeTurn();
  try {
    shared_.device.Launch(request);
  } catch (...) {
    shared_.turns.Give();
    throw;
  }
}

isa::LaunchResult TurnDevice::Wait(std::chrono::nanoseconds limit) {
  const Ended ended{shared_.turns};
  return shared_.device.Wait(limit);
}

}  // namespace vta::runtime
