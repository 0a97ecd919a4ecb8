// The pieces of random programs: configs, scratchpad slots, and the instructions that fill, use and
// empty a slot.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "tests/support/test_program.h"

namespace vta::test {

class Draw {
 public:
  explicit Draw(uint64_t seed) : engine_(seed) {}
  /// Uniform in [0, high]; the same on every machine.
  int64_t UpTo(int64_t high) { return static_cast<int64_t>(engine_() % (high + 1)); }
  bool OneIn(int64_t n) { return UpTo(n - 1) == 0; }

 private:
  std::mt19937_64 engine_;
};

/// A small machine with some of the extensions.
isa::Config RandomConfig(Draw& draw);

/// Rows first, first + step, ... of a scratchpad.
struct Slot {
  int64_t first = 0, step = 1, rows = 1;
  int64_t Row(int64_t k) const { return first + k * step; }
};
/// Disjoint slots above row `low`, one after the other or row by row in turns.
std::vector<Slot> PlaceSlots(Draw& draw, int64_t count, int64_t rows, int64_t low);

/// The last of the ALU operations to draw from, some of which the config may not have. What came
/// later is drawn only where it is there: programs for other configs stay what they were.
isa::AluOp LastAluOp(const isa::Arch& arch);

/// Small values, and what requant makes ties and limits of: random words hardly ever do.
int32_t RequantWord(Draw& draw);

isa::Instruction Set(isa::Mode mode, int64_t value);
/// An instruction that only carries tokens.
isa::Instruction Carrier(Draw& draw, isa::Module module);
isa::Instruction LoadRows(isa::MemoryType type, int64_t row, int64_t rows, int64_t element);
/// LOADs that together write each row of the slot, from elements [element, element + 2 *
/// slot.rows).
std::vector<isa::Instruction> LoadSlot(Draw& draw, const isa::Config& config, isa::MemoryType type,
                                       const Slot& slot, int64_t element);
/// STOREs of the whole slot to elements [element, element + 2 * slot.rows).
std::vector<isa::Instruction> StoreSlot(Draw& draw, const Slot& slot, int64_t element);

/// Appends compute instructions, and the LOADs of their micro-ops where those are not there yet.
struct KernelWriter {
  Draw& draw;
  TestProgram& program;
  std::vector<std::optional<isa::Uop>>& uops;  // the micro-op memory as it stands
  std::vector<isa::Instruction>& ops;

  void Reset(const Slot& acc);
  /// A product in each row, whatever it held.
  void Overwrite(const Slot& acc, const Slot& inp, const Slot& wgt);
  void Gemm(const Slot& acc, const Slot& inp, const Slot& wgt, std::vector<bool>& written);
  void Alu(const Slot& acc, std::vector<bool>& written);
  void ImmediateOnAll(const Slot& acc);

 private:
  /// Makes the kernel resident and sets uop_begin and uop_end.
  void UseKernel(const std::vector<isa::Uop>& kernel, isa::Instruction& insn);
  void RowByRow(const Slot& acc, isa::Instruction insn, isa::Uop uop = {});
};

}  // namespace vta::test
