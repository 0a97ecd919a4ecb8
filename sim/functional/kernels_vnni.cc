// The kernels for AVX-512 with VNNI. vpdpbusd multiplies unsigned by signed bytes: inputs are moved
// up by 128 (their top bit flipped), and each lane's packed weights start with -128 * their sum,
// which takes that back.
#if defined(__x86_64__)

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12's own header starts masked operations from a register that it leaves undefined on purpose.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "sim/functional/kernels.h"

#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
#endif

namespace vta::sim {
namespace {

// Sixteen lanes.
struct V {
  static constexpr int kLanes = 16;
  using I32 = __m512i;
  using I64 = __m512i;

  static __mmask16 Mask(int64_t lanes) { return static_cast<__mmask16>((1u << lanes) - 1); }
  template <bool kTail>
  static I32 Load(const int32_t* from, int64_t lanes) {
    return kTail ? _mm512_maskz_loadu_epi32(Mask(lanes), from) : _mm512_loadu_si512(from);
  }
  /// The lanes, and their low bytes.
  template <bool kTail>
  static void StoreBoth(int32_t* acc, int8_t* out, I32 value, int64_t lanes) {
    if (kTail) {
      _mm512_mask_storeu_epi32(acc, Mask(lanes), value);
      _mm512_mask_cvtepi32_storeu_epi8(out, Mask(lanes), value);
    } else {
      _mm512_storeu_si512(acc, value);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_cvtepi32_epi8(value));
    }
  }

  static I32 Set(int32_t v) { return _mm512_set1_epi32(v); }
  static I32 Min(I32 a, I32 b) { return _mm512_min_epi32(a, b); }
  static I32 Max(I32 a, I32 b) { return _mm512_max_epi32(a, b); }
  static I32 Add(I32 a, I32 b) { return _mm512_add_epi32(a, b); }
  static I32 Sub(I32 a, I32 b) { return _mm512_sub_epi32(a, b); }
  static I32 Mul(I32 a, I32 b) { return _mm512_mullo_epi32(a, b); }
  static I32 And(I32 a, I32 b) { return _mm512_and_si512(a, b); }
  static I32 ShiftLeft(I32 a, I32 n) { return _mm512_sllv_epi32(a, n); }
  static I32 ShiftRight(I32 a, I32 n) { return _mm512_srav_epi32(a, n); }
  static I32 ShiftLeftBits(I32 a, int n) { return _mm512_slli_epi32(a, n); }
  static I32 ShiftRightBits(I32 a, int n) { return _mm512_srai_epi32(a, n); }
  static I32 SelectNegative(I32 sign, I32 negative, I32 other) {
    return _mm512_mask_blend_epi32(_mm512_movepi32_mask(sign), other, negative);
  }

  template <int kHalf>
  static I64 Widen(I32 v) {
    return _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(v, kHalf));
  }
  static I32 Narrow(I64 low, I64 high) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                              _mm512_cvtepi64_epi32(high), 1);
  }
  static I64 Set64(int64_t v) { return _mm512_set1_epi64(v); }
  static I64 Add64(I64 a, I64 b) { return _mm512_add_epi64(a, b); }
  static I64 Sub64(I64 a, I64 b) { return _mm512_sub_epi64(a, b); }
  static I64 And64(I64 a, I64 b) { return _mm512_and_si512(a, b); }
  static I64 MulLow32(I64 a, I64 b) { return _mm512_mul_epi32(a, b); }
  static I64 Min64(I64 a, I64 b) { return _mm512_min_epi64(a, b); }
  static I64 Max64(I64 a, I64 b) { return _mm512_max_epi64(a, b); }
  static I64 ShiftLeft64(I64 a, I64 n) { return _mm512_sllv_epi64(a, n); }
  static I64 ShiftRight64(I64 a, I64 n) { return _mm512_srav_epi64(a, n); }
  static I64 GreaterOne64(I64 a, I64 b) {
    return _mm512_maskz_set1_epi64(_mm512_cmpgt_epi64_mask(a, b), 1);
  }

  static I32 Input(const int8_t* inp, int dword) {
    int32_t four;
    __builtin_memcpy(&four, inp + 4 * dword, sizeof four);
    return _mm512_xor_si512(_mm512_set1_epi32(four), _mm512_set1_epi8(-128));
  }

  // Packed: a vector of corrections, then a vector of four weights a lane for each four inputs.
  template <int kDwords>
  struct Weights {
    explicit Weights(const int8_t* packed) : correction(_mm512_load_si512(packed)) {
#pragma GCC unroll 16
      for (int j = 0; j < kDwords; ++j) dwords[j] = _mm512_load_si512(packed + 64 * (j + 1));
    }
    I32 Dot(I32 acc, const int8_t* inp) const {
      acc = _mm512_add_epi32(acc, correction);
#pragma GCC unroll 16
      for (int j = 0; j < kDwords; ++j) acc = _mm512_dpbusd_epi32(acc, Input(inp, j), dwords[j]);
      return acc;
    }
    I32 correction;
    I32 dwords[kDwords];
  };

  // Separate partial sums, so that a long reduction is not bound by the latency of one chain.
  template <int kDwords>
  struct Sums {
    static constexpr int kChains = kDwords < 4 ? kDwords : 4;
    void Clear(I32 start) {
#pragma GCC unroll 4
      for (int j = 0; j < kChains; ++j) chains[j] = _mm512_setzero_si512();
      corrections = start;
    }
    void Add(const Weights<kDwords>& weights, const int8_t* inp) {
      corrections = _mm512_add_epi32(corrections, weights.correction);
#pragma GCC unroll 16
      for (int j = 0; j < kDwords; ++j)
        chains[j % kChains] =
            _mm512_dpbusd_epi32(chains[j % kChains], Input(inp, j), weights.dwords[j]);
    }
    I32 Total() const {
      I32 total = corrections;
#pragma GCC unroll 4
      for (int j = 0; j < kChains; ++j) total = _mm512_add_epi32(total, chains[j]);
      return total;
    }
    I32 corrections, chains[kChains];
  };
};

int64_t PackedBytes(int64_t block_in) { return 64 * (1 + block_in / 4); }

void Pack(const int8_t* wgt, int64_t block_in, int64_t lanes, int8_t* packed) {
  __m512i sums = _mm512_setzero_si512();
  for (int64_t j = 0; j < block_in / 4; ++j) {
    int8_t* to = packed + 64 * (j + 1);
    for (int64_t lane = 0; lane < lanes; ++lane)
      __builtin_memcpy(to + 4 * lane, wgt + lane * block_in + 4 * j, 4);
    sums = _mm512_dpbusd_epi32(sums, _mm512_set1_epi8(-128), _mm512_load_si512(to));
  }
  _mm512_store_si512(packed, _mm512_sub_epi32(_mm512_setzero_si512(), sums));
}

#include "sim/functional/kernels_body.inc"

}  // namespace

const Kernels kVnniKernels = {V::kLanes, PackedBytes, Pack, Gemm, HasAlu, Alu};

}  // namespace vta::sim

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // __x86_64__
