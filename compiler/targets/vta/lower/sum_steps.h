// Where sums start on a config with arch.overwrite: the first product of each row overwrites it,
// and no reset runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/targets/vta/lower/fold.h"

namespace vta::compiler::targets {

/// The accumulator rows that a space writes, ascending, none twice.
std::vector<int64_t> DstRows(const NestSpace& space);

/// The products of a GEMM: one of each row, and the others.
struct SumSteps {
  NestSpace first;
  std::vector<NestSpace> others;
};

/// Whether what follows a sum's first product becomes one GEMM, its points in so many micro-ops:
/// where several loops sum, and the micro-ops leave room for those of two slots and of the steps
/// behind it.
bool InMicroOps(const isa::Config& config, int64_t uops, int64_t loops_that_sum);

/// The first point of the loops that sum, then the rest of them: as one GEMM (InMicroOps),
/// otherwise as a GEMM for each loop; of a kernel that has several products of a row, and nothing
/// that sums around it, the first of each. Nothing where one point has several otherwise.
std::optional<SumSteps> SplitSum(const isa::Config& config, const NestSpace& space);

/// Resets that wait for what makes them needless.
class WaitingResets {
 public:
  bool empty() const { return waiting_.empty(); }
  /// Lets a reset wait. Hands over those of any of its rows, so that none waits twice for a row.
  std::vector<NestSpace> Add(const NestSpace& space);
  /// Drops the reset of exactly these rows. Returns whether there was one.
  bool Drop(const std::vector<int64_t>& rows);
  /// Hands over the resets of any of these rows; they no longer wait.
  std::vector<NestSpace> Take(const std::vector<int64_t>& rows);
  std::vector<NestSpace> TakeAll();

 private:
  struct Reset {
    NestSpace space;
    std::vector<int64_t> rows;
  };
  std::vector<Reset> waiting_;
};

}  // namespace vta::compiler::targets
