// The devices of all platforms, and what they are.
#pragma once

#include <cstdint>
#include <string>

#include "driver/opencl/opencl_api.h"

namespace vta::driver::opencl {

/// What is known of a device.
struct DeviceFacts {
  std::string name, language;  // "OpenCL C 1.2 ...": the number of the version alone
  std::string driver;          // its version, and the device's
  uint64_t memory_bytes = 0, most_buffer_bytes = 0, local_bytes = 0;
  size_t most_threads = 0;
  bool divides_rightly = false;  // quotients and roots of floats are rounded as IEEE 754 wants

  /// Whether it compiles a version of OpenCL C: "1.2".
  bool Compiles(const std::string& least) const;
};

DeviceFacts FactsOf(const Api& api, DeviceHandle device);

/// The device of that number, counted over all platforms in their order.
/// Errors: throws Error where there is no platform, or no such device.
DeviceHandle FindDevice(const Api& api, int64_t ordinal);

}  // namespace vta::driver::opencl
