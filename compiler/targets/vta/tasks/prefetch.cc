#include "compiler/targets/vta/tasks/prefetch.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/targets/vta/tasks/rows.h"
#include "compiler/targets/vta/tasks/timeline.h"
#include "compiler/targets/vta/tasks/uop_memory.h"

namespace vta::compiler::targets {
namespace {

constexpr int64_t kFarthest = 12;  // parts that weights are loaded ahead of theirs
// Of the time in which the load module waits, so much is taken; and no load takes less than this.
constexpr double kShare = 0.9;
constexpr int64_t kLeastCycles = 128;
// What each micro-op brings at least that is there for rows of their own: there are only so many.
constexpr int64_t kCyclesPerUop = 8;

bool Meet(const RowRange& a, const RowRange& b) { return a.begin < b.end && b.begin < a.end; }

/// Loads of rows that hold nothing, or something that is no longer needed: before them, what they
/// load may have rows of its own.
struct Filling {
  RowRange rows;               // from the first to the last
  std::vector<int64_t> loads;  // tasks
  int64_t cycles = 0;          // of the loads
  int64_t uops = 0;            // of the products that read them
  int64_t shift = 0;           // by how much the rows move
  bool may_move = true;
  int64_t size() const { return rows.end - rows.begin; }
};

/// What is loaded in front of a task.
struct Slot {
  int64_t task, cycles;
};

/// The tasks of one of the programs.
struct Part {
  int64_t begin, end;                  // its tasks
  std::vector<Filling> fillings = {};  // the first are those of rows that hold nothing
  size_t movable = 0;                  // of them: their loads may come earlier
  RowRange rows = {0, 0};              // of weights, once they have moved
  int64_t wanted = 0;                  // cycles of loads that compute would wait for
  std::vector<Slot> slots = {};        // where they are loaded instead, in order
};

class Prefetcher {
 public:
  Prefetcher(const isa::Config& config, JoinedTasks* joined)
      : config_(config),
        joined_(*joined),
        program_(joined->program),
        rows_(config, program_),
        of_(program_.tasks.size()) {}

  void Run() {
    const auto first =
        std::ranges::find_if(program_.tasks, [](const Task& t) { return NestOf(t); });
    first_nest_ = first - program_.tasks.begin();
    for (const UopKernel& kernel : program_.kernels) spare_uops_ -= std::ssize(kernel);
    FindParts();
    FindGaps();
    for (size_t part = 1; part < parts_.size(); ++part) Plan(static_cast<int64_t>(part));
    Rebuild();
  }

 private:
  bool IsLoad(const Task& task) const { return ModuleOf(program_, task) == isa::Module::kLoad; }
  /// The load of weights that a task is.
  const Dma* WeightsOf(const Task& task) const {
    const Dma* dma = std::get_if<Dma>(&task.op);
    return dma && program_.tensors[dma->tensor].element == isa::MemoryType::kWgt ? dma : nullptr;
  }
  int64_t Cycles(const Dma& load) const {
    return std::max<int64_t>(CyclesOf(config_, program_, {load, {}}), 1);
  }

  /// Bytes of a tensor in DRAM.
  RowRange Bytes(const DramTensor& tensor) const {
    return {tensor.offset_bytes,
            tensor.offset_bytes + tensor.elems * ElementBytes(config_, tensor)};
  }

  /// By tensor, whether it holds weights that no task stores.
  std::vector<bool> Constants() const {
    std::vector<RowRange> stored;
    for (const Task& task : program_.tasks)
      if (const Dma* dma = std::get_if<Dma>(&task.op); dma && dma->store)
        stored.push_back(Bytes(program_.tensors[dma->tensor]));
    std::vector<bool> constants;
    for (const DramTensor& tensor : program_.tensors)
      constants.push_back(
          tensor.element == isa::MemoryType::kWgt &&
          std::ranges::none_of(stored, [&, bytes = Bytes(tensor)](const RowRange& range) {
            return Meet(range, bytes);
          }));
    return constants;
  }

  void FindParts() {
    const std::vector<bool> constants = Constants();
    int64_t at = 0;
    for (const int64_t count : joined_.counts) {
      parts_.push_back({at, at + count});
      FindFillings(constants, &parts_.back());
      at += count;
    }
  }

  void FindFillings(const std::vector<bool>& constants, Part* part) {
    std::vector<int64_t> holds(config_.arch.wgt_depth, -1);  // the filling of each row
    bool goes_on = false;                                    // the last filling
    bool is_known = true;                                    // what products read
    for (int64_t at = part->begin; at < part->end; ++at) {
      const Task& task = program_.tasks[at];
      if (const Dma* load = WeightsOf(task)) {
        const RowRange own{load->sram, load->sram + load->SramRows()};
        const bool again = std::any_of(holds.begin() + own.begin, holds.begin() + own.end,
                                       [](int64_t filling) { return filling >= 0; });
        if (part->fillings.empty() ||
            (again && (!goes_on || Meet(part->fillings.back().rows, own))))
          part->fillings.push_back({own});
        goes_on = again || part->fillings.size() == 1;
        // Rows that hold nothing are the first filling's whenever they are loaded.
        const int64_t number = again ? std::ssize(part->fillings) - 1 : 0;
        Filling& filling = part->fillings[number];
        filling.rows = {std::min(filling.rows.begin, own.begin),
                        std::max(filling.rows.end, own.end)};
        filling.loads.push_back(at);
        filling.cycles += Cycles(*load);
        of_[at] = number;
        std::fill(holds.begin() + own.begin, holds.begin() + own.end, number);
        filling.may_move &= constants[load->tensor];
        part->rows.end = std::max(part->rows.end, own.end);
      } else if (const LoopNest* nest = NestOf(task)) {
        goes_on = false;
        for (const Access& access : rows_.All(task)) {
          if (access.memory != isa::MemoryType::kWgt || access.rows.empty()) continue;
          const int64_t first = holds[access.rows.front().begin];
          is_known &= first >= 0;
          if (!is_known) continue;
          of_[at] = first;
          part->fillings[first].uops += std::ssize(program_.kernels[nest->kernel]);
          for (const RowRange& range : access.rows)
            for (int64_t row = range.begin; row < range.end; ++row) {
              if (holds[row] == first) continue;
              is_known &= holds[row] >= 0;
              if (is_known)  // they stay where they are to each other
                part->fillings[first].may_move = part->fillings[holds[row]].may_move = false;
            }
        }
      }
    }
    const auto stays = std::ranges::find(part->fillings, false, &Filling::may_move);
    if (is_known) part->movable = static_cast<size_t>(stays - part->fillings.begin());
  }

  /// How long the load module waits in front of each of its tasks, less what stores and compute's
  /// loads take meanwhile of the bus.
  void FindGaps() {
    const Timeline line = TimelineOf(config_, program_, &rows_);
    gaps_.assign(program_.tasks.size(), 0);
    int64_t loaded = 0;
    for (Part& part : parts_) {
      const int64_t first = loaded;
      int64_t last = loaded, others = 0, loads = 0, compute = 0;
      for (int64_t task = part.begin; task < part.end; ++task) {
        last = std::max(last, line.end[task]);
        const bool moves = std::holds_alternative<Dma>(program_.tasks[task].op);
        if (moves && !IsLoad(program_.tasks[task])) others += line.end[task] - line.begin[task];
      }
      const double free =
          last > first ? 1 - static_cast<double>(others) / static_cast<double>(last - first) : 0;
      for (int64_t task = part.begin; task < part.end; ++task) {
        if (NestOf(program_.tasks[task])) compute += line.end[task] - line.begin[task];
        if (!IsLoad(program_.tasks[task])) continue;
        loads += line.end[task] - line.begin[task];
        const auto gap = static_cast<double>(line.begin[task] - loaded);
        gaps_[task] =
            task > first_nest_ ? static_cast<int64_t>(kShare * std::max(free, 0.0) * gap) : 0;
        if (gaps_[task] < kLeastCycles) gaps_[task] = 0;
        loaded = line.end[task];
      }
      if (!part.fillings.empty())
        part.wanted = std::max(part.fillings[0].cycles, loads + others - compute);
    }
  }

  /// The most rows side by side that no part from `from` up to `part` takes.
  RowRange FreeRows(int64_t from, int64_t part) const {
    std::vector<RowRange> taken = {{config_.arch.wgt_depth, config_.arch.wgt_depth}};
    for (int64_t other = from; other < part; ++other) taken.push_back(parts_[other].rows);
    std::ranges::sort(taken, {}, &RowRange::begin);
    RowRange most;
    int64_t end = 0;
    for (const RowRange& range : taken) {
      if (range.begin - end > most.end - most.begin) most = {end, range.begin};
      end = std::max(end, range.end);
    }
    return most;
  }

  /// Of the first fillings those that have rows of their own among so many, and their cycles.
  std::pair<size_t, int64_t> Fitting(const Part& part, int64_t rows) const {
    size_t count = 0;
    int64_t cycles = 0, uops = spare_uops_;
    if (part.rows.end > rows) return {0, 0};
    rows -= part.rows.end;
    for (; count < part.movable; ++count) {
      const Filling& filling = part.fillings[count];
      if (count > 0) rows -= filling.size(), uops -= filling.uops;
      if (rows < 0) break;
      if (count > 0 && (uops < 0 || filling.cycles < kCyclesPerUop * filling.uops)) break;
      cycles += filling.cycles;
    }
    return {count, cycles};
  }

  void Plan(int64_t number) {
    Part& part = parts_[number];
    if (part.movable == 0 || part.wanted < kLeastCycles) return;
    const int64_t first_load = FirstLoad(part);
    // From how far ahead most is loaded while the load module waits.
    int64_t waits = gaps_[first_load], best_from = -1, best = 0;
    for (int64_t from = number - 1; from >= 0 && number - from <= kFarthest; --from) {
      const RowRange free = FreeRows(from, number);
      const int64_t fitting = std::min(Fitting(part, free.end - free.begin).second, part.wanted);
      if (fitting == 0) break;
      for (int64_t at = parts_[from].begin; at < parts_[from].end; ++at) waits += gaps_[at];
      if (std::min(waits, fitting) > best) best = std::min(waits, fitting), best_from = from;
    }
    if (best < kLeastCycles) return;
    const RowRange free = FreeRows(best_from, number);
    int64_t left = best - std::exchange(gaps_[first_load], 0);  // which the first take as it is
    for (int64_t at = part.begin - 1; left > 0; --at) {
      const int64_t cycles = std::min(gaps_[at], left);
      if (cycles == 0) continue;
      part.slots.push_back({at, cycles});
      gaps_[at] = gaps_[at] - cycles < kLeastCycles ? 0 : gaps_[at] - cycles;
      left -= cycles;
    }
    std::ranges::reverse(part.slots);
    GiveRows(free, best, &part);
  }

  /// Rows of its own to each of the first fillings, up to so many cycles of them.
  void GiveRows(const RowRange& free, int64_t cycles, Part* part) {
    int64_t end = free.begin + part->rows.end;
    size_t own = 0;
    for (Filling& filling : part->fillings) {
      filling.shift = free.begin;
      if (cycles > 0 && own < part->movable) {
        ++own;
        cycles -= filling.cycles;
        if (own > 1) {
          filling.shift = end - filling.rows.begin;
          end += filling.size();
          spare_uops_ -= filling.uops;
        }
      }
    }
    part->movable = own;
    part->rows = {free.begin, end};
  }

  int64_t FirstLoad(const Part& part) const {
    int64_t task = part.begin;
    while (!IsLoad(program_.tasks[task])) ++task;
    return task;
  }

  /// As much of a load as takes so many cycles, and the rest; nothing where that is less than a
  /// line of one that is not dense, or one with pads.
  std::pair<std::optional<Dma>, std::optional<Dma>> Cut(Dma load, int64_t cycles) const {
    const int64_t all_cycles = Cycles(load);
    if (load.SramRows() != load.y_size * load.x_size) {
      if (all_cycles <= cycles) return {load, {}};
      return {{}, load};
    }
    if (load.x_stride == load.x_size) {
      load.x_size = load.x_stride = load.x_size * load.y_size;
      load.y_size = 1;
    }
    int64_t& size = load.y_size == 1 ? load.x_size : load.y_size;
    const int64_t taken = std::min(size, size * cycles / all_cycles);
    if (taken == size) return {load, {}};
    if (taken == 0) return {{}, load};
    Dma first = load, rest = load;
    if (load.y_size == 1) {
      first.x_size = taken, rest.x_size = size - taken;
      rest.sram += taken, rest.dram += taken;
    } else {
      first.y_size = taken, rest.y_size = size - taken;
      rest.sram += taken * load.x_size, rest.dram += taken * load.x_stride;
    }
    return {first, rest};
  }

  /// Fills the slots with the loads, the first ones first.
  void Fill(const Part& part) {
    std::vector<int64_t> loads;
    for (size_t i = 0; i < part.movable; ++i)
      loads.insert(loads.end(), part.fillings[i].loads.begin(), part.fillings[i].loads.end());
    std::ranges::sort(loads);
    auto load = loads.begin();
    std::optional<Dma> rest;
    for (const Slot& slot : part.slots)
      for (int64_t left = slot.cycles; load != loads.end() && left > 0;) {
        if (!rest) rest = *WeightsOf(program_.tasks[*load]);
        auto [first, others] = Cut(*rest, left);
        rest = others;
        if (!first) break;
        left -= Cycles(*first);
        earlier_[slot.task].push_back(Moved(*first, ShiftOf(*load, part)));
        later_[*load] = rest;
        if (!rest) ++load;
      }
  }

  static Dma Moved(Dma load, int64_t shift) {
    load.sram += shift;
    return load;
  }
  int64_t ShiftOf(int64_t task, const Part& part) const {
    return part.fillings.empty() ? 0 : part.fillings[of_[task]].shift;
  }

  void Rebuild() {
    for (const Part& part : parts_) Fill(part);
    TaskBuilder builder(program_.name);
    for (const DramTensor& tensor : program_.tensors) builder.AddTensor(tensor);
    std::vector<int64_t> counts;
    for (const Part& part : parts_) {
      const int64_t before = std::ssize(builder.program().tasks);
      for (int64_t task = part.begin; task < part.end; ++task) Emit(task, part, &builder);
      counts.push_back(std::ssize(builder.program().tasks) - before);
    }
    builder.Add(Finish{});
    joined_.counts = std::move(counts);
    program_ = std::move(builder).Take();
  }

  void Emit(int64_t number, const Part& part, TaskBuilder* builder) {
    if (const auto found = earlier_.find(number); found != earlier_.end())
      for (const Dma& load : found->second) builder->Add(load);
    Task task = program_.tasks[number];
    const int64_t shift = ShiftOf(number, part);
    if (const auto found = later_.find(number); found != later_.end()) {
      if (found->second) builder->Add(Moved(*found->second, shift));
      return;
    }
    if (const Dma* weights = WeightsOf(task)) task.op = Moved(*weights, shift);
    if (LoopNest* nest = NestOf(task)) {
      const Gemm* gemm = std::get_if<Gemm>(&task.op);
      const bool reads = gemm && gemm->writes != GemmWrites::kZero;
      nest->kernel = KernelMoved(nest->kernel, reads ? shift : 0, builder);
    }
    std::visit([&](auto& op) { builder->Add(std::move(op)); }, task.op);
  }

  int64_t KernelMoved(int64_t kernel, int64_t shift, TaskBuilder* builder) {
    const auto [at, fresh] = kernels_.try_emplace({kernel, shift});
    if (fresh) {
      UopKernel moved = program_.kernels[kernel];
      for (isa::Uop& uop : moved) uop.wgt += shift;
      at->second = builder->Intern(moved);
    }
    return at->second;
  }

  const isa::Config& config_;
  JoinedTasks& joined_;
  TaskProgram& program_;
  RowSets rows_;                                            // until it is built anew
  std::map<std::pair<int64_t, int64_t>, int64_t> kernels_;  // by kernel and shift, the moved one
  std::vector<int64_t> of_;  // by task, the filling that it loads or reads
  std::vector<Part> parts_;
  std::vector<int64_t> gaps_;  // by task
  int64_t first_nest_ = 0;     // for the loads before it everything waits
  int64_t spare_uops_ = UopDepth(config_);
  std::map<int64_t, std::vector<Dma>> earlier_;  // what is loaded in front of a task
  std::map<int64_t, std::optional<Dma>> later_;  // what is left of one
};

}  // namespace

void PrefetchWeights(const isa::Config& config, JoinedTasks* joined) {
  if (joined->counts.size() > 1) Prefetcher(config, joined).Run();
}

}  // namespace vta::compiler::targets
