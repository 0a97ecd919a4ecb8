// Any bytes either are refused with an Error or are an xclbin whose hash is that of its config.
#include "driver/xrt/xclbin.h"

#include "isa/support/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vta;
  driver::Xclbin xclbin;
  try {
    xclbin = driver::ParseXclbin({data, size}, "input");
  } catch (const Error&) {
    return 0;
  }
  VTA_CHECK(xclbin.arch_hash == isa::ArchHash(xclbin.config));
  return 0;
}
