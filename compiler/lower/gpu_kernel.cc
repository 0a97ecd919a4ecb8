#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "compiler/loop/analysis.h"
#include "compiler/loop/independent.h"
#include "compiler/loop/verify.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/lives.h"
#include "compiler/lower/private.h"
#include "compiler/lower/starts.h"
#include "compiler/lower/team.h"
#include "isa/spec/cpu.h"
#include "isa/support/error.h"

namespace vta::compiler::lower {

using loop::As;
using loop::Buffer;
using loop::For;
using loop::ForKind;
using loop::Stmt;

namespace {

/// The buffers that are allocated inside thread loops.
std::set<const loop::BufferNode*> OwnBuffers(const Stmt& body) {
  std::set<const loop::BufferNode*> own;
  VisitStmts(body, [&](const Stmt& nest) {
    if (!IsThreads(nest)) return;
    VisitStmts(nest, [&](const Stmt& s) {
      if (const loop::Allocate* alloc = As<loop::Allocate>(s)) own.insert(alloc->buffer.get());
    });
  });
  return own;
}

/// Puts barriers before the nests of thread loops, and what has none inside, that touch what others
/// did since the last one.
class Barriers {
 public:
  /// `team`: the loop whose iterations are different blocks', which meet behind it; or none.
  Barriers(const std::set<const loop::BufferNode*>& own, Stmt team)
      : own_(own), team_(std::move(team)) {}

  Stmt Run(const Stmt& stmt) {
    if (team_ && stmt == team_) {
      For copy = *As<For>(stmt);
      loops_.push_back(stmt);
      copy.body = Run(copy.body);
      loops_.pop_back();
      read_.clear(), written_.clear();
      return MakeStmt(std::move(copy));
    }
    if (IsThreads(stmt) || !HasThreads(stmt) || WriteApart(stmt)) return RunUnit(stmt);
    if (const loop::Seq* seq = As<loop::Seq>(stmt)) {
      std::vector<Stmt> stmts;
      for (const Stmt& s : seq->stmts) stmts.push_back(Run(s));
      return MakeSeq(std::move(stmts));
    }
    if (const loop::Allocate* alloc = As<loop::Allocate>(stmt))
      return MakeStmt(loop::Allocate{alloc->buffer, Run(alloc->body)});
    For copy = *As<For>(stmt);
    loops_.push_back(stmt);
    // What stood before the loop, and what the end of an iteration did, the next one finds; tasks
    // are different blocks.
    const bool again = copy.extent > 1 && (loops_.size() > 1 || copy.kind != ForKind::kParallel);
    if (again) {
      Set read = read_, written = written_;
      Run(copy.body);
      read_.merge(read);
      written_.merge(written);
    }
    copy.body = Run(copy.body);
    loops_.pop_back();
    return MakeStmt(std::move(copy));
  }

 private:
  using Set = std::set<const loop::BufferNode*>;

  /// Whether iterations of the loop, and of those inside of it around threads, write different
  /// elements, and read none of what they write.
  bool WriteApart(const Stmt& stmt) const {
    const For* loop = As<For>(stmt);
    if (!loop || (loop->kind == ForKind::kParallel && loops_.empty())) return false;
    Set read, written;
    for (const loop::Site& site : loop::Sites(stmt)) {
      const auto reduces = [](const loop::Iter& iter) {
        return iter.kind == loop::IterKind::kReduce;
      };
      if (std::any_of(site.block->iters.begin(), site.block->iters.end(), reduces)) return false;
      std::vector<Stmt> outside = loops_;
      for (const Stmt& inner : site.loops) {
        if (IsThreads(inner)) break;
        if (!loop::WhyNotIndependent(inner, outside).empty()) return false;
        outside.push_back(inner);
      }
      for (const loop::Access& access : Accesses(*site.block)) {
        const loop::BufferNode* buffer = access.buffer.get();
        if (own_.contains(buffer)) continue;
        if (access.write && !written.insert(buffer).second) return false;
        if (!access.write) read.insert(buffer);
      }
    }
    return !Meet(read, written);
  }

  static bool Meet(const Set& a, const Set& b) {
    return std::any_of(a.begin(), a.end(), [&](const auto* buffer) { return b.contains(buffer); });
  }

  Stmt RunUnit(const Stmt& stmt) {
    Set read, written;
    for (const loop::Site& site : loop::Sites(stmt))
      for (const loop::Access& access : Accesses(*site.block))
        if (!own_.contains(access.buffer.get()))
          (access.write ? written : read).insert(access.buffer.get());
    const bool needed = Meet(written, read_) || Meet(written, written_) || Meet(read, written_);
    if (needed) read_.clear(), written_.clear();
    read_.merge(read);
    written_.merge(written);
    return needed ? loop::MakeSeq({MakeStmt(loop::Barrier{}), stmt}) : stmt;
  }

  const Set& own_;
  const Stmt team_;
  std::vector<Stmt> loops_;  // around
  Set read_, written_;       // since the last barrier
};

/// One thread loop stands in the other, with nothing between or beside.
void RequirePerfect(const Stmt& body) {
  VisitStmts(body, [](const Stmt& stmt) {
    if (!IsThreads(stmt)) return;
    const Stmt inside = loop::WithoutAllocates(As<For>(stmt)->body);
    if (HasThreads(inside) && !IsThreads(inside))
      throw Error("", "thread loop", As<For>(stmt)->var->name,
                  "must hold one thread loop and nothing else, or none");
  });
}

void RequireThreads(const Stmt& body) {
  for (const loop::Site& site : loop::Sites(body))
    for (size_t i = 0; i < site.loops.size(); ++i) {
      if (!IsThreads(site.loops[i])) continue;
      const std::vector<Stmt> outside(site.loops.begin(),
                                      site.loops.begin() + static_cast<int64_t>(i));
      if (const std::string why = loop::WhyNotIndependent(site.loops[i], outside); !why.empty())
        throw Error("", "thread loop", As<For>(site.loops[i])->var->name, why);
    }
}

}  // namespace

bool IsThreads(const Stmt& stmt) {
  const For* loop = As<For>(stmt);
  return loop && loop->kind == ForKind::kThread;
}

bool HasThreads(const Stmt& stmt) {
  bool has = false;
  VisitStmts(stmt, [&](const Stmt& s) { has |= IsThreads(s); });
  return has;
}

int64_t ThreadsOf(const Stmt& stmt) {
  int64_t most = 1;
  if (const For* loop = As<For>(stmt)) {
    most = ThreadsOf(loop->body);
    if (IsThreads(stmt) && __builtin_mul_overflow(most, loop->extent, &most)) most = INT64_MAX;
  } else if (const loop::Seq* seq = As<loop::Seq>(stmt)) {
    for (const Stmt& s : seq->stmts) most = std::max(most, ThreadsOf(s));
  } else if (const loop::Allocate* alloc = As<loop::Allocate>(stmt)) {
    most = ThreadsOf(alloc->body);
  }
  return most;
}

Kernel PlanGpuKernel(const loop::Function& function, const isa::GpuRow& gpu) {
  // Tasks, and what else is not of threads, are those of a CPU.
  Kernel kernel{.function = WithStartsApart(function)};
  kernel.tasks = PlanKernel(function).tasks;
  Stmt& body = kernel.function.body;
  RequirePerfect(body);
  RequireThreads(body);
  kernel.threads = ThreadsOf(body);
  if (kernel.threads > gpu.most_threads)
    throw Error(StrCat("func ", function.name), "threads of a block",
                std::to_string(kernel.threads), StrCat("must be at most ", gpu.most_threads));
  std::set<const loop::BufferNode*> own = OwnBuffers(body);
  std::vector<Life*> lives;
  std::vector<BufferLife> all = LivesOf(kernel.function);
  for (BufferLife& life : all) {
    if (life.first < 0) continue;
    if (!own.contains(life.buffer.get()) && life.buffer->scope == "local" &&
        IsPrivate(life.buffer, body)) {
      own.insert(life.buffer.get());
      kernel.parts.push_back(life.buffer);
    }
    if (own.contains(life.buffer.get())) {
      kernel.registers.push_back(life.buffer);
    } else if (life.buffer->scope == "shared") {
      kernel.shared.push_back({life.buffer, kernel.shared_bytes});
      kernel.shared_bytes = AlignUp(kernel.shared_bytes + life.size_bytes, kWorkspaceAlignment);
    } else {
      lives.push_back(&life);
    }
  }
  if (kernel.shared_bytes > gpu.most_shared_bytes)
    throw Error(StrCat("func ", function.name), "shared memory",
                StrCat(kernel.shared_bytes, " bytes"),
                StrCat("must be at most ", gpu.most_shared_bytes));
  const std::optional<Team> team = FindTeam(body);
  if (team && CanBeTeam(kernel, *team)) kernel.team = As<For>(team->loop)->extent;
  // Threads are at different places: no memory is taken twice.
  for (Life* life : lives) life->first = 0, life->last = 1;
  kernel.workspace_bytes = PlaceLives(lives, kWorkspaceAlignment);
  for (const Life* life : lives)
    kernel.workspace.push_back({static_cast<const BufferLife*>(life)->buffer, life->offset_bytes});
  kernel.workspace_bytes =
      AlignUp((kernel.workspace_bytes + kernel.team - 1) / kernel.team, kWorkspaceAlignment);
  body = Barriers(own, kernel.team > 1 ? team->loop : Stmt()).Run(body);
  return kernel;
}

}  // namespace vta::compiler::lower
