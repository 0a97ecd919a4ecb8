#include "driver/opencl/opencl_api.h"

#include "driver/library.h"
#include "isa/support/error.h"

namespace vta::driver::opencl {
namespace {

Api Load() {
  const Library library("libOpenCL.so.1", "it is older than OpenCL 1.2");
  Api api;
  library.Find(api.GetPlatformIDs, "clGetPlatformIDs");
  library.Find(api.GetDeviceIDs, "clGetDeviceIDs");
  library.Find(api.GetDeviceInfo, "clGetDeviceInfo");
  library.Find(api.CreateContext, "clCreateContext");
  library.Find(api.ReleaseContext, "clReleaseContext");
  library.Find(api.CreateCommandQueue, "clCreateCommandQueue");
  library.Find(api.ReleaseCommandQueue, "clReleaseCommandQueue");
  library.Find(api.CreateBuffer, "clCreateBuffer");
  library.Find(api.ReleaseMemObject, "clReleaseMemObject");
  library.Find(api.EnqueueFillBuffer, "clEnqueueFillBuffer");
  library.Find(api.EnqueueWriteBuffer, "clEnqueueWriteBuffer");
  library.Find(api.EnqueueReadBuffer, "clEnqueueReadBuffer");
  library.Find(api.CreateProgramWithSource, "clCreateProgramWithSource");
  library.Find(api.CreateProgramWithBinary, "clCreateProgramWithBinary");
  library.Find(api.GetProgramInfo, "clGetProgramInfo");
  library.Find(api.BuildProgram, "clBuildProgram");
  library.Find(api.GetProgramBuildInfo, "clGetProgramBuildInfo");
  library.Find(api.ReleaseProgram, "clReleaseProgram");
  library.Find(api.CreateKernel, "clCreateKernel");
  library.Find(api.SetKernelArg, "clSetKernelArg");
  library.Find(api.GetKernelWorkGroupInfo, "clGetKernelWorkGroupInfo");
  library.Find(api.ReleaseKernel, "clReleaseKernel");
  library.Find(api.EnqueueNDRangeKernel, "clEnqueueNDRangeKernel");
  library.Find(api.EnqueueMarker, "clEnqueueMarkerWithWaitList");
  library.Find(api.Flush, "clFlush");
  library.Find(api.Finish, "clFinish");
  library.Find(api.GetEventInfo, "clGetEventInfo");
  library.Find(api.WaitForEvents, "clWaitForEvents");
  library.Find(api.ReleaseEvent, "clReleaseEvent");
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
