// The functions of libOpenCL.so.1 that are used here, by their documented names and types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace vta::driver::opencl {

using Status = int32_t;
using Bool = uint32_t;
using Bits = uint64_t;
using Platform = struct OpaquePlatform*;
using DeviceHandle = struct OpaqueDevice*;
using ContextHandle = struct OpaqueContext*;
using Queue = struct OpaqueQueue*;
using Mem = struct OpaqueMem*;
using Program = struct OpaqueProgram*;
using Kernel = struct OpaqueKernel*;
using Event = struct OpaqueEvent*;

inline constexpr Status kSuccess = 0, kDeviceNotFound = -1, kNoPlatform = -1001;
inline constexpr Status kComplete = 0;  // of an event; what is not done yet is greater, errors less
inline constexpr Bool kTrue = 1;
inline constexpr Bits kAllDevices = 0xFFFFFFFF, kReadWrite = 1;
// What is asked of a device, a program, a kernel and an event.
inline constexpr uint32_t kMaxWorkGroupSize = 0x1004, kMaxAllocation = 0x1010,
                          kSingleFloat = 0x101B, kGlobalMemory = 0x101F, kLocalMemory = 0x1023,
                          kDeviceName = 0x102B, kDriverVersion = 0x102D, kDeviceVersion = 0x102F,
                          kLanguageVersion = 0x103D;
inline constexpr uint32_t kBinarySizes = 0x1165, kBinaries = 0x1166;
inline constexpr uint32_t kBuildLog = 0x1183, kKernelWorkGroupSize = 0x11B0,
                          kKernelLocalMemory = 0x11B2, kEventStatus = 0x11D3;
inline constexpr Bits kDividesRightly = 1 << 7;  // among the bits of kSingleFloat

struct Api {
  Status (*GetPlatformIDs)(uint32_t room, Platform* platforms, uint32_t* count);
  Status (*GetDeviceIDs)(Platform platform, Bits type, uint32_t room, DeviceHandle* devices,
                         uint32_t* count);
  Status (*GetDeviceInfo)(DeviceHandle device, uint32_t what, size_t room, void* value,
                          size_t* bytes);
  ContextHandle (*CreateContext)(const intptr_t* properties, uint32_t count,
                                 const DeviceHandle* devices,
                                 void (*notify)(const char*, const void*, size_t, void*),
                                 void* user, Status* status);
  Status (*ReleaseContext)(ContextHandle context);
  Queue (*CreateCommandQueue)(ContextHandle context, DeviceHandle device, Bits properties,
                              Status* status);
  Status (*ReleaseCommandQueue)(Queue queue);
  Mem (*CreateBuffer)(ContextHandle context, Bits flags, size_t bytes, void* host, Status* status);
  Status (*ReleaseMemObject)(Mem mem);
  Status (*EnqueueFillBuffer)(Queue queue, Mem mem, const void* pattern, size_t pattern_bytes,
                              size_t offset, size_t bytes, uint32_t waits, const Event* wait,
                              Event* event);
  Status (*EnqueueWriteBuffer)(Queue queue, Mem mem, Bool blocks, size_t offset, size_t bytes,
                               const void* from, uint32_t waits, const Event* wait, Event* event);
  Status (*EnqueueReadBuffer)(Queue queue, Mem mem, Bool blocks, size_t offset, size_t bytes,
                              void* to, uint32_t waits, const Event* wait, Event* event);
  Program (*CreateProgramWithSource)(ContextHandle context, uint32_t count, const char** texts,
                                     const size_t* bytes, Status* status);
  Program (*CreateProgramWithBinary)(ContextHandle context, uint32_t count,
                                     const DeviceHandle* devices, const size_t* bytes,
                                     const unsigned char** binaries, Status* of_each,
                                     Status* status);
  Status (*GetProgramInfo)(Program program, uint32_t what, size_t room, void* value, size_t* bytes);
  Status (*BuildProgram)(Program program, uint32_t count, const DeviceHandle* devices,
                         const char* options, void (*notify)(Program, void*), void* user);
  Status (*GetProgramBuildInfo)(Program program, DeviceHandle device, uint32_t what, size_t room,
                                void* value, size_t* bytes);
  Status (*ReleaseProgram)(Program program);
  Kernel (*CreateKernel)(Program program, const char* name, Status* status);
  Status (*SetKernelArg)(Kernel kernel, uint32_t index, size_t bytes, const void* value);
  Status (*GetKernelWorkGroupInfo)(Kernel kernel, DeviceHandle device, uint32_t what, size_t room,
                                   void* value, size_t* bytes);
  Status (*ReleaseKernel)(Kernel kernel);
  Status (*EnqueueNDRangeKernel)(Queue queue, Kernel kernel, uint32_t dimensions,
                                 const size_t* offset, const size_t* global, const size_t* local,
                                 uint32_t waits, const Event* wait, Event* event);
  Status (*EnqueueMarker)(Queue queue, uint32_t waits, const Event* wait, Event* event);
  Status (*Flush)(Queue queue);
  Status (*Finish)(Queue queue);
  Status (*GetEventInfo)(Event event, uint32_t what, size_t room, void* value, size_t* bytes);
  Status (*WaitForEvents)(uint32_t count, const Event* events);
  Status (*ReleaseEvent)(Event event);
};

/// Loads the library once. Errors: throws Error where it, or a function of it, is not there.
const Api& LoadApi();

/// What a status that is no success means.
std::string Describe(Status status);

}  // namespace vta::driver::opencl
