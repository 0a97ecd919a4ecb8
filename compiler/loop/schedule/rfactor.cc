// rfactor: a reduction becomes several, one for each iteration of a loop over which it reduces,
// and one of their results: partial sums that do not wait for each other.
#include <algorithm>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// buffer[at] = op(buffer[at], value), or the other way round.
struct Combining {
  Store store;
  Op op;
  Expr value;
};

/// What leaves any value as it is.
Expr NeutralOf(Op op, DType dtype) {
  if (op == Op::kAdd) return ConstOf(dtype, 0);
  return op == Op::kMax ? LeastOf(dtype) : GreatestOf(dtype);
}

Combining CombiningOf(const Block& block) {
  const Store* const store = As<Store>(block.body);
  if (!block.init || !store)
    throw Error("", "block", block.name, "must reduce into one buffer, by stores");
  if (store->buffer->dtype == DType::kFloat32)
    throw Error("", "block", block.name, "its float32 reduction would run in another order");
  const auto is_own = [&](const Expr& e) {
    return e.op() == Op::kLoad && e->buffer == store->buffer &&
           std::ranges::equal(e->args, store->indices, Same);
  };
  const Op op = store->value.op();
  if (op == Op::kAdd || op == Op::kMax || op == Op::kMin)
    for (const size_t own : {0, 1}) {
      const Expr value = store->value->args[1 - own];
      bool reads = false;
      Visit(value,
            [&](const Expr& e) { reads |= e.op() == Op::kLoad && e->buffer == store->buffer; });
      if (is_own(store->value->args[own]) && !reads) return {*store, op, value};
    }
  throw Error("", StrCat("step of block ", block.name), OneLine(block.body),
              StrCat("must be ", store->buffer->name, "[...] and a value: their sum, max or min"));
}

/// The block by loops: an iterator for each loop over which it reduces, `factored` no reduction.
struct ByLoops {
  std::vector<Iter> iters;
  VarMap map;  // from the block's iterators
  Var factored;
  bool reduces = false;  // still
};

ByLoops IteratorsOf(const Site& site, const Var& factored) {
  const Block& block = *site.block;
  ByLoops out;
  NameSet names(site.loops, site.stmt);
  VarMap loops;
  for (const Stmt& stmt : site.loops) {
    const For& loop = *As<For>(stmt);
    if (!UsedBy(block, IterKind::kReduce, loop.var)) continue;
    if (UsedBy(block, IterKind::kSpatial, loop.var))
      throw Error("", "loop", loop.var->name, "runs over an axis and a reduction at once");
    const bool own = loop.var == factored;
    const Var iter = MakeVar(names.Fresh("v" + loop.var->name));
    out.iters.push_back(
        {iter, loop.extent, own ? IterKind::kSpatial : IterKind::kReduce, loop.var});
    loops.emplace_back(loop.var, Expr(iter));
    if (own) out.factored = iter;
    out.reduces |= !own;
  }
  if (!out.factored)
    throw Error("", "loop", factored->name,
                StrCat("block ", block.name, " does not reduce over it"));
  for (const Iter& iter : block.iters)
    if (iter.kind == IterKind::kReduce)
      out.map.emplace_back(iter.var, Substitute(iter.binding, loops));
    else
      out.iters.push_back(iter);
  return out;
}

/// Guards of axes alone. Errors: throws Error at others that leave a whole partial result out, or
/// its first step, where that starts.
std::vector<Expr> SpatialGuards(const Site& site, const ByLoops& by) {
  std::vector<Expr> spatial, others;
  VarMap first;
  for (const Iter& iter : by.iters)
    if (iter.kind == IterKind::kReduce) first.emplace_back(iter.binding->var, Expr(0));
  for (const Expr& guard : Conjuncts(site.block->where)) {
    const bool reduces = std::ranges::any_of(site.loops, [&](const Stmt& loop) {
      const Var& var = As<For>(loop)->var;
      return UsedBy(*site.block, IterKind::kReduce, var) && Uses(guard, var);
    });
    (reduces ? others : spatial).push_back(guard);
  }
  Facts facts = FactsOf(site.loops);
  for (const Expr& guard : spatial) facts.Assume(guard);
  for (const Expr& guard : others)
    if (!facts.Proves(Substitute(guard, first)))
      throw Error("", StrCat("guard of block ", site.block->name), Print(guard),
                  "leaves the first step of a partial result out");
  return spatial;
}

}  // namespace

std::vector<std::string> RFactor(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const Block& block = *site.block;
  const For& factored = *As<For>(site.loops[FindSerialLoop(site, a.args[1])]);
  const Combining step = CombiningOf(block);
  if (Sites(site.loops[0]).size() > 1)
    throw Error("", "block", block.name, "shares its loops with other blocks");
  const ByLoops by = IteratorsOf(site, factored.var);
  const std::vector<Expr> guards = SpatialGuards(site, by);

  NameSet names(a.function);
  std::vector<int64_t> shape = step.store.buffer->shape;
  shape.insert(shape.begin(), factored.extent);
  const Buffer parts = MakeBuffer(names.Fresh(StrCat(step.store.buffer->name, "_rf")),
                                  step.store.buffer->dtype, shape, step.store.buffer->scope);
  std::vector<Expr> at = step.store.indices;
  at.insert(at.begin(), Expr(by.factored));
  Block part{.name = parts->name, .iters = by.iters, .where = block.where};
  part.annotations = block.annotations;
  const Expr value = Substitute(step.value, by.map);
  if (by.reduces) part.init = MakeStmt(Store{parts, at, NeutralOf(step.op, parts->dtype)});
  part.body =
      MakeStmt(Store{parts, at, by.reduces ? Apply(step.op, {Load(parts, at), value}) : value});

  // The loops over axes again, and around the last one that over the parts.
  VarMap start;
  for (const Iter& iter : block.iters)
    if (iter.kind == IterKind::kReduce) start.emplace_back(iter.var, Expr(0));
  Block whole{.name = block.name, .init = Substitute(block.init, start)};
  VarMap loops;
  std::vector<For> nest;
  for (const Stmt& stmt : site.loops)
    if (const For& loop = *As<For>(stmt); !UsedBy(block, IterKind::kReduce, loop.var)) {
      nest.push_back({.var = MakeVar(loop.var->name), .extent = loop.extent});
      loops.emplace_back(loop.var, Expr(nest.back().var));
    }
  nest.push_back({.var = MakeVar(factored.var->name), .extent = factored.extent});
  for (const Iter& iter : block.iters)
    if (iter.kind == IterKind::kSpatial) whole.iters.push_back(iter);
  const Var over = MakeVar(by.factored->name);
  whole.iters.push_back({over, factored.extent, IterKind::kReduce, Expr(nest.back().var)});
  whole.where = Conjunction(guards);
  at[0] = Expr(over);
  whole.body = MakeStmt(
      Store{step.store.buffer, step.store.indices,
            Apply(step.op, {Load(step.store.buffer, step.store.indices), Load(parts, at)})});
  Stmt sum = Substitute(MakeStmt(std::move(whole)), loops);
  for (size_t i = nest.size(); i-- > 0;) {
    nest[i].body = std::move(sum);
    sum = MakeStmt(std::move(nest[i]));
  }
  const Stmt partial = ReplaceIn(site.loops[0], site.stmt, MakeStmt(std::move(part)));
  a.function = Simplified(
      ReplaceStmt(a.function, site.loops[0], MakeStmt(Allocate{parts, MakeSeq({partial, sum})})));
  return {parts->name};
}

}  // namespace vta::compiler::loop
