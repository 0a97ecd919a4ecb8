// What XRT's library binds of a driver and this one has no use for: profiling, exports, AI engines.
// The declarations of those with C++ names are not shipped.
#include <experimental/xrt-next.h>
#include <xclbin.h>
#include <xrt.h>
#include <xrt/xrt_aie.h>
#include <xrt/xrt_graph.h>

#include <cerrno>
#include <cstdint>

extern "C" {

int xclCopyBO(xclDeviceHandle, xclBufferHandle, xclBufferHandle, size_t, size_t, size_t) {
  return -ENOSYS;
}
int xclExecBuf(xclDeviceHandle, xclBufferHandle) { return -ENOSYS; }
int xclExecWait(xclDeviceHandle, int) { return -ENOSYS; }
xclBufferExportHandle xclExportBO(xclDeviceHandle, xclBufferHandle) { return XRT_NULL_BO_EXPORT; }
int xclP2pEnable(xclDeviceHandle, bool, bool) { return -ENOSYS; }
int xclReClock2(xclDeviceHandle, unsigned short, const unsigned short*) { return -ENOSYS; }
ssize_t xclUnmgdPread(xclDeviceHandle, unsigned, void*, size_t, uint64_t) { return -ENOSYS; }
ssize_t xclUnmgdPwrite(xclDeviceHandle, unsigned, const void*, size_t, uint64_t) { return -ENOSYS; }
xclBufferHandle xclImportBO(xclDeviceHandle, xclBufferExportHandle, unsigned) {
  return XRT_NULL_BO;
}
size_t xclRead(xclDeviceHandle, xclAddressSpace, uint64_t, void*, size_t) { return 0; }
size_t xclWrite(xclDeviceHandle, xclAddressSpace, uint64_t, const void*, size_t) { return 0; }

}  // extern "C"

int xclAIEOpenContext(xclDeviceHandle, xrt::aie::access_mode) { return -ENOSYS; }
int xclCloseExportHandle(int) { return -ENOSYS; }
int xclCmaEnable(xclDeviceHandle, bool, uint64_t) { return -ENOSYS; }
int xclGMIOWait(xclDeviceHandle, const char*) { return -ENOSYS; }
void xclGraphClose(void*) {}
int xclGraphEnd(void*, uint64_t) { return -ENOSYS; }
void* xclGraphOpen(xclDeviceHandle, const xuid_t, const char*, xrt::graph::access_mode) {
  return nullptr;
}
int xclGraphReadRTP(void*, const char*, char*, size_t) { return -ENOSYS; }
int xclGraphReset(void*) { return -ENOSYS; }
int xclGraphResume(void*) { return -ENOSYS; }
int xclGraphRun(void*, int) { return -ENOSYS; }
int xclGraphSuspend(void*) { return -ENOSYS; }
uint64_t xclGraphTimeStamp(void*) { return 0; }
int xclGraphUpdateRTP(void*, const char*, const char*, size_t) { return -ENOSYS; }
int xclGraphWait(void*, uint64_t) { return -ENOSYS; }
int xclGraphWaitDone(void*, int) { return -ENOSYS; }
int xclInternalResetDevice(xclDeviceHandle, xclResetKind) { return -ENOSYS; }
int xclLoadXclBinMeta(xclDeviceHandle, const axlf*) { return -ENOSYS; }
int xclReadProfiling(xclDeviceHandle, int) { return -ENOSYS; }
int xclResetAIEArray(xclDeviceHandle) { return -ENOSYS; }
int xclStartProfiling(xclDeviceHandle, int, const char*, const char*, uint32_t) { return -ENOSYS; }
int xclStopProfiling(xclDeviceHandle, int) { return -ENOSYS; }
int xclSyncBOAIE(xclDeviceHandle, xrt::bo&, const char*, xclBOSyncDirection, size_t, size_t) {
  return -ENOSYS;
}
int xclSyncBOAIENB(xclDeviceHandle, xrt::bo&, const char*, xclBOSyncDirection, size_t, size_t) {
  return -ENOSYS;
}
int xclUpdateSchedulerStat(xclDeviceHandle) { return -ENOSYS; }

// The device class that Debian's archive brings asks its own driver for two properties.
namespace xrt_core::query {
enum class key_type;
}
namespace xclcpuemhal2 {
class CpuemShim {
 public:
  static CpuemShim* handleCheck(void*);
  uint64_t deviceQuery(xrt_core::query::key_type);
};
CpuemShim* CpuemShim::handleCheck(void*) { return nullptr; }
uint64_t CpuemShim::deviceQuery(xrt_core::query::key_type) { return 0; }
}  // namespace xclcpuemhal2
