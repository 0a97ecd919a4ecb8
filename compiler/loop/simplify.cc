#include "compiler/loop/simplify.h"

#include "compiler/loop/analysis.h"

namespace vta::compiler::loop {
namespace {

/// The conjuncts that neither the facts nor the conjuncts before them prove.
Expr SimplifyGuard(const Expr& where, const Facts& facts) {
  std::vector<Expr> left;
  Facts known = facts;
  for (const Expr& condition : Conjuncts(where)) {
    if (known.Proves(condition)) continue;
    left.push_back(facts.Simplify(condition));
    known.Assume(condition);
  }
  return Conjunction(left);
}

Stmt SimplifyBlock(const Block& block, const Facts& facts) {
  Block copy = block;
  copy.where = SimplifyGuard(block.where, facts);
  Facts inside = facts;
  inside.Assume(copy.where);
  for (Iter& iter : copy.iters) {
    iter.binding = facts.Simplify(iter.binding);
    inside.SetRange(iter.var, {0, iter.extent - 1});
  }
  // A unit iterator stays a variable: its name says which dimension it is.
  auto simplify = [&](const Expr& e) -> Expr {
    if (e.dtype() != DType::kInt64 || e.op() == Op::kVar || e.op() == Op::kConst) return {};
    return e.op() == Op::kCast || e.op() == Op::kLoad ? Expr() : inside.Simplify(e);
  };
  copy.init = RewriteExprs(block.init, simplify);
  copy.body = RewriteExprs(block.body, simplify);
  return MakeStmt(std::move(copy));
}

}  // namespace

Stmt SimplifyStmt(const Stmt& stmt, const Facts& facts) {
  if (const For* loop = As<For>(stmt)) {
    Facts inside = facts;
    inside.SetRange(loop->var, {0, loop->extent - 1});
    For copy = *loop;
    copy.body = SimplifyStmt(loop->body, inside);
    return MakeStmt(std::move(copy));
  }
  if (const Allocate* alloc = As<Allocate>(stmt))
    return MakeStmt(Allocate{alloc->buffer, SimplifyStmt(alloc->body, facts)});
  if (const Seq* seq = As<Seq>(stmt)) {
    std::vector<Stmt> stmts;
    for (const Stmt& s : seq->stmts) stmts.push_back(SimplifyStmt(s, facts));
    return MakeSeq(std::move(stmts));
  }
  if (const Block* block = As<Block>(stmt)) return SimplifyBlock(*block, facts);
  return stmt;
}

}  // namespace vta::compiler::loop
