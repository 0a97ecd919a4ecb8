// fuse: two loops, one directly in the other, become one.
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// A block that starts a reduction starts it where its reduce iterators are 0. That point must stay
/// the first one however the fused loop is split and reordered later, so an axis may not mix with a
/// reduction.
void RequireOneKind(const Stmt& inner, const Var& a, const Var& b) {
  for (const Site& site : Sites(inner)) {
    bool spatial = false, reduce = false;
    for (const Iter& iter : site.block->iters)
      (iter.kind == IterKind::kReduce ? reduce : spatial) |=
          Uses(iter.binding, a) || Uses(iter.binding, b);
    if (site.block->init && spatial && reduce)
      throw Error(
          "", StrCat("loops ", a->name, " and ", b->name), "an axis and a reduction",
          StrCat("cannot be one loop of block ", site.block->name, ", which starts the reduction"));
  }
}

}  // namespace

std::vector<std::string> Fuse(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const size_t at = FindSerialLoop(site, a.args[1]);
  const For& outer = *As<For>(site.loops[at]);
  const size_t in = FindSerialLoop(site, a.args[2]);
  if (in != at + 1 || outer.body != site.loops[in])
    throw Error("", "loop", a.args[2], StrCat("must be directly inside ", a.args[1]));
  const For& inner = *As<For>(outer.body);
  if (outer.extent > (int64_t{1} << 40) / inner.extent)
    throw Error("", "extent", StrCat(outer.extent, " * ", inner.extent), "is too large");
  RequireOneKind(inner.body, outer.var, inner.var);
  const Var fused = MakeVar(NameSet({site.loops.begin(), site.loops.begin() + at}, inner.body)
                                .Fresh(outer.var->name + inner.var->name));
  For loop = outer;
  loop.var = fused;
  loop.extent = outer.extent * inner.extent;
  loop.annotations.insert(loop.annotations.end(), inner.annotations.begin(),
                          inner.annotations.end());
  loop.body = Substitute(inner.body, {{outer.var, FloorDiv(Expr(fused), inner.extent)},
                                      {inner.var, FloorMod(Expr(fused), inner.extent)}});
  a.function = Simplified(ReplaceStmt(a.function, site.loops[at], MakeStmt(std::move(loop))));
  return {fused->name};
}

}  // namespace vta::compiler::loop
