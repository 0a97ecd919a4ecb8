// The kernels for AVX2. Its only exact product of many small integers is that of 16-bit pairs
// (vpmaddwd), so inputs are widened where they are used and weights where they are packed, even and
// odd ones apart.
#if defined(__x86_64__)

#include <immintrin.h>

#include "sim/functional/kernels.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace vta::sim {
namespace {

// Eight lanes; a tail is the four of the smallest block_out.
struct V {
  static constexpr int kLanes = 8;
  using I32 = __m256i;
  using I64 = __m256i;

  template <bool kTail>
  static I32 Load(const int32_t* from, int64_t) {
    if (kTail)
      return _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  /// The lanes, and their low bytes.
  template <bool kTail>
  static void StoreBoth(int32_t* acc, int8_t* out, I32 value, int64_t) {
    const __m256i low_bytes =
        _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                         -1, 0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m256i bytes = _mm256_shuffle_epi8(value, low_bytes);
    const __m128i both =
        _mm_or_si128(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
    if (kTail) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(acc), _mm256_castsi256_si128(value));
      const int32_t four = _mm_cvtsi128_si32(both);
      __builtin_memcpy(out, &four, sizeof four);
    } else {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(acc), value);
      _mm_storel_epi64(reinterpret_cast<__m128i*>(out), both);
    }
  }

  static I32 Set(int32_t v) { return _mm256_set1_epi32(v); }
  static I32 Min(I32 a, I32 b) { return _mm256_min_epi32(a, b); }
  static I32 Max(I32 a, I32 b) { return _mm256_max_epi32(a, b); }
  static I32 Add(I32 a, I32 b) { return _mm256_add_epi32(a, b); }
  static I32 Sub(I32 a, I32 b) { return _mm256_sub_epi32(a, b); }
  static I32 Mul(I32 a, I32 b) { return _mm256_mullo_epi32(a, b); }
  static I32 And(I32 a, I32 b) { return _mm256_and_si256(a, b); }
  static I32 ShiftLeft(I32 a, I32 n) { return _mm256_sllv_epi32(a, n); }
  static I32 ShiftRight(I32 a, I32 n) { return _mm256_srav_epi32(a, n); }
  static I32 ShiftLeftBits(I32 a, int n) { return _mm256_slli_epi32(a, n); }
  static I32 ShiftRightBits(I32 a, int n) { return _mm256_srai_epi32(a, n); }
  static I32 SelectNegative(I32 sign, I32 negative, I32 other) {
    return _mm256_blendv_epi8(other, negative, _mm256_srai_epi32(sign, 31));
  }

  template <int kHalf>
  static I64 Widen(I32 v) {
    return _mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, kHalf));
  }
  static I32 Narrow(I64 low, I64 high) {
    const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    return _mm256_permute2x128_si256(_mm256_permutevar8x32_epi32(low, even),
                                     _mm256_permutevar8x32_epi32(high, even), 0x20);
  }
  static I64 Set64(int64_t v) { return _mm256_set1_epi64x(v); }
  static I64 Add64(I64 a, I64 b) { return _mm256_add_epi64(a, b); }
  static I64 Sub64(I64 a, I64 b) { return _mm256_sub_epi64(a, b); }
  static I64 And64(I64 a, I64 b) { return _mm256_and_si256(a, b); }
  static I64 MulLow32(I64 a, I64 b) { return _mm256_mul_epi32(a, b); }
  static I64 Min64(I64 a, I64 b) { return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b)); }
  static I64 Max64(I64 a, I64 b) { return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b)); }
  static I64 ShiftLeft64(I64 a, I64 n) { return _mm256_sllv_epi64(a, n); }
  // There is only a logical one: shift a + 2^63, which is not negative, and take 2^63 back.
  static I64 ShiftRight64(I64 a, I64 n) {
    const I64 top = _mm256_set1_epi64x(INT64_MIN);
    return _mm256_sub_epi64(_mm256_srlv_epi64(_mm256_xor_si256(a, top), n),
                            _mm256_srlv_epi64(top, n));
  }
  static I64 GreaterOne64(I64 a, I64 b) { return _mm256_srli_epi64(_mm256_cmpgt_epi64(a, b), 63); }

  // Packed: for each four inputs a vector of the even pair and one of the odd pair, two 16-bit
  // weights a lane.
  template <int kDwords>
  struct Weights {
    explicit Weights(const int8_t* packed) {
#pragma GCC unroll 32
      for (int j = 0; j < 2 * kDwords; ++j)
        pairs[j] = _mm256_load_si256(reinterpret_cast<const __m256i*>(packed) + j);
    }
    I32 Dot(I32 acc, const int8_t* inp) const {
      I32 odd_sum = _mm256_setzero_si256();
#pragma GCC unroll 16
      for (int j = 0; j < kDwords; ++j) {
        int32_t four;
        __builtin_memcpy(&four, inp + 4 * j, sizeof four);
        const I32 bytes = _mm256_set1_epi32(four);
        const I32 even = _mm256_srai_epi16(_mm256_slli_epi16(bytes, 8), 8);
        const I32 odd = _mm256_srai_epi16(bytes, 8);
        acc = _mm256_add_epi32(acc, _mm256_madd_epi16(even, pairs[2 * j]));
        odd_sum = _mm256_add_epi32(odd_sum, _mm256_madd_epi16(odd, pairs[2 * j + 1]));
      }
      return _mm256_add_epi32(acc, odd_sum);
    }
    I32 pairs[2 * kDwords];
  };

  template <int kDwords>
  struct Sums {
    void Clear(I32 start) { total = start; }
    void Add(const Weights<kDwords>& weights, const int8_t* inp) {
      total = _mm256_add_epi32(total, weights.Dot(_mm256_setzero_si256(), inp));
    }
    I32 Total() const { return total; }
    I32 total;
  };
};

int64_t PackedBytes(int64_t block_in) { return 64 * (block_in / 4); }

void Pack(const int8_t* wgt, int64_t block_in, int64_t lanes, int8_t* packed) {
  for (int64_t j = 0; j < block_in / 4; ++j)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int8_t* four = wgt + lane * block_in + 4 * j;
      const int16_t even[2] = {four[0], four[2]}, odd[2] = {four[1], four[3]};
      __builtin_memcpy(packed + 64 * j + 4 * lane, even, 4);
      __builtin_memcpy(packed + 64 * j + 32 + 4 * lane, odd, 4);
    }
}

#include "sim/functional/kernels_body.inc"

}  // namespace

const Kernels kAvx2Kernels = {V::kLanes, PackedBytes, Pack, Gemm, HasAlu, Alu};

}  // namespace vta::sim

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // __x86_64__
