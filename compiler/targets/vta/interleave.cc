#include "compiler/targets/vta/interleave.h"

#include <algorithm>
#include <limits>

#include "compiler/targets/vta/rows.h"
#include "isa/spec/timing.h"

namespace vta::compiler::targets {
namespace {

bool Meet(const std::vector<RowRange>& a, const std::vector<RowRange>& b) {
  for (const RowRange& x : a)
    for (const RowRange& y : b)
      if (x.begin < y.end && y.begin < x.end) return true;
  return false;
}

/// How many of `gemms` micro-ops follow each ALU instruction, so that the least time is left in
/// which nothing runs beside one. All of them follow the last one where that is as good.
class Split {
 public:
  Split(std::vector<int64_t> alus, std::vector<int64_t> gemms)
      : alus_(std::move(alus)), gemms_(std::move(gemms)) {}

  /// The number of GEMM instructions after each ALU instruction.
  std::vector<int64_t> Run() const {
    const int64_t count = static_cast<int64_t>(gemms_.size());
    // Least cycles from an ALU instruction on, when so many are left; and how many follow it.
    std::vector<std::vector<int64_t>> least(alus_.size(), std::vector<int64_t>(count + 1)),
        best = least;
    for (size_t alu = alus_.size(); alu-- > 0;)
      for (int64_t left = 0; left <= count; ++left) {
        least[alu][left] = std::numeric_limits<int64_t>::max();
        const bool last = alu + 1 == alus_.size();
        for (int64_t taken = last ? left : 0; taken <= left; ++taken) {
          const int64_t rest = last ? 0 : least[alu + 1][left - taken];
          const int64_t cycles = Cycles(alu, count - left, taken) + rest;
          if (cycles >= least[alu][left]) continue;
          least[alu][left] = cycles;
          best[alu][left] = taken;
        }
      }
    std::vector<int64_t> split;
    int64_t left = count;
    for (size_t alu = 0; alu < alus_.size(); ++alu) {
      split.push_back(best[alu][left]);
      left -= best[alu][left];
    }
    return split;
  }

 private:
  int64_t Cycles(size_t alu, int64_t first, int64_t taken) const {
    if (taken == 0) return alus_[alu];
    int64_t beside = isa::timing::kReachCycles;
    for (int64_t i = 0; i < taken; ++i) beside += gemms_[first + i];
    return std::max(alus_[alu], beside);
  }

  std::vector<int64_t> alus_, gemms_;  // micro-ops that run
};

class Interleaver {
 public:
  Interleaver(const isa::Config& config, const TaskProgram& program)
      : bank_rows_(config.arch.acc_depth / config.uarch.acc_banks),
        program_(program),
        tasks_(program.tasks),
        rows_(config, program) {}

  std::vector<Task> Run() {
    for (size_t at = 0; at < tasks_.size();) {
      if (std::holds_alternative<Alu>(tasks_[at].op) && BankOf(tasks_[at]) != kNoBank)
        at = RunTile(at);
      else
        out_.push_back(tasks_[at++]);
    }
    return std::move(out_);
  }

 private:
  static constexpr int64_t kNoBank = -1;

  /// The bank in which all accumulator rows of a GEMM or ALU task lie.
  int64_t BankOf(const Task& task) {
    int64_t low = std::numeric_limits<int64_t>::max(), high = 0;
    if (!NestOf(task)) return kNoBank;
    for (const Access& access : rows_.All(task)) {
      if (access.memory != isa::MemoryType::kAcc || access.rows.empty()) continue;
      low = std::min(low, access.rows.front().begin);
      high = std::max(high, access.rows.back().end - 1);
    }
    return low <= high && low / bank_rows_ == high / bank_rows_ ? low / bank_rows_ : kNoBank;
  }

  bool IsInput(const Task& task) const { return ModuleOf(program_, task) == isa::Module::kLoad; }

  /// Whether the order of two tasks matters. No tensor is both loaded and stored.
  bool Conflict(const Task& a, const Task& b) {
    const std::vector<Access> of_b = rows_.All(b);
    for (const Access& one : rows_.All(a))
      for (const Access& other : of_b)
        if (one.memory == other.memory && (one.write || other.write) && Meet(one.rows, other.rows))
          return true;
    return false;
  }
  bool ConflictsWithAny(const Task& task, const std::vector<const Task*>& others) {
    return std::any_of(others.begin(), others.end(),
                       [&](const Task* other) { return Conflict(task, *other); });
  }

  int64_t Uops(const Task& task) const {
    const LoopNest& nest = *NestOf(task);
    return nest.iter_out * nest.iter_in *
           static_cast<int64_t>(program_.kernels[nest.kernel].size());
  }

  /// From a tile's first ALU task to where no more can be moved. Returns the task behind.
  size_t RunTile(size_t begin) {
    const int64_t bank = BankOf(tasks_[begin]);
    // The tile's other tasks, its stores last, and loads of the load module between them.
    std::vector<const Task*> tile, inputs, next;
    size_t end = begin;
    for (bool stored = false; end < tasks_.size(); ++end) {
      const Task& task = tasks_[end];
      const Dma* dma = std::get_if<Dma>(&task.op);
      if (IsInput(task) && !ConflictsWithAny(task, tile)) {
        inputs.push_back(&task);
      } else if ((dma && dma->store) || (!stored && BankOf(task) == bank)) {
        stored |= dma != nullptr;
        tile.push_back(&task);
      } else {
        break;
      }
    }
    // What is left of the inputs behind the tile belongs to the next one.
    size_t own = end;
    while (IsInput(tasks_[own - 1])) --own, inputs.pop_back();
    std::vector<int64_t> alus, gemms;
    for (const Task* task : tile)
      if (std::holds_alternative<Alu>(task->op)) alus.push_back(Uops(*task));
    for (end = own; end < tasks_.size(); ++end) {
      const Task& task = tasks_[end];
      const bool gemm = std::holds_alternative<Gemm>(task.op);
      if (!IsInput(task) && !(gemm && BankOf(task) == 1 - bank)) break;
      if (ConflictsWithAny(task, tile)) break;
      if (gemm) gemms.push_back(Uops(task));
      next.push_back(&task);
    }
    const std::vector<int64_t> split = Split(alus, gemms).Run();
    if (split.back() == static_cast<int64_t>(gemms.size()))
      out_.insert(out_.end(), tasks_.begin() + begin, tasks_.begin() + end);
    else
      Merge(tile, inputs, next, split);
    return end;
  }

  /// The tile's tasks, behind each ALU task so many GEMM tasks of the next tile with their loads.
  void Merge(const std::vector<const Task*>& tile, const std::vector<const Task*>& inputs,
             const std::vector<const Task*>& next, const std::vector<int64_t>& split) {
    size_t alu = 0;
    auto from = next.begin();
    for (const Task* task : tile) {
      out_.push_back(*task);
      if (task == tile.front())
        for (const Task* input : inputs) out_.push_back(*input);
      if (!std::holds_alternative<Alu>(task->op) || alu + 1 == split.size()) continue;
      for (int64_t left = split[alu++]; left > 0; ++from) {
        out_.push_back(**from);
        left -= std::holds_alternative<Gemm>((*from)->op);
      }
    }
    for (; from != next.end(); ++from) out_.push_back(**from);
  }

  const int64_t bank_rows_;
  const TaskProgram& program_;
  const std::vector<Task>& tasks_;
  RowSets rows_;
  std::vector<Task> out_;
};

}  // namespace

void InterleaveTiles(const isa::Config& config, TaskProgram* program) {
  if (config.uarch.acc_banks > 1) program->tasks = Interleaver(config, *program).Run();
}

}  // namespace vta::compiler::targets
