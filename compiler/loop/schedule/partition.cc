// partition: a loop around one block becomes two, the first of its iterations in one and the rest
// in the other, so that what holds of the first alone is no guard of all.
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

std::vector<std::string> Partition(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const Stmt stmt = site.loops[FindSerialLoop(site, a.args[1])];
  const For& loop = *As<For>(stmt);
  const int64_t first = a.Int(2, "iterations", 1, loop.extent - 1);
  if (Sites(stmt).size() > 1)
    throw Error("", "loop", a.args[1], "has other blocks in it: they would all be there twice");
  NameSet names(a.function);
  NameSet loop_names(LoopsAround(a.function, stmt), nullptr);
  Block rest_block = *site.block;
  rest_block.name = names.Fresh(rest_block.name + "_rest");
  const std::string name = rest_block.name;
  For begin = loop, rest = loop;
  begin.extent = first;
  begin.body = ReplaceIn(loop.body, site.stmt, MakeStmt(*site.block));  // anew: fewer iterations
  rest.extent = loop.extent - first;
  rest.var = MakeVar(loop_names.Fresh(loop.var->name));
  rest.body = Substitute(ReplaceIn(loop.body, site.stmt, MakeStmt(std::move(rest_block))),
                         {{loop.var, Expr(rest.var) + first}});
  a.function = Simplified(ReplaceStmt(
      a.function, stmt, MakeSeq({MakeStmt(std::move(begin)), MakeStmt(std::move(rest))})));
  return {name};
}

}  // namespace vta::compiler::loop
