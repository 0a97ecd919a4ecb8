#include "tools/vta/common/cpu/peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "isa/spec/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vta::tools {
namespace {

#if defined(__x86_64__)

// Sums that do not wait for each other: more than latency times ports, and with the operands no
// more than the 16 registers of AVX2.
constexpr int kChains = 12;
constexpr int64_t kRounds = 10'000;  // some 50 us

// Hides a value from the compiler, which else computes in advance, and equal sums once for all.
template <typename T>
T Opaque(T value) {
  asm volatile("" : "+r"(value));
  return value;
}
void Use(const void* values) { asm volatile("" : : "r"(values) : "memory"); }

[[gnu::target("avx2,fma")]] void FmaYmm() {
  const __m256 half = _mm256_set1_ps(static_cast<float>(Opaque(1)) / 2);
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_set1_ps(static_cast<float>(Opaque(1)));
  for (int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = _mm256_fmadd_ps(sums[i], half, half);
  }
  Use(sums);
}

[[gnu::target("avx512f")]] void FmaZmm() {
  const __m512 half = _mm512_set1_ps(static_cast<float>(Opaque(1)) / 2);
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_set1_ps(static_cast<float>(Opaque(1)));
  for (int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = _mm512_fmadd_ps(sums[i], half, half);
  }
  Use(sums);
}

// AVX2 alone: products of pairs in 16 bits, then their sums in 32.
[[gnu::target("avx2")]] void MaddYmm() {
  const __m256i codes = _mm256_set1_epi8(static_cast<char>(Opaque(3)));
  const __m256i ones = _mm256_set1_epi16(static_cast<int16_t>(Opaque(1)));
  __m256i sums[kChains];
  for (__m256i& sum : sums) sum = _mm256_set1_epi32(Opaque(1));
  for (int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) {
      // Of the sum, so that no product is that of the round before.
      const __m256i pairs = _mm256_maddubs_epi16(sums[i], codes);
      sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(pairs, ones));
    }
  }
  Use(sums);
}

[[gnu::target("avx2,avxvnni")]] void DpbusdYmm() {
  const __m256i codes = _mm256_set1_epi8(static_cast<char>(Opaque(3)));
  __m256i sums[kChains];
  for (__m256i& sum : sums) sum = _mm256_set1_epi32(Opaque(1));
  for (int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = _mm256_dpbusd_avx_epi32(sums[i], codes, codes);
  }
  Use(sums);
}

[[gnu::target("avx512f,avx512vnni")]] void DpbusdZmm() {
  const __m512i codes = _mm512_set1_epi32(Opaque(0x03030303));
  __m512i sums[kChains];
  for (__m512i& sum : sums) sum = _mm512_set1_epi32(Opaque(1));
  for (int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = _mm512_dpbusd_epi32(sums[i], codes, codes);
  }
  Use(sums);
}

struct Way {
  const char* instruction;
  const char* features;
  bool is_int8, is_there;
  int64_t products;  // of one step of one chain
  void (*run)();
};

std::vector<Way> Ways() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2");
  return {
      {"vfmadd ymm", "avx2 fma", false, avx2 && __builtin_cpu_supports("fma"), 8, FmaYmm},
      {"vfmadd zmm", "avx512f", false, __builtin_cpu_supports("avx512f") != 0, 16, FmaZmm},
      {"vpmaddubsw ymm", "avx2", true, avx2, 32, MaddYmm},
      {"vpdpbusd ymm", "avx2 avxvnni", true, avx2 && __builtin_cpu_supports("avxvnni"), 32,
       DpbusdYmm},
      {"vpdpbusd zmm", "avx512f avx512vnni", true, __builtin_cpu_supports("avx512vnni") != 0, 64,
       DpbusdZmm},
  };
}

double Gops(const Way& way) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRuns = 400;  // short: others who use the core interrupt few of them
  double best_ns = 1e12;
  for (int run = 0; run < kRuns; ++run) {
    const auto begin = Clock::now();
    way.run();
    const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
    best_ns = std::min(best_ns, time.count());
  }
  return 2.0 * static_cast<double>(way.products * kChains * kRounds) / best_ns;
}

std::vector<CpuPeak> Measure() {
  std::vector<CpuPeak> peaks;
  for (const Way& way : Ways())
    if (way.is_there) peaks.push_back({way.instruction, way.is_int8, Gops(way), way.features});
  return peaks;
}

#else

std::vector<CpuPeak> Measure() { return {}; }

#endif

}  // namespace

std::vector<CpuPeak> MeasureCpuPeaks() { return Measure(); }

std::vector<CpuPeak> PeaksWith(const std::vector<CpuPeak>& peaks,
                               const std::vector<std::string>& features) {
  std::vector<CpuPeak> out;
  for (const CpuPeak& peak : peaks) {
    bool all = true;
    for (std::string_view rest = peak.features; !rest.empty();)
      all &= std::ranges::find(features, isa::TakeCpuFeature(rest)) != features.end();
    if (all) out.push_back(peak);
  }
  return out;
}

double BestGops(const std::vector<CpuPeak>& peaks, bool is_int8) {
  double best = 0;
  for (const CpuPeak& peak : peaks)
    if (peak.is_int8 == is_int8) best = std::max(best, peak.gops);
  return best;
}

}  // namespace vta::tools
