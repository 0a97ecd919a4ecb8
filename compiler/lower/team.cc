#include "compiler/lower/team.h"

#include <algorithm>
#include <set>

#include "compiler/loop/analysis.h"
#include "compiler/loop/independent.h"
#include "isa/spec/cpu.h"

namespace vta::compiler::lower {

using loop::As;
using loop::For;
using loop::Stmt;

namespace {

using Buffers = std::set<const loop::BufferNode*>;

bool IsParallel(const Stmt& stmt) {
  const For* loop = As<For>(stmt);
  return loop && loop->kind == loop::ForKind::kParallel;
}

void AddTouched(const Stmt& stmt, Buffers& touched) {
  for (const loop::Site& site : loop::Sites(stmt))
    for (const loop::Access& access : Accesses(*site.block)) touched.insert(access.buffer.get());
}

}  // namespace

std::optional<Team> FindTeam(const Stmt& body) {
  const Stmt tasks = loop::WithoutAllocates(body);
  if (!IsParallel(tasks)) return {};
  const loop::Seq* all = As<loop::Seq>(loop::WithoutAllocates(As<For>(tasks)->body));
  if (!all || all->stmts.size() < 2) return {};
  const Stmt& first = all->stmts[0];
  if (!IsParallel(first) || As<For>(first)->extent == 1) return {};
  return Team{tasks, first, {all->stmts.begin() + 1, all->stmts.end()}};
}

bool CanBeTeam(const Kernel& kernel, const Team& team) {
  if (As<For>(team.tasks)->extent > isa::kMostGpuTeams) return false;
  // What a block has to itself beside registers and shared memory would be all the team's.
  const auto is_own = [&](const loop::Buffer& buffer) {
    return std::ranges::count(kernel.registers, buffer) > 0 ||
           std::ranges::count(kernel.shared, buffer, &PlacedBuffer::buffer) > 0;
  };
  bool all_own = true;
  VisitStmts(team.loop, [&](const Stmt& stmt) {
    if (const loop::Allocate* alloc = As<loop::Allocate>(stmt)) all_own &= is_own(alloc->buffer);
  });
  if (!all_own) return false;
  Buffers inside, behind;
  AddTouched(team.loop, inside);
  for (const Stmt& stmt : team.rest) AddTouched(stmt, behind);
  const auto crosses = [&](const loop::Buffer& buffer) {
    return inside.contains(buffer.get()) && behind.contains(buffer.get());
  };
  return std::none_of(kernel.registers.begin(), kernel.registers.end(), crosses) &&
         std::none_of(kernel.shared.begin(), kernel.shared.end(),
                      [&](const PlacedBuffer& placed) { return crosses(placed.buffer); }) &&
         loop::WhyNotIndependent(team.loop, {team.tasks}).empty();
}

}  // namespace vta::compiler::lower
