// The C functions of xrt.h that XRT's library calls in a driver, over a Shim.
#include <xclbin.h>
#include <xrt.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "driver/xrt/simulated_name.h"
#include "driver/xrt_shim/shim.h"

// What XRT's library has for a driver to call; its headers are not shipped.
namespace xrt_core {
class device {
 public:
  void register_axlf(const axlf*);
};
std::shared_ptr<device> get_userpf_device(void* handle, unsigned index);
}  // namespace xrt_core

namespace {

using vta::driver::Shim;

/// XRT borrows its own device from the driver until that is closed.
struct OpenDevice {
  Shim shim;
  std::shared_ptr<xrt_core::device> device;
};

Shim& At(xclDeviceHandle handle) { return static_cast<OpenDevice*>(handle)->shim; }

xclBufferHandle HandleOf(std::optional<uint32_t> handle) { return handle.value_or(XRT_NULL_BO); }

}  // namespace

extern "C" {

unsigned xclProbe() { return 1; }

unsigned xclVersion() { return 2; }

xclDeviceHandle xclOpen(unsigned index, const char*, xclVerbosityLevel) {
  if (index != 0) return nullptr;
  auto open = std::make_unique<OpenDevice>();
  open->device = xrt_core::get_userpf_device(open.get(), index);
  return open.release();
}

void xclClose(xclDeviceHandle handle) { delete static_cast<OpenDevice*>(handle); }

int xclGetDeviceInfo2(xclDeviceHandle, xclDeviceInfo2* info) {
  *info = {};
  info->mMagic = 0x586c0c6c;
  std::copy(vta::driver::kSimulatedName.begin(), vta::driver::kSimulatedName.end(), info->mName);
  info->mHALMajorVersion = 2;
  info->mDDRBankCount = 1;
  info->mDataAlignment = 4096;
  return 0;
}

int xclLoadXclBin(xclDeviceHandle handle, const axlf* top) {
  const int status =
      At(handle).Load({reinterpret_cast<const uint8_t*>(top), top->m_header.m_length});
  if (status == 0) static_cast<OpenDevice*>(handle)->device->register_axlf(top);
  return status;
}

int xclOpenContext(xclDeviceHandle handle, const xuid_t, unsigned, bool) {
  return At(handle).OpenContext();
}

int xclCloseContext(xclDeviceHandle handle, const xuid_t, unsigned) {
  return At(handle).CloseContext();
}

xclBufferHandle xclAllocBO(xclDeviceHandle handle, size_t bytes, int, unsigned) {
  return HandleOf(At(handle).Allocate(bytes, nullptr));
}

xclBufferHandle xclAllocUserPtrBO(xclDeviceHandle handle, void* user, size_t bytes, unsigned) {
  return HandleOf(At(handle).Allocate(bytes, user));
}

void xclFreeBO(xclDeviceHandle handle, xclBufferHandle buffer) { At(handle).Free(buffer); }

void* xclMapBO(xclDeviceHandle handle, xclBufferHandle buffer, bool) {
  const vta::driver::ShimBuffer* const found = At(handle).Find(buffer);
  return found ? found->host().data() : nullptr;
}

int xclUnmapBO(xclDeviceHandle, xclBufferHandle, void*) { return 0; }

int xclSyncBO(xclDeviceHandle handle, xclBufferHandle buffer, xclBOSyncDirection direction,
              size_t bytes, size_t offset) {
  return At(handle).Sync(buffer, direction == XCL_BO_SYNC_BO_TO_DEVICE, bytes, offset);
}

int xclGetBOProperties(xclDeviceHandle handle, xclBufferHandle buffer, xclBOProperties* out) {
  const vta::driver::ShimBuffer* const found = At(handle).Find(buffer);
  if (!found) return -EINVAL;
  *out = {};
  out->handle = buffer;
  out->size = found->device().size();
  out->paddr = found->address();
  return 0;
}

int xclRegRead(xclDeviceHandle handle, uint32_t, uint32_t offset, uint32_t* value) {
  return At(handle).Read(offset, *value);
}

int xclRegWrite(xclDeviceHandle handle, uint32_t, uint32_t offset, uint32_t value) {
  return At(handle).Write(offset, value);
}

}  // extern "C"
