// decompose_reduction: the start of a reduction becomes a block of its own, before a loop.
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

bool UsedInLeaf(const Stmt& leaf, const Var& var) {
  bool used = false;
  RewriteExprs(leaf, [&](const Expr& e) {
    used |= e.op() == Op::kVar && e->var == var;
    return Expr();
  });
  return used;
}

}  // namespace

std::vector<std::string> DecomposeReduction(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const Block& block = *site.block;
  if (!block.init) throw Error("", "block", block.name, "has no start of a reduction to split off");
  const size_t at = FindLoop(site, a.args[1]);
  for (size_t i = 0; i < at; ++i)
    if (UsedBy(block, IterKind::kReduce, As<For>(site.loops[i])->var))
      throw Error(
          "", "loop", a.args[1],
          StrCat("must not be inside ", As<For>(site.loops[i])->var->name, ", which reduces"));
  for (const Site& other : Sites(site.loops[at]))
    for (const Buffer& buffer : Written(block))
      if (other.block != &block && (Reads(*other.block, buffer) || Writes(*other.block, buffer)))
        throw Error("", "block", other.block->name,
                    StrCat("uses ", buffer->name, " inside loop ", a.args[1]));
  for (const Access& access : Accesses(block))
    if (access.init && !access.write)
      for (const Site& other : Sites(site.loops[at]))
        if (other.block != &block && Writes(*other.block, access.buffer))
          throw Error("", "block", other.block->name,
                      StrCat("makes ", access.buffer->name, ", which the start reads, inside loop ",
                             a.args[1]));
  NameSet names(a.function);
  NameSet loop_names({site.loops.begin(), site.loops.begin() + at}, nullptr);
  // Loops of the start: the spatial ones from there on; the reduction stands at 0.
  Block init{.name = names.Fresh(block.name + "_init")};
  VarMap map;
  std::vector<For> loops;
  for (size_t i = at; i < site.loops.size(); ++i) {
    const For& loop = *As<For>(site.loops[i]);
    const bool spatial =
        UsedBy(block, IterKind::kSpatial, loop.var) || UsedInLeaf(block.init, loop.var);
    if (spatial && UsedBy(block, IterKind::kReduce, loop.var))
      throw Error("", "loop", loop.var->name, "runs over an axis and a reduction at once");
    if (spatial)
      loops.push_back({.var = MakeVar(loop_names.Fresh(loop.var->name)), .extent = loop.extent});
    map.emplace_back(loop.var, spatial ? Expr(loops.back().var) : Expr(0));
  }
  VarMap iters;
  for (const Iter& iter : block.iters) {
    if (iter.kind == IterKind::kReduce) {
      iters.emplace_back(iter.var, Expr(0));
      continue;
    }
    init.iters.push_back({MakeVar(iter.var->name), iter.extent, iter.kind, iter.binding});
    iters.emplace_back(iter.var, Expr(init.iters.back().var));
  }
  init.where = block.where;
  init.body = Substitute(block.init, iters);
  Stmt start = Substitute(MakeStmt(std::move(init)), map);
  for (size_t i = loops.size(); i-- > 0;) {
    loops[i].body = std::move(start);
    start = MakeStmt(std::move(loops[i]));
  }
  Block update = block;
  update.init = nullptr;
  const std::string name = As<Block>(Sites(start)[0].stmt)->name;
  const Stmt rest = ReplaceIn(site.loops[at], site.stmt, MakeStmt(std::move(update)));
  a.function = Simplified(ReplaceStmt(a.function, site.loops[at], MakeSeq({start, rest})));
  return {name};
}

}  // namespace vta::compiler::loop
