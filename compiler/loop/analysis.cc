#include "compiler/loop/analysis.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

void Collect(const Stmt& stmt, std::vector<Stmt>& loops, std::vector<Site>& out) {
  if (const For* loop = As<For>(stmt)) {
    loops.push_back(stmt);
    Collect(loop->body, loops, out);
    loops.pop_back();
  } else if (const Seq* seq = As<Seq>(stmt)) {
    for (const Stmt& s : seq->stmts) Collect(s, loops, out);
  } else if (const Allocate* alloc = As<Allocate>(stmt)) {
    Collect(alloc->body, loops, out);
  } else if (const Block* block = As<Block>(stmt)) {
    out.push_back({block, stmt, loops});
  }
}

std::vector<Range> Points(const std::vector<Expr>& indices) {
  std::vector<Range> out;
  for (const Expr& index : indices) out.push_back({index, 1});
  return out;
}

void Loads(const Expr& expr, bool init, const Expr& guard, std::vector<Access>& out) {
  if (!expr) return;
  if (expr.op() == Op::kSelect) {
    const auto& args = expr->args;
    auto both = [&](const Expr& condition) { return guard ? guard && condition : condition; };
    Loads(args[0], init, guard, out);
    Loads(args[1], init, both(args[0]), out);
    Loads(args[2], init, both(Not(args[0])), out);
    return;
  }
  if (expr.op() == Op::kLoad) out.push_back({expr->buffer, Points(expr->args), false, init, guard});
  for (const Expr& arg : expr->args) Loads(arg, init, guard, out);
}

void LeafAccesses(const Stmt& leaf, bool init, std::vector<Access>& out) {
  if (const Store* store = As<Store>(leaf)) {
    out.push_back({store->buffer, Points(store->indices), true, init, {}});
    for (const Expr& index : store->indices) Loads(index, init, {}, out);
    Loads(store->value, init, {}, out);
  } else if (const Call* call = As<Call>(leaf)) {
    for (size_t i = 0; i < call->operands.size(); ++i) {
      if (!call->operands[i].buffer) continue;
      std::vector<Range> ranges = call->operands[i].ranges;
      for (Range& range : ranges) range.extent = std::max<int64_t>(range.extent, 1);
      out.push_back({call->operands[i].buffer, ranges, i == 0, init, {}});
      // An update reads what it writes.
      if (i == 0 && call->part == CallPart::kUpdate)
        out.push_back({call->operands[i].buffer, ranges, false, init, {}});
    }
  }
}

std::vector<Expr> RewriteAll(const std::vector<Expr>& exprs,
                             const std::function<Expr(const Expr&)>& f) {
  std::vector<Expr> out;
  for (const Expr& e : exprs) out.push_back(Rewrite(e, f));
  return out;
}

}  // namespace

std::vector<Site> Sites(const Stmt& stmt) {
  std::vector<Site> out;
  std::vector<Stmt> loops;
  Collect(stmt, loops, out);
  return out;
}

Site FindSite(const Function& function, const std::string& block) {
  for (Site& site : Sites(function.body))
    if (site.block->name == block) return site;
  throw Error(StrCat("func ", function.name), "block", block, "there is no such block");
}

std::vector<Access> Accesses(const Block& block) {
  std::vector<Access> out;
  for (const Stmt& leaf : Leaves(block.body)) LeafAccesses(leaf, false, out);
  for (const Stmt& leaf : Leaves(block.init)) LeafAccesses(leaf, true, out);
  return out;
}

std::vector<Buffer> Written(const Block& block) {
  std::vector<Buffer> out;
  for (const Access& access : Accesses(block))
    if (access.write && !access.init) out.push_back(access.buffer);
  return out;
}

Access OnlyWrite(const Block& block) {
  if (Leaves(block.body).size() > 1) {
    std::string names;
    for (const Buffer& buffer : Written(block))
      names += StrCat(names.empty() ? "" : ", ", buffer->name);
    throw Error(StrCat("block ", block.name), "stores", names, "must be one value, not several");
  }
  return Accesses(block).front();
}

bool Reads(const Block& block, const Buffer& buffer) {
  for (const Access& access : Accesses(block))
    if (!access.write && access.buffer == buffer) return true;
  return false;
}

bool Writes(const Block& block, const Buffer& buffer) {
  const std::vector<Buffer> written = Written(block);
  return std::find(written.begin(), written.end(), buffer) != written.end();
}

std::vector<Interval> Bounds(const Block& block, const Access& access, const Facts& facts) {
  Facts inside = facts;
  for (const Iter& iter : block.iters) inside.SetRange(iter.var, {0, iter.extent - 1});
  const VarMap bindings = Bindings(block);
  std::vector<Interval> hull;
  for (const Range& range : access.ranges) {
    // By the iterators' ranges, which guards keep, and by what they are bound to.
    const Interval own = inside.Bounds(range.base);
    const Interval bound = facts.Bounds(Substitute(range.base, bindings));
    hull.push_back({std::max(own.low, bound.low),
                    std::min(own.high, bound.high) + std::max<int64_t>(range.extent, 1) - 1});
  }
  return hull;
}

bool Apart(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  for (size_t d = 0; d < std::min(a.size(), b.size()); ++d)
    if (a[d].Known() && b[d].Known() && (a[d].high < b[d].low || b[d].high < a[d].low)) return true;
  return false;
}

bool HasLoad(const Expr& expr) {
  bool loads = false;
  Visit(expr, [&](const Expr& part) { loads |= part.op() == Op::kLoad; });
  return loads;
}

VarMap Bindings(const Block& block) {
  VarMap map;
  for (const Iter& iter : block.iters) map.emplace_back(iter.var, iter.binding);
  return map;
}

Facts FactsOf(const std::vector<Stmt>& loops) {
  Facts facts;
  for (const Stmt& stmt : loops) {
    const For& loop = *As<For>(stmt);
    facts.SetRange(loop.var, {0, loop.extent - 1});
  }
  return facts;
}

Facts FactsAt(const Site& site) {
  Facts facts = FactsOf(site.loops);
  facts.Assume(site.block->where);
  return facts;
}

Stmt WithoutAllocates(Stmt stmt) {
  while (const Allocate* alloc = As<Allocate>(stmt)) stmt = alloc->body;
  return stmt;
}

void VisitStmts(const Stmt& stmt, const std::function<void(const Stmt&)>& visit) {
  if (!stmt) return;
  visit(stmt);
  if (const For* loop = As<For>(stmt)) VisitStmts(loop->body, visit);
  if (const Allocate* alloc = As<Allocate>(stmt)) VisitStmts(alloc->body, visit);
  if (const Seq* seq = As<Seq>(stmt))
    for (const Stmt& s : seq->stmts) VisitStmts(s, visit);
  if (const Block* block = As<Block>(stmt)) {
    VisitStmts(block->init, visit);
    VisitStmts(block->body, visit);
  }
}

Stmt RewriteStmts(const Stmt& stmt, const std::function<Stmt(const Stmt&)>& rewrite) {
  if (!stmt) return stmt;
  Stmt rebuilt = stmt;
  auto child = [&](const Stmt& s) { return RewriteStmts(s, rewrite); };
  if (const For* loop = As<For>(stmt)) {
    if (Stmt body = child(loop->body); body != loop->body) {
      For copy = *loop;
      copy.body = std::move(body);
      rebuilt = MakeStmt(std::move(copy));
    }
  } else if (const Allocate* alloc = As<Allocate>(stmt)) {
    if (Stmt body = child(alloc->body); body != alloc->body)
      rebuilt = MakeStmt(Allocate{alloc->buffer, std::move(body)});
  } else if (const Seq* seq = As<Seq>(stmt)) {
    std::vector<Stmt> stmts;
    for (const Stmt& s : seq->stmts) stmts.push_back(child(s));
    if (stmts != seq->stmts) rebuilt = MakeSeq(std::move(stmts));
  } else if (const Block* block = As<Block>(stmt)) {
    Stmt init = child(block->init), body = child(block->body);
    if (init != block->init || body != block->body) {
      Block copy = *block;
      copy.init = std::move(init);
      copy.body = std::move(body);
      rebuilt = MakeStmt(std::move(copy));
    }
  }
  Stmt replaced = rewrite(rebuilt);
  return replaced ? replaced : rebuilt;
}

Stmt RewriteExprs(const Stmt& stmt, const std::function<Expr(const Expr&)>& rewrite) {
  return RewriteStmts(stmt, [&](const Stmt& s) -> Stmt {
    if (const Store* store = As<Store>(s))
      return MakeStmt(Store{store->buffer, RewriteAll(store->indices, rewrite),
                            Rewrite(store->value, rewrite)});
    if (const Call* call = As<Call>(s)) {
      Call copy = *call;
      for (Region& region : copy.operands) {
        region.immediate = Rewrite(region.immediate, rewrite);
        for (Range& range : region.ranges) range.base = Rewrite(range.base, rewrite);
      }
      return MakeStmt(std::move(copy));
    }
    if (const Block* block = As<Block>(s)) {
      Block copy = *block;
      for (Iter& iter : copy.iters) iter.binding = Rewrite(iter.binding, rewrite);
      copy.where = Rewrite(copy.where, rewrite);
      return MakeStmt(std::move(copy));
    }
    return {};
  });
}

Stmt Substitute(const Stmt& stmt, const VarMap& map) {
  if (map.empty()) return stmt;
  return RewriteExprs(stmt, [&](const Expr& e) -> Expr {
    if (e.op() == Op::kVar)
      for (const auto& [var, value] : map)
        if (var == e->var) return value;
    return {};
  });
}

Stmt ReplaceBuffer(const Stmt& stmt, const Buffer& from, const Buffer& to,
                   const std::function<std::vector<Expr>(std::vector<Expr>)>& map) {
  auto mapped = [&](std::vector<Expr> indices) { return map ? map(std::move(indices)) : indices; };
  Stmt loads = RewriteExprs(stmt, [&](const Expr& e) -> Expr {
    return e.op() == Op::kLoad && e->buffer == from ? Load(to, mapped(e->args)) : Expr();
  });
  return RewriteStmts(loads, [&](const Stmt& s) -> Stmt {
    if (const Store* store = As<Store>(s); store && store->buffer == from)
      return MakeStmt(Store{to, mapped(store->indices), store->value});
    if (const Call* call = As<Call>(s)) {
      Call copy = *call;
      for (Region& region : copy.operands) {
        if (region.buffer != from) continue;
        std::vector<Expr> bases;
        for (const Range& range : region.ranges) bases.push_back(range.base);
        bases = mapped(std::move(bases));
        // Dimensions that the map adds stand in front and are points.
        std::vector<Range> ranges(bases.size());
        const size_t added = bases.size() - region.ranges.size();
        for (size_t i = 0; i < bases.size(); ++i)
          ranges[i] = {bases[i], i < added ? 0 : region.ranges[i - added].extent};
        region = {to, std::move(ranges)};
      }
      return MakeStmt(std::move(copy));
    }
    if (const Allocate* alloc = As<Allocate>(s); alloc && alloc->buffer == from)
      return MakeStmt(Allocate{to, alloc->body});
    return {};
  });
}

std::vector<Buffer> Buffers(const Function& function) {
  std::vector<Buffer> out = function.params;
  VisitStmts(function.body, [&](const Stmt& s) {
    if (const Allocate* alloc = As<Allocate>(s)) out.push_back(alloc->buffer);
  });
  return out;
}

bool IsParam(const Function& function, const Buffer& buffer) {
  return std::find(function.params.begin(), function.params.end(), buffer) != function.params.end();
}

}  // namespace vta::compiler::loop
