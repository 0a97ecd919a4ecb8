#include "driver/opencl/device.h"

#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "isa/support/error.h"

namespace vta::driver::opencl {
namespace {

template <typename T>
T Ask(const Api& api, DeviceHandle device, uint32_t what) {
  T value{};
  api.GetDeviceInfo(device, what, sizeof(value), &value, nullptr);
  return value;
}

std::string AskText(const Api& api, DeviceHandle device, uint32_t what) {
  std::array<char, 1024> text{};
  api.GetDeviceInfo(device, what, text.size() - 1, text.data(), nullptr);
  return text.data();
}

/// Of a version "1.2", so that later ones are greater; 0 of what is none.
int NumberOf(const std::string& version) {
  const size_t dot = version.find('.');
  if (dot == std::string::npos) return 0;
  return 100 * std::atoi(version.c_str()) + std::atoi(version.c_str() + dot + 1);
}

}  // namespace

bool DeviceFacts::Compiles(const std::string& least) const {
  return NumberOf(language) >= NumberOf(least);
}

DeviceFacts FactsOf(const Api& api, DeviceHandle device) {
  DeviceFacts facts;
  facts.name = AskText(api, device, kDeviceName);
  const std::string language = AskText(api, device, kLanguageVersion);
  constexpr std::string_view kBefore = "OpenCL C ";
  if (language.starts_with(kBefore))
    facts.language =
        language.substr(kBefore.size(), language.find(' ', kBefore.size()) - kBefore.size());
  facts.driver =
      StrCat(AskText(api, device, kDriverVersion), ", ", AskText(api, device, kDeviceVersion));
  facts.memory_bytes = Ask<uint64_t>(api, device, kGlobalMemory);
  facts.most_buffer_bytes = Ask<uint64_t>(api, device, kMaxAllocation);
  facts.local_bytes = Ask<uint64_t>(api, device, kLocalMemory);
  facts.most_threads = Ask<size_t>(api, device, kMaxWorkGroupSize);
  facts.divides_rightly = (Ask<Bits>(api, device, kSingleFloat) & kDividesRightly) != 0;
  return facts;
}

DeviceHandle FindDevice(const Api& api, int64_t ordinal) {
  uint32_t count = 0;
  const Status status = api.GetPlatformIDs(0, nullptr, &count);
  if (status == kNoPlatform || (status == kSuccess && count == 0))
    throw Error("", "OpenCL", "", "there is no platform: no driver of a device is installed");
  if (status != kSuccess)
    throw Error("", "OpenCL", "", StrCat("cannot be used: ", Describe(status)));
  std::vector<Platform> platforms(count);
  api.GetPlatformIDs(count, platforms.data(), nullptr);
  std::vector<DeviceHandle> all;
  for (const Platform platform : platforms) {
    uint32_t here = 0;
    if (api.GetDeviceIDs(platform, kAllDevices, 0, nullptr, &here) != kSuccess) continue;
    std::vector<DeviceHandle> devices(here);
    if (api.GetDeviceIDs(platform, kAllDevices, here, devices.data(), nullptr) != kSuccess)
      continue;
    all.insert(all.end(), devices.begin(), devices.end());
  }
  if (ordinal >= std::ssize(all))
    throw Error("", "OpenCL device", std::to_string(ordinal), StrCat("there are ", all.size()));
  return all[static_cast<size_t>(ordinal)];
}

}  // namespace vta::driver::opencl
