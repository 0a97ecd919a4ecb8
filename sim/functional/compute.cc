#include "sim/functional/compute.h"

#include <algorithm>
#include <vector>

#include "isa/counting.h"
#include "isa/spec/alu_ops.h"
#include "isa/support/stop.h"

namespace vta::sim {
namespace {

using isa::Fault;

// Looks at the clock once every 65536 micro-ops.
class Watch {
 public:
  explicit Watch(Deadline deadline) : deadline_(deadline) {}
  bool Passed(int64_t done) const { return (done & 0xffff) == 0xffff && IsOver(deadline_); }

 private:
  Deadline deadline_;
};

bool Inside(int64_t index, int64_t depth) { return index >= 0 && index < depth; }

void Narrow(Scratchpads& pads, int64_t row) {
  const int32_t* acc = pads.acc.data() + row * pads.acc_row;
  int8_t* out = pads.out.data() + row * pads.acc_row;
  for (int64_t lane = 0; lane < pads.acc_row; ++lane) out[lane] = static_cast<int8_t>(acc[lane]);
}

// Without `adds` what acc holds does not count.
void Multiply(const isa::Arch& arch, const int8_t* inp, const int8_t* wgt, int32_t* acc,
              bool adds) {
  for (int64_t b = 0; b < arch.batch; ++b, inp += arch.block_in, acc += arch.block_out)
    for (int64_t k = 0; k < arch.block_out; ++k) {
      int32_t sum = 0;  // at most 64 * 2^14: exact
      for (int64_t c = 0; c < arch.block_in; ++c) sum += inp[c] * wgt[k * arch.block_in + c];
      acc[k] = adds ? isa::WrapAdd(acc[k], sum) : sum;
    }
}

}  // namespace

Progress GemmInOrder(const isa::Config& config, const isa::Instruction& insn, Scratchpads& pads,
                     Deadline deadline) {
  Progress progress;
  const Watch watch(deadline);
  ForEachMicroOp(insn, pads, [&](int64_t dst, int64_t src, int64_t wgt) {
    if (!Inside(dst, pads.acc_depth)) return false;
    int32_t* acc = pads.acc.data() + dst * pads.acc_row;
    if (insn.reset) {
      std::fill_n(acc, pads.acc_row, 0);
    } else {
      if (!Inside(src, pads.inp_depth) || !Inside(wgt, pads.wgt_depth)) return false;
      Multiply(config.arch, pads.inp.data() + src * pads.inp_row,
               pads.wgt.data() + wgt * pads.wgt_row, acc, !insn.overwrite);
    }
    Narrow(pads, dst);
    ++progress.done;
    progress.stopped = watch.Passed(progress.done);
    return !progress.stopped;
  });
  if (progress.done < isa::MicroOps(insn) && !progress.stopped)
    progress.fault = Fault::kIndexOutOfRange;
  return progress;
}

Progress AluInOrder(const isa::Config& config, const isa::Instruction& insn, isa::Rounding rounding,
                    Scratchpads& pads, Deadline deadline) {
  Progress progress;
  const Watch watch(deadline);
  const isa::AluOpSpec& op = *isa::FindAluOp(config.arch, insn.alu_opcode);
  const bool requant = op.apply == nullptr;
  const int64_t src_rows = requant ? isa::kRequantRows : insn.use_imm ? 0 : 1;
  std::vector<isa::RequantLane> block(requant ? pads.acc_row : 0);
  int64_t latched = -1;
  ForEachMicroOp(insn, pads, [&](int64_t dst, int64_t src, int64_t) {
    if (!Inside(dst, pads.acc_depth)) return false;
    if (src_rows > 0 && (src < 0 || src + src_rows > pads.acc_depth)) return false;
    int32_t* acc = pads.acc.data() + dst * pads.acc_row;
    const int32_t* operand = pads.acc.data() + (src_rows > 0 ? src : 0) * pads.acc_row;
    if (requant && src != latched) {
      for (int64_t lane = 0; lane < pads.acc_row; ++lane)
        block[lane] = isa::UnpackRequant(operand[lane], operand[lane + pads.acc_row],
                                         operand[lane + 2 * pads.acc_row]);
      latched = src;
    }
    const int32_t imm = static_cast<int32_t>(insn.imm);
    for (int64_t lane = 0; lane < pads.acc_row; ++lane)
      acc[lane] = requant ? isa::Requant(acc[lane], block[lane], rounding,
                                         config.arch.requant_multiplier_bits)
                          : op.apply(acc[lane], insn.use_imm ? imm : operand[lane]);
    if (op.code == isa::AluOp::kLut)
      for (int64_t lane = 0; lane < pads.acc_row; ++lane)
        acc[lane] = isa::LookUp(pads.lut.data(), acc[lane]);
    Narrow(pads, dst);
    ++progress.done;
    progress.stopped = watch.Passed(progress.done);
    return !progress.stopped;
  });
  if (progress.done < isa::MicroOps(insn) && !progress.stopped)
    progress.fault = Fault::kIndexOutOfRange;
  return progress;
}

}  // namespace vta::sim
