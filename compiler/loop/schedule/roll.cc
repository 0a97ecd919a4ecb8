// roll: a buffer that is made anew in each iteration of a loop keeps what the iteration before made
// and this one needs again. Blocks make only what is new; two iterations' lie side by side.
#include <algorithm>
#include <optional>
#include <string>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// The buffer has `extent` entries along `dim`. An iteration makes the last `advance` of them; the
/// `kept` before these are the last that the one before it made.
struct Rolled {
  Buffer buffer;
  Stmt stmt;  // the loop
  size_t dim;
  int64_t advance, kept;

  const For& loop() const { return *As<For>(stmt); }
  int64_t extent() const { return advance + kept; }
};

Rolled PlanRoll(const Application& a) {
  Rolled r{.buffer = FindBuffer(a.function, a.args[0])};
  VisitStmts(a.function.body, [&](const Stmt& s) {
    const For* loop = As<For>(s);
    if (!loop || loop->kind != ForKind::kSerial || loop->var->name != a.args[1]) return;
    Stmt body = loop->body;
    while (const Allocate* alloc = As<Allocate>(body)) {
      if (alloc->buffer == r.buffer) r.stmt = s;
      body = alloc->body;
    }
  });
  if (!r.stmt)
    throw Error("", "loop", a.args[1], StrCat(r.buffer->name, " is not made directly in it"));
  if (!r.buffer->strides.empty())
    throw Error("", "buffer", r.buffer->name, "must be dense: strides are set behind it");
  r.dim = a.Int(2, "dimension", 0, static_cast<int64_t>(r.buffer->shape.size()) - 1);
  const int64_t extent = r.buffer->shape[r.dim];
  r.advance = a.Int(3, "advance", (extent + 1) / 2, extent - 1);
  r.kept = extent - r.advance;
  return r;
}

/// The loop of its own with which a block runs through the whole dimension of what it writes.
Stmt LoopThrough(const Rolled& r, const Site& site) {
  const Access write = OnlyWrite(*site.block);
  const Expr index = Substitute(write.ranges[r.dim].base, Bindings(*site.block));
  for (const Stmt& stmt : site.loops)
    if (const For& loop = *As<For>(stmt); index.op() == Op::kVar && index->var == loop.var &&
                                          loop.extent == r.extent() && Contains(r.stmt, stmt))
      return stmt;
  return nullptr;
}

/// Whether two expressions are the same but for how indices are written.
bool Equal(const Expr& a, const Expr& b, const Facts& facts) {
  if (!a || !b) return !a && !b;
  if (a.dtype() == DType::kInt64 && b.dtype() == DType::kInt64) return Gap(a, b, facts) == 0;
  if (a.op() != b.op() || a->buffer != b->buffer || a->args.size() != b->args.size()) return false;
  if (a->args.empty()) return Same(a, b);
  return std::equal(a->args.begin(), a->args.end(), b->args.begin(),
                    [&](const Expr& x, const Expr& y) { return Equal(x, y, facts); });
}

/// That a block makes at an entry what it made there, `advance` entries further on, in the
/// iteration before.
void RequireSameAsBefore(const Rolled& r, const Site& site, const Stmt& through) {
  const Var &outer = r.loop().var, &inner = As<For>(through)->var;
  const VarMap bindings = Bindings(*site.block);
  const VarMap before = {{outer, Expr(outer) - 1}, {inner, Expr(inner) + r.advance}};
  Facts facts = FactsOf(site.loops);
  for (const Iter& iter : site.block->iters)
    if (iter.kind == IterKind::kReduce) facts.SetRange(iter.var, {0, iter.extent - 1});
  auto seen = [&](const Expr& expr) -> Expr {
    // Entries are counted from those of the first iteration.
    const Expr absolute = Rewrite(expr, [&](const Expr& e) -> Expr {
      if (e.op() != Op::kLoad || e->buffer != r.buffer) return {};
      std::vector<Expr> at = e->args;
      at[r.dim] = at[r.dim] + Expr(outer) * r.advance;
      return Load(e->buffer, std::move(at));
    });
    return Substitute(absolute, bindings);
  };
  auto require = [&](const Expr& expr) {
    if (!expr) return;
    const Expr now = seen(expr);
    if (!Equal(now, Substitute(now, before), facts))
      throw Error("", "block", site.block->name,
                  StrCat("makes ", Print(expr), ", which was not there an iteration before"));
  };
  for (const Site& other : Sites(r.stmt))
    for (const Buffer& buffer : Written(*other.block))
      if (buffer != r.buffer && Reads(*site.block, buffer))
        throw Error("", "block", site.block->name,
                    StrCat("reads ", buffer->name, ", which is made anew in each iteration"));
  for (const Access& access : Accesses(*site.block))
    if (access.buffer == r.buffer &&
        Gap(access.ranges[r.dim].base, OnlyWrite(*site.block).ranges[r.dim].base) != 0)
      throw Error("", "block", site.block->name,
                  StrCat("reads another entry of ", r.buffer->name, " than it makes"));
  for (const Stmt& body : {site.block->body, site.block->init})
    for (const Stmt& leaf : Leaves(body)) {
      const Store* store = As<Store>(leaf);
      if (!store) throw Error("", "block", site.block->name, "is tensorized; roll before");
      require(store->value);
      for (size_t d = 0; d < store->indices.size(); ++d)
        if (d != r.dim) require(store->indices[d]);
    }
  for (const Expr& condition : Conjuncts(site.block->where)) require(condition);
}

/// Whether the block surely does not do what it does where `guard` holds in the first iteration.
bool NotAtFirst(const Rolled& r, const Site& site, const Expr& guard) {
  const Facts facts = FactsOf(site.loops);
  const VarMap first = {{r.loop().var, Expr(0)}};
  std::vector<Expr> conditions = Conjuncts(site.block->where);
  for (const Expr& part : Conjuncts(guard))
    conditions.push_back(Substitute(part, Bindings(*site.block)));
  return std::ranges::any_of(conditions, [&](const Expr& condition) {
    return facts.Proves(Not(Substitute(condition, first)));
  });
}

class Rolling {
 public:
  Rolling(const Function& function, const Rolled& rolled)
      : function_(function), r_(rolled), sites_(Sites(rolled.stmt)) {
    const std::vector<Stmt> around = LoopsAround(function, rolled.stmt);
    for (Site& site : sites_) site.loops.insert(site.loops.begin(), around.begin(), around.end());
    std::vector<int64_t> shape = r_.buffer->shape;
    shape[r_.dim] = r_.advance;
    shape.insert(shape.begin(), 2);
    ring_ = MakeBuffer(r_.buffer->name, r_.buffer->dtype, std::move(shape), r_.buffer->scope);
  }

  Function Run() {
    for (size_t i = 0; i < sites_.size(); ++i)
      if (Reads(*sites_[i].block, r_.buffer) || Writes(*sites_[i].block, r_.buffer)) Look(i);
    for (const Kept& one : kept_) Check(one);
    Stmt loop = r_.stmt;
    for (const auto& [from, to] : changes_) loop = ReplaceIn(loop, from, to);
    loop = RewriteStmts(loop, [&](const Stmt& s) -> Stmt {
      const Allocate* alloc = As<Allocate>(s);
      return alloc && alloc->buffer == r_.buffer ? alloc->body : nullptr;
    });
    return Simplified(ReplaceStmt(function_, r_.stmt, MakeStmt(Allocate{ring_, std::move(loop)})));
  }

 private:
  /// A read of what the iteration before made.
  struct Kept {
    size_t site;
    std::vector<Interval> hull;
    Expr guard;
  };

  void Look(size_t i) {
    const Site& site = sites_[i];
    const Stmt through = Writes(*site.block, r_.buffer) ? LoopThrough(r_, site) : Stmt(nullptr);
    if (through) {
      if (Sites(through).size() > 1)
        throw Error("", "block", site.block->name, "shares its loops with other blocks");
      RequireSameAsBefore(r_, site, through);
      last_maker_ = i;
      For loop = *As<For>(through);
      loop.extent = r_.advance;
      loop.body = Substitute(loop.body, {{loop.var, Expr(loop.var) + r_.kept}});
      changes_.emplace_back(through, InRing(MakeStmt(std::move(loop)), {}));
      return;
    }
    const Facts facts = FactsAt(site);
    for (const Access& access : Accesses(*site.block)) {
      if (access.buffer != r_.buffer) continue;
      std::vector<Interval> hull = Bounds(*site.block, access, facts);
      const Interval at = hull[r_.dim];
      if (at.low >= r_.kept) {
        if (access.write) written_.push_back(std::move(hull));
        continue;
      }
      if (at.high >= r_.kept)
        throw Error("", "block", site.block->name,
                    StrCat("uses what is kept and what is new of ", r_.buffer->name,
                           " in one loop; partition it"));
      if (access.write) throw Error("", "block", site.block->name, "writes to what is kept");
      kept_.push_back({i, std::move(hull), access.guard});
    }
    changes_.emplace_back(site.stmt, InRing(site.stmt, facts));
  }

  /// Elsewhere than in a maker's loop, entries of which the facts say that they are kept are those
  /// of the iteration before.
  Stmt InRing(const Stmt& stmt, const std::optional<Facts>& facts) const {
    const Block* block = As<Block>(stmt);
    return ReplaceBuffer(stmt, r_.buffer, ring_, [&](std::vector<Expr> at) {
      const Expr turn = r_.loop().var;
      const bool old = facts && IsKept(*block, at[r_.dim], *facts);
      at[r_.dim] = at[r_.dim] + (old ? r_.advance - r_.kept : -r_.kept);
      at.insert(at.begin(), FloorMod(old ? turn + 1 : turn, 2));
      return at;
    });
  }

  bool IsKept(const Block& block, const Expr& index, const Facts& facts) const {
    const Access access{r_.buffer, {{index, 1}}, false, false, {}};
    return Bounds(block, access, facts)[0].high < r_.kept;
  }

  void Check(const Kept& one) const {
    const Site& site = sites_[one.site];
    const std::string& name = site.block->name;
    if (one.site < last_maker_)
      throw Error("", "block", sites_[last_maker_].block->name,
                  StrCat("makes it behind block ", name, ", which reads what is kept"));
    if (!NotAtFirst(r_, site, one.guard))
      throw Error("", "block", name, "reads before the first iteration what is kept");
    std::vector<Interval> made = one.hull;
    made[r_.dim].low += r_.advance, made[r_.dim].high += r_.advance;
    for (const std::vector<Interval>& written : written_)
      if (!Apart(written, made))
        throw Error("", "block", name, "reads of what is kept elements that are written over");
  }

  const Function& function_;
  const Rolled& r_;
  std::vector<Site> sites_;  // with all loops around
  Buffer ring_;
  std::vector<std::pair<Stmt, Stmt>> changes_;
  std::vector<Kept> kept_;
  std::vector<std::vector<Interval>> written_;  // by others than makers
  size_t last_maker_ = 0;
};

}  // namespace

std::vector<std::string> Roll(Application& a) {
  const Rolled rolled = PlanRoll(a);
  a.function = Rolling(a.function, rolled).Run();
  return {};
}

}  // namespace vta::compiler::loop
