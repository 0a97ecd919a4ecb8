#include "compiler/lower/tails.h"

#include <algorithm>

#include "compiler/loop/analysis.h"
#include "compiler/loop/simplify.h"

namespace vta::compiler::lower {

using loop::Allocate;
using loop::As;
using loop::For;
using loop::ForKind;
using loop::MakeStmt;
using loop::Site;
using loop::Stmt;

namespace {

/// Tails in tails double the code each time.
constexpr size_t kMostBlocks = 16;

Stmt WithOwnBuffers(Stmt stmt) {
  std::vector<loop::Buffer> inside;
  VisitStmts(stmt, [&](const Stmt& s) {
    if (const Allocate* alloc = As<Allocate>(s)) inside.push_back(alloc->buffer);
  });
  for (const loop::Buffer& b : inside) {
    const loop::Buffer own = loop::MakeBuffer(b->name, b->dtype, b->shape, b->scope, b->strides);
    stmt = ReplaceBuffer(stmt, b, own);
    stmt = RewriteStmts(stmt, [&](const Stmt& s) -> Stmt {
      const Allocate* alloc = As<Allocate>(s);
      return alloc && alloc->buffer == b ? MakeStmt(Allocate{own, alloc->body}) : nullptr;
    });
  }
  return stmt;
}

class Splitter {
 public:
  Stmt Run(const Stmt& stmt) {
    if (const loop::Seq* seq = As<loop::Seq>(stmt)) {
      std::vector<Stmt> stmts;
      for (const Stmt& s : seq->stmts) stmts.push_back(Run(s));
      return MakeSeq(std::move(stmts));
    }
    if (const Allocate* alloc = As<Allocate>(stmt))
      return MakeStmt(Allocate{alloc->buffer, Run(alloc->body)});
    const For* loop = As<For>(stmt);
    // Lanes go step by step together, whatever is inside.
    if (!loop || loop->kind == ForKind::kVectorize) return stmt;
    For whole = *loop;
    outside_.push_back(stmt);
    whole.body = Run(loop->body);
    outside_.pop_back();
    const Stmt all = MakeStmt(whole);
    if (loop->kind != ForKind::kSerial || loop->extent < 2) return all;
    --whole.extent;
    const Stmt head = MakeStmt(whole);
    if (!Gains(all, head)) return all;
    const Stmt tail = Substitute(WithOwnBuffers(whole.body), {{loop->var, whole.extent}});
    return SimplifyStmt(loop::MakeSeq({head, tail}), loop::FactsOf(outside_));
  }

 private:
  loop::Facts FactsWith(const Stmt& loop, const Site& site) const {
    std::vector<Stmt> loops = outside_;
    loops.push_back(loop);
    loops.insert(loops.end(), site.loops.begin() + 1, site.loops.end());
    return loop::FactsOf(loops);
  }

  /// A guard that only `all` needs, in a loop inside that runs many times or as lanes.
  bool Gains(const Stmt& all, const Stmt& head) const {
    const std::vector<Site> sites = loop::Sites(all);
    if (sites.size() > kMostBlocks) return false;
    const auto repeats = [](const Stmt& s) {
      const For& loop = *As<For>(s);
      return loop.extent > 1 && (loop.kind == ForKind::kSerial || loop.kind == ForKind::kVectorize);
    };
    return std::any_of(sites.begin(), sites.end(), [&](const Site& site) {
      if (!site.block->where || std::none_of(site.loops.begin() + 1, site.loops.end(), repeats))
        return false;
      const loop::Facts in_all = FactsWith(all, site), in_head = FactsWith(head, site);
      const std::vector<loop::Expr> guards = Conjuncts(site.block->where);
      return std::any_of(guards.begin(), guards.end(), [&](const loop::Expr& guard) {
        return Uses(guard, As<For>(all)->var) && in_head.Proves(guard) && !in_all.Proves(guard);
      });
    });
  }

  std::vector<Stmt> outside_;
};

}  // namespace

Stmt TailsApart(const Stmt& stmt) { return Splitter().Run(stmt); }

}  // namespace vta::compiler::lower
