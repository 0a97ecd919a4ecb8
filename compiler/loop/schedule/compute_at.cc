// compute_at: a block computes, at the start of each iteration of a loop, just what that iteration
// reads.
#include <algorithm>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/region.h"
#include "compiler/loop/schedule/rewrite.h"
#include "compiler/loop/schedule/slots.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

struct Move {
  Site producer;
  Stmt target;              // the loop
  std::vector<Stmt> outer;  // the target and the loops around it
  size_t common;            // how many of the producer's loops are around the target too
  Stmt nest;                // the producer with the loops that are its own
  Buffer buffer;
};

size_t Order(const std::vector<Site>& sites, const Stmt& block) {
  return std::find_if(sites.begin(), sites.end(), [&](const Site& s) { return s.stmt == block; }) -
         sites.begin();
}

/// Nothing that the producer reads may change between its old place and its new one.
void RequireInputsUnchanged(const std::vector<Site>& sites, const Move& m) {
  const size_t from = Order(sites, m.producer.stmt), to = Order(sites, Sites(m.target).back().stmt);
  for (size_t at = from + 1; at <= to; ++at)
    for (const Buffer& buffer : Written(*sites[at].block))
      if (Reads(*m.producer.block, buffer))
        throw Error(
            "", "block", sites[at].block->name,
            StrCat("overwrites ", buffer->name, ", which ", m.producer.block->name, " reads"));
}

Move Plan(const Application& a) {
  Move m{.producer = FindSite(a.function, a.args[0])};
  const Site consumer = FindSite(a.function, a.args[1]);
  const size_t at = FindLoop(consumer, a.args[2]);
  m.target = consumer.loops[at];
  m.outer.assign(consumer.loops.begin(), consumer.loops.begin() + at + 1);
  m.buffer = OnlyWrite(*m.producer.block).buffer;
  const std::string& name = m.producer.block->name;
  if (IsParam(a.function, m.buffer))
    throw Error("", "buffer", m.buffer->name, "is a parameter, all of which must be written");
  if (!As<Store>(m.producer.block->body))
    throw Error("", "block", name, "is tensorized; move it before");
  if (Contains(m.target, m.producer.stmt))
    throw Error("", "block", name, "is inside that loop already");
  if (WritersOf(a.function, m.buffer).size() > 1)
    throw Error("", "buffer", m.buffer->name, "is written by several blocks; move it before that");
  const std::vector<Stmt>& loops = m.producer.loops;
  m.common = 0;
  while (m.common < loops.size() && m.common < m.outer.size() &&
         loops[m.common] == m.outer[m.common])
    ++m.common;
  m.nest = m.common < loops.size() ? loops[m.common] : m.producer.stmt;
  if (Sites(m.nest).size() > 1)
    throw Error("", "block", name, "shares its loops with other blocks");
  size_t readers = 0;
  for (const Site& reader : ReadersOf(a.function, m.buffer)) {
    if (reader.block == m.producer.block) continue;
    if (!Contains(m.target, reader.stmt))
      throw Error("", "block", reader.block->name,
                  StrCat("reads ", m.buffer->name, " outside that loop"));
    ++readers;
  }
  if (readers == 0)
    throw Error("", "loop", a.args[2], StrCat("nothing in it reads ", m.buffer->name));
  const std::vector<Site> sites = Sites(a.function.body);
  if (Order(sites, m.producer.stmt) > Order(sites, Sites(m.target)[0].stmt))
    throw Error("", "block", name, "stands after that loop");
  RequireInputsUnchanged(sites, m);
  return m;
}

/// The guards of the producer in terms of its iterators, without those that its loops' tails made.
std::vector<Expr> OwnGuards(const Move& m) {
  const Block& block = *m.producer.block;
  VarMap to_iter;
  Facts facts = FactsOf(m.producer.loops);
  for (const Iter& iter : block.iters) {
    if (iter.binding.op() == Op::kVar) to_iter.emplace_back(iter.binding->var, Expr(iter.var));
    facts.Assume(iter.binding >= 0 && iter.binding < iter.extent);
  }
  std::vector<Expr> out;
  for (const Expr& condition : Conjuncts(block.where)) {
    if (facts.Proves(condition)) continue;  // says no more than the iterators' ranges
    const Expr mapped = Substitute(condition, to_iter);
    for (size_t i = m.common; i < m.producer.loops.size(); ++i)
      if (Uses(mapped, As<For>(m.producer.loops[i])->var))
        throw Error("", StrCat("guard of block ", block.name), Print(condition),
                    "cannot move with the block");
    out.push_back(mapped);
  }
  return out;
}

struct Moved {
  Stmt nest;
  Buffer buffer;
  std::vector<std::string> loops;
  std::vector<Expr> low;  // where the new buffer starts in the old one
};

Moved Rebuild(const Move& m) {
  const Block& block = *m.producer.block;
  const std::vector<NeededDim> needed = NeededRegion(As<For>(m.target)->body, m.outer, m.buffer);
  const std::vector<Expr>& indices = As<Store>(block.body)->indices;
  NameSet names(m.outer, nullptr);
  Block copy = block;
  copy.iters.clear();
  VarMap to_new, to_loop;  // old iterator -> new iterators; -> new loops
  std::vector<For> loops;
  std::vector<Expr> guards = OwnGuards(m);
  std::vector<int64_t> shape = m.buffer->shape;
  Moved out;
  out.low.assign(shape.size(), Expr(0));
  auto add = [&](const Iter& iter, int64_t extent, const Expr& low) {
    const std::string& name = iter.var->name;
    const Var loop =
        MakeVar(names.Fresh(name[0] == 'v' && name.size() > 1 ? name.substr(1) : name + "l"));
    loops.push_back({.var = loop, .extent = extent});
    copy.iters.push_back({MakeVar(name), extent, iter.kind, Expr(loop)});
    to_new.emplace_back(iter.var, low + copy.iters.back().var);
    to_loop.emplace_back(iter.var, low + loop);
  };
  for (const Iter& iter : block.iters) {
    if (iter.kind == IterKind::kReduce) {
      add(iter, iter.extent, 0);
      continue;
    }
    const size_t d =
        std::find_if(indices.begin(), indices.end(),
                     [&](const Expr& e) { return e.op() == Op::kVar && e->var == iter.var; }) -
        indices.begin();
    if (d == indices.size())
      throw Error("", StrCat("iterator ", iter.var->name), OneLine(block.body),
                  "must index the buffer by itself");
    add(iter, needed[d].extent, needed[d].low);
    out.low[d] = needed[d].low;
    shape[d] = needed[d].extent;
    guards.push_back(Expr(iter.var) >= 0);
    guards.push_back(Expr(iter.var) < iter.extent);
  }
  for (Expr& guard : guards) guard = Substitute(guard, to_loop);
  copy.where = Conjunction(guards);
  out.buffer =
      MakeBuffer(m.buffer->name, m.buffer->dtype, shape, m.buffer->scope, m.buffer->strides);
  out.nest = ReplaceBuffer(Substitute(MakeStmt(std::move(copy)), to_new), m.buffer, out.buffer,
                           [&](std::vector<Expr> at) {
                             for (size_t d = 0; d < at.size(); ++d) at[d] = at[d] - out.low[d];
                             return at;
                           });
  for (const For& loop : loops) out.loops.push_back(loop.var->name);
  for (size_t i = loops.size(); i-- > 0;) {
    loops[i].body = std::move(out.nest);
    out.nest = MakeStmt(std::move(loops[i]));
  }
  return out;
}

/// `first` before the rest, behind the allocations with which that begins.
Stmt Prepend(const Stmt& first, const Stmt& rest) {
  const Allocate* alloc = As<Allocate>(rest);
  return alloc ? MakeStmt(Allocate{alloc->buffer, Prepend(first, alloc->body)})
               : MakeSeq({first, rest});
}

}  // namespace

std::vector<std::string> ComputeAt(Application& a) {
  const Move m = Plan(a);
  const Moved moved = Rebuild(m);
  For loop = *As<For>(m.target);
  const Stmt readers = ReplaceBuffer(loop.body, m.buffer, moved.buffer, [&](std::vector<Expr> at) {
    for (size_t d = 0; d < at.size(); ++d) at[d] = at[d] - moved.low[d];
    return at;
  });
  loop.body = MakeStmt(Allocate{moved.buffer, Prepend(moved.nest, readers)});
  Function f = ReplaceStmt(a.function, m.target, MakeStmt(std::move(loop)));
  f = ReplaceStmt(f, m.nest, nullptr);
  f.body = RewriteStmts(f.body, [&](const Stmt& s) -> Stmt {
    const Allocate* alloc = As<Allocate>(s);
    return alloc && alloc->buffer == m.buffer ? alloc->body : nullptr;
  });
  f.body = HoistSlots(f.body);
  a.function = Simplified(f);
  return moved.loops;
}

}  // namespace vta::compiler::loop
