// split: one loop becomes two, an outer over parts and an inner within a part.
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// Blocks under the loop run only where `condition` holds.
Stmt Guard(const Stmt& stmt, const Expr& condition) {
  return RewriteStmts(stmt, [&](const Stmt& s) -> Stmt {
    const Block* block = As<Block>(s);
    if (!block) return {};
    Block copy = *block;
    copy.where = block->where ? block->where && condition : condition;
    return MakeStmt(std::move(copy));
  });
}

std::vector<std::string> SplitInto(Application& a, const Stmt& stmt, int64_t outer, int64_t inner) {
  const For& loop = *As<For>(stmt);
  NameSet names(LoopsAround(a.function, stmt), loop.body);
  const std::string& base = loop.var->name;
  const Var vo = MakeVar(names.Fresh(base + "o")), vi = MakeVar(names.Fresh(base + "i"));
  const Expr index = Expr(vo) * inner + vi;
  Stmt body = Substitute(loop.body, {{loop.var, index}});
  if (outer * inner != loop.extent) body = Guard(body, index < loop.extent);
  For inside = loop, outside = loop;
  inside.var = vi;
  inside.extent = inner;
  inside.body = std::move(body);
  outside.var = vo;
  outside.extent = outer;
  outside.body = MakeStmt(std::move(inside));
  a.function = Simplified(ReplaceStmt(a.function, stmt, MakeStmt(std::move(outside))));
  return {vo->name, vi->name};
}

Stmt LoopOf(const Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  return site.loops[FindSerialLoop(site, a.args[1])];
}

}  // namespace

std::vector<std::string> Split(Application& a) {
  const Stmt loop = LoopOf(a);
  const int64_t extent = As<For>(loop)->extent;
  // One part may have more than there is, so that it is as long as another block's.
  const int64_t factor = a.Int(2, "factor", 1, 2 * extent);
  return SplitInto(a, loop, (extent + factor - 1) / factor, factor);
}

std::vector<std::string> SplitParts(Application& a) {
  const Stmt loop = LoopOf(a);
  const int64_t extent = As<For>(loop)->extent;
  const int64_t parts = a.Int(2, "parts", 1, extent);
  return SplitInto(a, loop, parts, (extent + parts - 1) / parts);
}

}  // namespace vta::compiler::loop
