// What is known of a block's expressions where code is made of it, whatever kind of code that is.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "compiler/loop/analysis.h"

namespace vta::compiler::lower {

/// A block's expressions in the loops around it, with what was found out about them: a block that
/// is written out many times is analysed once.
class BlockFacts {
 public:
  /// `where` may be empty.
  BlockFacts(const loop::Facts& loops, const loop::Expr& where);

  /// What holds at a place of the block: everywhere, or on a side of a select.
  struct Context {
    loop::Facts facts;
    std::map<const loop::ExprNode*, loop::Affine> forms;
    std::map<std::pair<const loop::ExprNode*, bool>, std::unique_ptr<Context>> sides;
  };
  Context& everywhere() { return everywhere_; }
  /// What is to be tested: the conjuncts of `where` that the loops do not imply.
  const std::vector<loop::Expr>& guards() const { return guards_; }
  /// Where the block's guards are tested.
  Context& outside() { return outside_; }
  static Context& Side(Context& context, const loop::Expr& select, bool taken);
  static const loop::Affine& Form(Context& context, const loop::Expr& expr);
  /// The position in the buffer, in elements, of an access (a load, or a store's indices as one).
  static const loop::Affine& Flat(Context& context, const loop::ExprNode* access,
                                  const loop::Buffer& buffer,
                                  const std::vector<loop::Expr>& indices);
  /// True when a load stays inside its buffer even where the block's guards do not hold.
  bool IsSafe(const loop::Expr& load);
  bool AllSafe(const loop::Expr& expr);

 private:
  Context outside_, everywhere_;
  std::vector<loop::Expr> guards_;
  std::map<const loop::ExprNode*, bool> safe_, all_safe_;
};

/// Of an index in a buffer of which each thread has its part: what is left of it in that part,
/// without the terms of the variables of threads.
loop::Affine WithoutThreads(const loop::Affine& index,
                            const std::set<const loop::VarNode*>& threads);

/// A store of a block, whose iterators are replaced by what they are bound to.
struct Assignment {
  loop::Store store;
  loop::Affine flat;      // where its buffer is written, in elements from the first
  bool contract = false;  // the value is sum + left * right, of floats
  loop::Expr sum, left, right;
};

/// A block whose body stores elements.
struct PreparedBlock {
  BlockFacts facts;
  std::vector<loop::Affine>
      reduce;  // iterators that are all 0 where the init runs, if there is one
  std::vector<Assignment> init, body;
};

/// `loops`: those around it. Errors: throws Error where it holds something else than stores.
PreparedBlock Prepare(const loop::Block& block, const std::vector<loop::Stmt>& loops);

}  // namespace vta::compiler::lower
