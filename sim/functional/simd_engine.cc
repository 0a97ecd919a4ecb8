#include "sim/functional/simd_engine.h"

#include <algorithm>
#include <array>
#include <vector>

#include "isa/counting.h"
#include "isa/support/stop.h"

namespace vta::sim {
namespace {

// Micro-ops between two looks at the clock.
constexpr int64_t kChunk = int64_t{1} << 22;

// Runs `range` over the outer loop in chunks, until the deadline.
template <typename Range>
Progress InChunks(const isa::Instruction& insn, Deadline deadline, Range range) {
  Progress progress;
  const int64_t inner = insn.iter_in * std::max<int64_t>(0, insn.uop_end - insn.uop_begin);
  if (inner == 0) return progress;
  const int64_t step = std::max<int64_t>(1, kChunk / inner);
  for (int64_t o = 0; o < insn.iter_out && !progress.stopped; o += step) {
    const int64_t end = std::min(o + step, insn.iter_out);
    range(o, end);
    progress.done += (end - o) * inner;
    progress.stopped = end < insn.iter_out && IsOver(deadline);
  }
  return progress;
}

// The length of the longest arithmetic progression of micro-ops that starts at `first`, and its
// steps.
int64_t UopRun(const UopIndices* first, const UopIndices* end, UopIndices* step) {
  *step = {0, 0, 0};
  if (end - first < 2) return 1;
  const auto difference = [](const UopIndices& a, const UopIndices& b) {
    return UopIndices{b.dst - a.dst, b.src - a.src, b.wgt - a.wgt};
  };
  *step = difference(first[0], first[1]);
  const UopIndices* last = first + 1;
  while (last + 1 < end) {
    const UopIndices next = difference(last[0], last[1]);
    if (next.dst != step->dst || next.src != step->src || next.wgt != step->wgt) break;
    ++last;
  }
  return last - first + 1;
}

// A long loop that keeps weights or accumulators in registers is worth most as the innermost.
int64_t InnermostWorth(const GemmLoop& loop) {
  if (loop.count == 1) return 0;
  return loop.wgt == 0 || loop.dst == 0 ? 4 * loop.count + (loop.wgt == 0) : loop.count;
}

}  // namespace

SimdEngine::SimdEngine(const isa::Config& config, const Kernels& kernels, Scratchpads& pads)
    : arch_(config.arch),
      kernels_(kernels),
      pads_(pads),
      groups_((arch_.block_out + kernels.lanes - 1) / kernels.lanes),
      group_lanes_(std::min(arch_.block_out, kernels.lanes)),
      group_bytes_(kernels.packed_bytes(arch_.block_in)),
      packed_(pads.wgt_depth * groups_ * group_bytes_),
      latched_block_(isa::kRequantRows * pads.acc_row) {}

void SimdEngine::PackWeights(int64_t first, int64_t count) {
  for (int64_t row = first; row < first + count; ++row)
    for (int64_t g = 0; g < groups_; ++g)
      kernels_.pack(pads_.wgt.data() + row * pads_.wgt_row + g * group_lanes_ * arch_.block_in,
                    arch_.block_in, group_lanes_,
                    packed_.data() + (row * groups_ + g) * group_bytes_);
}

bool SimdEngine::Covers(const isa::Instruction& insn) const {
  const bool alu = insn.opcode == static_cast<int64_t>(isa::Opcode::kAlu);
  if (alu && !kernels_.has_alu(static_cast<isa::AluOp>(insn.alu_opcode))) return false;
  if (isa::MicroOps(insn) == 0) return true;
  if (insn.uop_end > pads_.uop_depth) return false;
  UopIndices highest = {0, 0, 0};
  for (int64_t u = insn.uop_begin; u < insn.uop_end; ++u) {
    const UopIndices& uop = pads_.decoded_uop[u];
    highest = {std::max(highest.dst, uop.dst), std::max(highest.src, uop.src),
               std::max(highest.wgt, uop.wgt)};
  }
  const auto inside = [&](int64_t uop, int64_t factor_out, int64_t factor_in, int64_t depth) {
    return uop + (insn.iter_out - 1) * factor_out + (insn.iter_in - 1) * factor_in < depth;
  };
  if (!inside(highest.dst, insn.dst_factor_out, insn.dst_factor_in, pads_.acc_depth)) return false;
  if (insn.opcode == static_cast<int64_t>(isa::Opcode::kGemm))
    return insn.reset ||
           (inside(highest.src, insn.src_factor_out, insn.src_factor_in, pads_.inp_depth) &&
            inside(highest.wgt, insn.wgt_factor_out, insn.wgt_factor_in, pads_.wgt_depth) &&
            (!insn.overwrite || WritesNoRowTwice(insn)));
  const bool block = isa::FindAluOp(arch_, insn.alu_opcode)->apply == nullptr;
  const int64_t rows = block ? isa::kRequantRows : 1;
  return insn.use_imm ||
         inside(highest.src, insn.src_factor_out, insn.src_factor_in, pads_.acc_depth - (rows - 1));
}

bool SimdEngine::WritesNoRowTwice(const isa::Instruction& insn) const {
  if (isa::MicroOps(insn) > pads_.acc_depth) return false;
  std::vector<bool> written(pads_.acc_depth);
  bool none = true;
  ForEachMicroOp(insn, pads_, [&](int64_t dst, int64_t, int64_t) {
    none = !written[dst];
    written[dst] = true;
    return none;
  });
  return none;
}

Progress SimdEngine::Gemm(const isa::Instruction& insn, Deadline deadline) {
  return InChunks(insn, deadline, [&](int64_t begin, int64_t end) {
    if (insn.reset || insn.overwrite) ResetRange(insn, begin, end);
    if (!insn.reset) GemmRange(insn, begin, end);
  });
}

void SimdEngine::ResetRange(const isa::Instruction& insn, int64_t out_begin, int64_t out_end) {
  for (int64_t o = out_begin; o < out_end; ++o)
    for (int64_t i = 0; i < insn.iter_in; ++i)
      for (int64_t u = insn.uop_begin; u < insn.uop_end; ++u) {
        const int64_t row =
            pads_.decoded_uop[u].dst + o * insn.dst_factor_out + i * insn.dst_factor_in;
        std::fill_n(pads_.acc.data() + row * pads_.acc_row, pads_.acc_row, 0);
        std::fill_n(pads_.out.data() + row * pads_.acc_row, pads_.acc_row, int8_t{0});
      }
}

// A GEMM is a sum: its loops may run in any order. Micro-ops in arithmetic progression make one
// more loop, batch rows and lane groups two more.
void SimdEngine::GemmRange(const isa::Instruction& insn, int64_t out_begin, int64_t out_end) {
  const int64_t dst = pads_.acc_row, src = pads_.inp_row, wgt = groups_ * group_bytes_;
  const GemmLoop outer = {out_end - out_begin, insn.dst_factor_out * dst, insn.src_factor_out * src,
                          insn.wgt_factor_out * wgt};
  const GemmLoop inner = {insn.iter_in, insn.dst_factor_in * dst, insn.src_factor_in * src,
                          insn.wgt_factor_in * wgt};
  const GemmLoop batch = {arch_.batch, arch_.block_out, arch_.block_in, 0};
  const GemmLoop groups = {groups_, group_lanes_, 0, group_bytes_};
  GemmNest nest;
  nest.dwords = arch_.block_in / 4;
  nest.lanes = group_lanes_;
  const UopIndices* uop = pads_.decoded_uop.data() + insn.uop_begin;
  const UopIndices* end = pads_.decoded_uop.data() + insn.uop_end;
  while (uop < end) {
    UopIndices step;
    const int64_t run = UopRun(uop, end, &step);
    const GemmLoop uops = {run, step.dst * dst, step.src * src, step.wgt * wgt};
    std::ranges::copy(std::array{groups, batch, outer, inner, uops}, nest.loops);
    std::iter_swap(std::end(nest.loops) - 1,
                   std::max_element(std::begin(nest.loops), std::end(nest.loops),
                                    [](const GemmLoop& a, const GemmLoop& b) {
                                      return InnermostWorth(a) < InnermostWorth(b);
                                    }));
    const int64_t first_dst = uop->dst * dst + out_begin * outer.dst;
    nest.acc = pads_.acc.data() + first_dst;
    nest.out = pads_.out.data() + first_dst;
    nest.inp = pads_.inp.data() + uop->src * src + out_begin * outer.src;
    nest.wgt = packed_.data() + uop->wgt * wgt + out_begin * outer.wgt;
    kernels_.gemm(nest);
    uop += run;
  }
}

Progress SimdEngine::Alu(const isa::Instruction& insn, isa::Rounding rounding, Deadline deadline) {
  AluLoops loops;
  loops.first = pads_.decoded_uop.data() + insn.uop_begin;
  loops.last = pads_.decoded_uop.data() + std::max(insn.uop_begin, insn.uop_end);
  loops.iter_in = insn.iter_in;
  loops.dst_factor_out = insn.dst_factor_out;
  loops.dst_factor_in = insn.dst_factor_in;
  loops.src_factor_out = insn.src_factor_out;
  loops.src_factor_in = insn.src_factor_in;
  loops.op = static_cast<isa::AluOp>(insn.alu_opcode);
  loops.use_imm = insn.use_imm;
  loops.imm = static_cast<int32_t>(insn.imm);
  loops.rounding = rounding;
  loops.multiplier_mask = isa::TruncateMultiplier(-1, arch_.requant_multiplier_bits);
  loops.row_lanes = pads_.acc_row;
  loops.acc = pads_.acc.data();
  loops.out = pads_.out.data();
  loops.latched_block = latched_block_.data();
  loops.lut = pads_.lut.data();
  return InChunks(insn, deadline, [&](int64_t begin, int64_t end) {
    loops.out_begin = begin;
    loops.out_end = end;
    kernels_.alu(loops);
  });
}

}  // namespace vta::sim
