#include "driver/library.h"
#include "driver/xrt/device/xrt_opener.h"
#include "driver/xrt/xrt_device.h"
#include "isa/support/shipped.h"

namespace vta::driver {

std::unique_ptr<Device> OpenXrt(const std::string& where, const isa::Config& config) {
  static OpenXrtFunction* const open = [] {
    OpenXrtFunction* function = nullptr;
    Library(ShippedLibrary(kXrtFile), "the library is of another build").Find(function, kXrtSymbol);
    return function;
  }();
  return std::unique_ptr<Device>(open(where, config));
}

void RequireXrt(const std::string&) {}

}  // namespace vta::driver
