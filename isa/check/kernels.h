// Micro-op kernels, each distinct sequence once, and the rows that an operand of a kernel touches
// under two loops: found without unrolling, remembered for later instructions with the same kernel
// and loops.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "isa/check/rows.h"
#include "isa/layout.h"

namespace vta::isa {

enum class Operand : uint8_t { kDst, kGemmSrc, kAluSrc, kRequantSrc, kWgt };

/// The loops of a GEMM or ALU instruction as one operand sees them.
struct Loops {
  int64_t iter_out = 1, iter_in = 1, factor_out = 0, factor_in = 0;
};

struct OperandRows {
  int64_t depth = 0;  // rows of the scratchpad
  int64_t last = 0;   // the greatest row touched, which may lie past the scratchpad
  Runs runs;          // empty where it does
  bool in_range() const { return last < depth; }
};

/// Remembers kernels and rows up to a fixed amount of memory; what does not fit is found again.
class Kernels {
 public:
  explicit Kernels(const Layout& layout);

  /// Forgets everything where too much is remembered: before each instruction. It ends every number
  /// and reference given before, which shows in `generation`.
  void MakeRoom();
  int64_t generation() const { return generation_; }

  /// The number of a kernel; equal words get equal numbers as long as they are remembered.
  int64_t Intern(std::span<const uint32_t> uops);
  const OperandRows& Rows(int64_t kernel, Operand operand, const Loops& loops);
  /// Distinct sequences so far.
  int64_t count() const { return std::ssize(hashes_); }

 private:
  struct Field {
    int low_bit = 0;
    uint32_t mask = 0;
  };
  struct Key {
    int64_t kernel_and_operand, iters, factors;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  OperandRows Find(int64_t kernel, Operand operand, const Loops& loops) const;

  Arch arch_;
  Field dst_, src_, wgt_;
  std::vector<std::vector<uint32_t>> kernels_;
  std::unordered_multimap<uint64_t, int64_t> by_hash_;
  std::unordered_map<Key, OperandRows, KeyHash> rows_;
  size_t remembered_bytes_ = 0;
  int64_t generation_ = 0;
  std::unordered_set<uint64_t> hashes_;  // of all kernels, forgotten ones too
};

/// The micro-op memory as the compute module sees it: words, and when each was last loaded.
class UopMemory {
 public:
  explicit UopMemory(int64_t depth) : words_(depth), loaded_(depth) {}

  /// The words [begin, begin + count), to be filled; marks them as newly loaded.
  std::span<uint32_t> Load(int64_t begin, int64_t count);
  /// The first row of [begin, end) that was never loaded, or `end`.
  int64_t FirstUnloaded(int64_t begin, int64_t end) const;
  /// The kernel in [begin, end), after making room.
  int64_t Kernel(int64_t begin, int64_t end, Kernels& kernels);

 private:
  struct Known {
    int64_t generation = -1;
    uint32_t newest = 0;
    int64_t kernel = 0;
  };
  uint32_t loads_ = 0;
  std::vector<uint32_t> words_;
  std::vector<uint32_t> loaded_;              // number of the LOAD that filled the row, 0 none
  std::unordered_map<int64_t, Known> known_;  // by begin and end
};

}  // namespace vta::isa
