// inplace: a block writes over the buffer that it reads, whose old elements nothing else needs: one
// that is element-wise, or a reduction that starts as those elements and then goes on in them. What
// stays as it is is not written.
#include <algorithm>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

namespace {

/// The element that a reduction starts as.
bool StartsAs(const Block& block, const Buffer& from) {
  const Store* start = As<Store>(block.init);
  return start && start->value.op() == Op::kLoad && start->value->buffer == from;
}

/// Where a block keeps elements of what it writes, `a = select(condition, b, a)`, it need not run.
Block OnlyChanges(const Block& block) {
  const Store* store = As<Store>(block.body);
  if (!store || store->value.op() != Op::kSelect) return block;
  const Expr &condition = store->value->args[0], &kept = store->value->args[2];
  if (kept.op() != Op::kLoad || kept->buffer != store->buffer) return block;
  for (size_t d = 0; d < kept->args.size(); ++d)
    if (!Same(kept->args[d], store->indices[d])) return block;
  Block out = block;
  std::vector<Expr> where = Conjuncts(block.where);
  where.push_back(Substitute(condition, Bindings(block)));
  out.where = Conjunction(where);
  out.body = MakeStmt(Store{store->buffer, store->indices, store->value->args[1]});
  return out;
}

}  // namespace

std::vector<std::string> InPlace(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const Access write = OnlyWrite(*site.block);
  const Buffer from = FindBuffer(a.function, a.args[1]), to = write.buffer;
  const std::string& name = site.block->name;
  auto refuse = [&](const Buffer& buffer, std::string rule) {
    throw Error("", "buffer", buffer->name, std::move(rule));
  };
  for (const Buffer& buffer : {from, to})
    if (IsParam(a.function, buffer)) refuse(buffer, "is a parameter");
  const bool goes_on = site.block->init && StartsAs(*site.block, from);
  if (from == to || (!goes_on && (site.block->init || Reads(*site.block, to))))
    refuse(to, "is accumulated into");
  if (from->dtype != to->dtype || from->shape != to->shape || from->scope != to->scope ||
      from->strides != to->strides)
    refuse(from, StrCat("must have the type, shape, strides and scope of ", to->name));
  bool reads = false;
  for (const Access& access : Accesses(*site.block)) {
    if (access.write || access.buffer != from) continue;
    reads = true;
    if (goes_on && !access.init) refuse(from, StrCat("block ", name, " reads it as it sums up"));
    for (size_t d = 0; d < access.ranges.size(); ++d)
      if (!Same(access.ranges[d].base, write.ranges[d].base) ||
          access.ranges[d].extent != write.ranges[d].extent)
        refuse(from, StrCat("block ", name, " reads it at other elements than it writes"));
  }
  if (!reads) refuse(from, StrCat("block ", name, " does not read it"));
  if (WritersOf(a.function, to).size() > 1) refuse(to, "is written by several blocks");

  // Both live at one level, and everyone else who reads the old elements has finished.
  const Level level = LevelOf(a.function, from);
  if (level.whole != LevelOf(a.function, to).whole)
    refuse(to, StrCat("is not allocated beside ", from->name));
  const size_t at = ItemWith(level, site.stmt);
  for (const Site& other : ReadersOf(a.function, from))
    if (other.block != site.block && !Writes(*other.block, from) &&
        ItemWith(level, other.stmt) >= at)
      refuse(from, StrCat("block ", other.block->name, " still reads it"));
  if (Sites(level.items[at]).size() > 1)
    refuse(from, StrCat("block ", name, " shares its loops with other blocks"));
  for (const Site& other : WritersOf(a.function, from))
    if (ItemWith(level, other.stmt) >= at)
      refuse(from, StrCat("block ", other.block->name, " still writes it"));

  if (goes_on) {
    Block block = *site.block;
    block.init = nullptr;
    a.function = ReplaceStmt(a.function, site.stmt, MakeStmt(std::move(block)));
  }
  a.function.body = ReplaceBuffer(a.function.body, to, from);
  bool kept = false;
  a.function.body = RewriteStmts(a.function.body, [&](const Stmt& s) -> Stmt {
    const Block* block = As<Block>(s);
    if (block && block->name == name) return MakeStmt(OnlyChanges(*block));
    const Allocate* alloc = As<Allocate>(s);
    if (!alloc || alloc->buffer != from) return {};
    // Bottom-up: the inner of the two allocations goes.
    if (kept) return {};
    kept = true;
    return alloc->body;
  });
  return {};
}

}  // namespace vta::compiler::loop
