// reverse_compute_at: a block uses, at the end of each iteration of a loop, just what that
// iteration made.
#include <algorithm>
#include <functional>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// A dimension of what an iteration makes: [low, low + extent), low in the loops around.
struct MadeDim {
  Expr low;
  int64_t extent;
};

/// What one iteration of `target` writes, which no other one does; all iterations together make the
/// whole buffer. Errors: throws Error where that is not so, or cannot be seen.
std::vector<MadeDim> MadeIn(const Site& producer, size_t target) {
  const Block& block = *producer.block;
  const Store* const store = As<Store>(block.body);
  if (!store) throw Error("", "block", block.name, "is tensorized; move readers before");
  const VarMap bindings = Bindings(block);
  const Facts facts = FactsOf(producer.loops);
  const auto place = [&](const Expr& atom) {
    const auto at = std::ranges::find_if(producer.loops, [&](const Stmt& loop) {
      return atom.op() == Op::kVar && As<For>(loop)->var == atom->var;
    });
    return static_cast<size_t>(at - producer.loops.begin());
  };
  std::vector<bool> used(producer.loops.size(), false);
  std::vector<MadeDim> made;
  for (const Expr& index : store->indices) {
    const Affine form = facts.Form(Substitute(index, bindings));
    Affine outside{{}, form.constant}, inside;
    std::vector<std::pair<int64_t, int64_t>> steps;  // of the loops outside, with their extents
    for (const Affine::Term& term : form.terms) {
      const size_t at = place(term.atom);
      if (at == producer.loops.size())
        throw Error("", "index", Print(index), "must be a sum of loops");
      (at <= target ? outside : inside).terms.push_back(term);
      if (at > target) continue;
      if (used[at] || term.coef < 0)
        throw Error("", "index", Print(index),
                    "must grow with the loops outside, each in one index");
      used[at] = true;
      steps.emplace_back(term.coef, As<For>(producer.loops[at])->extent);
    }
    const Interval range = facts.Bounds(inside);
    if (!range.Known()) throw Error("", "index", Print(index), "has no known bounds");
    outside.constant += range.low;
    int64_t size = range.Extent();
    std::ranges::sort(steps);
    bool in_turn = outside.constant == 0;
    for (const auto& [step, extent] : steps) {
      in_turn &= step == size;
      size = step * extent;
    }
    if (!in_turn || size < store->buffer->shape[made.size()])
      throw Error("", "index", Print(index),
                  "must be made part after part, from the first element to the last");
    made.push_back({ToExpr(outside), range.Extent()});
  }
  for (size_t i = 0; i <= target; ++i)
    if (const For& loop = *As<For>(producer.loops[i]); !used[i] && loop.extent > 1)
      throw Error("", "loop", loop.var->name, StrCat("block ", block.name, " is not done in one"));
  return made;
}

struct ReaderMove {
  Site consumer, producer;
  Stmt target, nest;  // the loop; the consumer with all of its loops
  size_t at;          // of the target among the producer's loops
  Buffer buffer;
};

/// Nothing that the consumer uses may change between its new place and its old one.
void RequireUnchanged(const Function& f, const ReaderMove& m) {
  const Block& own = *m.consumer.block;
  const std::vector<Site> sites = Sites(f.body), around = Sites(m.producer.loops[0]);
  bool behind = false;
  for (const Site& other : sites) {
    if (other.stmt == m.consumer.stmt) break;
    behind |= other.stmt == around.front().stmt;
    if (!behind) continue;
    for (const Access& access : Accesses(own)) {
      if (access.write ? Reads(*other.block, access.buffer) || Writes(*other.block, access.buffer)
                       : access.buffer != m.buffer && Writes(*other.block, access.buffer))
        throw Error("", "block", other.block->name,
                    StrCat("uses ", access.buffer->name, ", which ", own.name, " does as well"));
    }
  }
}

ReaderMove PlanReaderMove(const Application& a) {
  ReaderMove m{.consumer = FindSite(a.function, a.args[0]),
               .producer = FindSite(a.function, a.args[1])};
  const Block& block = *m.consumer.block;
  m.at = FindLoop(m.producer, a.args[2]);
  m.target = m.producer.loops[m.at];
  m.buffer = OnlyWrite(*m.producer.block).buffer;
  if (As<For>(m.target)->kind == ForKind::kVectorize)
    throw Error("", "loop", a.args[2], "is vectorized");
  if (Contains(m.target, m.consumer.stmt))
    throw Error("", "block", block.name, "is inside that loop already");
  if (!As<Store>(block.body))
    throw Error("", "block", block.name, "must be one store, and not tensorized");
  if (m.consumer.loops.empty() || Sites(m.consumer.loops[0]).size() > 1)
    throw Error("", "block", block.name, "must be alone in its loops");
  m.nest = m.consumer.loops[0];
  if (!Reads(block, m.buffer) || Writes(block, m.buffer))
    throw Error("", "block", block.name, StrCat("must read and not write ", m.buffer->name));
  if (WritersOf(a.function, m.buffer).size() > 1)
    throw Error("", "buffer", m.buffer->name, "is written by several blocks");
  const std::vector<Site> sites = Sites(a.function.body);
  const auto order = [&](const Stmt& stmt) {
    return std::ranges::find(sites, stmt, &Site::stmt) - sites.begin();
  };
  if (order(m.consumer.stmt) < order(m.producer.stmt))
    throw Error("", "block", block.name, "stands before that loop");
  for (const Buffer& buffer : Written(block))
    if (!IsParam(a.function, buffer) &&
        !std::ranges::count(LevelOf(a.function, buffer).items, m.producer.loops[0]))
      throw Error("", "buffer", buffer->name, "is not there yet in that loop");
  RequireUnchanged(a.function, m);
  return m;
}

/// By which of its iterators the consumer reads each dimension.
std::vector<Var> ReadBy(const ReaderMove& m) {
  std::vector<Var> by;
  for (const Access& access : Accesses(*m.consumer.block)) {
    if (access.write || access.buffer != m.buffer) continue;
    std::vector<Var> own;
    for (const Range& range : access.ranges) {
      const auto iter = std::ranges::find_if(m.consumer.block->iters, [&](const Iter& i) {
        return range.base.op() == Op::kVar && i.var == range.base->var;
      });
      if (iter == m.consumer.block->iters.end() || iter->kind != IterKind::kSpatial ||
          std::ranges::count(own, iter->var))
        throw Error("", "index", Print(range.base), "must be an axis of the block by itself");
      own.push_back(iter->var);
    }
    if (!by.empty() && by != own)
      throw Error("", "block", m.consumer.block->name,
                  StrCat("reads several elements of ", m.buffer->name));
    by = own;
  }
  return by;
}

}  // namespace

std::vector<std::string> ReverseComputeAt(Application& a) {
  const ReaderMove m = PlanReaderMove(a);
  const std::vector<Var> by = ReadBy(m);
  const std::vector<MadeDim> made = MadeIn(m.producer, m.at);
  const Block& block = *m.consumer.block;
  // Guards that say no more than the iterators' ranges are made anew.
  Facts facts = FactsOf(m.consumer.loops);
  for (const Iter& iter : block.iters)
    facts.Assume(iter.binding >= 0 && iter.binding < iter.extent);
  for (const Expr& guard : Conjuncts(block.where))
    if (!facts.Proves(guard))
      throw Error("", StrCat("guard of block ", block.name), Print(guard),
                  "cannot move with the block");

  NameSet names(std::vector<Stmt>(m.producer.loops.begin(), m.producer.loops.begin() + m.at + 1),
                nullptr);
  Block copy = block;
  copy.iters.clear();
  VarMap to_new;
  std::vector<For> loops;
  std::vector<Expr> guards;
  for (const Iter& iter : block.iters) {
    const auto dim = static_cast<size_t>(std::ranges::find(by, iter.var) - by.begin());
    const bool part = dim < by.size();
    const int64_t extent = part ? std::min(made[dim].extent, iter.extent) : iter.extent;
    const Expr low = part ? made[dim].low : Expr(0);
    const std::string& name = iter.var->name;
    const Var loop =
        MakeVar(names.Fresh(name[0] == 'v' && name.size() > 1 ? name.substr(1) : name + "l"));
    loops.push_back({.var = loop, .extent = extent});
    copy.iters.push_back({iter.var, iter.extent, iter.kind, low + loop});
    if (part) guards.push_back(low + loop < iter.extent);
  }
  copy.where = Conjunction(guards);
  Stmt nest = MakeStmt(std::move(copy));
  std::vector<std::string> made_loops;
  for (const For& loop : loops) made_loops.push_back(loop.var->name);
  for (size_t i = loops.size(); i-- > 0;) {
    loops[i].body = std::move(nest);
    nest = MakeStmt(std::move(loops[i]));
  }
  For target = *As<For>(m.target);
  // Behind what is there, inside the allocations with which that begins.
  const std::function<Stmt(const Stmt&)> append = [&](const Stmt& rest) -> Stmt {
    const Allocate* const alloc = As<Allocate>(rest);
    return alloc ? MakeStmt(Allocate{alloc->buffer, append(alloc->body)}) : MakeSeq({rest, nest});
  };
  target.body = append(target.body);
  Function f = ReplaceStmt(a.function, m.nest, nullptr);
  a.function = Simplified(ReplaceStmt(f, m.target, MakeStmt(std::move(target))));
  return made_loops;
}

}  // namespace vta::compiler::loop
