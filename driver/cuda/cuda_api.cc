#include "driver/cuda/cuda_api.h"

#include <dlfcn.h>

#include "isa/support/error.h"

namespace vta::driver::cuda {
namespace {

constexpr char kLibrary[] = "libcuda.so.1";

Api Load() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw Error("", kLibrary, "", StrCat("cannot be loaded: ", dlerror()));
  Api api;
  const auto find = [&](auto& function, const char* name) {
    void* const symbol = dlsym(library, name);
    if (!symbol) throw Error("", kLibrary, name, "is missing: the driver is too old");
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  find(api.Init, "cuInit");
  find(api.GetErrorString, "cuGetErrorString");
  find(api.DeviceGetCount, "cuDeviceGetCount");
  find(api.DeviceGet, "cuDeviceGet");
  find(api.DeviceGetName, "cuDeviceGetName");
  find(api.DeviceGetAttribute, "cuDeviceGetAttribute");
  find(api.PrimaryContextRetain, "cuDevicePrimaryCtxRetain");
  find(api.PrimaryContextRelease, "cuDevicePrimaryCtxRelease_v2");
  find(api.ContextSetCurrent, "cuCtxSetCurrent");
  find(api.MemAlloc, "cuMemAlloc_v2");
  find(api.MemFree, "cuMemFree_v2");
  find(api.MemGetInfo, "cuMemGetInfo_v2");
  find(api.MemsetD8, "cuMemsetD8_v2");
  find(api.CopyHtoD, "cuMemcpyHtoD_v2");
  find(api.CopyDtoH, "cuMemcpyDtoH_v2");
  find(api.ModuleLoadDataEx, "cuModuleLoadDataEx");
  find(api.ModuleUnload, "cuModuleUnload");
  find(api.ModuleGetFunction, "cuModuleGetFunction");
  find(api.LaunchKernel, "cuLaunchKernel");
  find(api.StreamCreate, "cuStreamCreate");
  find(api.StreamDestroy, "cuStreamDestroy_v2");
  find(api.StreamBeginCapture, "cuStreamBeginCapture_v2");
  find(api.StreamEndCapture, "cuStreamEndCapture");
  find(api.GraphInstantiate, "cuGraphInstantiateWithFlags");
  find(api.GraphLaunch, "cuGraphLaunch");
  find(api.GraphDestroy, "cuGraphDestroy");
  find(api.GraphExecDestroy, "cuGraphExecDestroy");
  find(api.StreamQuery, "cuStreamQuery");
  find(api.StreamSynchronize, "cuStreamSynchronize");
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
