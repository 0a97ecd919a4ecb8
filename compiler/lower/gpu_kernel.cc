#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "compiler/loop/analysis.h"
#include "compiler/loop/independent.h"
#include "compiler/loop/verify.h"
#include "compiler/lower/barriers.h"
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

bool IsZero(const loop::Expr& e) {
  if (e.op() != loop::Op::kConst) return false;
  return e.dtype() == loop::DType::kFloat32 ? e->float_value == 0 && !std::signbit(e->float_value)
                                            : e->int_value == 0;
}

/// The load that the block copies, everywhere or where there is one, else 0; nullptr of another
/// block.
const loop::ExprNode* CopyOf(const loop::Block& block) {
  const loop::Store* const store = As<loop::Store>(block.body);
  if (!store || block.init) return nullptr;
  loop::Expr value = store->value;
  if (value.op() == loop::Op::kSelect && IsZero(value->args[2])) value = value->args[1];
  return value.op() == loop::Op::kLoad ? value.get() : nullptr;
}

/// Whether threads fill the buffer with copies of parameters, in nests that neither read it nor
/// write those: behind a barrier all is there. Single bytes are not copied aside.
bool IsCopied(const loop::Function& function, const Buffer& buffer) {
  if (loop::SizeBytes(buffer->dtype) == 1) return false;
  for (const loop::Site& site : loop::Sites(function.body)) {
    if (!std::ranges::count(Written(*site.block), buffer)) continue;
    const auto nest = std::find_if(site.loops.begin(), site.loops.end(), IsThreads);
    const loop::ExprNode* const load = CopyOf(*site.block);
    if (nest == site.loops.end() || !load || load->dtype != buffer->dtype ||
        !std::ranges::count(function.params, load->buffer))
      return false;
    for (const loop::Site& beside : loop::Sites(*nest))
      if (Reads(*beside.block, buffer) || Writes(*beside.block, load->buffer)) return false;
  }
  return true;
}

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
  std::vector<Lifetime*> lives;
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
      if (IsCopied(kernel.function, life.buffer)) kernel.copied.push_back(life.buffer);
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
  if (team && gpu.has_teams && CanBeTeam(kernel, *team)) kernel.team = As<For>(team->loop)->extent;
  // Threads are at different places: no memory is taken twice.
  for (Lifetime* life : lives) life->first = 0, life->last = 1;
  kernel.workspace_bytes = AssignOffsets(lives, kWorkspaceAlignment);
  for (const Lifetime* life : lives)
    kernel.workspace.push_back({static_cast<const BufferLife*>(life)->buffer, life->offset_bytes});
  kernel.workspace_bytes =
      AlignUp((kernel.workspace_bytes + kernel.team - 1) / kernel.team, kWorkspaceAlignment);
  body = WithBarriers(body, own, kernel.team > 1 ? team->loop : Stmt(), kernel.copied);
  return kernel;
}

}  // namespace vta::compiler::lower
