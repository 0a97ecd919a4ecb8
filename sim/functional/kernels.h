// The inner loops of GEMM and ALU for one SIMD instruction set. All sets give the same bytes.
// Callers have checked every index; what a kernel gets is pointers and steps.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/spec/alu_ops.h"
#include "isa/spec/requant.h"
#include "sim/functional/scratchpads.h"

namespace vta::sim {

enum class Simd : uint8_t {
  kBest,    // the last of these that the processor has
  kScalar,  // the reference, with no kernels at all
  kAvx2,
  kVnni,  // AVX-512 with VNNI
};
std::string_view SimdName(Simd simd);

/// One loop of a GEMM: its trips, and what each trip adds to the three pointers.
/// Units: dst in lanes, src in bytes, wgt in bytes of packed weights.
struct GemmLoop {
  int64_t count = 1;
  int64_t dst = 0, src = 0, wgt = 0;
};

/// A perfect nest of loops, innermost last, around one product of a lane group: a vector of
/// accumulators, a row of inputs and the packed weights of those lanes. Accumulation wraps and
/// inputs and weights are read only, so any order of the loops gives the same result.
struct GemmNest {
  GemmLoop loops[5];
  int64_t dwords = 0;  // block_in / 4
  int64_t lanes = 0;   // used of a vector; fewer than it has only where block_out is
  int32_t* acc = nullptr;
  int8_t* out = nullptr;
  const int8_t* inp = nullptr;
  const int8_t* wgt = nullptr;
};

/// An ALU instruction, or a range of its outer loop; its micro-ops run in order.
struct AluLoops {
  const UopIndices* first = nullptr;  // micro-ops [first, last)
  const UopIndices* last = nullptr;
  int64_t out_begin = 0, out_end = 0, iter_in = 0;
  int64_t dst_factor_out = 0, dst_factor_in = 0, src_factor_out = 0, src_factor_in = 0;
  isa::AluOp op = isa::AluOp::kAdd;
  bool use_imm = false;
  int32_t imm = 0;
  isa::Rounding rounding = isa::Rounding::kSingle;
  int32_t multiplier_mask = -1;  // bits of the requant multiplier that the config keeps
  int64_t row_lanes = 0;
  int32_t* acc = nullptr;
  int8_t* out = nullptr;
  int32_t* latched_block = nullptr;  // room for kRequantRows rows
  int64_t latched_src = -1;          // whose rows latched_block holds
  const int8_t* lut = nullptr;       // the table of lut
};

struct Kernels {
  int64_t lanes;  // int32 lanes of a vector
  /// Bytes of the packed weights of one lane group, and how they are made from `lanes` rows of
  /// block_in weights.
  int64_t (*packed_bytes)(int64_t block_in);
  void (*pack)(const int8_t* wgt, int64_t block_in, int64_t lanes, int8_t* packed);
  void (*gemm)(const GemmNest& nest);
  /// Operations without a vector form run on the golden scalar functions.
  bool (*has_alu)(isa::AluOp op);
  void (*alu)(AluLoops& loops);
};

/// Null for kScalar.
/// Errors: throws Error where the processor (or this build) lacks the set.
const Kernels* FindKernels(Simd simd);
bool SimdSupported(Simd simd);

// Built for x86-64 only; reached through FindKernels.
extern const Kernels kAvx2Kernels, kVnniKernels;

}  // namespace vta::sim
