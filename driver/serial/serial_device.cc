#include "driver/serial/serial_device.h"

#include <algorithm>
#include <utility>

#include "driver/numbered_path.h"
#include "driver/serial/tty.h"
#include "isa/support/error.h"

namespace vta::driver {
namespace {

using isa::Register;

constexpr uint32_t kDefaultBaud = 115200;
constexpr uint64_t kWordBytes = isa::serial::kMemoryWordBytes;

}  // namespace

SerialDevice::SerialDevice(std::unique_ptr<ByteLine> line, const isa::Config& config)
    : RegisterDevice(line->name(), config),
      link_(std::move(line)),
      port_(link_),
      allocator_(
          name(), link_.identity().memory_base,
          link_.identity().memory_base + static_cast<uint64_t>(link_.identity().memory_bytes)) {
  Attach(port_, false, static_cast<double>(link_.identity().clock_hz) / 1e6);
}

SerialDevice::~SerialDevice() {
  Detach();
  try {
    port_.Flush();
  } catch (const std::exception&) {  // it was reported
  }
}

uint64_t SerialDevice::Allocate(int64_t bytes) {
  const uint64_t address = allocator_.Allocate(bytes);
  try {
    link_.ClearMemory(address, (bytes + kWordBytes - 1) / kWordBytes * kWordBytes);
  } catch (...) {
    allocator_.Free(address);
    throw;
  }
  return address;
}

// The words at either end keep what they have beside the bytes.
void SerialDevice::CopyIn(uint64_t address, std::span<const uint8_t> bytes) {
  allocator_.RequireInside(address, bytes.size());
  if (bytes.empty()) return;
  const uint64_t begin = address / kWordBytes * kWordBytes;
  const uint64_t end = (address + bytes.size() + kWordBytes - 1) / kWordBytes * kWordBytes;
  if (begin == address && end == address + bytes.size()) {
    link_.WriteMemory(address, bytes);
    return;
  }
  std::vector<uint8_t> words(end - begin);
  const auto all = std::span(words);
  link_.ReadMemory(begin, all.first(kWordBytes));
  if (words.size() > kWordBytes) link_.ReadMemory(end - kWordBytes, all.last(kWordBytes));
  std::copy(bytes.begin(), bytes.end(), all.begin() + static_cast<int64_t>(address - begin));
  link_.WriteMemory(begin, words);
}

void SerialDevice::CopyOut(uint64_t address, std::span<uint8_t> bytes) {
  allocator_.RequireInside(address, bytes.size());
  if (bytes.empty()) return;
  const uint64_t begin = address / kWordBytes * kWordBytes;
  std::vector<uint8_t> words((address + bytes.size() - begin + kWordBytes - 1) / kWordBytes *
                             kWordBytes);
  link_.ReadMemory(begin, words);
  std::copy_n(words.begin() + static_cast<int64_t>(address - begin), bytes.size(), bytes.begin());
}

uint32_t SerialDevice::Port::ReadWord(uint32_t offset) {
  Flush();
  const isa::RegisterSpec* const row = isa::FindRegister(offset);
  if (ended_ && row && (row->offset == Register::kModule || row->offset == Register::kCounter))
    return ReadOfEnded(*row, offset);
  const uint32_t value = link_.ReadRegisters(offset, 1).front();
  if (offset == static_cast<uint32_t>(Register::kStatus))
    ended_ = (value & isa::kStatusDone) && !(value & isa::kStatusBusy);
  return value;
}

uint32_t SerialDevice::Port::ReadOfEnded(const isa::RegisterSpec& row, uint32_t offset) {
  const auto first = static_cast<uint32_t>(row.offset);
  std::vector<uint32_t>& words = ended_words_[row.offset];
  if (words.empty()) words = link_.ReadRegisters(first, row.count);
  return words[(offset - first) / 4];
}

void SerialDevice::Port::WriteWord(uint32_t offset, uint32_t value) {
  ended_ = false;
  ended_words_.clear();
  if (!waiting_.empty() && offset != first_ + 4 * waiting_.size()) Flush();
  if (waiting_.empty()) first_ = offset;
  waiting_.push_back(value);
  const isa::RegisterSpec* const row = isa::FindRegister(offset);
  if (!row || row->access != isa::Access::kReadWrite) Flush();
}

void SerialDevice::Port::Flush() {
  if (waiting_.empty()) return;
  const std::vector<uint32_t> values = std::exchange(waiting_, {});
  link_.WriteRegisters(first_, values);
}

NumberedPath ParseSerial(const std::string& where) {
  NumberedPath place = ParseNumberedPath(where, kSerialUsage);
  place.number = place.number.value_or(kDefaultBaud);
  std::string speeds;
  for (const int64_t speed : TtySpeeds()) {
    if (speed == *place.number) return place;
    speeds += StrCat(speeds.empty() ? "" : ", ", speed);
  }
  throw Error("--engine", "", StrCat("serial:", where), "must have a baud of " + speeds);
}

std::unique_ptr<Device> OpenSerial(const std::string& where, const isa::Config& config) {
  const NumberedPath place = ParseSerial(where);
  auto line = std::make_unique<Tty>(place.path, *place.number);
  return std::make_unique<SerialDevice>(std::move(line), config);
}

}  // namespace vta::driver
