// GEMM and ALU with the SIMD kernels. Checks the extreme indices of an instruction once; one with
// any index out of range is left to the in-order reference, and so is one that overwrites a row
// which it wrote itself.
#pragma once

#include "isa/config.h"
#include "sim/functional/compute.h"
#include "sim/functional/kernels.h"

namespace vta::sim {

class SimdEngine {
 public:
  /// `pads` and `kernels` are borrowed.
  SimdEngine(const isa::Config& config, const Kernels& kernels, Scratchpads& pads);

  /// Weight rows [first, first + count) changed.
  void PackWeights(int64_t first, int64_t count);
  /// Every index of every micro-op of a GEMM or ALU is inside its buffer, and an overwriting GEMM
  /// writes no row twice.
  bool Covers(const isa::Instruction& insn) const;
  Progress Gemm(const isa::Instruction& insn, Deadline deadline);
  Progress Alu(const isa::Instruction& insn, isa::Rounding rounding, Deadline deadline);

 private:
  bool WritesNoRowTwice(const isa::Instruction& insn) const;
  void GemmRange(const isa::Instruction& insn, int64_t out_begin, int64_t out_end);
  void ResetRange(const isa::Instruction& insn, int64_t out_begin, int64_t out_end);

  const isa::Arch arch_;
  const Kernels& kernels_;
  Scratchpads& pads_;
  int64_t groups_, group_lanes_, group_bytes_;  // lane groups of a weight element
  AlignedArray<int8_t> packed_;                 // the weight scratchpad as the kernels want it
  AlignedArray<int32_t> latched_block_;
};

}  // namespace vta::sim
