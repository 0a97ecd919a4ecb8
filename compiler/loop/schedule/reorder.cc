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

/// Whether the block reads an element of what it writes other than the one that it writes then.
bool ReadsOthers(const Block& block) {
  const std::vector<Access> accesses = Accesses(block);
  const auto differs = [](const Access& a, const Access& b) {
    return a.buffer == b.buffer && !std::equal(a.ranges.begin(), a.ranges.end(), b.ranges.begin(),
                                               b.ranges.end(), [](const Range& x, const Range& y) {
                                                 return Same(x.base, y.base) &&
                                                        x.extent == y.extent;
                                               });
  };
  for (const Access& write : accesses)
    for (const Access& read : accesses)
      if (write.write && !write.init && !read.write && differs(write, read)) return true;
  return false;
}

/// A reduction that gives something else in another order, or "": floats are rounded at each step,
/// and a value made from another one of the block sees how far that has come.
std::string Ordered(const Block& block) {
  bool from_another = false;
  for (const Stmt& leaf : Leaves(block.body)) {
    const Store* store = As<Store>(leaf);
    if (!store) continue;
    const auto look = [&](const Expr& e) {
      from_another |= e.op() == Op::kLoad && e->buffer != store->buffer && Writes(block, e->buffer);
    };
    Visit(store->value, look);
    for (const Expr& index : store->indices) Visit(index, look);
  }
  if (from_another) return "its reduction, of values made from each other,";
  for (const Buffer& buffer : Written(block))
    if (buffer->dtype == DType::kFloat32) return "its float32 reduction";
  return "";
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
  for (const Site& inner : Sites(site.loops[last])) {
    if (ReadsOthers(*inner.block))
      throw Error("", "block", inner.block->name,
                  "reads other elements of what it writes, which would run in another order");
    if (const std::string what = Ordered(*inner.block);
        !what.empty() && ReduceOrder(*inner.block, order) != ReduceOrder(*inner.block, site.loops))
      throw Error("", "block", inner.block->name, what + " would run in another order");
  }

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
