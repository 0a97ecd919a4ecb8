// pad: reads of a buffer that give a constant outside it become plain reads of a padded copy, made
// before the block.
#include <algorithm>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

struct Padding {
  Expr value;                // of what lies outside
  std::vector<int64_t> low;  // index in the buffer of the copy's first element
  std::vector<int64_t> extent;
};

/// True for select(condition, buffer[...], constant).
bool IsPaddedRead(const Expr& e, const Buffer& buffer) {
  return e.op() == Op::kSelect && e->args[1].op() == Op::kLoad && e->args[1]->buffer == buffer &&
         e->args[2].op() == Op::kConst;
}

/// The select must choose the buffer exactly where the index is inside it.
void RequireExact(const Expr& read, const Buffer& buffer, Facts facts, const VarMap& bindings) {
  const Expr condition = Substitute(read->args[0], bindings);
  for (size_t d = 0; d < buffer->shape.size(); ++d) {
    const Expr index = Substitute(read->args[1]->args[d], bindings);
    facts.Assume(index >= 0 && index < buffer->shape[d]);
  }
  if (!facts.Proves(condition))
    throw Error("", "condition", Print(read->args[0]),
                StrCat("must hold wherever the index is inside ", buffer->name));
}

Padding Plan(const Site& site, const Buffer& buffer) {
  Padding p;
  const Facts facts = FactsAt(site);
  const VarMap bindings = Bindings(*site.block);
  const auto look = [&](const Expr& e) {
    if (!IsPaddedRead(e, buffer)) return;
    if (p.value.get() && !Same(p.value, e->args[2]))
      throw Error("", StrCat("padding of ", buffer->name), Print(e->args[2]),
                  StrCat("is elsewhere ", Print(p.value)));
    p.value = e->args[2];
    RequireExact(e, buffer, facts, bindings);
  };
  for (const Stmt& leaf : Leaves(site.block->body)) {
    const Store* store = As<Store>(leaf);
    if (!store) throw Error("", "block", site.block->name, "is tensorized; pad it before");
    Visit(store->value, look);
  }
  if (!p.value)
    throw Error("", "buffer", buffer->name,
                StrCat("block ", site.block->name, " has no select(inside, ", buffer->name,
                       "[...], constant)"));
  for (size_t d = 0; d < buffer->shape.size(); ++d) {
    Interval hull{0, buffer->shape[d] - 1};
    for (const Access& access : Accesses(*site.block)) {
      if (access.write || access.buffer != buffer) continue;
      const Interval range =
          FactsOf(site.loops).Bounds(Substitute(access.ranges[d].base, bindings));
      if (!range.Known())
        throw Error("", "index", Print(access.ranges[d].base), "has no known bounds");
      hull = {std::min(hull.low, range.low), std::max(hull.high, range.high)};
    }
    p.low.push_back(hull.low);
    p.extent.push_back(hull.Extent());
  }
  return p;
}

Stmt PadNest(const Buffer& from, const Buffer& to, const Padding& p,
             const std::vector<std::string>& loops) {
  Stmt nest = CopyNest(to, to, to->name, loops);
  const Block& block = *Sites(nest)[0].block;
  std::vector<Expr> at, source;
  Expr inside = BoolConst(true);
  for (size_t d = 0; d < p.low.size(); ++d) {
    const Expr index = block.iters[d].var;
    at.push_back(index);
    source.push_back(index + p.low[d]);
    if (p.low[d] < 0) inside = inside && index >= -p.low[d];
    if (p.low[d] + p.extent[d] > from->shape[d])
      inside = inside && index < from->shape[d] - p.low[d];
  }
  const Stmt body = MakeStmt(Store{to, at, Select(inside, Load(from, source), p.value)});
  return RewriteStmts(nest, [&](const Stmt& s) -> Stmt { return As<Store>(s) ? body : nullptr; });
}

}  // namespace

std::vector<std::string> PadBuffer(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const Buffer buffer = FindBuffer(a.function, a.args[1]);
  const Padding p = Plan(site, buffer);
  const Level level = LevelOf(a.function, buffer);
  const size_t at = ItemWith(level, site.stmt);
  for (const Site& writer : WritersOf(a.function, buffer))
    if (ItemWith(level, writer.stmt) >= at)
      throw Error(
          "", "buffer", buffer->name,
          StrCat("block ", writer.block->name, " writes it in the same statement or later"));

  NameSet names(a.function);
  const Buffer padded =
      MakeBuffer(names.Fresh(buffer->name + "_pad"), buffer->dtype, p.extent, buffer->scope);
  NameSet loop_names(LoopsAround(a.function, level.whole), nullptr);
  std::vector<std::string> loops;
  for (size_t d = 0; d < p.low.size(); ++d) loops.push_back(loop_names.Fresh(StrCat("ax", d)));
  const Stmt reader = RewriteExprs(site.stmt, [&](const Expr& e) -> Expr {
    if (IsPaddedRead(e, buffer)) return e->args[1];
    return {};
  });
  const Stmt moved = ReplaceBuffer(reader, buffer, padded, [&](std::vector<Expr> index) {
    for (size_t d = 0; d < index.size(); ++d) index[d] = index[d] - p.low[d];
    return index;
  });
  std::vector<Stmt> items = level.items;
  items[at] = ReplaceIn(items[at], site.stmt, moved);
  items.insert(items.begin() + at, PadNest(buffer, padded, p, loops));
  a.function = Simplified(WithItems(a.function, level, std::move(items), padded));
  return {padded->name};
}

}  // namespace vta::compiler::loop
