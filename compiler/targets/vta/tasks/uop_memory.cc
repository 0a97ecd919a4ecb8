#include "compiler/targets/vta/tasks/uop_memory.h"

#include <algorithm>

#include "isa/spec/published.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

int64_t Size(const TaskProgram& program, int64_t kernel) {
  return static_cast<int64_t>(program.kernels[kernel].size());
}

Task LoadUops(int64_t tensor, int64_t sram, int64_t dram, int64_t size) {
  Dma dma;
  dma.tensor = tensor;
  dma.sram = sram;
  dma.dram = dram;
  dma.x_size = dma.x_stride = size;
  return {dma, {}};
}

/// Micro-op memory as a ring of kernels.
class Ring {
 public:
  Ring(const TaskProgram& program, int64_t depth)
      : program_(program), depth_(depth), place_(program.kernels.size(), -1) {}

  /// The kernel's place, or -1 while it is absent.
  int64_t Find(int64_t kernel) const { return place_[kernel]; }

  int64_t Insert(int64_t kernel) {
    const int64_t size = Size(program_, kernel);
    if (next_ + size > depth_) next_ = 0;
    for (size_t other = 0; other < place_.size(); ++other)
      if (place_[other] >= 0 && place_[other] < next_ + size &&
          next_ < place_[other] + Size(program_, static_cast<int64_t>(other)))
        place_[other] = -1;
    place_[kernel] = next_;
    next_ += size;
    return place_[kernel];
  }

 private:
  const TaskProgram& program_;
  int64_t depth_, next_ = 0;
  std::vector<int64_t> place_;
};

}  // namespace

int64_t UopDepth(const isa::Config& config) {
  const int64_t depth = config.arch.uop_depth;
  return config.version == isa::Version::k002 ? std::min(depth, isa::kPublishedUops) : depth;
}

void PlaceUops(const isa::Config& config, const std::string& tensor_name, TaskProgram* program) {
  const int64_t depth = UopDepth(config);
  std::vector<int64_t> offsets;
  int64_t total = 0;
  for (const UopKernel& kernel : program->kernels) {
    const int64_t size = static_cast<int64_t>(kernel.size());
    if (size > depth)
      throw Error(program->name, "micro-ops of one kernel", std::to_string(size),
                  StrCat("micro-op memory holds ", depth));
    offsets.push_back(total);
    total += size;
  }
  if (total == 0) return;
  const int64_t tensor = static_cast<int64_t>(program->tensors.size());
  program->tensors.push_back({tensor_name, isa::MemoryType::kUop, total, 0});

  std::vector<Task> tasks;
  const bool resident = total <= depth;
  if (resident) tasks.push_back(LoadUops(tensor, 0, 0, total));
  Ring ring(*program, depth);
  for (Task& task : program->tasks) {
    if (LoopNest* nest = NestOf(task)) {
      nest->uop_begin = resident ? offsets[nest->kernel] : ring.Find(nest->kernel);
      if (nest->uop_begin < 0) {
        nest->uop_begin = ring.Insert(nest->kernel);
        tasks.push_back(
            LoadUops(tensor, nest->uop_begin, offsets[nest->kernel], Size(*program, nest->kernel)));
      }
    }
    tasks.push_back(std::move(task));
  }
  program->tasks = std::move(tasks);
}

}  // namespace vta::compiler::targets
