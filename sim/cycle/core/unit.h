// When a unit of compute does the micro-ops of an instruction: vta_loop, vta_execute, vta_reach.
#pragma once

#include <unordered_map>
#include <vector>

#include "isa/config.h"
#include "sim/cycle/core/stream.h"

namespace vta::sim::cycle {

/// Rows that are not to be read before a cycle.
struct Lock {
  bool bank[2] = {false, false};
  int64_t until = kLongAgo;
};

struct UnitRun {
  int64_t ending = kNever;  // the cycle in which it is certain that it ends
  int64_t done = kNever;    // in which it ends
  int64_t failed = kNever;  // instead: in which an index is found to be outside
  int64_t known = kNever;   // from which on the rows of an ALU instruction are known,
  bool high = false;        // and their bank
  int64_t uops = 0;         // micro-ops that write
};

class Uops {
 public:
  explicit Uops(const isa::Layout& layout)
      : layout_(&layout), uops_(static_cast<size_t>(layout.config().arch.uop_depth)) {}
  void Write(int64_t row, uint32_t word);
  /// What is written from now on can be taken back.
  void Mark() { overwritten_.clear(); }
  void Restore();
  /// The run of an instruction that starts in this cycle.
  /// Errors: throws Stopped at the deadline.
  UnitRun Run(const Insn& insn, int64_t start, const Lock& lock);
  void set_deadline(Deadline deadline) { deadline_ = deadline; }

 private:
  struct Place {
    int64_t dst, src, wgt;
    bool outside;
  };
  Place PlaceOf(const isa::Instruction& f, int64_t out, int64_t in, int64_t uop) const;
  bool AllInside(const isa::Instruction& f) const;
  UnitRun RunFrom(const Insn& insn, int64_t start, const Lock& lock) const;
  void FindKnown(const isa::Instruction& f, int64_t start, int64_t pass, UnitRun& run) const;

  const isa::Layout* layout_;
  std::vector<isa::Uop> uops_;
  std::vector<std::pair<size_t, isa::Uop>> overwritten_;  // rows and what they held, in order
  // Runs that started in cycle 0 and met no lock, of these micro-ops.
  struct WordHash {
    size_t operator()(const isa::Word& word) const {
      return static_cast<size_t>((word.low ^ (word.high * 0x9e3779b97f4a7c15)) *
                                 0x9e3779b97f4a7c15);
    }
  };
  std::unordered_map<isa::Word, UnitRun, WordHash> known_;
  Deadline deadline_ = Deadline::max();
};

}  // namespace vta::sim::cycle
