#include "compiler/targets/vta/tasks/interleave.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "compiler/targets/vta/tasks/cut_gemm.h"
#include "compiler/targets/vta/tasks/rows.h"
#include "compiler/targets/vta/tasks/timeline.h"
#include "compiler/targets/vta/tasks/uop_memory.h"
#include "isa/spec/timing.h"

namespace vta::compiler::targets {
namespace {

int64_t CountUops(const TaskProgram& program) {
  int64_t uops = 0;
  for (const UopKernel& kernel : program.kernels) uops += std::ssize(kernel);
  return uops;
}

bool Meet(std::span<const RowRange> a, std::span<const RowRange> b) {
  for (const RowRange& x : a)
    for (const RowRange& y : b)
      if (x.begin < y.end && y.begin < x.end) return true;
  return false;
}

/// The cycles of GEMM instructions that run beside each ALU instruction, of `left` in all: as many
/// as it hides, the last ones first, so that what a tile waits for comes early. What none hides
/// follows the last one.
std::vector<int64_t> Shares(const std::vector<int64_t>& alus, int64_t left) {
  std::vector<int64_t> shares(alus.size());
  for (size_t alu = alus.size(); alu-- > 0;) {
    shares[alu] = std::clamp<int64_t>(alus[alu] - isa::timing::kReachCycles, 0, left);
    left -= shares[alu];
  }
  shares.back() += left;
  return shares;
}

class Interleaver {
 public:
  Interleaver(const isa::Config& config, const TaskProgram& program, bool cuts)
      : config_(config),
        cuts_(cuts),
        bank_rows_(config.arch.acc_depth / config.uarch.acc_banks),
        program_(program),
        tasks_(program.tasks),
        rows_(config, program_) {}

  TaskProgram Run() {
    ForEachTile([this](size_t begin) { return AdvanceGemms(begin); });
    ForEachTile([this](size_t begin) { return MoveAlus(begin); });
    program_.tasks = std::move(tasks_);
    DropUnusedKernels(&program_);
    return std::move(program_);
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

  int64_t Cycles(const Task& task) const { return CyclesOf(config_, program_, task); }

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
    std::vector<int64_t> alus;
    int64_t gemms = 0;
    size_t end = begin;
    for (; end < tasks_.size() && BankOf(tasks_[end]) == bank; ++end) {
      tile.push_back(&tasks_[end]);
      if (IsAlu(tasks_[end])) alus.push_back(Cycles(tasks_[end]));
    }
    const size_t stores = end;
    while (end < tasks_.size() && ModuleOf(program_, tasks_[end]) == isa::Module::kStore)
      tile.push_back(&tasks_[end++]);
    for (size_t store = stores; store < end; ++store)
      if (HoldsUpGemms(tasks_[store], end)) alus.back() += Cycles(tasks_[store]);
    for (; end < tasks_.size(); ++end) {
      const Task& task = tasks_[end];
      const bool load =
          std::holds_alternative<Dma>(task.op) && ModuleOf(program_, task) == isa::Module::kCompute;
      const bool gemm = IsGemm(task) && BankOf(task) == 1 - bank;
      if ((!IsInput(task) && !load && !gemm) || ConflictsWithAny(task, tile)) break;
      if (gemm) gemms += Cycles(task);
      next.push_back(&task);
    }
    const std::vector<int64_t> shares = Shares(alus, gemms);
    const int64_t hidden = std::accumulate(alus.begin(), alus.end(), int64_t{0}) -
                           isa::timing::kReachCycles * std::ssize(alus);
    Merge(tile, next, shares, gemms - hidden);
    return end;
  }

  /// Whether the first GEMM of a store's bank behind `begin`, of the tile after the next one, works
  /// on what is stored: the store then has to have time beside the next one.
  bool HoldsUpGemms(const Task& store, size_t begin) {
    const int64_t bank = std::get<Dma>(store.op).sram / bank_rows_;
    for (size_t at = begin; at < tasks_.size(); ++at)
      if (IsGemm(tasks_[at]) && BankOf(tasks_[at]) == bank) return Conflict(store, tasks_[at]);
    return false;
  }

  /// The tile's tasks, behind each ALU task GEMM tasks of the next tile for its share of cycles, or
  /// for more to leave one whole: `spare` cycles are needed nowhere.
  void Merge(const std::vector<const Task*>& tile, const std::vector<const Task*>& next,
             const std::vector<int64_t>& shares, int64_t spare) {
    size_t alu = 0;
    int64_t due = 0;  // cycles of what is to stand behind the ALU tasks up to this one
    auto from = next.begin();
    std::optional<Task> rest;  // of a GEMM task that is cut
    auto take = [&] {
      out_.push_back(rest ? *rest : **from);
      rest.reset();
      ++from;
    };
    for (const Task* task : tile) {
      out_.push_back(*task);
      if (!IsAlu(*task) || alu + 1 == shares.size()) continue;
      due += shares[alu++];
      while (from != next.end()) {
        const Task now = rest ? *rest : **from;
        if (!IsGemm(now)) {
          if (due <= 0) break;
          take();
          continue;
        }
        const Gemm& gemm = std::get<Gemm>(now.op);
        const int64_t all = Cycles(now), steps = cuts_ ? CutIterations(gemm) : 1;
        const bool whole = due > 0 && due < all && all - due <= spare;
        if (whole) spare -= all - due;
        const int64_t taken = whole ? steps : std::min((due * steps + all / 2) / all, steps);
        if (taken <= 0) break;
        due -= whole ? due : all * taken / steps;
        if (taken == steps) {
          take();
          continue;
        }
        const auto [first, second] = CutGemm(gemm, taken, &program_);
        out_.push_back({first, now.tokens});
        rest = Task{second, now.tokens};
        break;
      }
    }
    while (from != next.end()) take();
  }

  const isa::Config& config_;
  const bool cuts_;
  const int64_t bank_rows_;
  TaskProgram program_;
  std::vector<Task> tasks_;
  RowSets rows_;
  std::vector<Task> out_;
};

}  // namespace

void InterleaveTiles(const isa::Config& config, TaskProgram* program) {
  if (config.uarch.acc_banks == 1) return;
  TaskProgram cut = Interleaver(config, *program, true).Run();
  const bool fits = CountUops(cut) <= std::max(UopDepth(config), CountUops(*program));
  *program = fits ? std::move(cut) : Interleaver(config, *program, false).Run();
}

}  // namespace vta::compiler::targets
