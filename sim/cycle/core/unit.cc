#include "sim/cycle/core/unit.h"

#include <array>

#include "isa/spec/timing.h"
#include "isa/support/stop.h"

namespace vta::sim::cycle {

namespace timing = isa::timing;
using isa::AluOp;

namespace {

bool IsGemm(const isa::Instruction& f) {
  return f.opcode == static_cast<int64_t>(isa::Opcode::kGemm);
}
// Or lut, which is one in all but its values.
bool IsRequant(const isa::Instruction& f) {
  const auto op = static_cast<AluOp>(f.alu_opcode);
  return !IsGemm(f) && (op == AluOp::kRequant || op == AluOp::kLut);
}
bool IsLong(const isa::Instruction& f) {
  return IsRequant(f) || (!IsGemm(f) && f.alu_opcode == static_cast<int64_t>(AluOp::kMul));
}
bool UsesSrc(const isa::Instruction& f) { return IsGemm(f) ? !f.reset : !f.use_imm; }

}  // namespace

Uops::Place Uops::PlaceOf(const isa::Instruction& f, int64_t out, int64_t in, int64_t uop) const {
  const isa::Arch& arch = layout_->config().arch;
  if (uop >= arch.uop_depth) return {0, 0, 0, true};
  const isa::Uop& u = uops_[static_cast<size_t>(uop)];
  Place place = {u.dst + out * f.dst_factor_out + in * f.dst_factor_in,
                 u.src + out * f.src_factor_out + in * f.src_factor_in,
                 u.wgt + out * f.wgt_factor_out + in * f.wgt_factor_in, false};
  const bool gemm = IsGemm(f);
  place.outside = place.dst >= arch.acc_depth;
  if (UsesSrc(f))
    place.outside |= place.src + (IsRequant(f) ? 2 : 0) >= (gemm ? arch.inp_depth : arch.acc_depth);
  if (gemm && !f.reset) place.outside |= place.wgt >= arch.wgt_depth;
  return place;
}

bool Uops::AllInside(const isa::Instruction& f) const {
  for (int64_t uop = f.uop_begin; uop < f.uop_end; ++uop)
    if (PlaceOf(f, f.iter_out - 1, f.iter_in - 1, uop).outside) return false;
  return true;
}

// Rows of the first pass and the last offsets bound all of them.
void Uops::FindKnown(const isa::Instruction& f, int64_t start, int64_t pass, UnitRun& run) const {
  const isa::Arch& arch = layout_->config().arch;
  if (f.uop_end - f.uop_begin > timing::kKernelUops || !AllInside(f)) return;
  bool high = true, low = true;
  for (int64_t uop = f.uop_begin; uop < f.uop_end; ++uop) {
    const Place first = PlaceOf(f, 0, 0, uop),
                last = PlaceOf(f, f.iter_out - 1, f.iter_in - 1, uop);
    const int64_t half = arch.acc_depth / 2;
    high &= first.dst >= half && (!UsesSrc(f) || first.src >= half);
    low &= last.dst < half && (!UsesSrc(f) || last.src + (IsRequant(f) ? 2 : 0) < half);
  }
  run.high = high;
  if (!high && !low) return;
  run.known = std::max(start + timing::kReachCycles, pass + timing::kReachPassCycles);
}

void Uops::Write(int64_t row, uint32_t word) {
  const isa::Uop uop = isa::DecodeUop(*layout_, word);
  isa::Uop& old = uops_[static_cast<size_t>(row)];
  if (old == uop) return;
  overwritten_.emplace_back(static_cast<size_t>(row), old);
  old = uop;
  known_.clear();
}

void Uops::Restore() {
  for (; !overwritten_.empty(); overwritten_.pop_back())
    uops_[overwritten_.back().first] = overwritten_.back().second;
  known_.clear();
}

UnitRun Uops::Run(const Insn& insn, int64_t start, const Lock& lock) {
  if (lock.until > start + timing::kFirstUopCycles) return RunFrom(insn, start, lock);
  constexpr size_t kMost = 4096;
  if (known_.size() >= kMost) known_.clear();
  const auto entry = known_.find(insn.word);
  UnitRun run = entry != known_.end()
                    ? entry->second
                    : known_.emplace(insn.word, RunFrom(insn, 0, {})).first->second;
  for (int64_t UnitRun::*time :
       {&UnitRun::ending, &UnitRun::done, &UnitRun::failed, &UnitRun::known})
    if (run.*time < kNever) run.*time += start;
  return run;
}

UnitRun Uops::RunFrom(const Insn& insn, int64_t start, const Lock& lock) const {
  const isa::Instruction& f = insn.fields;
  const isa::Config& config = layout_->config();
  const bool is_long = IsLong(f), inside = AllInside(f), requant = IsRequant(f);
  const bool two = config.uarch.alu_read_ports == 1 && !IsGemm(f) && !f.use_imm && !requant;
  const bool locks = lock.until > start + timing::kFirstUopCycles && IsGemm(f);
  const int64_t kernel = f.uop_end - f.uop_begin, passes = f.iter_out * f.iter_in;
  const int64_t finish = timing::kExecuteOverlapCycles + (is_long ? timing::kLongStages : 0);
  UnitRun run;
  int64_t went = start + timing::kFirstUopCycles - 1, pass = went + 1;
  if (inside && !is_long && !locks) {
    const int64_t each = two ? 2 : 1;
    run.uops = kernel * passes;
    pass = kernel == 1 ? pass : went + (kernel - 1) * each + 1;
    went += run.uops * each;
  } else {
    // The rows that the last long operations write.
    std::array<int64_t, timing::kLongWindowCycles> rows = {};
    std::array<int64_t, timing::kLongWindowCycles> times;
    times.fill(kLongAgo);
    size_t slot = 0;
    int64_t block = -1;
    const int64_t half = config.arch.acc_depth / 2;
    const int64_t first = went;
    bool first_pass = true;
    for (int64_t out = 0; out < f.iter_out; ++out) {
      if (IsOver(deadline_)) throw Stopped();
      for (int64_t in = 0; in < f.iter_in; ++in) {
        for (int64_t uop = f.uop_begin; uop < f.uop_end; ++uop) {
          const Place place = PlaceOf(f, out, in, uop);
          int64_t go = went + 1;
          if (first_pass && uop + 1 == f.uop_end)
            pass = went == first ? first + 1 : go, first_pass = false;
          if (place.outside) {
            run.failed = go + finish;
            return run;
          }
          if (is_long) {
            for (size_t i = 0; i < times.size(); ++i)
              if (rows[i] == place.dst || (!requant && !f.use_imm && rows[i] == place.src))
                go = std::max(go, times[i] + timing::kLongWindowCycles);
            if (requant && block != place.src) {
              const int64_t begin =
                  std::max(went + 1, block < 0 ? went + 1 : went + 1 + timing::kRequantDrainCycles);
              go = std::max(go, begin + timing::kRequantBlockCycles);
              block = place.src;
            }
          }
          if (locks && lock.bank[place.dst >= half]) go = std::max(go, lock.until);
          if (two) ++go;
          went = go;
          if (is_long) rows[slot] = place.dst, times[slot] = go, slot = (slot + 1) % times.size();
          ++run.uops;
        }
      }
    }
  }
  run.ending = is_long ? went + finish - timing::kLongOverlapCycles : went;
  run.done = went + finish;
  if (config.uarch.acc_banks == 2 && !IsGemm(f)) FindKnown(f, start, pass, run);
  return run;
}

}  // namespace vta::sim::cycle
