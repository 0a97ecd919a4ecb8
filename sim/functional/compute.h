// GEMM and ALU: loops of micro-ops over the scratchpads.
#pragma once

#include <chrono>

#include "isa/config.h"
#include "isa/spec/requant.h"
#include "sim/functional/scratchpads.h"
#include "sim/functional/transfer.h"

namespace vta::sim {

using Deadline = std::chrono::steady_clock::time_point;

/// The indices of every micro-op of an instruction in order, one after the other as the hardware
/// makes them. visit(dst, src, wgt) returns false to end the walk; so does a micro-op index past
/// the buffer.
template <typename Visit>
void ForEachMicroOp(const isa::Instruction& insn, const Scratchpads& pads, Visit visit) {
  for (int64_t o = 0; o < insn.iter_out; ++o)
    for (int64_t i = 0; i < insn.iter_in; ++i)
      for (int64_t u = insn.uop_begin; u < insn.uop_end; ++u) {
        if (u >= pads.uop_depth) return;
        const UopIndices& uop = pads.decoded_uop[u];
        if (!visit(uop.dst + o * insn.dst_factor_out + i * insn.dst_factor_in,
                   uop.src + o * insn.src_factor_out + i * insn.src_factor_in,
                   uop.wgt + o * insn.wgt_factor_out + i * insn.wgt_factor_in))
          return;
      }
}

/// The reference: micro-op by micro-op, every index checked, plain arithmetic of isa/spec.
Progress GemmInOrder(const isa::Config& config, const isa::Instruction& insn, Scratchpads& pads,
                     Deadline deadline);
Progress AluInOrder(const isa::Config& config, const isa::Instruction& insn, isa::Rounding rounding,
                    Scratchpads& pads, Deadline deadline);

}  // namespace vta::sim
