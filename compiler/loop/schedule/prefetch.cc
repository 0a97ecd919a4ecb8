// prefetch: in each iteration of a loop a block makes what a later iteration reads, the next one
// or, of a buffer with more copies than two, one further on; and what the first ones read before
// the loop. So it may come while others are worked on.
#include <algorithm>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// Whether it tells so many iterations of the loop that follow each other apart.
bool IsTurn(const Expr& index, const For& loop, int64_t copies) {
  const Expr turn =
      index.op() == Op::kFloorMod && index->args[1].IsConst(copies) ? index->args[0] : index;
  return turn.op() == Op::kVar && turn->var == loop.var &&
         (index.op() == Op::kFloorMod || loop.extent <= copies);
}

/// All that touch the buffer are in the loop, and take its copies in turn.
void RequireTurns(const Function& function, const Stmt& stmt, const Buffer& buffer) {
  const For& loop = *As<For>(stmt);
  for (const Site& site : Sites(function.body)) {
    const VarMap bindings = Bindings(*site.block);
    for (const Access& access : Accesses(*site.block)) {
      if (access.buffer != buffer) continue;
      if (!Contains(stmt, site.stmt))
        throw Error("", "block", site.block->name,
                    StrCat("touches ", buffer->name, " outside of the loop"));
      const Range& copy = access.ranges[0];
      const int64_t copies = buffer->shape.empty() ? 1 : buffer->shape[0];
      if (copies < 2 || copy.extent != 1 || !IsTurn(Substitute(copy.base, bindings), loop, copies))
        throw Error("", "buffer", buffer->name,
                    StrCat("must have copies that iterations of ", loop.var->name,
                           " take in turn, as double_buffer makes them"));
    }
  }
}

}  // namespace

std::vector<std::string> Prefetch(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const size_t at = FindSerialLoop(site, a.args[1]);
  const Stmt stmt = site.loops[at];
  const For& loop = *As<For>(stmt);
  const Buffer buffer = OnlyWrite(*site.block).buffer;
  if (IsParam(a.function, buffer))
    throw Error("", "buffer", buffer->name, "is a parameter, of which there is one");
  RequireTurns(a.function, stmt, buffer);
  for (const Site& other : Sites(stmt))
    for (const Buffer& written : Written(*other.block))
      if (other.block != site.block && (Reads(*site.block, written) || written == buffer))
        throw Error("", "block", other.block->name,
                    StrCat("writes ", written->name, ", which ", a.args[0], " touches"));
  const Stmt nest = at + 1 < site.loops.size() ? site.loops[at + 1] : site.stmt;
  if (Sites(nest).size() > 1)
    throw Error("", "block", a.args[0], "shares its loops with other blocks");

  NameSet names(a.function);
  Block first = *site.block, ahead = *site.block;
  first.name = names.Fresh(first.name + "_first");
  const std::string name = first.name;
  const int64_t further = buffer->shape[0] - 1;
  const Expr next = Expr(loop.var) + further;
  const auto moved = [&](Block block, const Expr& to) {
    return Substitute(ReplaceIn(nest, site.stmt, MakeStmt(std::move(block))), {{loop.var, to}});
  };
  const Var early = MakeVar(loop.var->name);
  Stmt before = moved(std::move(first), further > 1 ? Expr(early) : Expr(0));
  if (further > 1)
    before = MakeStmt(For{.var = early, .extent = further, .body = std::move(before)});
  Stmt later = RewriteStmts(moved(std::move(ahead), next), [&](const Stmt& s) -> Stmt {
    const Block* const block = As<Block>(s);
    if (!block) return {};
    Block guarded = *block;
    const Expr there = next < loop.extent;
    guarded.where = block->where ? there && block->where : there;
    return MakeStmt(std::move(guarded));
  });
  For around = loop;
  around.body = ReplaceIn(loop.body, nest, later);
  a.function =
      Simplified(ReplaceStmt(a.function, stmt, MakeSeq({before, MakeStmt(std::move(around))})));
  return {name};
}

}  // namespace vta::compiler::loop
