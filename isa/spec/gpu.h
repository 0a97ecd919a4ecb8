// GPUs that code in a package can be for: a row is what a module's format and architecture stand
// for, and what code may ask of each device that runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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

/// What a GPU makes of numbers in float32 that it multiplies; it adds up in float32.
enum class Precision : uint8_t { kFp32, kTf32, kFp16 };
inline constexpr std::string_view kPrecisions[] = {"fp32", "tf32", "fp16"};
constexpr std::string_view NameOf(Precision precision) {
  return kPrecisions[static_cast<size_t>(precision)];
}
constexpr std::optional<Precision> FindPrecision(std::string_view name) {
  for (size_t i = 0; i < std::size(kPrecisions); ++i)
    if (kPrecisions[i] == name) return static_cast<Precision>(i);
  return {};
}

/// What an instruction moves at most: tensors begin at a multiple of that.
inline constexpr int64_t kGpuAccessBytes = 16;

/// Registers that a thread of a GPU of NVIDIA's has at most: as many as leave a processor two
/// blocks of 256 threads, of which one works while the other one waits.
inline constexpr int64_t kMostGpuRegisters = 128;

struct GpuRow {
  std::string_view name;    // of the target, and of the driver in --device
  std::string_view format;  // of a module
  std::string_view arch;
  std::span<const std::string_view> features;  // of which a module has one
  std::string_view kind;                       // of those features, with one for an example
  int64_t most_threads;                        // of a block
  int64_t most_shared_bytes;                   // of a block
  bool has_teams;          // blocks of a launch see what others of it wrote before they say so
  bool has_warp_products;  // warps of some of them multiply small matrices
  bool copies_aside;       // threads of some of them go on while what they copy is under way
};

inline constexpr GpuRow kGpus[] = {
    {"cuda", kPtxFormat, kPtxArch, kPtxMachines, "one that PTX is made for, such as sm_80",
     kMostGpuThreads, kMostSharedBytes, true, true, true},
    // OpenCL's full profile has that much local memory; work-groups of 256 have the devices that
    // this is for.
    {"opencl", kOpenClFormat, kOpenClArch, kOpenClVersions, "a version of OpenCL C: 1.2", 256,
     32 * 1024, false, false, false},
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
