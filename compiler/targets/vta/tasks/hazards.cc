#include "compiler/targets/vta/tasks/hazards.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "compiler/targets/vta/tasks/rows.h"

namespace vta::compiler::targets {
namespace {

constexpr Need kNothing = {-1, -1, -1};

/// The last task of each module that reads, and that writes.
struct Last {
  Need read = kNothing, write = kNothing;

  void Touch(bool writes, int module, int64_t task, Need* need) {
    for (int other = 0; other < isa::kModules; ++other) {
      if (other == module) continue;
      int64_t& wait = (*need)[other];
      wait = std::max(wait, write[other]);
      if (writes) wait = std::max(wait, read[other]);
    }
    (writes ? write : read)[module] = task;
  }
};

/// By rows of one scratchpad.
class RowTracker {
 public:
  void Touch(const Access& access, int module, int64_t task, Need* need) {
    for (const RowRange& range : access.rows) {
      if (range.end > std::ssize(rows_)) rows_.resize(range.end);
      for (int64_t row = range.begin; row < range.end; ++row)
        rows_[row].Touch(access.write, module, task, need);
    }
  }

 private:
  std::vector<Last> rows_;
};

/// By DRAM bytes that a program both stores and loads; other bytes cannot conflict across modules.
class DramTracker {
 public:
  DramTracker(const isa::Config& config, const TaskProgram& program)
      : config_(config), program_(program), hot_(program.tensors.size()) {
    std::vector<bool> loaded(program.tensors.size()), stored(program.tensors.size());
    for (const Task& task : program.tasks)
      if (const Dma* dma = std::get_if<Dma>(&task.op))
        (dma->store ? stored : loaded)[dma->tensor] = true;
    for (size_t a = 0; a < hot_.size(); ++a)
      for (size_t b = 0; b < hot_.size(); ++b)
        if (stored[a] && loaded[b] && Overlap(Bytes(a), Bytes(b))) hot_[a] = hot_[b] = true;
  }

  void Touch(const Dma& dma, int module, int64_t task, Need* need) {
    if (!hot_[dma.tensor]) return;
    const int64_t size = MemoryOf(program_, dma).dram_element_bytes(config_);
    const int64_t base = program_.tensors[dma.tensor].offset_bytes + dma.dram * size;
    const bool dense = dma.x_stride == dma.x_size;
    const int64_t lines = dense ? 1 : dma.y_size, line = (dense ? dma.y_size : 1) * dma.x_size;
    for (int64_t y = 0; y < lines; ++y) {
      const int64_t begin = base + y * dma.x_stride * size;
      if (line == 0) continue;
      Cut(begin), Cut(begin + line * size);
      for (auto at = last_.find(begin); at->first < begin + line * size; ++at)
        at->second.Touch(dma.store, module, task, need);
    }
  }

 private:
  static bool Overlap(const RowRange& a, const RowRange& b) {
    return a.begin < b.end && b.begin < a.end;
  }
  RowRange Bytes(size_t index) const {
    const DramTensor& tensor = program_.tensors[index];
    Dma whole;
    whole.tensor = static_cast<int64_t>(index);
    const int64_t size = MemoryOf(program_, whole).dram_element_bytes(config_);
    return {tensor.offset_bytes, tensor.offset_bytes + tensor.elems * size};
  }
  // Lets a range begin at this byte.
  void Cut(int64_t byte) {
    const auto behind = last_.upper_bound(byte);
    const Last before = behind == last_.begin() ? Last() : std::prev(behind)->second;
    last_.try_emplace(byte, before);
  }

  const isa::Config& config_;
  const TaskProgram& program_;
  std::vector<bool> hot_;
  std::map<int64_t, Last> last_;  // by the first byte of ranges that have it in common
};

}  // namespace

std::vector<Need> FindHazards(const isa::Config& config, const TaskProgram& program) {
  RowSets rows(config, program);
  DramTracker dram(config, program);
  std::array<RowTracker, std::size(isa::kMemories)> scratchpads;
  std::vector<Need> needs;
  for (const Task& task : program.tasks) {
    const int64_t index = static_cast<int64_t>(needs.size());
    const int module = static_cast<int>(ModuleOf(program, task));
    Need need = kNothing;
    for (const Access& access : rows.Shared(task))
      scratchpads[static_cast<int>(access.memory)].Touch(access, module, index, &need);
    if (const Dma* dma = std::get_if<Dma>(&task.op)) dram.Touch(*dma, module, index, &need);
    needs.push_back(need);
  }
  return needs;
}

}  // namespace vta::compiler::targets
