// GPUs that code in a package can be for: a row is what a module's format and architecture stand
// for, and what code may ask of each device that runs it.
#pragma once

#include <span>

#include "isa/spec/cpu.h"

namespace vta::isa {

/// That of OpenCL's devices: their features are the least version of OpenCL C that compiles the
/// code.
inline constexpr std::string_view kOpenClArch = "opencl";
inline constexpr std::string_view kOpenClVersions[] = {"1.2"};

/// Text for NVIDIA's GPUs, which their driver compiles.
inline constexpr std::string_view kPtxFormat = "ptx";
/// OpenCL C, which the driver of a device compiles.
inline constexpr std::string_view kOpenClFormat = "opencl";

/// What an instruction moves at most: tensors begin at a multiple of that.
inline constexpr int64_t kGpuAccessBytes = 16;

struct GpuRow {
  std::string_view name;    // of the target, and of the driver in --device
  std::string_view format;  // of a module
  std::string_view arch;
  std::span<const std::string_view> features;  // of which a module has one
  std::string_view kind;                       // of those features, with one for an example
  int64_t most_threads;                        // of a block
  int64_t most_shared_bytes;                   // of a block
  bool has_teams;  // blocks of a launch see what others of it wrote before they say so
};

inline constexpr GpuRow kGpus[] = {
    {"cuda", kPtxFormat, kPtxArch, kPtxMachines, "one that PTX is made for, such as sm_80",
     kMostGpuThreads, 48 * 1024, true},
    // OpenCL's full profile has that much local memory; work-groups of 256 have the devices that
    // this is for.
    {"opencl", kOpenClFormat, kOpenClArch, kOpenClVersions, "a version of OpenCL C: 1.2", 256,
     32 * 1024, false},
};
inline constexpr const GpuRow& kCudaGpu = kGpus[0];
inline constexpr const GpuRow& kOpenClGpu = kGpus[1];

/// The row, or nullptr.
constexpr const GpuRow* FindGpu(std::string_view name) {
  for (const GpuRow& row : kGpus)
    if (row.name == name) return &row;
  return nullptr;
}
constexpr const GpuRow* FindGpuArch(std::string_view arch) {
  for (const GpuRow& row : kGpus)
    if (row.arch == arch) return &row;
  return nullptr;
}
constexpr const GpuRow* FindGpuFormat(std::string_view format) {
  for (const GpuRow& row : kGpus)
    if (row.format == format) return &row;
  return nullptr;
}

}  // namespace vta::isa
