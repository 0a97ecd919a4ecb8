// The functions of libcuda.so.1 that are used here, by their documented names and types.
#pragma once

#include <cstddef>
#include <string>

namespace vta::driver::cuda {

using Result = int;
using DeviceNumber = int;
using Address = unsigned long long;
using Context = struct OpaqueContext*;
using Module = struct OpaqueModule*;
using Function = struct OpaqueFunction*;
using Stream = struct OpaqueStream*;
using Graph = struct OpaqueGraph*;
using GraphExec = struct OpaqueGraphExec*;
using LinkState = struct OpaqueLinkState*;

inline constexpr Result kSuccess = 0, kNotReady = 600;
inline constexpr int kComputeMajor = 75, kComputeMinor = 76;
inline constexpr int kCaptureOfThread = 1;               // other threads' calls are none of it
inline constexpr int kErrorLog = 5, kErrorLogBytes = 6;  // options of LinkCreate
inline constexpr int kPtxInput = 1;                      // of LinkAddData
inline constexpr int kMostDynamicSharedBytes = 8;        // of FuncSetAttribute

struct Api {
  Result (*Init)(unsigned flags);
  Result (*GetErrorString)(Result result, const char** text);
  Result (*DriverGetVersion)(int* version);
  Result (*DeviceGetCount)(int* count);
  Result (*DeviceGet)(DeviceNumber* device, int ordinal);
  Result (*DeviceGetName)(char* name, int bytes, DeviceNumber device);
  Result (*DeviceGetAttribute)(int* value, int attribute, DeviceNumber device);
  Result (*PrimaryContextRetain)(Context* context, DeviceNumber device);
  Result (*PrimaryContextRelease)(DeviceNumber device);
  Result (*ContextSetCurrent)(Context context);
  Result (*MemAlloc)(Address* address, size_t bytes);
  Result (*MemFree)(Address address);
  Result (*MemGetInfo)(size_t* free, size_t* total);
  Result (*MemsetD8)(Address address, unsigned char value, size_t count);
  Result (*CopyHtoD)(Address to, const void* from, size_t bytes);
  Result (*CopyDtoH)(void* to, Address from, size_t bytes);
  Result (*ModuleLoadDataEx)(Module* module, const void* image, unsigned options, int* names,
                             void** values);
  Result (*LinkCreate)(unsigned options, int* names, void** values, LinkState* state);
  Result (*LinkAddData)(LinkState state, int kind, void* data, size_t bytes, const char* name,
                        unsigned options, int* names, void** values);
  /// The image is the state's.
  Result (*LinkComplete)(LinkState state, void** image, size_t* bytes);
  Result (*LinkDestroy)(LinkState state);
  Result (*ModuleUnload)(Module module);
  Result (*ModuleGetFunction)(Function* function, Module module, const char* name);
  Result (*FuncSetAttribute)(Function function, int attribute, int value);
  Result (*LaunchKernel)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                         unsigned block_x, unsigned block_y, unsigned block_z,
                         unsigned shared_bytes, Stream stream, void** parameters, void** extra);
  Result (*StreamCreate)(Stream* stream, unsigned flags);
  Result (*StreamDestroy)(Stream stream);
  Result (*StreamBeginCapture)(Stream stream, int mode);
  Result (*StreamEndCapture)(Stream stream, Graph* graph);
  Result (*GraphInstantiate)(GraphExec* exec, Graph graph, unsigned long long flags);
  Result (*GraphLaunch)(GraphExec exec, Stream stream);
  Result (*GraphDestroy)(Graph graph);
  Result (*GraphExecDestroy)(GraphExec exec);
  Result (*StreamQuery)(Stream stream);
  Result (*StreamSynchronize)(Stream stream);

  std::string Describe(Result result) const;
};

/// Loads the library once. Errors: throws Error where it, or a function of it, is not there.
const Api& LoadApi();

}  // namespace vta::driver::cuda
