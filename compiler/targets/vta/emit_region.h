// One run of a region as tasks.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "compiler/targets/vta/fold.h"
#include "compiler/targets/vta/region.h"
#include "compiler/targets/vta/task.h"

namespace vta::compiler::targets {

/// A region's place in one run: the outer loops' values and the scratchpad rows of its buffers.
struct RegionRun {
  const Region& region;
  const LoopValues& values;
  std::map<const loop::BufferNode*, int64_t> rows;
};

class RegionEmitter {
 public:
  RegionEmitter(const isa::Config& config, TaskBuilder* builder)
      : config_(config), builder_(builder) {}

  /// Appends the tasks; none where the guards hold nowhere.
  void Emit(const RegionRun& run);

 private:
  struct Box;
  void EmitCall(const RegionRun& run, const Box& box);
  void EmitOp(const Region& region, const NestSpace& space);
  void EmitCopy(const RegionRun& run);
  void SetPad(int64_t value);
  int64_t Tensor(const loop::Buffer& buffer, isa::MemoryType element);

  const isa::Config& config_;
  TaskBuilder* builder_;
  std::map<std::pair<const loop::BufferNode*, isa::MemoryType>, int64_t> tensors_;
  int64_t pad_ = 0;  // the pad byte in force in the load module
};

}  // namespace vta::compiler::targets
