// What stands for driver/xrt in a build without XRT.
#include "driver/xrt/writer/make_xclbin.h"
#include "driver/xrt/xrt_device.h"
#include "isa/support/error.h"

namespace vta::driver {

void RequireXrt(const std::string& where) {
  throw Error(where, "", "",
              "this build is without XRT: it needs libxrt-dev and uuid-dev, and VTA_BUILD_XRT=ON");
}

std::unique_ptr<Device> OpenXrt(const std::string& where, const isa::Config&) {
  RequireXrt("xrt:" + where);
  return nullptr;
}

std::vector<uint8_t> MakeXclbin(const isa::Config&, std::span<const uint8_t>, const XclbinPlaces&) {
  RequireXrt("xclbin");
  return {};
}

}  // namespace vta::driver
