// Which scratchpad rows a task reads and writes, exactly.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "compiler/targets/vta/tasks/task.h"

namespace vta::compiler::targets {

/// Rows [begin, end).
struct RowRange {
  int64_t begin = 0, end = 0;
  bool operator==(const RowRange&) const = default;
};

/// Rows of one scratchpad: kUop, kWgt, kInp, kAcc, kOut or kLut, which has one.
struct Access {
  isa::MemoryType memory;
  bool write;
  std::span<const RowRange> rows;  // ascending, disjoint, not adjacent
};

/// Those of a task of memories that more than one module touches.
struct SharedAccesses {
  std::array<Access, 3> accesses;
  size_t count = 0;

  const Access* begin() const { return accesses.data(); }
  const Access* end() const { return accesses.data() + count; }
};

/// Computes the accesses of tasks, which refer to it; loop nests that recur are computed once.
class RowSets {
 public:
  RowSets(const isa::Config& config, const TaskProgram& program)
      : config_(config), program_(program) {}

  /// Accesses of memories that more than one module touches: inp, wgt and out.
  SharedAccesses Shared(const Task& task);
  /// All accesses, micro-op memory excepted.
  std::vector<Access> All(const Task& task);

 private:
  enum class Operand { kDst, kSrc, kWgt, kParameters };
  static constexpr int64_t kNoKernel = -1;
  using Key = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, Operand>;

  const std::vector<RowRange>& NestRows(const LoopNest& nest, Operand operand);
  /// The blocks that requant or lut reads.
  const std::vector<RowRange>& ParameterRows(const LoopNest& nest);
  const std::vector<RowRange>& DmaRows(const Dma& dma);
  static Key KeyOf(const LoopNest& nest, Operand operand);

  const isa::Config& config_;
  const TaskProgram& program_;
  std::map<Key, std::vector<RowRange>> memo_;
};

}  // namespace vta::compiler::targets
