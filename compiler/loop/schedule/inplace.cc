// inplace: a block writes over the buffer that it reads, whose old elements nothing else needs: one
// that is element-wise, or a reduction that starts as those elements and then goes on in them. What
// stays as it is is not written. Where it is seen to write only a part of the buffer, all may still
// read the rest.
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

/// By how much the indices are more at which an access reads what a block writes, by dimension;
/// empty where that is not the same for all elements.
std::vector<int64_t> OffsetOf(const Block& block, const Access& access, const Access& write) {
  VarMap units;  // iterators of one step
  for (const Iter& iter : block.iters)
    if (iter.extent == 1) units.emplace_back(iter.var, Expr(0));
  std::vector<int64_t> offset;
  for (size_t d = 0; d < access.ranges.size() && d < write.ranges.size(); ++d) {
    const auto gap =
        Gap(Substitute(access.ranges[d].base, units), Substitute(write.ranges[d].base, units));
    if (!gap || access.ranges[d].extent != write.ranges[d].extent) return {};
    offset.push_back(*gap);
  }
  return offset;
}

/// Whether the one's elements lie in the other, so far behind its first in each dimension: it is as
/// large, or larger where nothing says how its elements lie.
bool HasRoomFor(const BufferNode& from, const BufferNode& to, const std::vector<int64_t>& offset) {
  if (from.shape == to.shape && from.strides == to.strides)
    return std::ranges::count(offset, 0) == std::ssize(offset);
  if (!from.strides.empty() || !to.strides.empty()) return false;
  for (size_t d = 0; d < from.shape.size(); ++d)
    if (offset[d] < 0 || offset[d] + to.shape[d] > from.shape[d]) return false;
  return true;
}

/// Whether a value is the element that a store writes over.
bool IsKept(const Expr& value, const Store& store) {
  if (value.op() != Op::kLoad || value->buffer != store.buffer) return false;
  for (size_t d = 0; d < value->args.size(); ++d)
    if (Gap(value->args[d], store.indices[d]) != 0) return false;
  return true;
}

/// Where a block keeps elements of what it writes, `a = select(condition, b, a)` or `a = a +
/// select(condition, b, 0)`, it need not run.
Block OnlyChanges(const Block& block) {
  const Store* store = As<Store>(block.body);
  if (!store) return block;
  const Expr& value = store->value;
  const bool adds = value.op() == Op::kAdd && IsKept(value->args[0], *store);
  const Expr& chosen = adds ? value->args[1] : value;
  if (chosen.op() != Op::kSelect) return block;
  const Expr& otherwise = chosen->args[2];
  if (adds ? !otherwise.IsConst(0) : !IsKept(otherwise, *store)) return block;
  Block out = block;
  std::vector<Expr> where = Conjuncts(block.where);
  where.push_back(Substitute(chosen->args[0], Bindings(block)));
  out.where = Conjunction(where);
  const Expr changed = adds ? value->args[0] + chosen->args[1] : chosen->args[1];
  out.body = MakeStmt(Store{store->buffer, store->indices, changed});
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
  // Where it lies in the buffer: by what it goes on from, or else reads first.
  std::vector<int64_t> offset(from->shape.size());
  if (from->shape != to->shape) {
    const std::vector<Access> accesses = Accesses(*site.block);
    const auto start = std::ranges::find_if(accesses, [&](const Access& access) {
      return !access.write && access.buffer == from && access.init == goes_on;
    });
    if (start != accesses.end())
      if (std::vector<int64_t> found = OffsetOf(*site.block, *start, write); !found.empty())
        offset = found;
  }
  if (from->dtype != to->dtype || from->shape.size() != to->shape.size() ||
      !HasRoomFor(*from, *to, offset) || from->scope != to->scope)
    refuse(from, StrCat("must have the type, shape, strides and scope of ", to->name));
  std::vector<Interval> written = Bounds(*site.block, write, FactsAt(site));
  for (size_t d = 0; d < written.size(); ++d)
    written[d].low += offset[d], written[d].high += offset[d];
  auto apart = [&](const Site& reader, const Access& access) {
    return Apart(Bounds(*reader.block, access, FactsAt(reader)), written);
  };
  auto only_the_rest = [&](const Site& reader) {
    return std::ranges::all_of(Accesses(*reader.block), [&](const Access& access) {
      return access.write || access.buffer != from || apart(reader, access);
    });
  };
  bool reads = false;
  for (const Access& access : Accesses(*site.block)) {
    if (access.write || access.buffer != from || apart(site, access)) continue;
    reads = true;
    if (goes_on && !access.init) refuse(from, StrCat("block ", name, " reads it as it sums up"));
    if (OffsetOf(*site.block, access, write) != offset)
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
        ItemWith(level, other.stmt) >= at && !only_the_rest(other))
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
  a.function.body = ReplaceBuffer(a.function.body, to, from, [&](std::vector<Expr> at) {
    for (size_t d = 0; d < at.size(); ++d) at[d] = at[d] + offset[d];
    return at;
  });
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
