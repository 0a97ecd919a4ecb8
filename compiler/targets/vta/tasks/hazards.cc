#include "compiler/targets/vta/tasks/hazards.h"

#include <algorithm>

#include "compiler/targets/vta/tasks/rows.h"

namespace vta::compiler::targets {
namespace {

constexpr Need kNothing = {-1, -1, -1};

/// The last reader and writer of each row of one scratchpad, by module.
class RowTracker {
 public:
  void Touch(const Access& access, int module, int64_t task, Need* need) {
    for (const RowRange& range : access.rows) {
      if (range.end > static_cast<int64_t>(rows_.size())) rows_.resize(range.end);
      for (int64_t row = range.begin; row < range.end; ++row) {
        Last& last = rows_[row];
        for (int other = 0; other < isa::kModules; ++other) {
          if (other == module) continue;
          int64_t& wait = (*need)[other];
          wait = std::max(wait, last.write[other]);
          if (access.write) wait = std::max(wait, last.read[other]);
        }
        (access.write ? last.write : last.read)[module] = task;
      }
    }
  }

 private:
  struct Last {
    Need read = kNothing, write = kNothing;
  };
  std::vector<Last> rows_;
};

/// DRAM bytes that a program both stores and loads; other bytes cannot conflict across modules.
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
    Record record{module, task, dma.store, Lines(dma)};
    for (const Record& earlier : records_)
      if (earlier.module != module && (earlier.write || record.write) &&
          Conflict(earlier.lines, record.lines))
        (*need)[earlier.module] = std::max((*need)[earlier.module], earlier.task);
    records_.push_back(std::move(record));
  }

 private:
  struct Record {
    int module;
    int64_t task;
    bool write;
    std::vector<RowRange> lines;  // in bytes
  };

  static bool Overlap(const RowRange& a, const RowRange& b) {
    return a.begin < b.end && b.begin < a.end;
  }
  static bool Conflict(const std::vector<RowRange>& a, const std::vector<RowRange>& b) {
    for (const RowRange& x : a)
      for (const RowRange& y : b)
        if (Overlap(x, y)) return true;
    return false;
  }
  RowRange Bytes(size_t index) const {
    const DramTensor& tensor = program_.tensors[index];
    Dma whole;
    whole.tensor = static_cast<int64_t>(index);
    const int64_t size = MemoryOf(program_, whole).dram_element_bytes(config_);
    return {tensor.offset_bytes, tensor.offset_bytes + tensor.elems * size};
  }
  std::vector<RowRange> Lines(const Dma& dma) const {
    const int64_t size = MemoryOf(program_, dma).dram_element_bytes(config_);
    const int64_t base = program_.tensors[dma.tensor].offset_bytes;
    std::vector<RowRange> lines;
    for (int64_t y = 0; y < dma.y_size; ++y) {
      const int64_t begin = base + (dma.dram + y * dma.x_stride) * size;
      lines.push_back({begin, begin + dma.x_size * size});
    }
    return lines;
  }

  const isa::Config& config_;
  const TaskProgram& program_;
  std::vector<bool> hot_;
  std::vector<Record> records_;
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
