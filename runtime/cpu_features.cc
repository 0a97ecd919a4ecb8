#include "runtime/cpu_features.h"

#include <algorithm>
#include <iterator>

#include "isa/spec/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) || defined(__arm__)
#include <sys/auxv.h>
#endif

namespace vta::runtime {
namespace {

// The features whose test holds, in the order of kCpuFeatures.
template <typename Row, size_t N, typename Test>
std::vector<std::string_view> Those(const Row (&rows)[N], Test test) {
  std::vector<std::string_view> features;
  for (const Row& row : rows)
    if (test(row)) features.push_back(row.feature);
  return features;
}

// Bits of XCR0: the system keeps xmm and the upper halves of ymm; and masks, the upper halves of
// zmm, and its upper sixteen.
constexpr uint64_t kNoState = 0, kYmm = 0x6, kZmm = 0xe6;

struct X86Row {
  std::string_view feature;
  uint32_t X86Registers::*word;
  int bit;
  uint64_t state;  // that the system must keep
};

constexpr X86Row kX86[] = {
    {"sse4.1", &X86Registers::leaf1_ecx, 19, kNoState},
    {"avx", &X86Registers::leaf1_ecx, 28, kYmm},
    {"avx2", &X86Registers::leaf7_ebx, 5, kYmm},
    {"fma", &X86Registers::leaf1_ecx, 12, kYmm},
    {"avx512f", &X86Registers::leaf7_ebx, 16, kZmm},
    {"avx512bw", &X86Registers::leaf7_ebx, 30, kZmm},
    {"avx512dq", &X86Registers::leaf7_ebx, 17, kZmm},
    {"avx512vl", &X86Registers::leaf7_ebx, 31, kZmm},
    {"avx512vnni", &X86Registers::leaf7_ecx, 11, kZmm},
    {"avx512vbmi", &X86Registers::leaf7_ecx, 1, kZmm},
};

struct HwcapRow {
  std::string_view feature;
  int bit;
};

constexpr HwcapRow kAarch64[] = {{"dotprod", 20}};  // ASIMDDP
constexpr HwcapRow kArmv7[] = {{"neon", 12}, {"vfp4", 16}};
constexpr int kVfp3Bit = 13;

// Each feature of the list has its row, in the list's order.
template <typename Row, size_t N>
constexpr bool Covers(const Row (&rows)[N], std::string_view arch) {
  size_t next = 0;
  for (const isa::CpuFeatureRow& feature : isa::kCpuFeatures)
    if (feature.arch == arch && (next == N || rows[next++].feature != feature.name)) return false;
  return next == N;
}
static_assert(Covers(kX86, "x86_64") && Covers(kAarch64, "aarch64") && Covers(kArmv7, "armv7"));

#if defined(__x86_64__)
constexpr uint32_t kOsXsave = 1u << 27;  // xgetbv exists

X86Registers ReadRegisters() {
  X86Registers registers;
  uint32_t eax = 0, ebx = 0, edx = 0;
  __get_cpuid(1, &eax, &ebx, &registers.leaf1_ecx, &edx);
  __get_cpuid_count(7, 0, &eax, &registers.leaf7_ebx, &registers.leaf7_ecx, &edx);
  if (registers.leaf1_ecx & kOsXsave) {
    uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    registers.xcr0 = uint64_t{high} << 32 | low;
  }
  return registers;
}
#endif

}  // namespace

bool Cpu::Has(std::string_view feature) const {
  return std::ranges::find(features, feature) != features.end();
}

bool Cpu::Runs(const isa::CpuRow& kind) const {
  if (kind.arch != arch) return false;
  for (std::string_view rest = kind.features; !rest.empty();)
    if (!Has(isa::TakeCpuFeature(rest))) return false;
  return true;
}

Cpu CpuOf(const X86Registers& registers) {
  return {"x86_64", Those(kX86, [&](const X86Row& row) {
            return (registers.*row.word >> row.bit & 1) != 0 &&
                   (registers.xcr0 & row.state) == row.state;
          })};
}

Cpu Aarch64Of(uint64_t hwcap) {
  return {"aarch64",
          Those(kAarch64, [&](const HwcapRow& row) { return (hwcap >> row.bit & 1) != 0; })};
}

Cpu Armv7Of(uint64_t hwcap) {
  if ((hwcap >> kVfp3Bit & 1) == 0) return {};
  return {"armv7", Those(kArmv7, [&](const HwcapRow& row) { return (hwcap >> row.bit & 1) != 0; })};
}

Cpu ThisCpu() {
#if defined(__x86_64__)
  return CpuOf(ReadRegisters());
#elif defined(__aarch64__)
  return Aarch64Of(getauxval(AT_HWCAP));
#elif defined(__arm__) && defined(__ARM_PCS_VFP)
  return Armv7Of(getauxval(AT_HWCAP));
#else
  return {};
#endif
}

}  // namespace vta::runtime
