// compute_inline: the readers of an element-wise block compute its elements themselves.
#include <algorithm>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

std::vector<std::string> ComputeInline(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const Block& block = *site.block;
  const Buffer buffer = OnlyWrite(block).buffer;
  const Store* store = As<Store>(block.body);
  if (IsParam(a.function, buffer))
    throw Error("", "buffer", buffer->name, "is a parameter, which must be written");
  if (!store || block.init || Reads(block, buffer))
    throw Error("", "block", block.name, "must compute each element by one expression");
  if (WritersOf(a.function, buffer).size() > 1)
    throw Error("", "buffer", buffer->name, "is written by several blocks");
  if (!site.loops.empty() && Sites(site.loops[0]).size() > 1)
    throw Error("", "block", block.name, "shares its loops with other blocks");
  if (block.where) {
    Facts facts = FactsOf(site.loops);
    for (const Iter& iter : block.iters) facts.Assume(iter.binding < iter.extent);
    if (!facts.Proves(block.where))
      throw Error("", "guard", Print(block.where), "leaves elements out");
  }
  std::vector<Var> axes;
  for (const Expr& index : store->indices) {
    const bool axis = index.op() == Op::kVar &&
                      std::any_of(block.iters.begin(), block.iters.end(),
                                  [&](const Iter& i) { return i.var == index->var; }) &&
                      std::find(axes.begin(), axes.end(), index->var) == axes.end();
    if (!axis) throw Error("", "index", Print(index), "must be an iterator by itself");
    axes.push_back(index->var);
  }
  for (const Iter& iter : block.iters)
    if (std::find(axes.begin(), axes.end(), iter.var) == axes.end())
      throw Error("", "iterator", iter.var->name, "must index the buffer");
  const Stmt nest = site.loops.empty() ? site.stmt : site.loops[0];
  for (const Site& reader : ReadersOf(a.function, buffer)) {
    if (As<Call>(reader.block->body))
      throw Error("", "block", reader.block->name, "reads it and is tensorized");
    for (const Site& between : Sites(a.function.body))
      for (const Buffer& changed : Written(*between.block))
        if (Reads(block, changed) && Reads(*between.block, changed) && !between.block->init)
          throw Error("", "block", between.block->name,
                      "changes in place what the inlined block reads");
  }
  Function f = ReplaceStmt(a.function, nest, nullptr);
  f.body = RewriteExprs(f.body, [&](const Expr& e) -> Expr {
    if (e.op() != Op::kLoad || e->buffer != buffer) return {};
    VarMap map;
    for (size_t d = 0; d < axes.size(); ++d) map.emplace_back(axes[d], e->args[d]);
    return Substitute(store->value, map);
  });
  f.body = RewriteStmts(f.body, [&](const Stmt& s) -> Stmt {
    const Allocate* alloc = As<Allocate>(s);
    return alloc && alloc->buffer == buffer ? alloc->body : nullptr;
  });
  a.function = Simplified(f);
  return {};
}

}  // namespace vta::compiler::loop
