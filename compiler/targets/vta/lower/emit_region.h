// One run of a region as tasks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/targets/vta/lower/dma_fold.h"
#include "compiler/targets/vta/lower/fold.h"
#include "compiler/targets/vta/lower/phase_places.h"
#include "compiler/targets/vta/lower/region.h"
#include "compiler/targets/vta/lower/sum_steps.h"
#include "compiler/targets/vta/lower/weight_terms.h"
#include "compiler/targets/vta/tasks/task.h"

namespace vta::compiler::targets {

/// A region's place in one run: the outer loops' values and the scratchpad rows of its buffers.
struct RegionRun {
  const Region& region;
  const LoopValues& values;
  std::map<const loop::BufferNode*, int64_t> rows;
};

class RegionEmitter {
 public:
  RegionEmitter(const isa::Config& config, const SparseConstants& sparse,
                const std::optional<PhasePlaces>& phases, TaskBuilder* builder)
      : config_(config), sparse_(sparse), phases_(phases), builder_(builder) {}

  /// Appends the tasks; none where the guards hold nowhere.
  void Emit(const RegionRun& run);

 private:
  struct Box;
  void EmitCall(const RegionRun& run, const Box& box);
  void EmitOp(const Region& region, const NestSpace& space);
  void EmitSum(const NestSpace& space);
  void AddAlu(const NestSpace& space, isa::AluOp op, std::optional<int64_t> imm = {});
  void AddGemm(const NestSpace& space, GemmWrites writes);
  void SettleResets(const std::vector<NestSpace>& resets);
  /// A copy's instructions where it was made first, and whether they are those of every copy of the
  /// same pattern, moved.
  struct Copy {
    int64_t sram, dram;  // where it begins: a row, an element of the buffer
    int64_t rows;
    int64_t pad_value;  // 0 where the load module's does not matter
    std::vector<Dma> dmas;
    bool recurs;
  };
  void EmitCopy(const RegionRun& run);
  void FoldLoads(const Region& region, const RowTable& table, Copy* copy);
  void FoldStores(const Region& region, RowTable table, Copy* copy);
  void SettleRows(int64_t first, int64_t count);
  const StoredElements* Sparse(const loop::Buffer& buffer) const;
  std::vector<RowTable> OnlyStored(const StoredElements& stored, const RowTable& table);
  NestSpace OnlyPresent(const NestSpace& space) const;
  void SetPad(int64_t value);
  const std::vector<LoopNest>& Fold(const NestSpace& space, Neighbours neighbours);
  struct Sum {
    std::vector<int64_t> rows;      // that it writes
    std::optional<SumSteps> steps;  // where it starts
  };
  const Sum& SumOf(const NestSpace& space);
  int64_t Tensor(const loop::Buffer& buffer, isa::MemoryType element);

  const isa::Config& config_;
  const SparseConstants& sparse_;
  const std::optional<PhasePlaces>& phases_;  // of what is stored
  TaskBuilder* builder_;
  std::map<std::pair<const loop::BufferNode*, isa::MemoryType>, int64_t> tensors_;
  /// Where the weights are that a row of the scratchpad stands for, of constants of which only some
  /// elements are stored; kAbsent for zeros.
  std::map<int64_t, int64_t> moved_;
  WaitingResets resets_;  // of sums that have not started
  int64_t pad_ = 0;       // the pad byte in force in the load module
  // What recurs from tile to tile.
  std::map<NestSpace, std::vector<LoopNest>, NestSpaceLess> folded_[kNeighbours];
  std::map<NestSpace, Sum, NestSpaceLess> sums_;
  std::map<std::pair<const Region*, std::vector<int64_t>>, Copy> copies_;
};

}  // namespace vta::compiler::targets
