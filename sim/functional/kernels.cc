#include "sim/functional/kernels.h"

#include "isa/support/error.h"

namespace vta::sim {

std::string_view SimdName(Simd simd) {
  constexpr std::string_view kNames[] = {"best", "scalar", "avx2", "vnni"};
  return kNames[static_cast<int>(simd)];
}

bool SimdSupported(Simd simd) {
#if defined(__x86_64__)
  if (simd == Simd::kAvx2) return __builtin_cpu_supports("avx2");
  if (simd == Simd::kVnni)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni");
#endif
  return simd == Simd::kBest || simd == Simd::kScalar;
}

const Kernels* FindKernels(Simd simd) {
  if (!SimdSupported(simd))
    throw Error("functional simulator", "simd", std::string(SimdName(simd)),
                "this processor does not have it");
#if defined(__x86_64__)
  if (simd == Simd::kVnni || (simd == Simd::kBest && SimdSupported(Simd::kVnni)))
    return &kVnniKernels;
  if (simd == Simd::kAvx2 || (simd == Simd::kBest && SimdSupported(Simd::kAvx2)))
    return &kAvx2Kernels;
#endif
  return nullptr;
}

}  // namespace vta::sim
