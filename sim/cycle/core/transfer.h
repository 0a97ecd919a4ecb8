// The far end of a LOAD: when its beats are taken and its rows written. vta_tile, vta_uop_memory.
#pragma once

#include <vector>

#include "sim/cycle/core/module.h"
#include "sim/cycle/core/reads.h"
#include "sim/cycle/core/unit.h"

namespace vta::sim::cycle {

class Transfer : public Taker {
 public:
  Transfer(const isa::Layout& layout, Beats& beats) : layout_(layout), beats_(beats) {}

  /// A LOAD of inp, wgt, acc, acc8 or lut that starts in this cycle. Rows of a bank that is locked
  /// are written later.
  void StartTile(const Insn& insn, int64_t cycle, const Lock& lock);
  /// A LOAD of micro-ops.
  void StartUops(const Insn& insn, uint64_t base, int64_t cycle);
  int64_t Take() override;

  // kNever until known.
  int64_t ending() const { return ending_; }  // the cycle of the last write
  int64_t done() const { return ending_ == kNever ? kNever : ending_ + 1; }
  int64_t failed() const { return failed_; }
  isa::Fault fault() const { return fault_; }
  /// What is written. Units: elements from memory, micro-ops.
  int64_t elements() const { return elements_; }
  /// Tells the cycles from `begin` up to `end` in which it waits for a beat.
  void Account(int64_t begin, int64_t end, Book& book) const;
  /// What those waited for, up to `end`; `index`: of the instruction.
  void RecordWaits(Record& record, const Reads& reads, int64_t end, int64_t index) const;
  /// And the cycles between them, from `begin` on, as work.
  void RecordAll(Record& record, const Reads& reads, int64_t begin, int64_t end,
                 int64_t index) const;

 private:
  struct Steps {
    int64_t count;
    bool beats;  // one each; pads wait for nothing
  };
  struct Span {
    int64_t begin, end;
    size_t way;  // of the burst
  };
  void Begin(int64_t at);
  void Fail(int64_t cycle, isa::Fault fault);
  bool TakePads(Steps& steps);
  bool TakeBeats(Steps& steps);
  bool TakeTable(Steps& steps);
  void TakeUops();
  int64_t Hold(int64_t row) const;

  const isa::Layout& layout_;
  Beats& beats_;
  bool active_ = false, uops_ = false, table_ = false;
  int64_t at_ = 0;  // the earliest cycle of the next step
  int64_t ending_ = kNever, failed_ = kNever;
  isa::Fault fault_ = isa::Fault::kNone;
  int64_t elements_ = 0;
  std::vector<Span> waits_;
  // A tile: what is left of it, the last first.
  std::vector<Steps> steps_;
  int64_t lanes_ = 1, lane_ = 0, row_ = 0, room_ = 0;  // room: rows up to the scratchpad's end
  Lock lock_;
  int64_t half_ = 0;
  // Micro-ops of each beat, the last first; room is of them.
  std::vector<int64_t> counts_;
};

}  // namespace vta::sim::cycle
