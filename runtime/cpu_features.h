// What CPU this is, in the names of isa/spec/cpu.h.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/spec/cpu.h"

namespace vta::runtime {

/// The architecture that this program was compiled for; empty where packages hold no code for it.
inline constexpr std::string_view kBuildArch =
#if defined(__x86_64__)
    "x86_64";
#elif defined(__aarch64__)
    "aarch64";
#elif defined(__arm__) && defined(__ARM_PCS_VFP)
    "armv7";
#else
    "";
#endif

struct Cpu {
  std::string_view arch;                   // of kCpuArchs; empty where it is none of them
  std::vector<std::string_view> features;  // of kCpuFeatures, in their order

  bool Has(std::string_view feature) const;
  /// Whether code that was made for that kind runs here.
  bool Runs(const isa::CpuRow& kind) const;
};

/// This machine's.
Cpu ThisCpu();

/// The registers of x86 that say what a CPU has, and in XCR0 what the system saves of it when it
/// switches between threads.
struct X86Registers {
  uint32_t leaf1_ecx = 0, leaf7_ebx = 0, leaf7_ecx = 0;
  uint64_t xcr0 = 0;  // 0 where it can not be read
};
Cpu CpuOf(const X86Registers& registers);

/// What Linux says of an ARM, in getauxval(AT_HWCAP).
Cpu Aarch64Of(uint64_t hwcap);
/// A CPU without VFPv3 is no ARMv7 for us.
Cpu Armv7Of(uint64_t hwcap);

}  // namespace vta::runtime
