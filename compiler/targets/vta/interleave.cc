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

/// How many of the GEMM instructions follow each ALU instruction, so that the least time is left in
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

  std::vector<int64_t> alus_, gemms_;  // cycles
};

class Interleaver {
 public:
  Interleaver(const isa::Config& config, const TaskProgram& program)
      : config_(config),
        bank_rows_(config.arch.acc_depth / config.uarch.acc_banks),
        program_(program),
        tasks_(program.tasks),
        rows_(config, program) {}

  std::vector<Task> Run() {
    ForEachTile([this](size_t begin) { return AdvanceGemms(begin); });
    ForEachTile([this](size_t begin) { return MoveAlus(begin); });
    return std::move(tasks_);
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

  static bool IsAlu(const Task& task) { return std::holds_alternative<Alu>(task.op); }
  static bool IsGemm(const Task& task) { return std::holds_alternative<Gemm>(task.op); }
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

  /// What the micro-ops of a GEMM or ALU task take, and the parameter blocks that requant reads.
  int64_t Cycles(const Task& task) const {
    const LoopNest& nest = *NestOf(task);
    const UopKernel& kernel = program_.kernels[nest.kernel];
    const int64_t uops = nest.iter_out * nest.iter_in * static_cast<int64_t>(kernel.size());
    const Alu* alu = std::get_if<Alu>(&task.op);
    if (!alu || alu->op != isa::AluOp::kRequant) return uops;
    const bool one = std::all_of(kernel.begin(), kernel.end(), [&](const isa::Uop& uop) {
      return uop.src == kernel.front().src;
    });
    const int64_t blocks = !one || nest.src_in ? uops : nest.src_out ? nest.iter_out : 1;
    return uops + blocks * (isa::timing::kRequantBlockCycles + isa::timing::kRequantDrainCycles);
  }

  int64_t StoreCycles(const Dma& store) const {
    return store.y_size * store.x_size * config_.out_bytes() /
           std::min(config_.memory.bytes_per_cycle, config_.uarch.bus_bits / 8);
  }

  /// Rebuilds the tasks: `visit` appends those from a tile's first ALU task on and returns the
  /// first that it leaves.
  template <typename F>
  void ForEachTile(const F& visit) {
    out_.clear();
    for (size_t at = 0; at < tasks_.size();) {
      if (IsAlu(tasks_[at]) && BankOf(tasks_[at]) != kNoBank)
        at = visit(at);
      else
        out_.push_back(tasks_[at++]);
    }
    tasks_ = std::move(out_);
  }

  /// Puts a tile's GEMM tasks that stand between its ALU tasks, and their loads, before all of
  /// them.
  size_t AdvanceGemms(size_t begin) {
    const int64_t bank = BankOf(tasks_[begin]);
    std::vector<const Task*> rest;
    size_t end = begin;
    for (; end < tasks_.size(); ++end) {
      const Task& task = tasks_[end];
      if (!IsInput(task) && BankOf(task) != bank) break;
      const bool moves = (IsInput(task) || IsGemm(task)) && !ConflictsWithAny(task, rest);
      if (!moves && IsInput(task)) break;
      if (moves)
        out_.push_back(task);
      else
        rest.push_back(&task);
    }
    for (const Task* task : rest) out_.push_back(*task);
    return end;
  }

  /// Puts GEMM tasks of the next tile, and their loads, behind the ALU tasks of this one.
  size_t MoveAlus(size_t begin) {
    const int64_t bank = BankOf(tasks_[begin]);
    std::vector<const Task*> tile, next;  // the tile's stores are the last of it
    std::vector<int64_t> alus, gemms;
    size_t end = begin;
    for (; end < tasks_.size() && BankOf(tasks_[end]) == bank; ++end) {
      tile.push_back(&tasks_[end]);
      if (IsAlu(tasks_[end])) alus.push_back(Cycles(tasks_[end]));
    }
    for (; end < tasks_.size() && ModuleOf(program_, tasks_[end]) == isa::Module::kStore; ++end) {
      tile.push_back(&tasks_[end]);
      // The tile after the next one waits for the stores, which wait for the last ALU task.
      alus.back() += StoreCycles(std::get<Dma>(tasks_[end].op));
    }
    for (; end < tasks_.size(); ++end) {
      const Task& task = tasks_[end];
      const bool load =
          std::holds_alternative<Dma>(task.op) && ModuleOf(program_, task) == isa::Module::kCompute;
      const bool gemm = IsGemm(task) && BankOf(task) == 1 - bank;
      if ((!IsInput(task) && !load && !gemm) || ConflictsWithAny(task, tile)) break;
      if (gemm) gemms.push_back(Cycles(task));
      next.push_back(&task);
    }
    Merge(tile, next, Split(alus, gemms).Run());
    return end;
  }

  /// The tile's tasks, behind each ALU task so many GEMM tasks of the next tile.
  void Merge(const std::vector<const Task*>& tile, const std::vector<const Task*>& next,
             const std::vector<int64_t>& split) {
    size_t alu = 0;
    auto from = next.begin();
    for (const Task* task : tile) {
      out_.push_back(*task);
      if (!IsAlu(*task) || alu + 1 == split.size()) continue;
      for (int64_t left = split[alu++]; left > 0; ++from) {
        out_.push_back(**from);
        left -= IsGemm(**from);
      }
    }
    for (; from != next.end(); ++from) out_.push_back(**from);
  }

  const isa::Config& config_;
  const int64_t bank_rows_;
  const TaskProgram& program_;
  std::vector<Task> tasks_;
  RowSets rows_;
  std::vector<Task> out_;
};

}  // namespace

void InterleaveTiles(const isa::Config& config, TaskProgram* program) {
  if (config.uarch.acc_banks > 1) program->tasks = Interleaver(config, *program).Run();
}

}  // namespace vta::compiler::targets
