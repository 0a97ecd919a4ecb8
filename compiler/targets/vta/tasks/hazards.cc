#include "compiler/targets/vta/tasks/hazards.h"

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <iterator>
#include <map>
#include <utility>

namespace vta::compiler::targets {
namespace {

/// Of each module a task, or -1.
using Tasks = std::array<int32_t, isa::kModules>;

constexpr Tasks kNothing = {-1, -1, -1};

/// Of each module, the later.
Tasks Later(const Tasks& a, const Tasks& b) {
  static_assert(isa::kModules == 3);
  return {std::max(a[0], b[0]), std::max(a[1], b[1]), std::max(a[2], b[2])};
}

/// The last task of each module that reads, and that writes.
struct Last {
  Tasks read = kNothing, write = kNothing;
  bool operator==(const Last&) const = default;
};

/// Ranges of rows or bytes by their first, and what each has in common; it ends where the next one
/// begins. In one piece where there are few, all of which many tasks touch.
using RowRanges = boost::container::flat_map<int64_t, Last>;
using ByteRanges = std::map<int64_t, Last>;

/// Makes one of ranges side by side that are alike.
void Merge(RowRanges* ranges) {
  RowRanges::sequence_type rows = ranges->extract_sequence();
  const auto is_alike = [](const auto& a, const auto& b) { return a.second == b.second; };
  rows.erase(std::unique(rows.begin(), rows.end(), is_alike), rows.end());
  ranges->adopt_sequence(boost::container::ordered_unique_range, std::move(rows));
}
void Merge(ByteRanges* ranges) {
  for (auto at = ranges->begin(); at != ranges->end();) {
    const bool is_alike = at != ranges->begin() && std::prev(at)->second == at->second;
    at = is_alike ? ranges->erase(at) : std::next(at);
  }
}

template <typename Ranges>
class RangeTracker {
 public:
  /// Adds to need the last tasks, of the module itself as well, that conflict.
  void Touch(const RowRange& range, bool writes, int module, int32_t task, Tasks* need) {
    if (range.begin >= range.end) return;
    Cut(range.end);
    auto at = Cut(range.begin);
    Tasks last = *need;
    if (writes) {
      for (; at != last_.end() && at->first < range.end; ++at) {
        last = Later(Later(last, at->second.write), at->second.read);
        at->second.write[module] = task;
      }
    } else {
      for (; at != last_.end() && at->first < range.end; ++at) {
        last = Later(last, at->second.write);
        at->second.read[module] = task;
      }
    }
    *need = last;
    if (last_.size() <= most_) return;
    Merge(&last_);
    most_ = kMore + 2 * last_.size();
  }

 private:
  /// Lets a range begin there.
  auto Cut(int64_t first) {
    const auto behind = last_.lower_bound(first);
    if (behind != last_.end() && behind->first == first) return behind;
    const Last before = behind == last_.begin() ? Last() : std::prev(behind)->second;
    return last_.emplace_hint(behind, first, before);
  }

  static constexpr size_t kMore = 32;
  Ranges last_;
  size_t most_ = kMore;  // that are left apart
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

  void Touch(const Dma& dma, int module, int32_t task, Tasks* need) {
    if (!hot_[dma.tensor]) return;
    const int64_t size = MemoryOf(program_, dma).dram_element_bytes(config_);
    const int64_t base = program_.tensors[dma.tensor].offset_bytes + dma.dram * size;
    const bool dense = dma.x_stride == dma.x_size;
    const int64_t lines = dense ? 1 : dma.y_size, line = (dense ? dma.y_size : 1) * dma.x_size;
    for (int64_t y = 0; y < lines; ++y) {
      const int64_t begin = base + y * dma.x_stride * size;
      bytes_.Touch({begin, begin + line * size}, dma.store, module, task, need);
    }
  }

 private:
  static bool Overlap(const RowRange& a, const RowRange& b) {
    return a.begin < b.end && b.begin < a.end;
  }
  RowRange Bytes(size_t index) const {
    const DramTensor& tensor = program_.tensors[index];
    return {tensor.offset_bytes,
            tensor.offset_bytes + tensor.elems * ElementBytes(config_, tensor)};
  }
  const isa::Config& config_;
  const TaskProgram& program_;
  std::vector<bool> hot_;
  RangeTracker<ByteRanges> bytes_;
};

}  // namespace

std::vector<Need> FindHazards(const isa::Config& config, const TaskProgram& program,
                              RowSets* rows) {
  DramTracker dram(config, program);
  std::array<RangeTracker<RowRanges>, std::size(isa::kMemories)> scratchpads;
  std::vector<Need> needs;
  for (const Task& task : program.tasks) {
    const auto index = static_cast<int32_t>(needs.size());
    const int module = static_cast<int>(ModuleOf(program, task));
    Tasks need = kNothing;
    for (const Access& access : rows->Shared(task))
      for (const RowRange& range : access.rows)
        scratchpads[static_cast<int>(access.memory)].Touch(range, access.write, module, index,
                                                           &need);
    if (const Dma* dma = std::get_if<Dma>(&task.op)) dram.Touch(*dma, module, index, &need);
    need[module] = kNothing[module];  // a module's tasks follow each other
    needs.push_back({need[0], need[1], need[2]});
  }
  return needs;
}

}  // namespace vta::compiler::targets
