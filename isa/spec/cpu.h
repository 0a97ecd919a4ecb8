// CPUs that code in a package can be for: architectures, and the features that code may need beyond
// what each of its machines has. The lists are closed: a package that names another one is refused.
#pragma once

#include <cstdint>
#include <string_view>

namespace vta::isa {

struct CpuArchRow {
  std::string_view name;
  uint8_t elf_class;     // EI_CLASS: 1 is 32 bits, 2 is 64
  uint16_t elf_machine;  // e_machine
  std::string_view has;  // what every machine of it has
};

inline constexpr CpuArchRow kCpuArchs[] = {
    {"x86_64", 2, 62, "SSE2"},
    {"aarch64", 2, 183, "NEON"},
    {"armv7", 1, 40, "VFPv3 with 16 registers, arguments in registers (hard float)"},
};

/// That of NVIDIA's GPUs, in PTX: their features are the least machine that the code runs on.
inline constexpr std::string_view kPtxArch = "nvptx64";
inline constexpr int64_t kMostGpuThreads = 1024;  // of a block, on each of them
/// Of what a block's threads share: what code may say itself, and what a launch may give.
inline constexpr int64_t kMostStaticBytes = 48 * 1024, kMostSharedBytes = 96 * 1024;
/// Tasks of a kernel that several blocks do together. The workspace begins with a counter of 32
/// bits for each: 0 before a launch, and after it.
inline constexpr int64_t kMostGpuTeams = 16384, kGpuCounterBytes = 4 * kMostGpuTeams;
inline constexpr std::string_view kPtxMachines[] = {"sm_70", "sm_75", "sm_80",
                                                    "sm_86", "sm_89", "sm_90"};

struct CpuFeatureRow {
  std::string_view arch;
  std::string_view name;  // as LLVM and, but for '_', Linux call it
  std::string_view meaning;
};

inline constexpr CpuFeatureRow kCpuFeatures[] = {
    {"x86_64", "sse4.1", "rounding, min and max of integers"},
    {"x86_64", "avx", "256-bit floats"},
    {"x86_64", "avx2", "256-bit integers"},
    {"x86_64", "fma", "fused multiply-add"},
    {"x86_64", "avx512f", "512-bit vectors, masks, 32 registers"},
    {"x86_64", "avx512bw", "512-bit vectors of bytes and words"},
    {"x86_64", "avx512dq", "512-bit vectors of quadwords"},
    {"x86_64", "avx512vl", "the same on 128 and 256 bits"},
    {"x86_64", "avx512vnni", "products of bytes, summed by fours: vpdpbusd"},
    {"x86_64", "avx512vbmi", "bytes of a vector in any order: vpermb"},
    {"aarch64", "dotprod", "products of bytes, summed by fours: sdot, udot"},
    {"armv7", "neon", "128-bit vectors, 32 registers"},
    {"armv7", "vfp4", "fused multiply-add"},
};

/// Kinds of CPU that code can be made for: what --cpu names.
struct CpuRow {
  std::string_view name;
  std::string_view arch;
  std::string_view features;  // with spaces between them: all that code for it uses
  std::string_view tune;      // LLVM's name of the CPU whose timing is assumed
};

// Of one architecture the more able ones first.
inline constexpr CpuRow kCpus[] = {
    {"zen4", "x86_64",
     "sse4.1 avx avx2 fma avx512f avx512bw avx512dq avx512vl avx512vnni avx512vbmi", "znver4"},
    {"sapphirerapids", "x86_64",
     "sse4.1 avx avx2 fma avx512f avx512bw avx512dq avx512vl avx512vnni avx512vbmi",
     "sapphirerapids"},
    {"x86-64-v4", "x86_64", "sse4.1 avx avx2 fma avx512f avx512bw avx512dq avx512vl", "x86-64-v4"},
    {"x86-64-v3", "x86_64", "sse4.1 avx avx2 fma", "x86-64-v3"},
    {"x86-64", "x86_64", "", "x86-64"},
    {"cortex-a76", "aarch64", "dotprod", "cortex-a76"},
    {"cortex-a53", "aarch64", "", "cortex-a53"},
    {"cortex-a9", "armv7", "neon", "cortex-a9"},
};

/// The words of a row's features, one after the other: takes the first off.
constexpr std::string_view TakeCpuFeature(std::string_view& features) {
  const size_t end = features.find(' ');
  const std::string_view first = features.substr(0, end);
  features.remove_prefix(end == std::string_view::npos ? features.size() : end + 1);
  return first;
}

static_assert([] {
  for (const CpuRow& row : kCpus)
    for (std::string_view rest = row.features; !rest.empty();) {
      const std::string_view name = TakeCpuFeature(rest);
      bool known = false;
      for (const CpuFeatureRow& feature : kCpuFeatures)
        known |= feature.arch == row.arch && feature.name == name;
      if (!known) return false;
    }
  return true;
}());

constexpr const CpuArchRow* FindCpuArch(std::string_view name) {
  for (const CpuArchRow& row : kCpuArchs)
    if (row.name == name) return &row;
  return nullptr;
}

constexpr const CpuFeatureRow* FindCpuFeature(std::string_view arch, std::string_view name) {
  for (const CpuFeatureRow& row : kCpuFeatures)
    if (row.arch == arch && row.name == name) return &row;
  return nullptr;
}

}  // namespace vta::isa
