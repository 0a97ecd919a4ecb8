// What is known beforehand of each accumulator row while a program runs: who wrote it last, and
// between which values its lanes lie.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "isa/check/check.h"
#include "isa/check/steps.h"

namespace vta::isa {

/// The bytes of a launch's image, until STOREs overwrite them.
class KnownBytes {
 public:
  explicit KnownBytes(const Launch& launch);

  /// Copies what lies at `address`. False where a byte of it is not known.
  bool Read(int64_t address, std::span<uint8_t> to) const;
  /// The same as it is when the launch starts.
  bool ReadFirst(int64_t address, std::span<uint8_t> to) const;
  void Overwrite(const DramTile& tile);

 private:
  std::vector<const ImagePart*> parts_;     // by address
  std::map<int64_t, int64_t> overwritten_;  // begin -> end, disjoint
};

struct AccRow {
  enum class Writer : uint8_t { kNobody, kLoad, kReset, kResult };
  Writer writer = Writer::kNobody;
  int32_t low = std::numeric_limits<int32_t>::min();
  int32_t high = std::numeric_limits<int32_t>::max();
};

class AccRows {
 public:
  AccRows(const Config& config, const Launch& launch);

  /// Fed with the program's instructions in an order in which they can run.
  void Run(const Instruction& insn, const Step& step, const ComputeRows& compute);

  const AccRow& operator[](int64_t row) const { return rows_[row]; }
  /// The first of the rows for which `bad(row)` holds, or -1.
  template <typename Bad>
  int64_t FirstOf(std::span<const RowRun> runs, Bad bad) const {
    for (const RowRun& run : runs)
      for (int64_t row = run.begin; row < run.end; ++row)
        if (bad(rows_[row])) return row;
    return -1;
  }
  const KnownBytes& memory() const { return memory_; }

 private:
  void Load(const Instruction& insn, const Step& step);
  AccRow Loaded(bool narrow, int64_t address) const;

  Config config_;
  const int64_t base_;
  KnownBytes memory_;
  std::vector<AccRow> rows_;
};

}  // namespace vta::isa
