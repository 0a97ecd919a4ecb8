#include "driver/cuda/cuda_api.h"

#include "driver/library.h"
#include "isa/support/error.h"

namespace vta::driver::cuda {
namespace {

Api Load() {
  const Library library("libcuda.so.1", "the driver is too old");
  Api api;
  library.Find(api.Init, "cuInit");
  library.Find(api.GetErrorString, "cuGetErrorString");
  library.Find(api.DriverGetVersion, "cuDriverGetVersion");
  library.Find(api.DeviceGetCount, "cuDeviceGetCount");
  library.Find(api.DeviceGet, "cuDeviceGet");
  library.Find(api.DeviceGetName, "cuDeviceGetName");
  library.Find(api.DeviceGetAttribute, "cuDeviceGetAttribute");
  library.Find(api.PrimaryContextRetain, "cuDevicePrimaryCtxRetain");
  library.Find(api.PrimaryContextRelease, "cuDevicePrimaryCtxRelease_v2");
  library.Find(api.ContextSetCurrent, "cuCtxSetCurrent");
  library.Find(api.MemAlloc, "cuMemAlloc_v2");
  library.Find(api.MemFree, "cuMemFree_v2");
  library.Find(api.MemGetInfo, "cuMemGetInfo_v2");
  library.Find(api.MemsetD8, "cuMemsetD8_v2");
  library.Find(api.CopyHtoD, "cuMemcpyHtoD_v2");
  library.Find(api.CopyDtoH, "cuMemcpyDtoH_v2");
  library.Find(api.ModuleLoadDataEx, "cuModuleLoadDataEx");
  library.Find(api.LinkCreate, "cuLinkCreate_v2");
  library.Find(api.LinkAddData, "cuLinkAddData_v2");
  library.Find(api.LinkComplete, "cuLinkComplete");
  library.Find(api.LinkDestroy, "cuLinkDestroy");
  library.Find(api.ModuleUnload, "cuModuleUnload");
  library.Find(api.ModuleGetFunction, "cuModuleGetFunction");
  library.Find(api.FuncSetAttribute, "cuFuncSetAttribute");
  library.Find(api.LaunchKernel, "cuLaunchKernel");
  library.Find(api.StreamCreate, "cuStreamCreate");
  library.Find(api.StreamDestroy, "cuStreamDestroy_v2");
  library.Find(api.StreamBeginCapture, "cuStreamBeginCapture_v2");
  library.Find(api.StreamEndCapture, "cuStreamEndCapture");
  library.Find(api.GraphInstantiate, "cuGraphInstantiateWithFlags");
  library.Find(api.GraphLaunch, "cuGraphLaunch");
  library.Find(api.GraphDestroy, "cuGraphDestroy");
  library.Find(api.GraphExecDestroy, "cuGraphExecDestroy");
  library.Find(api.StreamQuery, "cuStreamQuery");
  library.Find(api.StreamSynchronize, "cuStreamSynchronize");
  return api;
}

}  // namespace

std::string Api::Describe(Result result) const {
  const char* text = nullptr;
  GetErrorString(result, &text);
  return text ? text : StrCat("error ", result);
}

const Api& LoadApi() {
  static const Api api = Load();
  return api;
}

}  // namespace vta::driver::cuda
