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
  return std::make_shared<StmtNode>(StmtNode{std::move(copy), true});
}

}  // namespace

Stmt SimplifyStmt(const Stmt& stmt, const Facts& facts, Blocks blocks) {
  if (const For* loop = As<For>(stmt)) {
    Facts inside = facts;
    inside.SetRange(loop->var, {0, loop->extent - 1});
    Stmt body = SimplifyStmt(loop->body, inside, blocks);
    if (body == loop->body) return stmt;
    For copy = *loop;
    copy.body = std::move(body);
    return MakeStmt(std::move(copy));
  }
  if (const Allocate* alloc = As<Allocate>(stmt)) {
    Stmt body = SimplifyStmt(alloc->body, facts, blocks);
    return body == alloc->body ? stmt : MakeStmt(Allocate{alloc->buffer, std::move(body)});
  }
  if (const Seq* seq = As<Seq>(stmt)) {
    std::vector<Stmt> stmts;
    for (const Stmt& s : seq->stmts) stmts.push_back(SimplifyStmt(s, facts, blocks));
    return stmts == seq->stmts ? stmt : MakeSeq(std::move(stmts));
  }
  if (const Block* block = As<Block>(stmt))
    return blocks == Blocks::kNew && stmt->simplified ? stmt : SimplifyBlock(*block, facts);
  return stmt;
}

}  // namespace vta::compiler::loop
