// reorder: the named loops of a block stand in the order in which they are named.
#include <algorithm>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// The loops over which a block reduces, in this order.
std::vector<const VarNode*> ReduceOrder(const Block& block, const std::vector<Stmt>& loops) {
  std::vector<const VarNode*> out;
  for (const Stmt& s : loops)
    for (const Iter& iter : block.iters)
      if (iter.kind == IterKind::kReduce && Uses(iter.binding, As<For>(s)->var)) {
        out.push_back(As<For>(s)->var.get());
        break;
      }
  return out;
}

}  // namespace

std::vector<std::string> Reorder(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  std::vector<size_t> places;
  std::vector<Stmt> wanted;
  for (size_t i = 1; i < a.args.size(); ++i) {
    const size_t at = FindLoop(site, a.args[i]);
    if (std::find(places.begin(), places.end(), at) != places.end())
      throw Error("", "loop", a.args[i], "is named twice");
    places.push_back(at);
    wanted.push_back(site.loops[at]);
  }
  std::sort(places.begin(), places.end());
  const size_t first = places.front(), last = places.back();
  for (size_t i = first; i < last; ++i)
    if (As<For>(site.loops[i])->body != site.loops[i + 1])
      throw Error(
          "", "loop", As<For>(site.loops[i + 1])->var->name,
          StrCat("other statements stand between it and ", As<For>(site.loops[i])->var->name));
  RequireIndependentIterations(As<For>(site.loops[last])->body);

  std::vector<Stmt> order = site.loops;
  for (size_t i = 0; i < places.size(); ++i) order[places[i]] = wanted[i];
  for (const Site& inner : Sites(site.loops[last]))
    if (Written(*inner.block)->dtype == DType::kFloat32 &&
        ReduceOrder(*inner.block, order) != ReduceOrder(*inner.block, site.loops))
      throw Error("", "block", inner.block->name,
                  "its float32 reduction would run in another order");

  Stmt body = As<For>(site.loops[last])->body;
  for (size_t i = last + 1; i-- > first;) {
    For loop = *As<For>(order[i]);
    loop.body = std::move(body);
    body = MakeStmt(std::move(loop));
  }
  a.function = ReplaceStmt(a.function, site.loops[first], body);
  return {};
}

}  // namespace vta::compiler::loop
