// Questions about a function: which blocks there are, what they access, what holds around them.
#pragma once

#include <string>
#include <vector>

#include "compiler/loop/arith.h"
#include "compiler/loop/ir.h"

namespace vta::compiler::loop {

/// A block and the loops around it, outermost first.
struct Site {
  const Block* block;
  Stmt stmt;
  std::vector<Stmt> loops;
};
std::vector<Site> Sites(const Stmt& stmt);
/// Errors: throws Error when no block has this name.
Site FindSite(const Function& function, const std::string& block);

/// One access of a block in terms of its iterators and the loops around: the elements [base, base +
/// extent) of each dimension. `guard` is the condition of the selects around it, or empty.
struct Access {
  Buffer buffer;
  std::vector<Range> ranges;
  bool write;
  bool init;
  Expr guard;
};
/// Accesses of body and init, store by store; of each the write comes first. Extents are at
/// least 1.
std::vector<Access> Accesses(const Block& block);
/// The buffers that a block writes, in the order of its stores.
std::vector<Buffer> Written(const Block& block);
/// The write of a block that stores one value, for who can do no more.
/// Errors: throws Error if it stores several.
Access OnlyWrite(const Block& block);
/// True when the block reads `buffer` (the accumulation of a reduction into its own result counts).
bool Reads(const Block& block, const Buffer& buffer);
bool Writes(const Block& block, const Buffer& buffer);

/// Bounds of each dimension of what an access of the block touches, where `facts` of the loops and
/// guards around it hold: a hull of boxes. And whether two hulls have no element in common.
std::vector<Interval> Bounds(const Block& block, const Access& access, const Facts& facts);
bool Apart(const std::vector<Interval>& a, const std::vector<Interval>& b);

/// Whether data tells the value: there is a load in it.
bool HasLoad(const Expr& expr);

/// iterator -> binding.
VarMap Bindings(const Block& block);

/// Ranges of the loops.
Facts FactsOf(const std::vector<Stmt>& loops);
/// Ranges of the loops, and the block's `where`.
Facts FactsAt(const Site& site);

/// What stands inside of the allocations that the statement begins with.
Stmt WithoutAllocates(Stmt stmt);
/// Every statement, parents first.
void VisitStmts(const Stmt& stmt, const std::function<void(const Stmt&)>& visit);
/// Rebuilds bottom-up; `rewrite` gets each statement with rebuilt children and returns its
/// replacement (empty = keep).
Stmt RewriteStmts(const Stmt& stmt, const std::function<Stmt(const Stmt&)>& rewrite);
/// Rewrites every expression inside (bindings, guards, indices, values, regions) as loop::Rewrite
/// does.
Stmt RewriteExprs(const Stmt& stmt, const std::function<Expr(const Expr&)>& rewrite);
Stmt Substitute(const Stmt& stmt, const VarMap& map);
/// Every access of `from` becomes one of `to`, with indices mapped by `map` (empty = unchanged).
Stmt ReplaceBuffer(const Stmt& stmt, const Buffer& from, const Buffer& to,
                   const std::function<std::vector<Expr>(std::vector<Expr>)>& map = {});

/// The parameters and all allocated buffers, in the order of the text.
std::vector<Buffer> Buffers(const Function& function);
bool IsParam(const Function& function, const Buffer& buffer);

}  // namespace vta::compiler::loop
