#include "compiler/targets/vta/lower/lower.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "compiler/targets/vta/lower/emit_region.h"
#include "compiler/targets/vta/lower/region.h"
#include "compiler/targets/vta/lower/scratchpad.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

/// One of the contexts that run in lock step.
struct Thread {
  LoopValues values;
  std::map<const loop::BufferNode*, int64_t> rows;  // of the buffers that live
};

class Lowering {
 public:
  Lowering(const isa::Config& config, const loop::Function& function, isa::Rounding rounding,
           const SparseConstants& sparse, const std::optional<PhasePlaces>& phases)
      : config_(config),
        function_(function),
        slots_(PlaceBuffers(config, function)),
        builder_(function.name),
        emitter_(config, sparse, phases, &builder_) {
    // A launch starts with every mode 0.
    if (rounding != isa::Rounding::kSingle && config.arch.requant)
      builder_.Add(SetMode{isa::Mode::kRounding, static_cast<int64_t>(rounding)});
  }

  TaskProgram Run() {
    Execute(function_.body, {Thread{}});
    builder_.Add(Finish{});
    return std::move(builder_).Take();
  }

 private:
  void Execute(const loop::Stmt& stmt, std::vector<Thread> threads) {
    if (IsRegion(stmt)) {
      for (const Thread& thread : threads) EmitRegion(stmt, thread);
    } else if (const loop::For* loop = loop::As<loop::For>(stmt)) {
      outer_.push_back(loop);
      if (loop->kind == loop::ForKind::kVthread)
        ExecuteThreads(*loop, threads);
      else
        ExecuteLoop(*loop, std::move(threads));
      outer_.pop_back();
    } else if (const loop::Seq* seq = loop::As<loop::Seq>(stmt)) {
      ExecuteParts(seq->stmts, threads);
    } else if (const loop::Allocate* allocate = loop::As<loop::Allocate>(stmt)) {
      const loop::Buffer& buffer = allocate->buffer;
      const auto slots = slots_.find(buffer.get());
      if (slots == slots_.end())
        throw Error(StrCat("buffer ", buffer->name), "scope", buffer->scope,
                    "must be a scratchpad: a program has no other memory of its own");
      const int64_t use = uses_[buffer.get()]++;
      loads_.erase(buffer.get());
      for (Thread& thread : threads) thread.rows[buffer.get()] = slots->second.Row(use);
      Execute(allocate->body, std::move(threads));
    } else {
      VTA_CHECK(false, "statement outside a block");
    }
  }

  /// Threads take turns where modules do: what one thread's GEMM waits for is loaded before what
  /// another's does, and stored before that is done.
  void ExecuteParts(std::span<const loop::Stmt> parts, const std::vector<Thread>& threads) {
    while (!parts.empty()) {
      const auto other = std::ranges::find_if(parts, [&](const loop::Stmt& part) {
        return !IsRegion(part) || ModuleOf(part) != ModuleOf(parts[0]);
      });
      const auto count = static_cast<size_t>(other - parts.begin());
      if (count == 0)
        Execute(parts[0], threads);
      else
        for (const Thread& thread : threads)
          for (const loop::Stmt& part : parts.first(count)) EmitRegion(part, thread);
      parts = parts.subspan(std::max<size_t>(count, 1));
    }
  }

  void ExecuteLoop(const loop::For& loop, std::vector<Thread> threads) {
    for (Thread& thread : threads) thread.values.emplace_back(loop.var.get(), 0);
    for (int64_t i = 0; i < loop.extent; ++i) {
      for (Thread& thread : threads) thread.values.back().second = i;
      Execute(loop.body, threads);
    }
  }

  void ExecuteThreads(const loop::For& loop, const std::vector<Thread>& threads) {
    std::vector<Thread> more;
    for (const Thread& thread : threads)
      for (int64_t i = 0; i < loop.extent; ++i) {
        more.push_back(thread);
        more.back().values.emplace_back(loop.var.get(), i);
      }
    Execute(loop.body, std::move(more));
  }

  const std::vector<Region>& RegionsOf(const loop::Stmt& stmt) {
    const auto found = regions_.find(stmt.get());
    if (found != regions_.end()) return found->second;
    return regions_.emplace(stmt.get(), AnalyseRegion(config_, stmt, outer_)).first->second;
  }

  isa::Module ModuleOf(const loop::Stmt& region) {
    const Region& first = RegionsOf(region).at(0);
    if (first.is_call) return isa::Module::kCompute;
    if (!IsScratchpad(first.to.buffer)) return isa::Module::kStore;
    const std::string& scope = first.to.buffer->scope;
    return scope == kAccScope || scope == kLutScope ? isa::Module::kCompute : isa::Module::kLoad;
  }

  void EmitRegion(const loop::Stmt& stmt, const Thread& thread) {
    for (const Region& region : RegionsOf(stmt)) {
      const auto to = region.is_call ? slots_.end() : slots_.find(region.to.buffer.get());
      if (region.is_call)
        EmitCall(region, thread);
      else if (to != slots_.end() && to->second.in_each_bank)
        loads_[to->first].push_back({&region, thread, std::vector<bool>(to->second.slots)});
      else
        emitter_.Emit({region, thread.values, thread.rows});
    }
  }

  /// What lies in each bank is loaded where it is first read, so that no load keeps the call that
  /// follows a call in one bank from the other.
  void EmitCall(const Region& region, Thread thread) {
    const Place& result = region.operands[0];
    for (const Place& place : region.operands) {
      const loop::BufferNode* buffer = place.buffer.get();
      const Slots& slots = slots_.at(buffer);
      if (!slots.in_each_bank) continue;
      const int64_t row = result.element.At(thread.values) + thread.rows.at(result.buffer.get());
      const int64_t bank = row / slots.apart;
      for (BankLoad& load : loads_[buffer]) {
        if (load.done[bank]) continue;
        load.done[bank] = true;
        load.thread.rows[buffer] = slots.Row(bank);
        emitter_.Emit({*load.region, load.thread.values, load.thread.rows});
      }
      thread.rows[buffer] = slots.Row(bank);
    }
    emitter_.Emit({region, thread.values, thread.rows});
  }

  /// A copy to a buffer that lies in each bank.
  struct BankLoad {
    const Region* region;
    Thread thread;
    std::vector<bool> done;  // by bank
  };

  const isa::Config& config_;
  const loop::Function& function_;
  const std::map<const loop::BufferNode*, Slots> slots_;
  TaskBuilder builder_;
  RegionEmitter emitter_;
  std::vector<const loop::For*> outer_;
  std::map<const loop::BufferNode*, int64_t> uses_;
  std::map<const loop::BufferNode*, std::vector<BankLoad>> loads_;  // of what lives
  std::map<const loop::StmtNode*, std::vector<Region>> regions_;
};

}  // namespace

TaskProgram LowerTasks(const isa::Config& config, const loop::Function& function,
                       isa::Rounding rounding, const SparseConstants& sparse,
                       const std::optional<PhasePlaces>& phases) {
  return Lowering(config, function, rounding, sparse, phases).Run();
}

}  // namespace vta::compiler::targets
