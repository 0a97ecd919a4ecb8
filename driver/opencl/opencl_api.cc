#include "driver/opencl/opencl_api.h"

#include <dlfcn.h>

#include <type_traits>

#include "isa/support/error.h"

namespace vta::driver::opencl {
namespace {

constexpr char kLibrary[] = "libOpenCL.so.1";

Api Load() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw Error("", kLibrary, "", StrCat("cannot be loaded: ", dlerror()));
  Api api;
  const auto find = [&](auto& function, const char* name) {
    void* const symbol = dlsym(library, name);
    if (!symbol) throw Error("", kLibrary, name, "is missing: it is older than OpenCL 1.2");
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  find(api.GetPlatformIDs, "clGetPlatformIDs");
  find(api.GetDeviceIDs, "clGetDeviceIDs");
  find(api.GetDeviceInfo, "clGetDeviceInfo");
  find(api.CreateContext, "clCreateContext");
  find(api.ReleaseContext, "clReleaseContext");
  find(api.CreateCommandQueue, "clCreateCommandQueue");
  find(api.ReleaseCommandQueue, "clReleaseCommandQueue");
  find(api.CreateBuffer, "clCreateBuffer");
  find(api.ReleaseMemObject, "clReleaseMemObject");
  find(api.EnqueueFillBuffer, "clEnqueueFillBuffer");
  find(api.EnqueueWriteBuffer, "clEnqueueWriteBuffer");
  find(api.EnqueueReadBuffer, "clEnqueueReadBuffer");
  find(api.CreateProgramWithSource, "clCreateProgramWithSource");
  find(api.BuildProgram, "clBuildProgram");
  find(api.GetProgramBuildInfo, "clGetProgramBuildInfo");
  find(api.ReleaseProgram, "clReleaseProgram");
  find(api.CreateKernel, "clCreateKernel");
  find(api.SetKernelArg, "clSetKernelArg");
  find(api.GetKernelWorkGroupInfo, "clGetKernelWorkGroupInfo");
  find(api.ReleaseKernel, "clReleaseKernel");
  find(api.EnqueueNDRangeKernel, "clEnqueueNDRangeKernel");
  find(api.EnqueueMarker, "clEnqueueMarkerWithWaitList");
  find(api.Flush, "clFlush");
  find(api.Finish, "clFinish");
  find(api.GetEventInfo, "clGetEventInfo");
  find(api.WaitForEvents, "clWaitForEvents");
  find(api.ReleaseEvent, "clReleaseEvent");
  return api;
}

}  // namespace

const Api& LoadApi() {
  static const Api api = Load();
  return api;
}

std::string Describe(Status status) {
  struct Row {
    Status status;
    const char* text;
  };
  constexpr Row kRows[] = {
      {-2, "the device is not available"},
      {-3, "its driver has no compiler"},
      {-4, "a buffer cannot be allocated"},
      {-5, "the device is out of resources"},
      {-6, "the host is out of memory"},
      {-11, "the program cannot be built"},
      {-14, "what was to be waited for failed"},
      {-46, "there is no kernel of that name"},
      {-49, "the kernel has fewer arguments"},
      {-51, "an argument has another size"},
      {-52, "the kernel has more arguments"},
      {-54, "the work-group is too large, or another one than the kernel has"},
      {-61, "a buffer of that size cannot be"},
  };
  for (const Row& row : kRows)
    if (row.status == status) return row.text;
  return StrCat("error ", status);
}

}  // namespace vta::driver::opencl
